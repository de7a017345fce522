import type { Queryable } from '../../platform/db/pool.ts';
import { readMergedOnlyAt } from '../registry/read-merges.ts';
import { readOwners } from '../registry/subjects-store.ts';
import type { Known } from './watch-events.ts';

/**
 * The subject of a vendor's answered enquiry, whatever the operation; undefined if it has none, or nobody can say any
 * more which one.
 */
export async function findAnsweredSubject(
  db: Queryable,
  { vendorId, requestReference }: { readonly vendorId: number; readonly requestReference: string },
): Promise<bigint | undefined> {
  const read = await db.query<Asked & { crn: string | null }>(
    `select crn, documents, enquired_at as "enquiredAt" from enquiries
     where bucket = bucket_of($1) and vendor_id = $1 and request_reference = $2
       and outcome = 'answered' and source = 'registry'
     order by sequence desc limit 1`,
    [vendorId, requestReference],
  );
  const found = read.rows[0];
  const crn = found?.crn ?? null;
  return found === undefined || crn === null ? undefined : await meantBy(db, BigInt(crn), found);
}

/** The documents of an enquiry, as the chain has them: hexadecimal blind indexes with commas between. */
interface Asked {
  documents: string;
  enquiredAt: Date;
}

/**
 * The subject that an enquiry is about, which was answered under this reference. If somebody was merged into it at the
 * time and is not any more, the documents tell which of them; undefined if they belong to several or to nobody.
 */
async function meantBy(
  db: Queryable,
  crn: bigint,
  { documents, enquiredAt }: Asked,
): Promise<bigint | undefined> {
  const apart = await readMergedOnlyAt(db, crn, enquiredAt);
  if (apart.length === 0) return crn;
  const candidates = [crn, ...apart];
  const indexes = documents.split(',').map((index) => Buffer.from(index, 'hex'));
  const owners = new Set([...(await readOwners(db, indexes)).values()].flat());
  const [only, ...others] = candidates.filter((one) => owners.has(one));
  return others.length === 0 ? only : undefined;
}

/**
 * After the end of a merge: watches that were set about one of the two while they were one continue about the right
 * one, or end if nobody can say which.
 */
export async function separateWatches(db: Queryable, crn: bigint, at: Date): Promise<void> {
  const read = await db.query<Asked & { vendorId: number; requestReference: string }>(
    `select w.vendor_id as "vendorId", w.request_reference as "requestReference", e.documents,
       e.enquired_at as "enquiredAt"
     from credit_watches w join enquiries e on e.bucket = w.bucket and e.vendor_id = w.vendor_id
       and e.request_reference = w.request_reference and e.outcome = 'answered' and e.crn = w.crn::text
     where w.crn = $1 and w.ended_at is null order by e.vendor_id, e.sequence`,
    [crn],
  );
  // The newest answer counts, as when a watch is set.
  const watches = new Map(read.rows.map((row) => [`${row.vendorId} ${row.requestReference}`, row]));
  for (const { vendorId, requestReference, ...asked } of watches.values()) {
    const meant = await meantBy(db, crn, asked);
    if (meant === crn) continue;
    await db.query(
      `update credit_watches set crn = coalesce($3, crn), known = null,
         ended_at = case when $3::bigint is null then $4::timestamptz end
       where bucket = bucket_of($1) and vendor_id = $1 and request_reference = $2`,
      [vendorId, requestReference, meant ?? null, at],
    );
  }
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
