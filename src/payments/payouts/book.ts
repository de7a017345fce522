import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Proposed } from '../../proposals/kind.ts';
import { payoutText } from '../ledger/authenticity.ts';
import { insertPayout } from './store.ts';

/** Records a transfer of our bank. Throws: `PlainError` (field `reference`) if it was entered before. */
export async function book(
  db: Queryable,
  mac: Mac,
  proposal: Proposed<{
    vendorId: number;
    cents: string;
    bank: string;
    bankAccount: string;
    evidence: string;
  }>,
  made: { readonly reference: string; readonly decidedBy: string; readonly at: Date },
): Promise<void> {
  const { proposalId: payoutId, content, note, proposedBy } = proposal;
  const { vendorId, bank, bankAccount, evidence } = content;
  const { reference, decidedBy, at: postedAt } = made;
  const people = { proposedBy, decidedBy };
  const texts = { bank, bankAccount, reference, evidence, note };
  const row = {
    ...{ payoutId, vendorId, amountCents: BigInt(content.cents), postedAt },
    ...texts,
    ...people,
  };
  const code = mac.sign(payoutText({ ...row, approvedBy: decidedBy }));
  if (await insertPayout(db, row, code)) return;
  throw new PlainError('This reference was entered before.', { field: 'reference' });
}
