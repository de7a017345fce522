/** One movement on a bank account, as a statement lists it. */
export interface StatementLine {
  /** Of the file, the first being 1. */
  readonly line: number;
  /** When it was booked. */
  readonly at: Date;
  readonly amountCents: bigint;
  /** False: money went out, or a credit was taken back. */
  readonly isCredit: boolean;
  /** The bank's own reference; unique for the account. */
  readonly reference: string;
  /** The purpose, with what the customer wrote. */
  readonly text: string;
}

export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}
