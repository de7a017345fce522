import type { StatementLine } from '../../source-statements.ts';

/** The amount booked in (positive) or out (negative), in cents. */
export function effectCents({ kind, amountCents }: Pick<StatementLine, 'kind' | 'amountCents'>) {
  if (kind === 'pending') return 0n;
  const isIn = kind === 'credit' || kind === 'debit_returned' || kind === 'no_payment';
  return isIn ? amountCents : -amountCents;
}
