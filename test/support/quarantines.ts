import { proposeRelease } from '../../src/payments/quarantine/release-kind.ts';
import { approveSeen, named } from './payouts.ts';
import { quietProposals } from './quiet-proposals.ts';
import type { BooksOfPeople } from './quiet-proposals.ts';

/** One person proposes to end the quarantine without the statements, and the other one approves it. */
export async function releaseByTwo(
  deps: BooksOfPeople,
  [by, other] = [named('Asha'), named('Baraka')] as const,
): Promise<string> {
  const asked = { by, note: 'as told by the operators' };
  const { proposalId } = await proposeRelease({ ...deps, proposals: quietProposals(deps) }, asked);
  await approveSeen(deps, proposalId, other);
  return proposalId;
}
