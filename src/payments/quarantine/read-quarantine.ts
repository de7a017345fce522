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
}

export const COLUMNS = `quarantine_id as "quarantineId", entered_at as "enteredAt", lost_from as "lostFrom",
    lost_until as "lostUntil", reason, seems_complete as "seemsComplete"`;

export async function findOpenQuarantine(db: Queryable): Promise<QuarantineRow | undefined> {
  const found = await db.query<QuarantineRow>(
    `select ${COLUMNS} from quarantines where released_at is null`,
  );
  return found.rows[0];
}

export interface QuarantineEvent {
  readonly eventId: string;
  readonly quarantineId: string;
  readonly action: 'entered' | 'extended' | 'released' | 'reopened';
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
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
