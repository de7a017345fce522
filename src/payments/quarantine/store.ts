import type { Queryable } from '../../platform/db/pool.ts';

/** Why nothing is sent, and the period that the ledger lacks. */
export interface QuarantineRow {
  readonly quarantineId: string;
  readonly enteredAt: Date;
  /** Payments made from then … */
  readonly lostFrom: Date;
  /** … until then may be missing from the ledger. */
  readonly lostUntil: Date;
  readonly reason: string;
  /** By all that is known, nothing is missing: one person may release it. */
  readonly seemsComplete: boolean;
  /** The person who proposes to release it without the statements, and the reason. */
  readonly forceProposedBy: string | null;
  readonly forceProposedAt: Date | null;
  readonly forceReason: string | null;
  readonly forceProposalId: string | null;
  /** The operators whose statements were missing when it was proposed. */
  readonly forceMissing: string[] | null;
}

const COLUMNS = `quarantine_id as "quarantineId", entered_at as "enteredAt", lost_from as "lostFrom",
    lost_until as "lostUntil", reason, seems_complete as "seemsComplete", force_proposed_by as "forceProposedBy", force_proposed_at as "forceProposedAt",
    force_reason as "forceReason", force_proposal_id as "forceProposalId",
    force_missing as "forceMissing"`;

export async function findOpenQuarantine(db: Queryable): Promise<QuarantineRow | undefined> {
  const found = await db.query<QuarantineRow>(
    `select ${COLUMNS} from quarantines where released_at is null`,
  );
  return found.rows[0];
}

/** Locks the open quarantine, so that two people who release it wait for each other. */
export async function lockOpenQuarantine(db: Queryable): Promise<QuarantineRow | undefined> {
  const found = await db.query<QuarantineRow>(
    `select ${COLUMNS} from quarantines where released_at is null for update`,
  );
  return found.rows[0];
}

export interface NewQuarantine {
  readonly quarantineId: string;
  readonly lostFrom: Date;
  /** Null: the database's current time. */
  readonly lostUntil: Date | null;
  readonly reason: string;
  readonly seemsComplete: boolean;
}

export interface OpenQuarantine {
  readonly quarantineId: string;
  readonly extended: boolean;
  /** As text, with the database's microseconds. */
  readonly enteredAt: string;
  readonly lostUntil: string;
}

/**
 * Opens a quarantine, or extends the open one to cover both missing periods; a proposal to force
 * its release then becomes void.
 */
export async function openOrExtend(
  db: Queryable,
  quarantine: NewQuarantine,
): Promise<OpenQuarantine> {
  const { quarantineId, lostFrom, lostUntil, reason, seemsComplete } = quarantine;
  const opened = await db.query<{ quarantineId: string; extended: boolean }>(
    `insert into quarantines as q (quarantine_id, entered_at, lost_from, lost_until, reason, seems_complete)
     values ($1, now(), least($2::timestamptz, coalesce($3, now())), coalesce($3, now()), $4, $5)
     on conflict ((true)) where released_at is null do update
       set lost_from = least(q.lost_from, excluded.lost_from),
         lost_until = greatest(q.lost_until, excluded.lost_until),
         reason = q.reason || '; ' || excluded.reason,
         seems_complete = q.seems_complete and excluded.seems_complete,
         force_proposed_at = null, force_proposed_by = null, force_reason = null, force_proposal_id = null,
         force_missing = null
     returning quarantine_id as "quarantineId", quarantine_id <> $1 as extended`,
    [quarantineId, lostFrom, lostUntil, reason, seemsComplete],
  );
  const [made] = opened.rows;
  if (made === undefined) throw new Error('the quarantine was not opened');
  // A separate statement, because Citus returns no function of an INSERT.
  const read = await db.query<Pick<OpenQuarantine, 'enteredAt' | 'lostUntil'>>(
    `select entered_at::text as "enteredAt", lost_until::text as "lostUntil"
     from quarantines where quarantine_id = $1`,
    [made.quarantineId],
  );
  const [times] = read.rows;
  if (times === undefined) throw new Error('the quarantine was not opened');
  return { ...made, ...times };
}

export interface QuarantineEvent {
  readonly eventId: string;
  readonly quarantineId: string;
  readonly action: 'entered' | 'extended' | 'force_proposed' | 'released';
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export async function insertEvent(db: Queryable, event: QuarantineEvent): Promise<void> {
  await db.query(
    `insert into quarantine_events (event_id, quarantine_id, at, action, actor, detail)
     values ($1, $2, now(), $3, $4, $5)`,
    [event.eventId, event.quarantineId, event.action, event.actor, JSON.stringify(event.detail)],
  );
}

/** Whether the event was recorded before. */
export async function hasEvent(db: Queryable, eventId: string): Promise<boolean> {
  const found = await db.query('select from quarantine_events where event_id = $1', [eventId]);
  return found.rowCount === 1;
}

export interface EventRow {
  readonly at: Date;
  readonly action: QuarantineEvent['action'];
  readonly actor: string;
  readonly detail: Record<string, unknown>;
}

/** The history of all quarantines, newest first. */
export async function listEvents(db: Queryable, limit: number): Promise<EventRow[]> {
  const listed = await db.query<EventRow>(
    `select at, action, actor, detail from quarantine_events order by at desc, event_id desc limit $1`,
    [limit],
  );
  return listed.rows;
}

/** Replaces an earlier proposal. */
export async function proposeForce(
  db: Queryable,
  proposal: {
    readonly quarantineId: string;
    readonly proposalId: string;
    readonly by: string;
    readonly reason: string;
    readonly missing: readonly string[];
  },
): Promise<void> {
  const { quarantineId, proposalId, by, reason, missing } = proposal;
  await db.query(
    `update quarantines set force_proposed_at = now(), force_proposed_by = $2, force_reason = $3,
       force_proposal_id = $4, force_missing = $5 where quarantine_id = $1`,
    [quarantineId, by, reason, proposalId, missing],
  );
}

export async function writeRelease(
  db: Queryable,
  release: { readonly quarantineId: string; readonly by: string; readonly forced: boolean },
): Promise<void> {
  await db.query(
    `update quarantines set released_at = now(), released_by = $2, forced = $3
     where quarantine_id = $1`,
    [release.quarantineId, release.by, release.forced],
  );
}
