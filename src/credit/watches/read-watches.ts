import type { Queryable } from '../../platform/db/pool.ts';
import { columnsOf } from '../registry/read-withdrawals.ts';
import type { ShownSpan } from '../registry/read-withdrawals.ts';

/** A watch of a person, as the person sees it. */
export interface SubjectWatch {
  readonly vendorId: number;
  readonly startedAt: Date;
}

/** The watches of a subject that have not ended, oldest first; one for each vendor. */
export async function listSubjectWatches(
  db: Queryable,
  crns: readonly bigint[],
): Promise<SubjectWatch[]> {
  const read = await db.query<SubjectWatch>(
    `select vendor_id as "vendorId", min(started_at) as "startedAt" from credit_watches
     where crn = any($1::bigint[]) and ended_at is null group by vendor_id order by 2, 1`,
    [crns],
  );
  return read.rows;
}

/** The vendors that watched one of these subjects at its time, whether they were told something or not. */
export async function listWatchesDuring(
  db: Queryable,
  spans: readonly ShownSpan[],
): Promise<SubjectWatch[]> {
  const read = await db.query<SubjectWatch>(
    `select w.vendor_id as "vendorId", min(w.started_at) as "startedAt"
     from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) as s (crn, from_at, until)
       join credit_watches w on w.crn = s.crn and w.started_at <= coalesce(s.until, 'infinity')
         and coalesce(w.ended_at, 'infinity') >= s.from_at
     group by w.vendor_id order by w.vendor_id`,
    columnsOf(spans),
  );
  return read.rows;
}

/** A watch, as its vendor sees it. */
export interface VendorWatch {
  readonly requestReference: string;
  readonly crn: bigint;
  readonly scoreDrop: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** A vendor's watches by reference, at most `limit` after a reference. */
export async function listVendorWatches(
  db: Queryable,
  of: { readonly vendorId: number; readonly after: string; readonly limit: number },
): Promise<VendorWatch[]> {
  const read = await db.query<VendorWatch>(
    `select request_reference as "requestReference", crn, score_drop as "scoreDrop",
       started_at as "startedAt", ended_at as "endedAt"
     from credit_watches
     where bucket = bucket_of($1) and vendor_id = $1 and request_reference > $2
     order by request_reference limit $3`,
    [of.vendorId, of.after, of.limit],
  );
  return read.rows;
}
