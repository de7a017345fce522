import { readReachable } from '../parties/by-bucket-store.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { Batch, BatchKey, KindName, RowRefusal } from './batch.ts';

/** A batch of a kind. */
export interface KindKey extends BatchKey {
  readonly kind: KindName;
}

const PROGRESS = `vendor_id as "vendorId", batch_reference as "batchReference", batch_id as "batchId",
  product, key_id as "keyId", file_sha256 as "fileSha256", row_count as "rowCount",
  accepted_count as "acceptedCount", refused_count as "refusedCount",
  created_at as "createdAt", ended_at as "endedAt"`;

export interface StoredBatch extends KindKey {
  readonly batchId: string;
  readonly product?: string | undefined;
  readonly keyId?: string | undefined;
  readonly fileSha256: Buffer;
  readonly rowCount: number;
  /** The rows, of a kind that keeps them. */
  readonly content: Buffer | null;
  /** The rows, of a kind that erases them. */
  readonly sealedContent: Buffer | null;
  /** 0: any process may take it. */
  readonly leaseMs: number;
  /** Maximum number of undecided batches per vendor. */
  readonly maxOpen: number;
}

/**
 * Stores a batch. Returns false if its reference exists or the vendor has too many open batches.
 */
export async function insertBatch(db: Queryable, batch: StoredBatch): Promise<boolean> {
  const inserted = await db.query(
    `insert into batches (bucket, vendor_id, kind, batch_reference, batch_id, product, key_id,
       file_sha256, row_count, content, sealed_content, created_at, leased_until)
     select bucket_of($1), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now(),
       now() + $11 * interval '1 millisecond'
     where (select count(*) from batches
       where bucket = bucket_of($1) and vendor_id = $1 and kind = $2 and ended_at is null) < $12
     on conflict do nothing`,
    [
      ...keyOf(batch),
      batch.batchId,
      batch.product ?? null,
      batch.keyId ?? null,
      batch.fileSha256,
      batch.rowCount,
      batch.content,
      batch.sealedContent,
      batch.leaseMs,
      batch.maxOpen,
    ],
  );
  return inserted.rowCount === 1;
}

const THIS = 'bucket = bucket_of($1) and vendor_id = $1 and kind = $2 and batch_reference = $3';

function keyOf({ vendorId, kind, batchReference }: KindKey): [number, string, string] {
  return [vendorId, kind, batchReference];
}

export async function readBatch(db: Queryable, key: KindKey): Promise<Batch | undefined> {
  const read = await db.query<Batch>(`select ${PROGRESS} from batches where ${THIS}`, keyOf(key));
  return read.rows[0];
}

/** Newest first. */
export async function listBatches(
  db: Queryable,
  kind: KindName,
  vendorId: number,
  limit: number,
): Promise<Batch[]> {
  const listed = await db.query<Batch>(
    `select ${PROGRESS} from batches where bucket = bucket_of($1) and vendor_id = $1 and kind = $2
     order by created_at desc, batch_id desc limit $3`,
    [vendorId, kind, limit],
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

/** Takes a batch over; undefined if another process was faster or it has ended. */
export async function leaseBatch(
  db: Queryable,
  key: KindKey,
  leaseMs: number,
): Promise<(Batch & { readonly nextRow: number }) | undefined> {
  const leased = await db.query<Batch & { readonly nextRow: number }>(
    `update batches set leased_until = now() + $4 * interval '1 millisecond'
     where ${THIS} and ended_at is null and leased_until <= now()
     returning ${PROGRESS}, next_row as "nextRow"`,
    [...keyOf(key), leaseMs],
  );
  return leased.rows[0];
}

/** Lets another process continue at once. */
export async function releaseBatch(db: Queryable, key: KindKey): Promise<void> {
  await db.query(
    `update batches set leased_until = now() where ${THIS} and ended_at is null`,
    keyOf(key),
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

/** What is stored of a row that was not accepted in the simplest way. */
export type RowException =
  | RefusedRow
  /** The row repeats a payment that was made earlier. */
  | { readonly row: number; readonly payment_id: string; readonly posted_at: string };

export interface DecidedChunk extends KindKey {
  readonly batchId: string;
  readonly firstRow: number;
  readonly rows: readonly unknown[];
  readonly references: readonly (string | null)[] | null;
  readonly exceptions: readonly RowException[];
  /** Default: the database's current time. */
  readonly decidedAt?: Date | undefined;
  readonly leaseMs: number;
}

/**
 * A chunk is not the next one: its commit's answer was lost, or another process works on the batch because our
 * lease had ended. Or its rows have to wait.
 */
export class NotNext extends Error {
  override readonly name = 'NotNext';
}

/** Stores a chunk's results and advances the batch. Throws: `NotNext`. */
export async function insertChunk(db: Queryable, chunk: DecidedChunk): Promise<void> {
  const inserted = await db.query({
    name: 'insert_batch_chunk',
    // The time comes from a row, because Citus rejects volatile functions in an UPDATE.
    text: `with clock as materialized (
        select clock_timestamp() as at
      ), moved as (
        update batches set next_row = next_row + $6,
          accepted_count = accepted_count + $6 - $7, refused_count = refused_count + $7,
          leased_until = now() + $8 * interval '1 millisecond',
          ended_at = case when next_row + $6 > row_count then clock.at end,
          sealed_content = case when next_row + $6 <= row_count then sealed_content end
        from clock
        where ${THIS} and next_row = $5
        returning 1
      )
      insert into batch_chunks (bucket, vendor_id, batch_id, first_row, row_count, decided_at,
        row_references, exceptions)
      select bucket_of($1), $1, $4, $5, $6, coalesce($9, now()), $10, $11 from moved`,
    values: [
      ...keyOf(chunk),
      chunk.batchId,
      chunk.firstRow,
      chunk.rows.length,
      chunk.exceptions.filter((exception) => 'code' in exception).length,
      chunk.leaseMs,
      chunk.decidedAt ?? null,
      chunk.references,
      JSON.stringify(chunk.exceptions),
    ],
  });
  if (inserted.rowCount !== 1) throw new NotNext();
}

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

export type SealedPosition = readonly [bucket: number, vendorId: number, batchReference: string];

/** Open batches whose rows are sealed, without the rows, in the order of their keys. */
export async function listSealed(
  db: Queryable,
  after: SealedPosition,
  limit: number,
): Promise<(KindKey & { batchId: string; bucket: number; sealingKey: Buffer })[]> {
  const read = await db.query<KindKey & { batchId: string; bucket: number; sealingKey: Buffer }>(
    `select bucket, vendor_id as "vendorId", kind, batch_reference as "batchReference",
       batch_id as "batchId", substring(sealed_content for 4) as "sealingKey" from batches
     where (bucket, vendor_id, batch_reference) > ($1, $2, $3) and sealed_content is not null
     order by bucket, vendor_id, batch_reference limit $4`,
    [...after, limit],
  );
  return read.rows;
}

/** Replaces the sealed rows of a batch, which may be megabytes. One that ends meanwhile has none. */
export async function reseal(
  db: Queryable,
  key: KindKey,
  change: (sealed: Buffer) => Buffer,
): Promise<void> {
  const open = await db.query<{ sealed: Buffer }>(
    `select sealed_content as sealed from batches
     where ${THIS} and sealed_content is not null for update`,
    keyOf(key),
  );
  const [row] = open.rows;
  if (row === undefined) return;
  await db.query(`update batches set sealed_content = $4 where ${THIS}`, [
    ...keyOf(key),
    change(row.sealed),
  ]);
}
