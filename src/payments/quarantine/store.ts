import type { Mac } from '../../platform/base/mac.ts';
import { jsonText, timeText } from '../../platform/base/proposal.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { COLUMNS } from './read-quarantine.ts';
import type { QuarantineRow, QuarantineEvent } from './read-quarantine.ts';

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
 * Opens a quarantine, or extends the open one to cover both missing periods: a proposal to release it names the
 * period, so it cannot be approved any more.
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
         seems_complete = q.seems_complete and excluded.seems_complete
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

export async function insertEvent(db: Queryable, event: QuarantineEvent): Promise<void> {
  await db.query(
    `insert into quarantine_events (event_id, quarantine_id, at, action, actor, detail)
     values ($1, $2, now(), $3, $4, $5)`,
    [event.eventId, event.quarantineId, event.action, event.actor, JSON.stringify(event.detail)],
  );
}

/** True if the event was recorded before. */
export async function hasEvent(db: Queryable, eventId: string): Promise<boolean> {
  const found = await db.query('select from quarantine_events where event_id = $1', [eventId]);
  return found.rowCount === 1;
}

/** A quarantine that has ended, as its row says. */
export interface ReleasedRow extends QuarantineRow {
  readonly releasedAt: Date | null;
  readonly releasedBy: string | null;
  /** Without the statements. */
  readonly forced: boolean;
  readonly releaseMac: Buffer | null;
}

const RELEASED = `${COLUMNS}, released_at as "releasedAt", released_by as "releasedBy", forced,
    release_mac as "releaseMac"`;

/** Only releases by the service count. Another row was written by somebody else. */
export function isReleaseAuthentic(row: ReleasedRow, mac: Mac): boolean {
  return mac.verify(releaseText(row), row.releaseMac);
}

/** The text that the authentication code of a release covers. */
function releaseText(row: ReleasedRow): string {
  return jsonText([
    'quarantines',
    row.quarantineId,
    timeText(row.lostFrom),
    timeText(row.lostUntil),
    row.seemsComplete,
    row.releasedAt && timeText(row.releasedAt),
    row.releasedBy,
    row.forced,
  ]);
}

export async function listReleased(db: Queryable): Promise<ReleasedRow[]> {
  const listed = await db.query<ReleasedRow>(
    `select ${RELEASED} from quarantines where released_at is not null order by entered_at`,
  );
  return listed.rows;
}

/** Ends the quarantine. It counts only with the authentication code. */
export async function writeRelease(
  db: Queryable,
  mac: Mac,
  release: { readonly quarantineId: string; readonly by: string; readonly forced: boolean },
): Promise<void> {
  const { quarantineId, by, forced } = release;
  const written = await db.query<ReleasedRow>(
    `update quarantines set released_at = date_trunc('milliseconds', now()), released_by = $2, forced = $3
     where quarantine_id = $1 returning ${RELEASED}`,
    [quarantineId, by, forced],
  );
  const [row] = written.rows;
  if (row === undefined) throw new Error(`quarantine ${quarantineId} is gone`);
  await db.query('update quarantines set release_mac = $2 where quarantine_id = $1', [
    quarantineId,
    mac.sign(releaseText(row)),
  ]);
}

/** Undoes a release. Only if no other quarantine is open. */
export async function reopen(db: Queryable, quarantineId: string): Promise<void> {
  await db.query(
    `update quarantines set released_at = null, released_by = null, forced = false, release_mac = null
     where quarantine_id = $1`,
    [quarantineId],
  );
}

export interface ReopenedRow {
  readonly quarantineId: string;
  readonly at: Date;
  readonly detail: Record<string, unknown>;
}

/** The releases that the service undid. */
export async function listReopened(db: Queryable): Promise<ReopenedRow[]> {
  const listed = await db.query<ReopenedRow>(
    `select quarantine_id as "quarantineId", at, detail from quarantine_events
     where action = 'reopened' order by at, event_id`,
  );
  return listed.rows;
}
