import { requireAnother, requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { applyContent } from './apply.ts';
import type { Deps } from './propose.ts';
import { lockProposal, setProposalDecision } from './proposals-store.ts';
import type { ProposalRow } from './proposals-store.ts';

export interface DecisionRequest {
  /** What it proposes never changes: who approves it approves what was shown. */
  readonly proposalId: string;
  readonly by: string;
}

/**
 * Carries out another person's proposal.
 * Throws: `PlainError` if it was decided, or cannot be carried out any more.
 */
export async function approveProposal(
  { pool, clock }: Deps,
  { proposalId, by }: DecisionRequest,
): Promise<ProposalRow> {
  const person = requirePerson(by);
  return await databaseTransaction(pool, async (client) => {
    const row = await lockOpen(client, proposalId);
    requireAnother(row.proposedBy, person);
    const at = clock.now();
    await applyContent(client, row, { by: person, at });
    await setProposalDecision(client, proposalId, { decision: 'approved', person, at });
    return { ...row, decision: 'approved', decidedBy: person, decidedAt: at };
  });
}

/** Anybody may reject a proposal, also who proposed it. Throws: `PlainError` if it was decided. */
export async function rejectProposal(
  { pool, clock }: Deps,
  { proposalId, by }: DecisionRequest,
): Promise<ProposalRow> {
  const person = requirePerson(by);
  return await databaseTransaction(pool, async (client) => {
    const row = await lockOpen(client, proposalId);
    const at = clock.now();
    await setProposalDecision(client, proposalId, { decision: 'rejected', person, at });
    return { ...row, decision: 'rejected', decidedBy: person, decidedAt: at };
  });
}

async function lockOpen(db: Queryable, proposalId: string): Promise<ProposalRow> {
  const row = await lockProposal(db, proposalId);
  if (row === undefined) throw new PlainError('This proposal does not exist.');
  if (row.decision === null) return row;
  throw new PlainError(`The proposal is ${row.decision} already, by ${row.decidedBy}.`);
}
