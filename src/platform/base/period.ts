import { parseSenderTime, periodOfDay } from './clock.ts';
import type { WireTime } from './clock.ts';
import { Refusal } from './errors.ts';

/** The start of a period. Throws: `invalid_field`. */
export function readStart(
  text: string | undefined,
  field: string,
  wireTime: WireTime,
): Date | undefined {
  if (text === undefined) return undefined;
  const start = periodOfDay(text, wireTime)?.from ?? parseSenderTime(text, wireTime);
  if (start !== undefined) return start;
  throw new Refusal('invalid_field', { field, text: `${field} is not a valid day or time` });
}

/** The exclusive end of a period: an instant, or the end of a day. Throws: `invalid_field`. */
export function readEnd(
  text: string | undefined,
  field: string,
  wireTime: WireTime,
): Date | undefined {
  if (text === undefined) return undefined;
  return periodOfDay(text, wireTime)?.to ?? readStart(text, field, wireTime);
}

/** The clocks of other processes may be ahead. */
const AHEAD_MS = 60_000;

/**
 * The end of a period, but not later than now. A list that is searched backwards from the end of today
 * would first search the hours that are still to come, which is most of the search after midnight.
 */
export function untilNow(to: Date, now: Date): Date {
  return new Date(Math.min(to.getTime(), now.getTime() + AHEAD_MS));
}

/** A period of the books: from the first of this month until now, by default. */
export function readBookPeriod(
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  { wireTime, now }: { readonly wireTime: WireTime; readonly now: Date },
): { readonly from: Date; readonly to: Date } {
  const today = wireTime.format(now).slice(0, 10);
  const from = readStart(query.from ?? `${today.slice(0, 8)}01`, 'from', wireTime);
  const to = readEnd(query.to ?? today, 'to', wireTime);
  if (from !== undefined && to !== undefined && from < to) return { from, to };
  if (query.to === undefined) {
    throw new Refusal('invalid_field', { field: 'from', text: 'from must not be in the future' });
  }
  throw new Refusal('invalid_field', { field: 'to', text: 'to must not be before from' });
}
