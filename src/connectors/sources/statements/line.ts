import type { StatementLine } from '../../source-statements.ts';

/** The amount booked in (positive) or out (negative), in cents. */
export function effectCents({ kind, amountCents }: Pick<StatementLine, 'kind' | 'amountCents'>) {
  if (kind === 'pending') return 0n;
  return kind === 'credit' || kind === 'debit_returned' ? amountCents : -amountCents;
}
