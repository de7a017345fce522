export const DAY_MS = 86_400_000;

/** The day in UTC that an instant lies in, `YYYY-MM-DD`. */
export function isoDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** UTC midnight of a day written `YYYY-MM-DD`; undefined when the calendar has no such day. */
export function parseDay(text: string): Date | undefined {
  // The calendar that everybody else reads, PostgreSQL too, has no year 0.
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  // Date takes 30 February for 2 March.
  return !Number.isNaN(day.getTime()) && isoDay(day) === text ? day : undefined;
}
