import { enterTransfer, proposePayout } from '../../src/payments/payouts/payouts.ts';
import type { PayoutRequest } from '../../src/payments/payouts/payouts.ts';
import { quietProposals } from './quiet-proposals.ts';
import type { BooksOfPeople } from './quiet-proposals.ts';
import type { Actor } from '../../src/proposals/kind.ts';
import type { ProposalRow } from '../../src/proposals/proposal.ts';

/** A name on the command line. */
export const named = (name: string): Actor => ({ personId: null, name });

/** Approves what is shown now. */
export async function approveSeen(
  deps: BooksOfPeople,
  proposalId: string,
  by: Actor = named('Baraka'),
): Promise<ProposalRow> {
  const proposals = quietProposals(deps);
  const { seen } = await proposals.preview(proposalId);
  return await proposals.approve({ proposalId, by, seen });
}

/** A payout that Asha proposes. */
export async function proposedPayout(
  deps: BooksOfPeople,
  payout: Pick<PayoutRequest, 'vendorId' | 'amountCents'> & Partial<PayoutRequest>,
): Promise<string> {
  const { proposalId } = await proposePayout(quietProposals(deps), {
    ...{ vid: `vendor-${payout.vendorId}`, bankAccount: 'KCB 110000001', reference: null },
    ...{ evidence: 'order of 3 March', note: 'the vendor asked', by: named('Asha') },
    ...payout,
  });
  return proposalId;
}

/** The same, approved by Baraka, transferred, and its reference entered. */
export async function payOut(
  deps: BooksOfPeople,
  payout: Pick<PayoutRequest, 'vendorId' | 'amountCents'> & Partial<Pick<PayoutRequest, 'bank'>>,
  reference: string,
): Promise<string> {
  const payoutId = await proposedPayout(deps, payout);
  await approveSeen(deps, payoutId);
  const proposals = quietProposals(deps);
  await enterTransfer({ ...deps, proposals }, { payoutId, reference, by: named('Baraka') });
  return payoutId;
}
