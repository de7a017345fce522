import type { Actor } from '../src/proposals/kind.ts';
import type { Proposals } from '../src/proposals/proposals.ts';
import type { ProposalRow } from '../src/proposals/proposal.ts';

/** A name, without a login. */
export const named = (name: string): Actor => ({ personId: null, name });

/** Approves what the second person sees. */
export async function approveSeen(
  proposals: Proposals,
  { proposalId }: Pick<ProposalRow, 'proposalId'>,
  by: string,
): Promise<ProposalRow> {
  const { seen } = await proposals.preview(proposalId);
  return await proposals.approve({ proposalId, seen, by: named(by) });
}
