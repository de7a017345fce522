import type { Deps, Grounds } from '../../src/credit/decisions/propose.ts';
import type { Clock } from '../../src/platform/base/clock.ts';
import type { ProposalRow } from '../../src/proposals/proposal.ts';
import { named } from './payouts.ts';
import { quietProposals } from './quiet-proposals.ts';
import type { BooksOfPeople } from './quiet-proposals.ts';

/** For decisions about the registry. */
export function decisionDeps(
  deps: BooksOfPeople & { readonly clock: Clock },
): Deps & BooksOfPeople {
  return { ...deps, proposals: quietProposals(deps) };
}

/** What Asha gives as grounds. */
export function groundsOf(reason: string, evidence = 'File 7'): Grounds {
  return { by: named('Asha'), reason, evidence };
}

/** Approves what is shown now. */
export async function approveProposal(
  { proposals }: Pick<Deps, 'proposals'>,
  { proposalId, by }: { readonly proposalId: string; readonly by: string },
): Promise<ProposalRow> {
  const { seen } = await proposals.preview(proposalId);
  return await proposals.approve({ proposalId, by: named(by), seen });
}

export async function rejectProposal(
  { proposals }: Pick<Deps, 'proposals'>,
  { proposalId, by }: { readonly proposalId: string; readonly by: string },
): Promise<ProposalRow> {
  return await proposals.reject({ proposalId, by: named(by), note: 'no longer needed' });
}
