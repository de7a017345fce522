import { readReachable } from '../parties/by-bucket-store.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { Batch, BatchKey, KindName, RowRefusal } from './batch.ts';

/** A batch of a kind. */
export interface KindKey extends BatchKey {
  readonly kind: KindName;
}

export const PROGRESS = `vendor_id as "vendorId", batch_reference as "batchReference", batch_id as "batchId",
  product, key_id as "keyId", file_sha256 as "fileSha256", row_count as "rowCount",
  accepted_count as "acceptedCount", refused_count as "refusedCount",
  created_at as "createdAt", ended_at as "endedAt"`;

export const THIS =
  'bucket = bucket_of($1) and vendor_id = $1 and kind = $2 and batch_reference = $3';

export function keyOf({ vendorId, kind, batchReference }: KindKey): [number, string, string] {
  return [vendorId, kind, batchReference];
}

export async function readBatch(db: Queryable, key: KindKey): Promise<Batch | undefined> {
  const read = await db.query<Batch>(`select ${PROGRESS} from batches where ${THIS}`, keyOf(key));
  return read.rows[0];
}

/** Newest first, by their ids, which are time-ordered. @param page those before an id. */
export async function listBatches(
  db: Queryable,
  { kind, vendorId }: Pick<KindKey, 'kind' | 'vendorId'>,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Batch[]> {
  const listed = await db.query<Batch>(
    `select ${PROGRESS} from batches where bucket = bucket_of($1) and vendor_id = $1 and kind = $2
       and ($3::uuid is null or batch_id < $3)
     order by batch_id desc limit $4`,
    [vendorId, kind, after ?? null, limit],
  );
  return listed.rows;
}

/** The rows as they are stored. */
export async function readContent(db: Queryable, key: KindKey): Promise<Buffer> {
  const read = await db.query<{ content: Buffer | null }>(
    `select coalesce(content, sealed_content) as content from batches where ${THIS}`,
    keyOf(key),
  );
  const content = read.rows[0]?.content ?? null;
  if (content === null) throw new Error(`the rows of ${keyOf(key).join(' ')} are gone`);
  return content;
}

const listAbandonedText = (and: string): string =>
  `select vendor_id as "vendorId", batch_reference as "batchReference" from batches
   where kind = $1 and ended_at is null and leased_until <= now() ${and}
   order by created_at limit $2`;

const ABANDONED = listAbandonedText('');

const ABANDONED_OF_BUCKET = listAbandonedText('and bucket = $3');

/** Undecided batches that no process works on, oldest first. */
export async function listAbandoned(
  db: Queryable,
  kind: KindName,
  limit: number,
): Promise<readonly BatchKey[]> {
  return await readReachable(
    db,
    () => db.query<BatchKey>(ABANDONED, [kind, limit]),
    (bucket) => db.query<BatchKey>(ABANDONED_OF_BUCKET, [kind, limit, bucket]),
  );
}

/** The next row of the batch. */
export async function readNextRow(db: Queryable, key: KindKey): Promise<number> {
  const read = await db.query<{ nextRow: number }>(
    `select next_row as "nextRow" from batches where ${THIS}`,
    keyOf(key),
  );
  const row = read.rows[0];
  if (row === undefined) throw new Error(`batch ${keyOf(key).join(' ')} is gone`);
  return row.nextRow;
}

export type RefusedRow = RowRefusal & { readonly row: number };

/** Stored only for a row that was not simply accepted. */
export type RowException =
  | RefusedRow
  /** The row repeats a payment that was made earlier. */
  | { readonly row: number; readonly payment_id: string; readonly posted_at: string };

export interface ChunkRow {
  readonly firstRow: number;
  readonly rowCount: number;
  readonly decidedAt: Date;
  readonly references: readonly (string | null)[] | null;
  readonly exceptions: readonly RowException[];
}

/** Some chunks, those whose first rows are in the range, in their order. */
export async function listChunks(
  db: Queryable,
  { vendorId, batchId }: { readonly vendorId: number; readonly batchId: string },
  { fromRow, toRow, limit }: { fromRow: number; toRow: number; limit: number },
): Promise<ChunkRow[]> {
  const read = await db.query<ChunkRow>(
    `select first_row as "firstRow", row_count as "rowCount", decided_at as "decidedAt",
       row_references as "references", exceptions from batch_chunks
     where bucket = bucket_of($1) and vendor_id = $1 and batch_id = $2 and first_row between $3 and $4
     order by first_row limit $5`,
    [vendorId, batchId, fromRow, toRow, limit],
  );
  return read.rows;
}

/** Numbers of a batch's refused rows by error code. */
export async function countRefusals(
  db: Queryable,
  { vendorId, batchId }: { readonly vendorId: number; readonly batchId: string },
): Promise<Readonly<Record<string, number>>> {
  const counted = await db.query<{ code: string; count: number }>(
    `select e.code, count(*)::integer as count
     from batch_chunks, jsonb_to_recordset(exceptions) as e (code text)
     where bucket = bucket_of($1) and vendor_id = $1 and batch_id = $2 and e.code is not null
     group by e.code order by e.code`,
    [vendorId, batchId],
  );
  return Object.fromEntries(counted.rows.map(({ code, count }) => [code, count]));
}

/** Counts batches with undecided rows, and gives the age of the oldest one. */
export async function countOpenBatches(
  db: Queryable,
  kind: KindName,
): Promise<{ readonly count: number; readonly oldestSeconds: number }> {
  const counted = await db.query<{ count: number; oldestSeconds: number }>(
    `select count(*)::integer as count,
       coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
     from batches where kind = $1 and ended_at is null`,
    [kind],
  );
  return counted.rows[0] ?? { count: 0, oldestSeconds: 0 };
}
