import type { LinePatterns } from '../../../connectors/source-statements.ts';
import { cleanWhole } from '../../../platform/base/clean-text.ts';
import { MPESA, readReceiptNumber } from '../../../connectors/source.ts';
import { normaliseAccount, reportedAccount } from '../receipt.ts';
import type { ReceiptReport } from '../receipt.ts';

/** Where a bank breaks a text: at the end of a line, or before a numbered part of it (`?21`). */
export const BREAK = /\n|\?\d\d/;

interface Reading {
  readonly account: string | null;
  readonly receipt: string | undefined;
  /** The pattern finds the account only with what ends it, so no rest of it was cut off. */
  readonly isEnded: boolean;
}

/**
 * Finds the account and the numbers that the text of a line names, also if its pieces are joined in
 * other ways. Banks break texts at a fixed width, within words too, and nothing tells whether a space
 * belongs there: `ACC 100` and `200` name the account 100, or 100200. Letters count as written if the
 * pattern finds something, because a payer's small letters may be other words; but whoever has the
 * account that they name with them is asked. Whatever follows an account, the bank may have cut a part of
 * the text off before: it puts together fields that each have a width.
 */
export function readText(
  text: string,
  patterns: LinePatterns,
): Pick<Reading, 'account' | 'receipt'> & Pick<ReceiptReport, 'otherReadings' | 'mayBePart'> {
  const ways = [text, ...waysToJoin(text)].map(cleanWhole);
  const asWritten = ways.map((way) => read(way, patterns));
  const anyCase = {
    account: withoutCase(patterns.account),
    receipt: withoutCase(patterns.receipt),
  };
  const inAnyCase = ways.map((way) => readInAnyCase(way, anyCase));
  const [written, loose] = [asWritten[0] ?? NOTHING, inAnyCase[0] ?? NOTHING];
  const isWritten = written.account !== null;
  const found = isWritten ? written : loose;
  const first = {
    account: found.account,
    receipt: written.receipt ?? loose.receipt,
    ...(found.account !== null && !found.isEnded && { mayBePart: true }),
  };
  const receipts = distinct([...asWritten, ...inAnyCase].map((reading) => reading.receipt))
    .filter((receipt) => receipt !== first.receipt)
    .map((receipt) => `${MPESA} ${receipt}`);
  // Without an account, people decide anyway.
  if (first.account === null) {
    return receipts.length === 0
      ? first
      : { ...first, otherReadings: { accounts: [], unlikelyAccounts: [], receipts } };
  }
  const joined = othersOf(isWritten ? asWritten : inAnyCase, first.account);
  const isUnlikely = Map.groupBy(joined, (account) => isNextWord(first.account ?? '', account));
  const accounts = isUnlikely.get(false) ?? [];
  const unlikelyAccounts = distinct([
    ...(isUnlikely.get(true) ?? []),
    ...othersOf(inAnyCase, first.account).filter((account) => !accounts.includes(account)),
  ]);
  if (accounts.length + unlikelyAccounts.length + receipts.length === 0) return first;
  return { ...first, otherReadings: { accounts, unlikelyAccounts, receipts } };
}

const NOTHING: Reading = { account: null, receipt: undefined, isEnded: false };

/** The accounts that the readings name beside this one. */
function othersOf(readings: readonly Reading[], account: string): string[] {
  return distinct(readings.map((reading) => reading.account)).filter(
    (other) => other !== account && normaliseAccount(other) !== '',
  );
}

function read(text: string, { account, receipt }: LinePatterns): Reading {
  const found = account?.exec(text) ?? undefined;
  return {
    account: reportedAccount(found?.[1]),
    receipt: readReceiptNumber(receipt?.exec(text)?.[1] ?? ''),
    isEnded: found !== undefined && isEndFound(found),
  };
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** True if the pattern itself asks for what follows its first group, and that is no letter or digit. */
function isEndFound({ indices, index, 0: match, input }: RegExpExecArray): boolean {
  const [, end] = indices?.[1] ?? [0, input.length];
  return end < index + match.length && !LETTER_OR_DIGIT.test(input.charAt(end));
}

function withoutCase(pattern: RegExp | undefined): RegExp | undefined {
  return pattern && new RegExp(pattern.source, `${pattern.flags}i`);
}

/** In small letters, a number has a digit: `mpesa transaction` has none. */
function readInAnyCase(text: string, patterns: LinePatterns): Reading {
  const { receipt, ...found } = read(text, patterns);
  return { ...found, receipt: receipt !== undefined && /\d/.test(receipt) ? receipt : undefined };
}

/** The text with one of its breaks closed, with all of them closed, and with all of them as spaces. */
function waysToJoin(text: string): string[] {
  const pieces = text.split(BREAK);
  if (pieces.length === 1) return [];
  const closed = pieces
    .slice(1)
    .map((piece, index) =>
      [...pieces.slice(0, index), `${pieces[index]}${piece}`, ...pieces.slice(index + 2)].join(' '),
    );
  return [...closed, pieces.join(''), pieces.join(' ')];
}

/**
 * True if an account differs from another one by a word that was joined to it: `100200` and
 * `100200THANKS`. Digits that follow digits, or letters that follow letters, may be the rest of the
 * account.
 */
function isNextWord(account: string, longer: string): boolean {
  const [last, next] = [account.slice(-1), longer.slice(account.length)];
  return longer.startsWith(account) && /\d/.test(last) !== /\d/.test(next.slice(0, 1));
}

function distinct<Value extends string>(values: readonly (Value | null | undefined)[]): Value[] {
  return [...new Set(values.filter((value) => value !== null && value !== undefined))];
}
