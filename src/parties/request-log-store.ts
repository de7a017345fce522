import {
  integerArray,
  smallintArray,
  textArray,
  timestampArray,
  uuidArray,
} from '../platform/db/arrays.ts';
import type { Queryable } from '../platform/db/pool.ts';

export interface LoggedRequest {
  vendorId: number;
  at: Date;
  requestId: string;
  method: string;
  route: string;
  status: number;
  /** Code of the refusal; null: the request was not refused. */
  code: string | null;
  durationUs: number;
  /** Null: not proven to be the vendor's. */
  keyId: string | null;
}

/** Adds requests of vendors of one bucket. */
export async function insertRequests(
  db: Queryable,
  bucket: number,
  rows: readonly LoggedRequest[],
): Promise<void> {
  await db.query({
    name: 'insert_requests',
    text: `insert into request_log (bucket, vendor_id, at, request_id, method, route, status, code,
        duration_us, key_id)
      select b.bucket, r.* from buckets b cross join unnest($2::integer[], $3::timestamptz[],
        $4::uuid[], $5::text[], $6::text[], $7::smallint[], $8::text[], $9::integer[], $10::uuid[]) r
      where b.bucket = $1`,
    values: [
      bucket,
      integerArray(rows.map((row) => row.vendorId)),
      timestampArray(rows.map((row) => row.at)),
      uuidArray(rows.map((row) => row.requestId)),
      textArray(rows.map((row) => row.method)),
      textArray(rows.map((row) => row.route)),
      smallintArray(rows.map((row) => row.status)),
      textArray(rows.map((row) => row.code)),
      integerArray(rows.map((row) => row.durationUs)),
      uuidArray(rows.map((row) => row.keyId)),
    ],
  });
}

/** A vendor's requests, newest first. */
export async function listRequests(
  db: Queryable,
  vendorId: number,
  filter: {
    readonly onlyRefused: boolean;
    readonly since: Date;
    /** The last request of the page before. */
    readonly before: { readonly at: Date; readonly requestId: string } | undefined;
    readonly limit: number;
  },
): Promise<LoggedRequest[]> {
  const listed = await db.query<LoggedRequest>(
    `select vendor_id as "vendorId", at, request_id as "requestId", method, route,
       status::integer as status, code, duration_us as "durationUs", key_id as "keyId"
     from request_log where bucket = bucket_of($1) and vendor_id = $1 and at >= $2
       and (not $3 or code is not null)
       and ($4::timestamptz is null or (at, request_id) < ($4, $5::uuid))
     order by at desc, request_id desc limit $6`,
    [
      vendorId,
      filter.since,
      filter.onlyRefused,
      filter.before?.at ?? null,
      filter.before?.requestId ?? null,
      filter.limit,
    ],
  );
  return listed.rows;
}

/** Removes a vendor's requests before a time; returns how many, at most `limit`. */
export async function deleteRequestsBefore(
  db: Queryable,
  vendorId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const deleted = await db.query(
    `delete from request_log where bucket = bucket_of($1) and vendor_id = $1 and (at, request_id) in
       (select at, request_id from request_log
        where bucket = bucket_of($1) and vendor_id = $1 and at < $2 order by at limit $3)`,
    [vendorId, before, limit],
  );
  return deleted.rowCount ?? 0;
}
