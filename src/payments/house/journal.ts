import { PlainError } from '../../platform/base/plain-error.ts';

/** One line of a journal: a debit or a credit of an account. */
export interface JournalLine {
  readonly account: string;
  readonly side: 'debit' | 'credit';
  readonly amountCents: bigint;
}

/** A transfer between two accounts of the house. */
export interface JournalTransfer {
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: bigint;
}

const MAX_LINES = 20;
/** An opening trial balance has a line for each account. */
export const MAX_OPENING_LINES = 500;

/**
 * Accounts that a journal may post to. `commission-due:<code>` is what an operator has paid of its
 * commission, `collector:<name>` what a collector has given us of vendors' money, `vat-paid` and `excise-paid` what we have paid of the VAT and of the excise duty: all stand against the vendors' accounts of
 * that name.
 */
const ACCOUNT =
  /^(?:(?:bank|operator-charges|commission-due):[a-z0-9_]{1,40}|collector:.{1,64}|(?:asset|liability|equity|income|expense):[a-z0-9_-]{1,40}|suspense|unallocated|reversals|(?:vat|excise)-paid)$/;

/**
 * Throws: `PlainError` (field `lines`) unless there are two or more lines, of different accounts, whose
 * debits equal their credits. Pure.
 */
export function requireBalanced(lines: readonly JournalLine[], isOpening = false): void {
  const maxLines = isOpening ? MAX_OPENING_LINES : MAX_LINES;
  if (lines.length < 2 || lines.length > maxLines) {
    throw wrong(`A journal has 2 to ${maxLines} lines.`);
  }
  for (const { account, amountCents } of lines) {
    if (!(isOpening && OPENING_ACCOUNT.test(account))) requireJournalAccount(account);
    if (amountCents <= 0n) throw wrong(`${account}: the amount must be above zero.`);
  }
  if (new Set(lines.map(({ account }) => account)).size < lines.length) {
    throw wrong('Each account may be in one line only.');
  }
  const [debits, credits] = [sumOf(lines, 'debit'), sumOf(lines, 'credit')];
  if (debits === credits) return;
  throw wrong('The debits must equal the credits.');
}

/** Throws: `PlainError` unless journals may post to the account. */
export function requireJournalAccount(account: string, field = 'lines'): void {
  if (account.startsWith('operator-float:')) {
    throw wrong(`${account}: a float is booked by statements, or with house entry propose.`, field);
  }
  if (ACCOUNT.test(account)) return;
  throw wrong(
    `${account} is no account for journals. There are bank:<code>, collector:<name>, operator-charges:<code>, commission-due:<code>, asset:<name>, liability:<name>, equity:<name>, income:<name>, expense:<name>, suspense, unallocated, reversals, vat-paid and excise-paid.`,
    field,
  );
}

function wrong(text: string, field = 'lines'): PlainError {
  return new PlainError(text, { field });
}

/**
 * Accounts that an opening trial balance may post to as well: what the floats with operators had, and what belonged to
 * vendors. Both are booked by themselves. In one account, too much of one would hide too little of the other.
 */
const OPENING_ACCOUNT = /^(?:vendors-)?opening$/;

export function sumOf(lines: readonly JournalLine[], side: JournalLine['side']): bigint {
  return lines.reduce((sum, line) => sum + (line.side === side ? line.amountCents : 0n), 0n);
}

/**
 * The transfers that post a balanced journal: debits and credits in their order, each against the next.
 * Pure.
 */
export function transfersOf(lines: readonly JournalLine[]): JournalTransfer[] {
  const left = (side: JournalLine['side']): { account: string; cents: bigint }[] =>
    lines
      .filter((line) => line.side === side)
      .map(({ account, amountCents }) => ({ account, cents: amountCents }));
  const [debits, credits] = [left('debit'), left('credit')];
  const transfers: JournalTransfer[] = [];
  let [debit, credit] = [debits.shift(), credits.shift()];
  while (debit !== undefined && credit !== undefined) {
    const amountCents = debit.cents < credit.cents ? debit.cents : credit.cents;
    transfers.push({ debitAccount: debit.account, creditAccount: credit.account, amountCents });
    debit.cents -= amountCents;
    credit.cents -= amountCents;
    if (debit.cents === 0n) debit = debits.shift();
    if (credit.cents === 0n) credit = credits.shift();
  }
  return transfers;
}
