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

/** The day after a day that exists, `YYYY-MM-DD`. */
export function dayAfter(day: string): string {
  return isoDay(new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS));
}

/** When a day begins in some time zone, with that zone’s offset: `2026-03-02T00:00:00+03:00`. */
export function midnightWithOffset(day: string, instant: Date): string {
  const midnight = `${day}T00:00:00`;
  const minutes = Math.round((Date.parse(`${midnight}Z`) - Number(instant)) / 60_000);
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${midnight}${minutes < 0 ? '-' : '+'}${twoDigits(hour)}:${twoDigits(minute)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
