import type { Queryable } from '../platform/db/pool.ts';
import type { NewProposal, NewDecision, ProposalRow } from './proposal.ts';

const PROPOSALS = `select p.proposal_id as "proposalId", p.kind, p.about, p.vendor_id as "vendorId",
    p.content, p.shown, p.note, p.proposed_by as "proposedBy", p.proposer_id as "proposerId",
    p.proposed_at as "proposedAt", p.expires_at as "expiresAt", p.is_open as "isOpen", p.mac,
    d.decision, d.decided_by as "decidedBy", d.decider_id as "deciderId", d.decided_at as "decidedAt",
    d.note as "decisionNote", d.is_alone as "isAlone", d.carried_out as "carriedOut",
    d.mac as "decisionMac"
  from proposals p left join proposal_decisions d on d.proposal_id = p.proposal_id`;

/** False if another proposal about it waits. */
export async function insertProposal(db: Queryable, made: NewProposal): Promise<boolean> {
  const inserted = await db.query(
    `insert into proposals (proposal_id, kind, about, vendor_id, content, shown, note, proposed_by,
       proposer_id, proposed_at, expires_at, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (about) where is_open do nothing`,
    [
      made.proposalId,
      made.kind,
      made.about,
      made.vendorId,
      JSON.stringify(made.content),
      JSON.stringify(made.shown),
      made.note,
      made.proposedBy,
      made.proposerId,
      made.proposedAt,
      made.expiresAt,
      made.mac,
    ],
  );
  return inserted.rowCount === 1;
}

/** False if it has a decision. Waits for one that is just being made. */
export async function insertDecision(db: Queryable, made: NewDecision): Promise<boolean> {
  const inserted = await db.query(
    `insert into proposal_decisions (proposal_id, decision, decided_by, decider_id, decided_at, note,
       is_alone, carried_out, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      made.proposalId,
      made.decision,
      made.decidedBy,
      made.deciderId,
      made.decidedAt,
      made.note,
      made.isAlone,
      made.carriedOut === null ? null : JSON.stringify(made.carriedOut),
      made.mac,
    ],
  );
  if (inserted.rowCount !== 1) return false;
  await setNotOpen(db, made.proposalId);
  return true;
}

export async function setNotOpen(db: Queryable, proposalId: string): Promise<void> {
  await db.query('update proposals set is_open = false where proposal_id = $1', [proposalId]);
}

export async function findProposal(
  db: Queryable,
  proposalId: string,
): Promise<ProposalRow | undefined> {
  const found = await db.query<ProposalRow>(`${PROPOSALS} where p.proposal_id = $1`, [proposalId]);
  return found.rows[0];
}

/** The one that waits. */
export async function findOpenAbout(
  db: Queryable,
  about: string,
): Promise<ProposalRow | undefined> {
  const found = await db.query<ProposalRow>(
    `${PROPOSALS} where p.about = $1 and p.is_open and d.proposal_id is null`,
    [about],
  );
  return found.rows[0];
}

export interface ProposalFilter {
  /** True: only those that wait. */
  readonly open: boolean;
  /** Undefined: any. */
  readonly kinds?: readonly string[] | undefined;
  readonly vendorId?: number | undefined;
  /** With the kind before each. Quick only for those that wait. Undefined: anything. */
  readonly about?: readonly string[] | undefined;
  /** Each with members; the content must contain all those of one of them (jsonb `@>`). Undefined: no condition. */
  readonly having?: readonly object[] | undefined;
  /** The last row of the page before: only rows listed after it are read. */
  readonly before?: { readonly at: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listProposals(
  db: Queryable,
  { open, kinds, vendorId, about, having, before, limit }: ProposalFilter,
): Promise<ProposalRow[]> {
  const listed = await db.query<ProposalRow>(
    `${PROPOSALS}
     where (not $1 or p.is_open and d.proposal_id is null) and ($2::text[] is null or p.kind = any ($2))
       and ($3::integer is null or p.vendor_id = $3) and ($5::jsonb[] is null or p.content @> any ($5))
       and ($6::text[] is null or p.about = any ($6))
       and ($7::timestamptz is null or (p.proposed_at, p.proposal_id) < ($7, $8::uuid))
     order by p.proposed_at desc, p.proposal_id desc limit $4`,
    [
      open,
      kinds ?? null,
      vendorId ?? null,
      limit,
      having?.map((members) => JSON.stringify(members)) ?? null,
      about ?? null,
      before?.at ?? null,
      before?.id ?? null,
    ],
  );
  return listed.rows;
}

/** Lists open proposals whose time has run out, oldest first. */
export async function listExpired(db: Queryable, limit: number): Promise<string[]> {
  const listed = await db.query<{ proposalId: string }>(
    `select proposal_id as "proposalId" from proposals
     where is_open and expires_at <= clock_timestamp() order by expires_at, proposal_id limit $1`,
    [limit],
  );
  return listed.rows.map(({ proposalId }) => proposalId);
}

/** Reads a page of all proposals in order of their ids, for `ledger check`. */
export async function pageProposals(
  db: Queryable,
  after: string | null,
  limit: number,
): Promise<ProposalRow[]> {
  const listed = await db.query<ProposalRow>(
    `${PROPOSALS} where $1::uuid is null or p.proposal_id > $1 order by p.proposal_id limit $2`,
    [after, limit],
  );
  return listed.rows;
}
