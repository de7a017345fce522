import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { lockInstruction } from '../dispatch/recall-store.ts';
import type { Plan, Situation } from './resolutions.ts';

/**
 * Requires that a payment was not sent again: the later instruction may be executed, whatever people
 * found out about the earlier one. Until the caller's database transaction ends, the payment is not
 * sent again.
 * @param proposedAt null: it is proposed now.
 * Throws: `PlainError` if another operator has the payment than the case is about, or it was sent again since
 * the proposal.
 */
export async function requireSameInstruction(
  db: Queryable,
  { row, payment }: Pick<Situation, 'row' | 'payment'>,
  { plan, proposedAt }: { readonly plan: Plan; readonly proposedAt: Date | null },
): Promise<void> {
  if (plan.kind !== 'settle' || payment === null) return;
  const found = await lockInstruction(db, payment, proposedAt);
  if (found === undefined) return;
  const { operatorCode, isLater } = found;
  if (operatorCode !== null && operatorCode !== row.operatorCode) {
    throw new PlainError(
      `The payment has been sent to ${operatorCode}, and this case is about ${row.operatorCode}. Wait for its result, or choose keep_books and open another case about the payment.`,
      { field: 'resolution' },
    );
  }
  if (!isLater) return;
  throw new PlainError(
    `The payment has been sent again since the proposal, to ${operatorCode ?? 'an operator'}. Look at it again, and propose it again.`,
    { field: 'proposal' },
  );
}
