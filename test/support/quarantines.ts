import { proposeRelease } from '../../src/payments/quarantine/release-kind.ts';
import { approveSeen, named } from './payouts.ts';
import { quietProposals } from './quiet-proposals.ts';
import type { BooksOfPeople } from './quiet-proposals.ts';

/** Asha proposes to end the quarantine without the statements, and Baraka approves it. */
export async function releaseByTwo(deps: BooksOfPeople): Promise<string> {
  const asked = { by: named('Asha'), note: 'as told by the operators' };
  const { proposalId } = await proposeRelease({ ...deps, proposals: quietProposals(deps) }, asked);
  await approveSeen(deps, proposalId);
  return proposalId;
}
