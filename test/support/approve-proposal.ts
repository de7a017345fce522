import type { CaseDetail } from '../../src/staff/cases.ts';
import type { ProposalView } from '../../src/staff/proposal-schema.ts';
import type { ConsoleAnswer, ConsoleClient } from './console-client.ts';

/** Approves in the console what it shows. */
export async function approveProposal(by: ConsoleClient, id: string): Promise<ConsoleAnswer> {
  const { seen } = await by.read<ProposalView>(`/proposals/${id}`);
  return await by.send('POST', `/proposals/${id}/approve`, { seen: seen ?? '-' });
}

/** Approves in the console what waits for a case. */
export async function approveCase(by: ConsoleClient, caseId: string): Promise<ConsoleAnswer> {
  const { proposal } = await by.read<CaseDetail>(`/cases/${caseId}`);
  return await approveProposal(by, proposal?.proposal ?? '');
}
