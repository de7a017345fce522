import { readReachable } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { BatchProgress, RowRefusal } from './batch.ts';

const PROGRESS = `batch_reference as "batchReference", batch_id as "batchId",
  file_sha256 as "fileSha256", row_count as "rowCount",
  accepted_count as "acceptedCount", refused_count as "refusedCount", created_at as "createdAt", ended_at as "endedAt"`;

export interface NewBatch {
  readonly vendorId: number;
  readonly batchReference: string;
  readonly batchId: string;
  readonly fileSha256: Buffer;
  readonly rowCount: number;
  readonly content: string;
  /** 0: any process may take it. */
  readonly leaseMs: number;
  /** Maximum number of undecided batches per vendor. */
  readonly maxOpen: number;
}

/**
 * Stores a batch. Returns false if its reference exists or the vendor has too many open batches.
 */
export async function insertBatch(db: Queryable, batch: NewBatch): Promise<boolean> {
  const inserted = await db.query(
    `insert into bulk_batches (bucket, vendor_id, batch_reference, batch_id, file_sha256, row_count,
       content, created_at, leased_until)
     select bucket_of($1), $1, $2, $3, $4, $5, $6, now(), now() + $7 * interval '1 millisecond'
     where (select count(*) from bulk_batches
       where bucket = bucket_of($1) and vendor_id = $1 and ended_at is null) < $8
     on conflict do nothing`,
    [
      batch.vendorId,
      batch.batchReference,
      batch.batchId,
      batch.fileSha256,
      batch.rowCount,
      batch.content,
      batch.leaseMs,
      batch.maxOpen,
    ],
  );
  return inserted.rowCount === 1;
}

export async function readBatch(
  db: Queryable,
  vendorId: number,
  batchReference: string,
): Promise<BatchProgress | undefined> {
  const read = await db.query<BatchProgress>(
    `select ${PROGRESS} from bulk_batches where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2`,
    [vendorId, batchReference],
  );
  return read.rows[0];
}

/** Newest first. */
export async function listBatches(
  db: Queryable,
  vendorId: number,
  limit: number,
): Promise<BatchProgress[]> {
  const listed = await db.query<BatchProgress>(
    `select ${PROGRESS} from bulk_batches where bucket = bucket_of($1) and vendor_id = $1
     order by created_at desc, batch_id desc limit $2`,
    [vendorId, limit],
  );
  return listed.rows;
}

/** A batch and its rows as stored; they never change. */
export async function readContent(
  db: Queryable,
  vendorId: number,
  batchReference: string,
): Promise<string> {
  const read = await db.query<{ content: string }>(
    'select content from bulk_batches where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2',
    [vendorId, batchReference],
  );
  const row = read.rows[0];
  if (row === undefined) throw new Error(`batch ${batchReference} of ${vendorId} is gone`);
  return row.content;
}

const listAbandonedText = (and: string): string =>
  `select vendor_id as "vendorId", batch_reference as "batchReference" from bulk_batches
   where ended_at is null and leased_until <= now() ${and} order by created_at limit $1`;
const ABANDONED = listAbandonedText('');
const ABANDONED_OF_BUCKET = listAbandonedText('and bucket = $2');

type BatchKey = { readonly vendorId: number; readonly batchReference: string };

/** Undecided batches that no process works on, oldest first. */
export async function listAbandoned(db: Queryable, limit: number): Promise<readonly BatchKey[]> {
  return await readReachable(
    db,
    () => db.query<BatchKey>(ABANDONED, [limit]),
    (bucket) => db.query<BatchKey>(ABANDONED_OF_BUCKET, [limit, bucket]),
  );
}

/** Takes a batch over; undefined if another process was faster or it has ended. */
export async function leaseBatch(
  db: Queryable,
  batch: { readonly vendorId: number; readonly batchReference: string },
  leaseMs: number,
): Promise<{ readonly batchId: string; readonly nextRow: number } | undefined> {
  const leased = await db.query<{ batchId: string; nextRow: number }>(
    `update bulk_batches set leased_until = now() + $3 * interval '1 millisecond'
     where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2 and ended_at is null and leased_until <= now()
     returning batch_id as "batchId", next_row as "nextRow"`,
    [batch.vendorId, batch.batchReference, leaseMs],
  );
  return leased.rows[0];
}

/** Lets another process continue at once. */
export async function releaseBatch(
  db: Queryable,
  batch: { readonly vendorId: number; readonly batchReference: string },
): Promise<void> {
  await db.query(
    `update bulk_batches set leased_until = now()
     where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2 and ended_at is null`,
    [batch.vendorId, batch.batchReference],
  );
}

/** The next row of the batch. */
export async function readNextRow(
  db: Queryable,
  batch: { readonly vendorId: number; readonly batchReference: string },
): Promise<number> {
  const read = await db.query<{ nextRow: number }>(
    'select next_row as "nextRow" from bulk_batches where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2',
    [batch.vendorId, batch.batchReference],
  );
  const row = read.rows[0];
  if (row === undefined) throw new Error(`batch ${batch.batchReference} is gone`);
  return row.nextRow;
}

