import { cleanWhole } from '../../connectors/text.ts';
import { MPESA, normaliseAccount, readReceiptNumber, reportedAccount } from '../receipt.ts';
import type { OtherReadings } from '../receipt.ts';
import type { StatementRules } from './settings.ts';

/** Where a bank breaks a text: at the end of a line, or before a numbered part of it (`?21`). */
const BREAK = /\n|\?\d\d/;

type Patterns = Pick<StatementRules, 'account' | 'receipt'>;

interface Reading {
  readonly account: string | null;
  readonly receipt: string | undefined;
}

/**
 * What the text of a line names, and what it names if its pieces are joined in other ways. Banks break texts at a
 * fixed width, within words too, and nothing tells whether a space belongs there: `ACC 100` and `200` name the
 * account 100, or 100200.
 */
export function readText(
  text: string,
  patterns: Patterns,
): Reading & { readonly otherReadings?: OtherReadings } {
  const first = read(cleanWhole(text), patterns);
  const others = waysToJoin(text).map((joined) => read(cleanWhole(joined), patterns));
  const accounts = distinct(others.map((reading) => reading.account)).filter(
    (account) => account !== first.account && normaliseAccount(account) !== '',
  );
  const receipts = distinct(others.map((reading) => reading.receipt))
    .filter((receipt) => receipt !== first.receipt)
    .map((receipt) => `${MPESA} ${receipt}`);
  // Without an account, people decide anyway.
  if (first.account === null || accounts.length + receipts.length === 0) {
    return receipts.length === 0
      ? first
      : { ...first, otherReadings: { accounts: [], unlikelyAccounts: [], receipts } };
  }
  const isUnlikely = Map.groupBy(accounts, (account) => isNextWord(first.account ?? '', account));
  return {
    ...first,
    otherReadings: {
      accounts: isUnlikely.get(false) ?? [],
      unlikelyAccounts: isUnlikely.get(true) ?? [],
      receipts,
    },
  };
}

function read(text: string, { account, receipt }: Patterns): Reading {
  return {
    account: reportedAccount(account?.exec(text)?.[1]),
    receipt: readReceiptNumber(receipt?.exec(text)?.[1] ?? ''),
  };
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
 * Whether an account differs from another one by a word that was joined to it: `100200` and `100200THANKS`.
 * Digits that follow digits, or letters that follow letters, may be the rest of the account.
 */
function isNextWord(account: string, longer: string): boolean {
  const [last, next] = [account.slice(-1), longer.slice(account.length)];
  return longer.startsWith(account) && /\d/.test(last) !== /\d/.test(next.slice(0, 1));
}

function distinct<Value extends string>(values: readonly (Value | null | undefined)[]): Value[] {
  return [...new Set(values.filter((value) => value !== null && value !== undefined))];
}
