import { MOBILE_NUMBER } from '../../platform/base/mobile-number.ts';

/** The format of a biller's accounts, and what they are called. */
export interface AccountFormat {
  /** `msisdn`: Kenyan mobile numbers (254, then 7 or 1, then eight digits); otherwise an anchored regular expression. */
  readonly accountFormat: string;
  /** The name that people see, such as `Meter number`. */
  readonly accountLabel: string;
}

export const MSISDN = 'msisdn';

/** Default for a biller without a format: letters and digits, with some punctuation between them. */
export const ANY_ACCOUNT: AccountFormat = {
  accountFormat: '^([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9 ./_-]{0,62}[A-Za-z0-9])$',
  accountLabel: 'Account number',
};

/** @param account normalised. */
export function hasFormat(account: string, format: string): boolean {
  return (format === MSISDN ? MOBILE_NUMBER : new RegExp(format, 'u')).test(account);
}

const DIGITS_ONLY = /^\^\[0-9\]\{(\d+)(?:,(\d+))?\}\$$/;

/** Completes `account (…) must be` for people, in words where the format is a usual one. */
export function describeFormat(format: string): string {
  if (format === MSISDN) return 'a Kenyan mobile number such as 254712345678 or 0712345678';
  if (format === ANY_ACCOUNT.accountFormat) {
    return 'up to 64 letters and digits, with spaces or . / _ - only between them';
  }
  const [, least, most] = DIGITS_ONLY.exec(format) ?? [];
  if (least === undefined) return `of the form ${format}`;
  return `a number of ${most === undefined ? least : `${least} to ${most}`} digits`;
}

/*
 * The syntax that patterns may use. It means the same in the languages that vendors use, and
 * matching takes bounded time: no unbounded repetition, no nested repetition, no back-references,
 * and few variable counts.
 */
const ATOM = String.raw`(?:[A-Za-z0-9 _/@#%,-]|\\[d.+()]|\[(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9 ./_@#%,])+-?\])`;
const COUNT = String.raw`(?:\{\d{1,2}(?:,\d{1,2})?\}|\?)?`;
const SEQUENCE = `(?:${ATOM}${COUNT})+`;
const PATTERN = new RegExp(String.raw`^\^(?:${SEQUENCE}|\(${SEQUENCE}(?:\|${SEQUENCE})+\))\$$`);

const MAX_FORMAT_LENGTH = 200;
/** Three counts of up to 99 take about 50,000 steps for the worst account of 64 characters. */
const MAX_VARYING_COUNTS = 3;

/** Why a format cannot be used; undefined if it can. */
export function whyNotAFormat(format: string): string | undefined {
  if (format === MSISDN) return undefined;
  if (format.length > MAX_FORMAT_LENGTH) return `it has more than ${MAX_FORMAT_LENGTH} characters`;
  if (!PATTERN.test(format)) {
    return 'it must be msisdn, or an anchored pattern of characters, classes such as [A-Z0-9] and counts such as {5,14} or ?, or several of these as ^(…|…)$';
  }
  if ((format.match(/\{\d+,\d+\}|\?/g) ?? []).length > MAX_VARYING_COUNTS) {
    return `it has more than ${MAX_VARYING_COUNTS} variable counts`;
  }
  try {
    void new RegExp(format, 'u');
    return undefined;
  } catch {
    return 'a range or a count is out of order';
  }
}
