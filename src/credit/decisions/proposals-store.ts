import type { Proposal } from '../../platform/base/proposal.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Content } from './content.ts';

export interface ProposalRow extends Proposal {
  proposalId: string;
  /** What it is about: one at a time waits for a decision. */
  about: string;
  content: Content;
  /** The case that led to it. */
  caseId: string | null;
  reason: string;
  evidence: string;
  /** Authentication code (authenticity.ts). */
  mac: Buffer;
}

const PROPOSALS = `select proposal_id as "proposalId", about, content, case_id as "caseId", reason, evidence,
    proposed_by as "proposedBy", proposed_at as "proposedAt", decision, decided_by as "decidedBy",
    decided_at as "decidedAt", mac
  from credit_proposals`;

/** Returns false if another proposal about the same waits for a decision. */
export async function insertProposal(
  db: Queryable,
  proposal: Omit<ProposalRow, 'decision' | 'decidedBy' | 'decidedAt'>,
): Promise<boolean> {
  const inserted = await db.query(
    `insert into credit_proposals (proposal_id, about, content, case_id, reason, evidence,
       proposed_by, proposed_at, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      proposal.proposalId,
      proposal.about,
      JSON.stringify(proposal.content),
      proposal.caseId,
      proposal.reason,
      proposal.evidence,
      proposal.proposedBy,
      proposal.proposedAt,
      proposal.mac,
    ],
  );
  return inserted.rowCount === 1;
}

export async function findProposal(
  db: Queryable,
  proposalId: string,
): Promise<ProposalRow | undefined> {
  const found = await db.query<ProposalRow>(`${PROPOSALS} where proposal_id = $1`, [proposalId]);
  return found.rows[0];
}

/** The proposal, locked until the caller's database transaction ends. */
export async function lockProposal(
  db: Queryable,
  proposalId: string,
): Promise<ProposalRow | undefined> {
  const locked = await db.query<ProposalRow>(`${PROPOSALS} where proposal_id = $1 for update`, [
    proposalId,
  ]);
  return locked.rows[0];
}

/** A page of proposals, newest first. */
export async function listProposals(
  db: Queryable,
  search: {
    /** Only those that wait for a decision. */
    readonly open: boolean;
    readonly caseId?: string | undefined;
    /** The page after this proposal. */
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<ProposalRow[]> {
  const listed = await db.query<ProposalRow>(
    `${PROPOSALS} where (not $1 or decision is null) and ($2::uuid is null or case_id = $2)
       and ($3::uuid is null or (proposed_at, proposal_id) <
         ((select proposed_at from credit_proposals where proposal_id = $3), $3))
     order by proposed_at desc, proposal_id desc limit $4`,
    [search.open, search.caseId ?? null, search.after ?? null, search.limit],
  );
  return listed.rows;
}

/** A page of all proposals, by id. */
export async function pageOfProposals(
  db: Queryable,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<ProposalRow[]> {
  const read = await db.query<ProposalRow>(
    `${PROPOSALS} where $1::uuid is null or proposal_id > $1 order by proposal_id limit $2`,
    [after ?? null, limit],
  );
  return read.rows;
}

/** Throws (SQLSTATE 23514) if the person who proposed it approves it. */
export async function setProposalDecision(
  db: Queryable,
  proposalId: string,
  made: {
    readonly decision: 'approved' | 'rejected';
    readonly person: string;
    readonly at: Date;
    /** Covers the decision as well. */
    readonly mac: Buffer;
  },
): Promise<void> {
  await db.query(
    `update credit_proposals set decision = $2, decided_by = $3, decided_at = $4, mac = $5
     where proposal_id = $1`,
    [proposalId, made.decision, made.person, made.at, made.mac],
  );
}
