import { readReachable } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { BatchProgress, RowRefusal, ScoreOperation } from './batch.ts';

export interface BatchKey {
  readonly vendorId: number;
  readonly batchReference: string;
}

/**
 * Stores a batch. Returns false if its reference is taken or too many of the vendor's batches are
 * open.
 */
export async function insertBatch(
  db: Queryable,
  batch: BatchKey & {
    readonly batchId: string;
    readonly operation: ScoreOperation;
    readonly fileSha256: Buffer;
    readonly keyId: string;
    readonly rowCount: number;
    readonly sealedContent: Buffer;
    readonly leaseMs: number;
    readonly maxOpen: number;
  },
): Promise<boolean> {
  const inserted = await db.query(
    `insert into score_batches (bucket, vendor_id, batch_reference, batch_id, operation, file_sha256,
       key_id, row_count, sealed_content, created_at, leased_until)
     select bucket_of($1), $1, $2, $3, $4, $5, $6, $7, $8, now(),
       now() + $9 * interval '1 millisecond'
     where (select count(*) from score_batches
       where bucket = bucket_of($1) and vendor_id = $1 and ended_at is null) < $10
     on conflict do nothing`,
    [
      batch.vendorId,
      batch.batchReference,
      batch.batchId,
      batch.operation,
      batch.fileSha256,
      batch.keyId,
      batch.rowCount,
      batch.sealedContent,
      batch.leaseMs,
      batch.maxOpen,
    ],
  );
  return inserted.rowCount === 1;
}

export async function readBatch(
  db: Queryable,
  { vendorId, batchReference }: BatchKey,
): Promise<BatchProgress | undefined> {
  const read = await db.query<BatchProgress>(
    `select batch_reference as "batchReference", batch_id as "batchId", operation,
       file_sha256 as "fileSha256", row_count as "rowCount", answered_count as "answeredCount",
       refused_count as "refusedCount", created_at as "createdAt", ended_at as "endedAt"
     from score_batches
     where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2`,
    [vendorId, batchReference],
  );
  return read.rows[0];
}

const listAbandonedText = (and: string): string =>
  `select vendor_id as "vendorId", batch_reference as "batchReference" from score_batches
   where ended_at is null and leased_until <= now() ${and} order by created_at limit $1`;
const ABANDONED = listAbandonedText('');
const ABANDONED_OF_BUCKET = listAbandonedText('and bucket = $2');

/** Batches with waiting rows that no process works on, the oldest first. */
export async function listAbandoned(db: Queryable, limit: number): Promise<readonly BatchKey[]> {
  return await readReachable(
    db,
    () => db.query<BatchKey>(ABANDONED, [limit]),
    (bucket) => db.query<BatchKey>(ABANDONED_OF_BUCKET, [limit, bucket]),
  );
}

/** A batch that this process works on. */
export interface LeasedBatch {
  readonly batchId: string;
  readonly operation: ScoreOperation;
  readonly keyId: string;
  readonly nextRow: number;
  readonly sealedContent: Buffer | null;
}

/** Takes a batch over; undefined if another process was faster or it has ended. */
export async function leaseBatch(
  db: Queryable,
  { vendorId, batchReference }: BatchKey,
  leaseMs: number,
): Promise<LeasedBatch | undefined> {
  const leased = await db.query<LeasedBatch>(
    `update score_batches set leased_until = now() + $3 * interval '1 millisecond'
     where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2
       and ended_at is null and leased_until <= now()
     returning batch_id as "batchId", operation, key_id as "keyId", next_row as "nextRow",
       sealed_content as "sealedContent"`,
    [vendorId, batchReference, leaseMs],
  );
  return leased.rows[0];
}

/** Lets another process continue at once. */
export async function releaseBatch(
  db: Queryable,
  { vendorId, batchReference }: BatchKey,
): Promise<void> {
  await db.query(
    `update score_batches set leased_until = now()
     where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2 and ended_at is null`,
    [vendorId, batchReference],
  );
}

export type RefusedRow = RowRefusal & { readonly row: number };

export interface DecidedChunk extends BatchKey {
  readonly batchId: string;
  readonly firstRow: number;
  readonly requestReferences: readonly (string | null)[];
  readonly refusals: readonly RefusedRow[];
  readonly leaseMs: number;
}

/** Records a chunk and moves the batch on. Returns false if the chunk is not the next one. */
export async function insertChunk(db: Queryable, chunk: DecidedChunk): Promise<boolean> {
  const rows = chunk.requestReferences.length;
  const moved = await db.query(
    // The time comes from a row, because Citus rejects it in an UPDATE that decides by a column.
    `with clock as materialized (select now() as at)
     update score_batches set next_row = next_row + $4,
       answered_count = answered_count + $4 - $5, refused_count = refused_count + $5,
       leased_until = now() + $6 * interval '1 millisecond',
       ended_at = case when next_row + $4 > row_count then clock.at end,
       sealed_content = case when next_row + $4 > row_count then null else sealed_content end
     from clock
     where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2 and next_row = $3`,
    [
      chunk.vendorId,
      chunk.batchReference,
      chunk.firstRow,
      rows,
      chunk.refusals.length,
      chunk.leaseMs,
    ],
  );
  if (moved.rowCount !== 1) return false;
  await db.query(
    `insert into score_batch_chunks
       (bucket, vendor_id, batch_id, first_row, request_references, refusals)
     values (bucket_of($1), $1, $2, $3, $4, $5)`,
    [
      chunk.vendorId,
      chunk.batchId,
      chunk.firstRow,
      chunk.requestReferences,
      JSON.stringify(chunk.refusals),
    ],
  );
  return true;
}

export interface ChunkRow {
  readonly firstRow: number;
  readonly requestReferences: readonly (string | null)[];
  readonly refusals: readonly RefusedRow[];
}

export async function listChunks(
  db: Queryable,
  { vendorId, batchId }: { readonly vendorId: number; readonly batchId: string },
): Promise<ChunkRow[]> {
  const read = await db.query<ChunkRow>(
    `select first_row as "firstRow", request_references as "requestReferences", refusals
     from score_batch_chunks
     where bucket = bucket_of($1) and vendor_id = $1 and batch_id = $2 order by first_row`,
    [vendorId, batchId],
  );
  return read.rows;
}
