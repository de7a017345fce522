import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { parseSenderTime, startOfNamedDay } from '../platform/base/clock.ts';
import type { WireTime } from '../platform/base/clock.ts';
import { MONEY_PATTERN, parseMoney } from '../platform/base/money.ts';
import { SIGNER_NAME_PATTERN } from '../parties/vendor.ts';
import { UsageError } from './failure.ts';

/** Creates a command; every command takes `--json`. */
export function command(
  parent: Command,
  spec: string,
  summary: string,
  /** True: the group’s name alone means it. */
  isDefault = false,
): Command {
  return parent
    .command(spec, { isDefault })
    .description(summary)
    .option('--json', 'one JSON document instead of a table');
}

/** A parser of an argument that has to match. @param form completes "It must be …". */
function matching(pattern: RegExp, form: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new InvalidArgumentError(`It must be ${form}.`);
    return text;
  };
}

export const signerName = matching(
  SIGNER_NAME_PATTERN,
  '1 to 64 letters, digits, dots, hyphens or underscores',
);

const requireCode = matching(/^[a-z0-9_]{1,40}$/, '1 to 40 letters, digits or underscores');

/** The code of a biller or operator, which is always lower-case, given in any case. */
export const code = (text: string): string => requireCode(text.toLowerCase());

/** Decimal text to cents, 0 included. */
export function money(text: string): bigint {
  if (!MONEY_PATTERN.test(text)) {
    throw new InvalidArgumentError(
      'It must be a decimal number such as 100.00, with at most 12 digits before the point and 2 after it.',
    );
  }
  return parseMoney(text);
}

export function moneyAboveZero(text: string): bigint {
  const cents = money(text);
  if (cents === 0n) throw new InvalidArgumentError('It must be greater than 0.');
  return cents;
}

/** A parser of a whole number within bounds, both included. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

const SECONDS_OF: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const MAX_SECONDS = 30 * 86_400;

/** `90s`, `30m`, `24h`, `7d` or `0` to seconds, at most 30 days. */
export function durationSeconds(text: string): number {
  const [, digits = '', unit = 's'] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = text === '0' ? 0 : Number(digits) * (SECONDS_OF[unit] ?? 0);
  if ((text !== '0' && digits === '') || seconds > MAX_SECONDS) {
    throw new InvalidArgumentError(
      'It must be a duration such as 90s, 30m, 24h or 7d, at most 30d.',
    );
  }
  return seconds;
}

const MOMENT_FORMS =
  'epoch seconds or milliseconds, YYYY-MM-DD HH:MM:SS, or ISO 8601 with an offset';

const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

const noSuchDay = (day: string, option: string): UsageError =>
  new UsageError(`${option} is ${day}, a day that does not exist.`);

/**
 * The start of a period: an instant, or the start of a day.
 * Throws: `UsageError` naming the option.
 */
export function periodStart(text: string, option: string, wireTime: WireTime): Date {
  const isDay = DAY_PATTERN.test(text);
  const time = isDay ? startOfNamedDay(text, wireTime) : parseSenderTime(text, wireTime);
  if (time !== undefined) return time;
  if (isDay) throw noSuchDay(text, option);
  throw new UsageError(`${option} must be YYYY-MM-DD, ${MOMENT_FORMS}.`);
}
