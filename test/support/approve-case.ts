import { findCase } from '../../src/payments/cases/cases-store.ts';
import { approveResolution } from '../../src/payments/corrections/cases.ts';

type Approved = ReturnType<typeof approveResolution>;

/** Approves the current proposal, whatever it is. */
export async function approveCurrent(
  deps: Parameters<typeof approveResolution>[0],
  { caseId, by }: { readonly caseId: string; readonly by: string },
): Approved {
  const proposalId = (await findCase(deps.pool, caseId))?.proposalId ?? caseId;
  return await approveResolution(deps, { caseId, proposalId, by });
}
