import { parseSenderTime, periodOfDay } from './clock.ts';
import type { WireTime } from './clock.ts';
import { parseDay } from './days.ts';
import { Refusal } from './errors.ts';

/** The start of a day of the service’s time zone, or a moment in any form that senders use. Throws: `invalid_field`. */
export function readMoment(text: string, field: string, wireTime: WireTime): Date {
  const at = periodOfDay(text, wireTime)?.from ?? parseSenderTime(text, wireTime);
  if (at !== undefined) return at;
  throw new Refusal('invalid_field', {
    field,
    text: `${field} is not a valid day or time, such as 2026-10-31`,
  });
}

/** The same, if it is given. */
export const momentIf = (
  text: string | undefined,
  field: string,
  wireTime: WireTime,
): Date | undefined => (text === undefined ? undefined : readMoment(text, field, wireTime));

/** A period whose last day is included. Throws: `invalid_field`. */
export function readPeriod(
  given: { readonly from: string; readonly to: string },
  wireTime: WireTime,
): { readonly from: Date; readonly to: Date } {
  const from = readMoment(given.from, 'from', wireTime);
  const to = periodOfDay(given.to, wireTime)?.to ?? readMoment(given.to, 'to', wireTime);
  if (from < to) return { from, to };
  throw new Refusal('invalid_field', { field: 'to', text: 'to must be after from' });
}

/** A day that people write, which has to exist. Throws: `invalid_field`. */
export function readDay(text: string, field: string): string {
  if (parseDay(text) !== undefined) return text;
  const says = `${field} must be a valid date, such as 2026-10-31`;
  throw new Refusal('invalid_field', { field, text: says });
}

const SECONDS_OF: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const MAX_SECONDS = 30 * 86_400;

/** `90s`, `30m`, `24h`, `7d` or `0` in seconds, at most 30 days. Throws: `invalid_field`. */
export function secondsOf(text: string, field: string): number {
  const seconds = Number.parseInt(text, 10) * (SECONDS_OF[text.at(-1) ?? ''] ?? 0);
  if (seconds <= MAX_SECONDS) return seconds;
  throw new Refusal('invalid_field', { field, text: `${field} must be at most 30d` });
}
