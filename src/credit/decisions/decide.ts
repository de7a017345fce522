import type { Mac } from '../../platform/base/mac.ts';
import { requireAnother, requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { requireFound, requireOpen } from '../../platform/base/proposal.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { applyContent } from './apply.ts';
import { isAuthentic, proposalText } from './authenticity.ts';
import type { Deps } from './propose.ts';
import { lockProposal, setProposalDecision } from './proposals-store.ts';
import type { ProposalRow } from './proposals-store.ts';

/** Why a row without a valid authentication code is not decided. */
export const ALTERED = 'The proposal was altered in the database. See malipo ledger check.';

export interface DecisionRequest {
  /** What it proposes never changes: who approves it approves what was shown. */
  readonly proposalId: string;
  readonly by: string;
}

/**
 * Carries out another person's proposal.
 * Throws: `PlainError` if it was decided, or cannot be carried out any more.
 */
export async function approveProposal(deps: Deps, request: DecisionRequest): Promise<ProposalRow> {
  return await approveAnd(deps, request, applyContent);
}

/**
 * Approves, and carries out what `apply` does in the same database transaction.
 * Throws: `PlainError`, what `apply` throws.
 */
export async function approveAnd(
  deps: Deps,
  { proposalId, by }: DecisionRequest,
  apply: typeof applyContent,
): Promise<ProposalRow> {
  const person = requirePerson(by);
  return await databaseTransaction(deps.pool, async (client) => {
    const row = await lockOpen(client, proposalId, deps.ledgerMac);
    requireAnother(row.proposedBy, person);
    const at = deps.clock.now();
    await apply(client, row, { by: person, at });
    return await decide(client, row, {
      decision: 'approved',
      person,
      at,
      ledgerMac: deps.ledgerMac,
    });
  });
}

/** Anybody may reject a proposal, also who proposed it. Throws: `PlainError` if it was decided. */
export async function rejectProposal(
  { pool, clock, ledgerMac }: Deps,
  { proposalId, by }: DecisionRequest,
): Promise<ProposalRow> {
  const person = requirePerson(by);
  return await databaseTransaction(pool, async (client) => {
    const row = await lockOpen(client, proposalId, ledgerMac);
    const at = clock.now();
    return await decide(client, row, { decision: 'rejected', person, at, ledgerMac });
  });
}

async function decide(
  db: Queryable,
  row: ProposalRow,
  made: {
    readonly decision: 'approved' | 'rejected';
    readonly person: string;
    readonly at: Date;
    readonly ledgerMac: Mac;
  },
): Promise<ProposalRow> {
  const { decision, person, at, ledgerMac } = made;
  const decided = { ...row, decision, decidedBy: person, decidedAt: at };
  const mac = ledgerMac.sign(proposalText(decided));
  await setProposalDecision(db, row.proposalId, { decision, person, at, mac });
  return { ...decided, mac };
}

async function lockOpen(db: Queryable, proposalId: string, mac: Mac): Promise<ProposalRow> {
  const row = requireFound(await lockProposal(db, proposalId), 'proposal');
  if (!isAuthentic(row, mac)) throw new PlainError(ALTERED);
  return requireOpen(row, 'proposal');
}
