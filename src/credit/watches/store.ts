import type { Queryable } from '../../platform/db/pool.ts';
import type { Known } from './watch-events.ts';

/** The subject of a vendor's answered enquiry, whatever the operation; undefined if it has none. */
export async function findAnsweredSubject(
  db: Queryable,
  { vendorId, requestReference }: { readonly vendorId: number; readonly requestReference: string },
): Promise<bigint | undefined> {
  const read = await db.query<{ crn: string | null }>(
    `select crn from enquiries
     where bucket = bucket_of($1) and vendor_id = $1 and request_reference = $2
       and outcome = 'answered' and source = 'registry'
     order by sequence desc limit 1`,
    [vendorId, requestReference],
  );
  const crn = read.rows[0]?.crn ?? null;
  return crn === null ? undefined : BigInt(crn);
}

/**
 * Starts a watch, starts an ended one again, which may then be of another customer, or changes the score
 * drop of a running one.
 */
export async function putWatch(
  db: Queryable,
  watch: {
    readonly vendorId: number;
    readonly requestReference: string;
    readonly crn: bigint;
    readonly scoreDrop: number;
    readonly at: Date;
  },
): Promise<void> {
  await db.query(
    `insert into credit_watches (bucket, vendor_id, request_reference, crn, score_drop, started_at,
       due_at)
     values (bucket_of($1), $1, $2, $3, $4, $5, $5)
     on conflict (bucket, vendor_id, request_reference) do update set
       crn = case when credit_watches.ended_at is null then credit_watches.crn else excluded.crn end,
       score_drop = excluded.score_drop,
       started_at = case when credit_watches.ended_at is null then credit_watches.started_at
         else excluded.started_at end,
       known = case when credit_watches.ended_at is null then credit_watches.known end,
       due_at = excluded.due_at, ended_at = null`,
    [watch.vendorId, watch.requestReference, watch.crn, watch.scoreDrop, watch.at],
  );
}

/** Ends a watch. Returns false if it does not exist. */
export async function endWatch(
  db: Queryable,
  watch: { readonly vendorId: number; readonly requestReference: string; readonly at: Date },
): Promise<boolean> {
  const ended = await db.query(
    `update credit_watches set ended_at = coalesce(ended_at, $3)
     where bucket = bucket_of($1) and vendor_id = $1 and request_reference = $2`,
    [watch.vendorId, watch.requestReference, watch.at],
  );
  return ended.rowCount === 1;
}

/** Vendors with watches that are due. */
export async function listVendorsDue(db: Queryable, now: Date): Promise<number[]> {
  const read = await db.query<{ vendorId: number }>(
    `select distinct vendor_id as "vendorId" from credit_watches
     where ended_at is null and due_at <= $1 order by vendor_id`,
    [now],
  );
  return read.rows.map(({ vendorId }) => vendorId);
}

export interface DueWatch {
  readonly requestReference: string;
  readonly crn: bigint;
  readonly scoreDrop: number;
  readonly known: Known | null;
}

/** Locks due watches of a vendor until the end of the database transaction; two callers share none. */
export async function lockDue(
  db: Queryable,
  of: { readonly vendorId: number; readonly now: Date; readonly limit: number },
): Promise<DueWatch[]> {
  const read = await db.query<DueWatch>(
    `select request_reference as "requestReference", crn, score_drop as "scoreDrop", known
     from credit_watches
     where bucket = bucket_of($1) and vendor_id = $1 and ended_at is null and due_at <= $2
     order by due_at limit $3 for update skip locked`,
    [of.vendorId, of.now, of.limit],
  );
  return read.rows;
}

/** Records what the vendor knows now, and when to check again. */
export async function recordKnown(
  db: Queryable,
  noted: {
    readonly vendorId: number;
    readonly requestReference: string;
    readonly known: Known;
    readonly dueAt: Date;
  },
): Promise<void> {
  await db.query({
    name: 'credit_watch_known',
    text: `update credit_watches set known = $3, due_at = $4
      where bucket = bucket_of($1) and vendor_id = $1 and request_reference = $2`,
    values: [noted.vendorId, noted.requestReference, JSON.stringify(noted.known), noted.dueAt],
  });
}

/**
 * Announces an event to the vendor's webhook, if it has one. It happens at the database's time: readers that
 * follow events skip one that is older than its database transaction, as the beginning of a long check is.
 */
export async function announce(
  db: Queryable,
  event: {
    readonly vendorId: number;
    readonly eventId: string;
    readonly type: string;
    readonly details: object;
  },
): Promise<void> {
  await db.query('select announce_event(bucket_of($1), $1, $2, $3, now(), $4)', [
    event.vendorId,
    event.eventId,
    event.type,
    JSON.stringify(event.details),
  ]);
}
