import type { Clock, WireTime } from '../platform/base/clock.ts';
import { DAY_MS } from '../platform/base/days.ts';
import { Refusal } from '../platform/base/errors.ts';
import { readBookPeriod, readEnd, readStart } from '../platform/base/period.ts';

interface Times {
  readonly wireTime: WireTime;
  readonly clock: Clock;
}

/** Reads the requested period. Throws: `invalid_field`. */
export function readPeriod(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  { wireTime }: Pick<Times, 'wireTime'>,
): { readonly from: Date | undefined; readonly to: Date | undefined } {
  const period = { from: readStart(from, 'from', wireTime), to: readEnd(to, 'to', wireTime) };
  if (period.from !== undefined && period.to !== undefined && period.from > period.to) {
    throw new Refusal('invalid_field', { field: 'to', text: 'to must not be before from' });
  }
  return period;
}

const MAX_STATEMENT_MS = 366 * DAY_MS;

/**
 * The period of a statement, as far as it is over: this month until now, if nothing else is asked for.
 * Throws: `invalid_field`.
 */
export function readStatementPeriod(
  asked: { readonly from?: string | undefined; readonly to?: string | undefined },
  { wireTime, clock }: Times,
): { readonly from: Date; readonly to: Date } {
  const now = clock.now();
  const { from, to } = readBookPeriod(asked, { wireTime, now });
  if (to.getTime() - from.getTime() > MAX_STATEMENT_MS) {
    throw new Refusal('invalid_field', {
      field: 'from',
      text: 'A statement covers at most one year',
    });
  }
  return { from, to: to > now && now > from ? now : to };
}

/** A past instant; a day means its end. Undefined: now. Throws: `invalid_field`. */
export function readInstant(
  text: string | undefined,
  field: string,
  { wireTime, clock }: Times,
): Date | undefined {
  const at = readEnd(text, field, wireTime);
  if (at === undefined || at <= clock.now()) return at;
  throw new Refusal('invalid_field', {
    field,
    text: `${field} must be in the past; a day means its end`,
  });
}

/** The clocks of vendors may be ahead. */
const AHEAD_MS = 300_000;

/**
 * Where a reader of events begins. A time far ahead would hide all events until then.
 * Throws: `invalid_field`.
 */
export function readSince(text: string | undefined, { wireTime, clock }: Times): Date | undefined {
  const since = readStart(text, 'since', wireTime);
  if (since === undefined || since.getTime() <= clock.now().getTime() + AHEAD_MS) return since;
  throw new Refusal('invalid_field', { field: 'since', text: 'since must not be in the future' });
}
