/** Days of a time zone as text, `2026-11-22`. */

export function dayOf(instant: Date, timeZone: string): string {
  // sv-SE is the locale whose dates are YYYY-MM-DD.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(instant);
}

export function today(timeZone: string): string {
  return dayOf(new Date(), timeZone);
}

/** The day of a text that is a day already, or an instant; otherwise empty. */
export function dayOfText(text: string, timeZone: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? '' : dayOf(instant, timeZone);
}

export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 10);
}
