export const DAY_MS = 86_400_000;

/** The day in UTC that an instant lies in, `YYYY-MM-DD`. */
export function isoDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** UTC midnight of a day written `YYYY-MM-DD`; undefined if the day does not exist. */
export function parseDay(text: string): Date | undefined {
  // Other software, PostgreSQL included, has no year 0.
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  // `Date` reads 30 February as 2 March.
  return !Number.isNaN(day.getTime()) && isoDay(day) === text ? day : undefined;
}
