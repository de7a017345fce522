import type { WireTime } from '../platform/base/clock.ts';

/** An account of ours whose statements people import: at a bank, or a pay bill. */
export interface BankStatements {
  /** Who numbers the receipts; null: the bank, so that its source is the issuer. */
  readonly issuer: string | null;
  /** The account as statements name it. Undefined: any. */
  readonly bankAccount: string | undefined;
  /** Codes of other sources that never list the same money. */
  readonly separateFrom: readonly string[];
  readonly patterns: LinePatterns;
  /** Changes if lines get other numbers: then one that is listed again is not recognised by its number. */
  readonly numbering: string;
  /** Throws: `PlainError` if the file is too large or has no end of problems. */
  read(file: string, by: StatementReading): Promise<ReadStatement>;
}

/** Finds what the text of a line names: the first group of each pattern. */
export interface LinePatterns {
  /** The account number. */
  readonly account: RegExp | undefined;
  /** M-PESA's receipt number. Such a line is the same receipt as a confirmation. */
  readonly receipt: RegExp | undefined;
}

export interface StatementReading {
  readonly wireTime: WireTime;
  /** Lines of this file that people have compared with the bank: fields, although they follow full lines of text. */
  readonly acceptedLines: ReadonlySet<number>;
}

export interface ReadStatement {
  readonly lines: readonly StatementLine[];
  readonly problems: readonly LineProblem[];
  readonly notes: readonly StatementNote[];
}

/** Something in a file that is no movement, and how the file was read (`form`). */
export interface StatementNote {
  readonly line: number;
  readonly note: 'form' | 'balance' | 'total' | 'text';
  readonly text: string;
  /** Sums of a total, in cents. */
  readonly total?: { readonly credit: bigint | undefined; readonly debit: bigint | undefined };
}

/**
 * `credit`: money came in. `credit_returned`: the bank took a credit back. Both kinds of debit are
 * no receipts: money that went out, and such money coming back. `no_payment`: money that came in, but from accounts of
 * ours. `pending`: not booked yet, or never.
 */
export type LineKind =
  | 'credit'
  | 'credit_returned'
  | 'debit'
  | 'debit_returned'
  | 'no_payment'
  | 'pending';

/** One movement on a bank account, as a statement lists it. */
export interface StatementLine {
  /** Line number in the file, from 1. */
  readonly line: number;
  /** When it was booked. */
  readonly at: Date;
  readonly amountCents: bigint;
  readonly kind: LineKind;
  /** The bank's own reference; unique for the account. */
  readonly reference: string;
  /** The bank gave none, so that it is made of what the line says. */
  readonly isMade?: true;
  /** The provider's word for the movement. Then its kind is certain, whatever its text says. */
  readonly type?: string;
  /** Nobody knows whether the type is that of a payment. */
  readonly isUnknownType?: true;
  /** The account number of a column of its own, as the customer wrote it. */
  readonly account?: string;
  /** The payer of a column of its own. */
  readonly payer?: string;
  /** Numbers of the receipts that a line of the kind `credit_returned` takes back, if a column names them. */
  readonly returns?: readonly string[];
  /** The balance after the line, if the file has it. */
  readonly balanceCents?: bigint;
  /** The reference of the entry, if the line is one of its payments. */
  readonly batch?: string;
  /** A credit that the bank marks, or its text, as the return of a payment of ours: it may be no income. */
  readonly isReturn?: true;
  /** The purpose, with what the customer wrote. A line break where the bank broke it, possibly in a word. */
  readonly text: string;
}

export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}

/** Compares account numbers without spaces and dashes, which banks write in different places. */
export function isSameAccount(named: string | undefined, account: string): boolean {
  return plain(named ?? '') === plain(account);
}

function plain(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}
