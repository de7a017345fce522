import { parseIsoTime, startOfNamedDay } from '../../../platform/base/clock.ts';
import type { WireTime } from '../../../platform/base/clock.ts';

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];

const TOKENS: Readonly<Record<string, string>> = {
  DD: String.raw`(?<day>\d{1,2})`,
  MM: String.raw`(?<month>\d{1,2})`,
  MMM: '(?<name>[A-Za-z]{3,9})',
  YYYY: String.raw`(?<year>\d{4})`,
  YY: String.raw`(?<short>\d{2})`,
};

/**
 * The day that a text begins with, as `YYYY-MM-DD`, and what follows. Whether the day exists is not
 * checked. Undefined: it is not in this format.
 * @param format such as `DD/MM/YYYY`, `DD/MM/YY` or `DD-MMM-YYYY`.
 */
export function readDay(
  text: string,
  format: string,
): { readonly day: string; readonly rest: string } | undefined {
  const source = format.replaceAll(/DD|MMM|MM|YYYY|YY|\./g, (token) => TOKENS[token] ?? '\\.');
  const match = new RegExp(`^${source}(?!\\d)`).exec(text);
  const { day = '', month, name = '', year, short } = match?.groups ?? {};
  const number = month ?? monthOf(name);
  if (match === null || Number(number) === 0) return undefined;
  const padded = [number, day].map((part) => String(part).padStart(2, '0')).join('-');
  return { day: `${year ?? `20${short}`}-${padded}`, rest: text.slice(match[0].length) };
}

/** 0: it is none. */
function monthOf(name: string): number {
  const lower = name.toLowerCase();
  return 1 + MONTHS.findIndex((month) => lower.length >= 3 && month.startsWith(lower.slice(0, 9)));
}

/** The form in which Excel files and most programs write a day, whatever the bank's own format is. */
const ALWAYS = 'YYYY-MM-DD';

/** The time of a day in one of the formats, or of ISO 8601; the beginning of the day if it has no time. */
export function readTime(
  text: string,
  formats: readonly string[],
  wireTime: WireTime,
): Date | undefined {
  const iso = parseIsoTime(text);
  if (iso !== undefined) return iso;
  const found = [...formats, ALWAYS]
    .map((format) => readDay(text, format))
    .find((each) => each !== undefined);
  if (found === undefined) return undefined;
  if (found.rest.trim() === '') return startOfNamedDay(found.day, wireTime);
  const time = readTimeOfDay(found.rest);
  return time === undefined ? undefined : wireTime.parse(`${found.day} ${time}`);
}

/** `HH:MM:SS` of ` 9:15`, ` 14:05:11` or ` 02:30 PM`. */
function readTimeOfDay(text: string): string | undefined {
  const [, hours = '', minutes = '', seconds = '00', half] =
    /^(?:,? +|T)(\d{1,2})[:.](\d\d)(?:[:.](\d\d)(?:[.,]\d{1,9})?)?(?: ?([ap])\.?m\.?)?$/i.exec(
      text,
    ) ?? [];
  if (minutes === '') return undefined;
  const hour = Number(hours);
  if (half === undefined) return `${hours.padStart(2, '0')}:${minutes}:${seconds}`;
  if (hour < 1 || hour > 12) return undefined;
  const whole = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${String(whole).padStart(2, '0')}:${minutes}:${seconds}`;
}
