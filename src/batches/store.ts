import type { Queryable } from '../platform/db/pool.ts';
import type { Batch } from './batch.ts';
import { PROGRESS, THIS, keyOf } from './read-batches.ts';
import type { KindKey, RowException } from './read-batches.ts';

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
