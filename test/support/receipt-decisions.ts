import {
  proposeForReceipt as propose,
  RECEIPT,
  requireReceipt,
} from '../../src/payments/receipts/assign.ts';
import { RECEIPT_MOVE } from '../../src/payments/receipts/move.ts';
import type { ReceiptName } from '../../src/payments/receipts/assign.ts';
import type { ReceiptRow } from '../../src/payments/receipts/read-receipts.ts';
import type { ProposalRow } from '../../src/proposals/proposal.ts';
import { approveSeen, named } from './payouts.ts';
import { quietProposals } from './quiet-proposals.ts';
import type { BooksOfPeople } from './quiet-proposals.ts';

type Step = ReceiptName & { readonly by: string };

/** People on the command line propose and decide about a receipt. */
export async function proposeForReceipt(
  deps: BooksOfPeople,
  request: Step & { readonly note: string; readonly vid: string | null },
): Promise<ProposalRow> {
  const proposals = quietProposals(deps);
  return await propose({ ...deps, proposals }, { ...request, by: named(request.by) });
}

export async function approveForReceipt(deps: BooksOfPeople, request: Step): Promise<ReceiptRow> {
  const { proposalId } = await openProposal(deps, request);
  await approveSeen(deps, proposalId, named(request.by));
  return await requireReceipt(deps.pool, request);
}

export async function rejectForReceipt(
  deps: BooksOfPeople,
  request: Step & { readonly note: string },
): Promise<void> {
  const { proposalId } = await openProposal(deps, request);
  const by = named(request.by);
  await quietProposals(deps).reject({ proposalId, by, note: request.note });
}

async function openProposal(deps: BooksOfPeople, request: Step): Promise<ProposalRow> {
  const { receiptId } = await requireReceipt(deps.pool, request);
  const kinds = [RECEIPT, RECEIPT_MOVE];
  const waiting = await quietProposals(deps).list({ open: true, kinds, limit: 1000 });
  const found = waiting.find(({ about }) => about.endsWith(receiptId));
  if (found === undefined) throw new Error('This receipt has no proposal.');
  return found;
}
