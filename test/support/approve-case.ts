import { listOpenProposals } from '../../src/payments/cases/case-proposals.ts';
import { findCase } from '../../src/payments/cases/read-cases.ts';
import type { CaseRow } from '../../src/payments/cases/read-cases.ts';
import { proposeResolution as propose } from '../../src/payments/corrections/case-resolution.ts';
import type { ResolutionRequest } from '../../src/payments/corrections/case-resolution.ts';
import type { Line } from '../../src/proposals/kind.ts';
import type { ProposalRow } from '../../src/proposals/proposal.ts';
import { formatMoney } from '../../src/platform/base/money.ts';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import { named } from './payouts.ts';
import { quietProposals } from './quiet-proposals.ts';
import type { BooksOfPeople } from './quiet-proposals.ts';

/** By a name on the command line. */
export async function proposeResolution(
  deps: BooksOfPeople,
  { by, ...request }: Omit<ResolutionRequest, 'by'> & { readonly by: string },
): Promise<ProposalRow> {
  const proposals = quietProposals(deps);
  return await propose({ pool: deps.pool, proposals }, { ...request, by: named(by) });
}

/** Approves the current proposal, whatever it is, and what it shows. */
export async function approveCurrent(
  deps: BooksOfPeople,
  { caseId, by }: { readonly caseId: string; readonly by: string },
): Promise<{ readonly row: CaseRow }> {
  const proposalId = (await listOpenProposals(deps.pool, [caseId])).get(caseId)?.proposalId;
  if (proposalId === undefined) throw new PlainError('This case has no proposal.');
  return await approveResolution(deps, { caseId, proposalId, by });
}

/** Rejects the current proposal. */
export async function rejectCurrent(
  deps: BooksOfPeople,
  { caseId, by, note }: { readonly caseId: string; readonly by: string; readonly note: string },
): Promise<void> {
  const proposalId = (await listOpenProposals(deps.pool, [caseId])).get(caseId)?.proposalId ?? '';
  await quietProposals(deps).reject({ proposalId, by: named(by), note });
}

export async function approveResolution(
  deps: BooksOfPeople,
  request: { readonly caseId: string; readonly proposalId: string; readonly by: string },
): Promise<{ readonly row: CaseRow }> {
  const { proposalId, caseId, by } = request;
  const proposals = quietProposals(deps);
  const { seen } = await proposals.preview(proposalId);
  await proposals.approve({ proposalId, by: named(by), seen });
  const row = await findCase(deps.pool, caseId);
  if (row === undefined) throw new Error(`case ${caseId} is gone`);
  return { row };
}

/** What an approval of the case's proposal would do, one line each, or why it cannot be approved. */
export async function previewResolution(deps: BooksOfPeople, caseId: string): Promise<string[]> {
  const row = (await listOpenProposals(deps.pool, [caseId])).get(caseId);
  if (row === undefined) return [];
  const { lines, problem } = await quietProposals(deps).preview(row.proposalId);
  return problem === null ? lines.map(textOf) : [problem];
}

function textOf({ label, text, cents }: Line): string {
  const amount = cents === undefined ? [] : [formatMoney(BigInt(cents))];
  const what = label === 'Posted' ? [] : [label];
  return [...what, ...amount, ...(text === undefined ? [] : [text])].join(' ');
}
