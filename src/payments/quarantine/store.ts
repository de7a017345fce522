import type { Queryable } from '../../platform/db/pool.ts';

/** Why nothing is sent, and until when the books are blind. */
export interface QuarantineRow {
  readonly quarantine_id: string;
  readonly entered_at: Date;
  /** What was done from then … */
  readonly lost_from: Date;
  /** … until then may be missing from the books. */
  readonly lost_until: Date;
  readonly reason: string;
  /** Who wants it to end without the statements, and why. */
  readonly force_proposed_by: string | null;
  readonly force_reason: string | null;
}

const COLUMNS =
  'quarantine_id, entered_at, lost_from, lost_until, reason, force_proposed_by, force_reason';

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
  /** Null: the database's now. */
  readonly lostUntil: Date | null;
  readonly reason: string;
}

/**
 * Opens a quarantine, or extends the open one to the lost time of both; a wish to force the release
 * of the open one is void then. Returns the open one's id and whether it was extended.
 */
export async function openOrExtend(
  db: Queryable,
  quarantine: NewQuarantine,
): Promise<{ readonly quarantineId: string; readonly extended: boolean }> {
  const { quarantineId, lostFrom, lostUntil, reason } = quarantine;
  const opened = await db.query<{ quarantine_id: string }>(
    `insert into quarantines as q (quarantine_id, entered_at, lost_from, lost_until, reason)
     values ($1, now(), least($2::timestamptz, coalesce($3, now())), coalesce($3, now()), $4)
     on conflict ((true)) where released_at is null do update
       set lost_from = least(q.lost_from, excluded.lost_from),
         lost_until = greatest(q.lost_until, excluded.lost_until),
         reason = q.reason || '; ' || excluded.reason,
         force_proposed_by = null, force_reason = null
     returning quarantine_id`,
    [quarantineId, lostFrom, lostUntil, reason],
  );
  const open = opened.rows[0]?.quarantine_id ?? quarantineId;
  return { quarantineId: open, extended: open !== quarantineId };
}

/**
 * Whatever was queued when the lost time ended may have been sent during it: each gets the
 * instruction that may exist, so that the operator is asked before anything is sent. Returns how
 * many there were.
 */
export async function suspectQueued(db: Queryable, quarantineId: string): Promise<number> {
  const suspected = await db.query(
    `update dispatch_queue d
     set stage = 'verify', attempt_number = d.attempt_number + 1, verify_count = 0,
       claim_number = d.claim_number + 1, due_at = q.entered_at, sent_at = q.lost_until,
       note = 'it may have been sent in the time that the books have lost'
     from quarantines q, payments t
     where q.quarantine_id = $1 and d.stage = 'send' and t.vendor_id = d.vendor_id
       and t.payment_id = d.payment_id and t.created_at <= q.lost_until`,
    [quarantineId],
  );
  return suspected.rowCount ?? 0;
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

/** Whether the event was written before. */
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

/** Everything that was done about quarantines, newest first. */
export async function listEvents(db: Queryable, limit: number): Promise<EventRow[]> {
  const listed = await db.query<EventRow>(
    `select at, action, actor, detail from quarantine_events order by at desc, event_id desc limit $1`,
    [limit],
  );
  return listed.rows;
}

/** An operator that may have executed what the books have lost. */
export interface StakeRow {
  readonly operator_code: string;
  /** Its open transactions: what is queued and what waits for its word. */
  readonly open: number;
}

/**
 * Every operator that a biller is paid through. Also those without an open transaction: what was
 * paid through them in the lost time is exactly what the books do not know of.
 */
export async function listStakes(db: Queryable): Promise<StakeRow[]> {
  const listed = await db.query<StakeRow>(
    `select b.operator_code, coalesce(sum(q.count), 0)::integer as open
     from billers b
       left join (select biller_code, count(*) from dispatch_queue group by biller_code) q
         using (biller_code)
     group by b.operator_code order by b.operator_code`,
  );
  return listed.rows;
}

export async function proposeForce(
  db: Queryable,
  proposal: { readonly quarantineId: string; readonly by: string; readonly reason: string },
): Promise<void> {
  await db.query(
    `update quarantines set force_proposed_by = $2, force_reason = $3 where quarantine_id = $1`,
    [proposal.quarantineId, proposal.by, proposal.reason],
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
