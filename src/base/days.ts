export const DAY_MS = 86_400_000;

/** The day in UTC that an instant lies in, `YYYY-MM-DD`. */
export function isoDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
