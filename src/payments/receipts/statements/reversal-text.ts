import type { StatementLine } from '../../../connectors/source-statements.ts';
import { plainReference } from '../../../platform/base/written-alike.ts';
import { namedNumbers } from './named-numbers.ts';
import { BREAK } from './readings.ts';

/** Words of banks and of M-PESA for money that goes back, in English and Swahili. */
const GOES_BACK =
  /revers(?:al|ed|ing)|rejesh|(?<!\p{L})(?:reverse|rvsl|rvrsl|revsl|charge-?back|refund(?:ed)?|return(?:ed)?|unpaid|bounced|dishonou?red)(?!\p{L})/iu;

/**
 * The line as its text explains it, because many files have no other sign of a return. Money that came in as a
 * reversal is no income of a customer; money that went out as one may be a credit that the bank took back. A payer
 * can write these words too, so they decide nothing but that people look at it.
 */
export function asItSays(line: StatementLine): StatementLine {
  // A provider that has a word for each movement says it there.
  if (line.type !== undefined || !waysToRead(line.text).some((text) => GOES_BACK.test(text)))
    return line;
  if (line.kind === 'credit') return { ...line, isReturn: true };
  return line.kind === 'debit' ? { ...line, kind: 'credit_returned' } : line;
}

/** Digits are in every number of a receipt. */
const NUMBER = /^(?=.*\d)[a-z0-9]{6,40}$/;

/** Whatever in a text may be the number of a receipt, as `plainReference` makes it. */
export function numbersIn(text: string): string[] {
  const words = waysToRead(text).flatMap((way) => [
    ...way.split(/\s+/),
    ...way.split(/[^A-Za-z0-9]+/),
  ]);
  const plain = words.map(plainReference).filter((word) => NUMBER.test(word));
  return [...new Set([...plain, ...namedNumbers(text)])].slice(0, MAX_NUMBERS);
}

/** More are no text about a payment. */
const MAX_NUMBERS = 40;

/** With each break as a space, and without the breaks. */
function waysToRead(text: string): string[] {
  const pieces = text.split(BREAK);
  return [...new Set([pieces.join(' '), pieces.join('')])];
}
