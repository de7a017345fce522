/**
 * `credit`: money came in. `credit_returned`: the bank took a credit back. Both kinds of debit are
 * no receipts: money that went out, and such money coming back. `pending`: not booked yet.
 */
export type LineKind = 'credit' | 'credit_returned' | 'debit' | 'debit_returned' | 'pending';

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
  /** The reference of the entry, if the line is one of its payments. */
  readonly batch?: string;
  /** A credit that the bank marks as the return of a payment of ours: it may be no income. */
  readonly isReturn?: true;
  /** The purpose, with what the customer wrote. A line break where the bank broke it, possibly in a word. */
  readonly text: string;
}

export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}

/** The amount booked in (positive) or out (negative), in cents. */
export function effectCents({ kind, amountCents }: Pick<StatementLine, 'kind' | 'amountCents'>) {
  if (kind === 'pending') return 0n;
  return kind === 'credit' || kind === 'debit_returned' ? amountCents : -amountCents;
}
