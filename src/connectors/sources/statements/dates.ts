const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const TOKENS: Readonly<Record<string, string>> = {
  DD: String.raw`(?<day>\d{1,2})`,
  MM: String.raw`(?<month>\d{1,2})`,
  MMM: '(?<name>[A-Za-z]{3})',
  YYYY: String.raw`(?<year>\d{4})`,
};

/**
 * The day that a text begins with, as `YYYY-MM-DD`, and what follows. Whether the day exists is not
 * checked. Undefined: it is not in this format.
 * @param format such as `DD/MM/YYYY` or `DD-MMM-YYYY`.
 */
export function readDay(
  text: string,
  format: string,
): { readonly day: string; readonly rest: string } | undefined {
  const source = format.replaceAll(/DD|MMM|MM|YYYY|\./g, (token) => TOKENS[token] ?? '\\.');
  const match = new RegExp(`^${source}(?!\\d)`).exec(text);
  const { day = '', month, name = '', year } = match?.groups ?? {};
  const number = month ?? MONTHS.indexOf(name.toLowerCase()) + 1;
  if (match === null || Number(number) === 0) return undefined;
  const padded = [number, day].map((part) => String(part).padStart(2, '0')).join('-');
  return { day: `${year}-${padded}`, rest: text.slice(match[0].length) };
}