/**
 * Reads how a restore of the database concerns the batch. `lost`: it was stored before the end of a
 * quarantine in which payments are missing, and its rows may be among them. `waiting`: a quarantine
 * that people or the processes will probably end, because nothing seems to be missing.
 */
export async function readRestore(
  db: Queryable,
  batch: { readonly vendorId: number; readonly batchReference: string },
): Promise<'none' | 'waiting' | 'lost'> {
  const read = await db.query<{ waiting: boolean; lost: boolean }>({
    name: 'read_bulk_restore',
    text: `select coalesce(bool_or(z.released_at is null), false) as waiting,
        coalesce(bool_or(not z.seems_complete and b.created_at <= coalesce(z.released_at, now())), false) as lost
      from bulk_batches b cross join quarantines z
      where b.bucket = bucket_of($1) and b.vendor_id = $1 and b.batch_reference = $2`,
    values: [batch.vendorId, batch.batchReference],
  });
  const { waiting = false, lost = false } = read.rows[0] ?? {};
  if (lost) return 'lost';
  return waiting ? 'waiting' : 'none';
}

/** The results of a chunk, except rows "accepted as their own payment". */
export type ChunkException =
  | ({ readonly row: number } & RowRefusal)
  | { readonly row: number; readonly payment_id: string; readonly posted_at: string };

export interface DecidedChunk {
  readonly vendorId: number;
  readonly batchReference: string;
  readonly batchId: string;
  readonly firstRow: number;
  readonly rowCount: number;
  readonly refusedCount: number;
  /** Posting time of the accepted rows; null: the database's current time. */
  readonly postedAt: Date | null;
  readonly exceptions: readonly ChunkException[];
  readonly leaseMs: number;
}

/**
 * Stores a chunk's results and advances the batch. Returns false, having written nothing, if the
 * chunk is not the next one.
 */
export async function insertChunk(db: Queryable, chunk: DecidedChunk): Promise<boolean> {
  const inserted = await db.query({
    name: 'insert_bulk_chunk',
    // The time comes from a row, because Citus rejects volatile functions in an UPDATE.
    text: `with clock as materialized (
        select clock_timestamp() as at
      ), moved as (
        update bulk_batches set next_row = next_row + $5,
          accepted_count = accepted_count + $5 - $6, refused_count = refused_count + $6,
          leased_until = now() + $9 * interval '1 millisecond',
          ended_at = case when next_row + $5 > row_count then clock.at end
        from clock
        where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2 and next_row = $4
        returning 1
      )
      insert into bulk_chunks (bucket, vendor_id, batch_id, first_row, row_count, posted_at, exceptions)
      select bucket_of($1), $1, $3, $4, $5, coalesce($7, now()), $8 from moved`,
    values: [
      chunk.vendorId,
      chunk.batchReference,
      chunk.batchId,
      chunk.firstRow,
      chunk.rowCount,
      chunk.refusedCount,
      chunk.postedAt,
      JSON.stringify(chunk.exceptions),
      chunk.leaseMs,
    ],
  });
  return inserted.rowCount === 1;
}

export interface ChunkRow {
  firstRow: number;
  rowCount: number;
  postedAt: Date;
  exceptions: ChunkException[];
}

export async function listChunks(
  db: Queryable,
  vendorId: number,
  batchId: string,
): Promise<ChunkRow[]> {
  const read = await db.query<ChunkRow>(
    `select first_row as "firstRow", row_count as "rowCount", posted_at as "postedAt", exceptions
      from bulk_chunks
     where bucket = bucket_of($1) and vendor_id = $1 and batch_id = $2 order by first_row`,
    [vendorId, batchId],
  );
  return read.rows;
}

/** Numbers of a batch's refused rows by error code. */
export async function countRefusals(
  db: Queryable,
  vendorId: number,
  batchId: string,
): Promise<Readonly<Record<string, number>>> {
  const counted = await db.query<{ code: string; count: number }>(
    `select e.code, count(*)::integer as count
     from bulk_chunks, jsonb_to_recordset(exceptions) as e (code text)
     where bucket = bucket_of($1) and vendor_id = $1 and batch_id = $2 and e.code is not null
     group by e.code order by e.code`,
    [vendorId, batchId],
  );
  return Object.fromEntries(counted.rows.map(({ code, count }) => [code, count]));
}

/** Counts batches with undecided rows, and gives the age of the oldest one. */
export async function countOpenBatches(
  db: Queryable,
): Promise<{ readonly count: number; readonly oldestSeconds: number }> {
  const counted = await db.query<{ count: number; oldestSeconds: number }>(
    `select count(*)::integer as count,
       coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
     from bulk_batches where ended_at is null`,
  );
  return counted.rows[0] ?? { count: 0, oldestSeconds: 0 };
}
