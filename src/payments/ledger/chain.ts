import { createHash } from 'node:crypto';
import { crashPoint } from '#crash-points';
import type { Mac } from '../../platform/base/mac.ts';
import { readHorizon } from '../../platform/cluster/horizon.ts';
import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import { queryByBucket } from './in-bucket.ts';
import { BLOCKS_HASH, entries, ENTRY_ORDER, MARK_BYTES } from './entries.ts';

/** Maximum time that one block covers; after an outage several blocks follow each other. */
const BLOCK_SPAN = `interval '1 minute'`;

/** The state of the chain after a block. */
export interface Head {
  readonly blockNumber: bigint;
  readonly hash: Buffer;
}

/** The chain does not end where it ended before. Continuing would hide that. */
export class ChainAlteredError extends Error {}

/**
 * The fields that the hash of a block covers, in addition to the previous hash. Times in microseconds
 * since 1970.
 */
export interface HeadContent {
  readonly blockNumber: bigint;
  readonly startedUs: string;
  readonly endedUs: string;
  readonly builtAt: Date;
  readonly entryCount: bigint;
  /** SHA-256 over the vendors' blocks. */
  readonly blocksHash: Buffer | null;
}

/** The hash of a block: SHA-256 over the previous hash (nothing for the first) and its fields. */
export function headHash(previous: Buffer | null, content: HeadContent): Buffer {
  const line = JSON.stringify([
    String(content.blockNumber),
    content.startedUs,
    content.endedUs,
    content.builtAt.toISOString(),
    String(content.entryCount),
    content.blocksHash?.toString('hex') ?? null,
  ]);
  return createHash('sha256')
    .update(previous ?? '')
    .update(line, 'utf8')
    .digest();
}

/** The text that a block's authentication code covers. */
export function headText(hash: Buffer): string {
  return `ledger_heads|${hash.toString('hex')}`;
}

export const MICROSECONDS = (column: string): string =>
  `(extract(epoch from ${column}) * 1000000)::bigint::text`;

/**
 * Extends the chain over the next span of time to which nothing can be added any more: before the
 * start of the oldest running database transaction. Returns the new head; undefined if nothing is
 * to be chained.
 * Throws: `ChainAlteredError`.
 * @param expected the newest head that this process knows, which must still be in the chain.
 */
export async function extendChain(
  pool: Pool,
  mac: Mac,
  expected?: Head,
): Promise<Head | undefined> {
  return await databaseTransaction(pool, async (client) => {
    // One builder at a time; one that waited here continues where the other ended.
    const chain = await client.query<{ endedAt: string }>(
      'select ended_at::text as "endedAt" from ledger_chain for update',
    );
    const endedAt = chain.rows[0]?.endedAt ?? '-infinity';
    const horizon = await readHorizon(client);
    if (horizon === undefined) return undefined;
    // A separate statement, whose snapshot is newer than the horizon: rows of all database transactions that
    // had ended by then are visible now.
    const { from, to } = await nextSpan(client, endedAt, horizon);
    if (from === null || to === null) return undefined;
    const previous = await requireEnd(client, endedAt, expected);
    const head = await buildBlock(client, { from, to, previous, mac });
    crashPoint('chain:before-commit');
    await client.query('update ledger_chain set ended_at = $1::timestamptz', [to]);
    return head;
  });
}

/** The time from the first row that is not covered; null: nothing is left before the horizon. */
async function nextSpan(
  client: Queryable,
  endedAt: string,
  horizon: string,
): Promise<{ readonly from: string | null; readonly to: string | null }> {
  const vendors = await client.query<{ first: string | null }>(
    `select min(created_at)::text as first from transfers
     where created_at >= $1::timestamptz and created_at < $2::timestamptz`,
    [endedAt, horizon],
  );
  const house = await client.query<{ first: string | null }>(
    `select min(posted_at)::text as first from house_transfers
     where posted_at >= $1::timestamptz and posted_at < $2::timestamptz`,
    [endedAt, horizon],
  );
  const span = await client.query<{ from: string | null; to: string | null }>(
    `select first::text as from, least(first + ${BLOCK_SPAN}, $3::timestamptz)::text as to
     from least($1::timestamptz, $2::timestamptz) as first`,
    [vendors.rows[0]?.first ?? null, house.rows[0]?.first ?? null, horizon],
  );
  return span.rows[0] ?? { from: null, to: null };
}

/** The newest head, which must end where the chain does. */
async function requireEnd(
  db: Queryable,
  endedAt: string,
  expected: Head | undefined,
): Promise<Head | undefined> {
  if (expected !== undefined && !(await isInChain(db, expected))) {
    throw new ChainAlteredError(
      `block ${expected.blockNumber} with hash ${expected.hash.toString('hex')} is gone`,
    );
  }
  const read = await db.query<{ blockNumber: bigint; hash: Buffer; isEnd: boolean }>(
    `select block_number as "blockNumber", hash, ended_at = $1::timestamptz as "isEnd"
      from ledger_heads
     order by block_number desc limit 1`,
    [endedAt],
  );
  const [last] = read.rows;
  if (last === undefined ? endedAt !== '-infinity' : !last.isEnd) {
    throw new ChainAlteredError('the last block does not end where the chain does');
  }
  return last === undefined ? undefined : { blockNumber: last.blockNumber, hash: last.hash };
}

async function buildBlock(
  db: Queryable,
  block: {
    readonly from: string;
    readonly to: string;
    readonly previous: Head | undefined;
    readonly mac: Mac;
  },
): Promise<Head> {
  const { from, to, previous } = block;
  const blockNumber = (previous?.blockNumber ?? 0n) + 1n;
  const blocks = await queryByBucket<VendorBlock>(
    db,
    `with entry as (${entries('$1::timestamptz', '$2::timestamptz')})
     select vendor_id as "vendorId", count(*) as "entryCount",
       string_agg(substr(hash, 1, ${MARK_BYTES}), ''::bytea ${ENTRY_ORDER}) as "entryMarks",
       sha256(string_agg(hash, ''::bytea ${ENTRY_ORDER})) as hash
     from entry group by vendor_id`,
    [from, to],
  );
  await insertBlocks(db, blockNumber, blocks);
  const built = await db.query<{
    startedUs: string;
    endedUs: string;
    entryCount: bigint;
    blocksHash: Buffer;
  }>(
    `select ${MICROSECONDS('$1::timestamptz')} as "startedUs",
       ${MICROSECONDS('$2::timestamptz')} as "endedUs",
       sum(entry_count)::bigint as "entryCount", ${BLOCKS_HASH} as "blocksHash"
     from unnest($3::integer[], $4::bigint[], $5::bytea[]) as block (vendor_id, entry_count, hash)`,
    [
      from,
      to,
      blocks.map((made) => made.vendorId),
      blocks.map((made) => made.entryCount),
      blocks.map((made) => made.hash),
    ],
  );
  const [made] = built.rows;
  if (made === undefined || blocks.length === 0) throw new Error('a block of no entries');
  const builtAt = new Date();
  const hash = headHash(previous?.hash ?? null, {
    blockNumber,
    startedUs: made.startedUs,
    endedUs: made.endedUs,
    builtAt,
    entryCount: made.entryCount,
    blocksHash: made.blocksHash,
  });
  await db.query(
    `insert into ledger_heads (block_number, started_at, ended_at, built_at, entry_count, hash, mac)
     values ($1, $2::timestamptz, $3::timestamptz, $4, $5, $6, $7)`,
    [blockNumber, from, to, builtAt, made.entryCount, hash, block.mac.sign(headText(hash))],
  );
  return { blockNumber, hash };
}

/** One vendor's part of a block. */
interface VendorBlock {
  readonly vendorId: number;
  readonly entryCount: bigint;
  readonly entryMarks: Buffer;
  readonly hash: Buffer;
}

async function insertBlocks(
  db: Queryable,
  blockNumber: bigint,
  blocks: readonly VendorBlock[],
): Promise<void> {
  for (const { bucket, items } of await groupByBucket(db, blocks)) {
    await db.query(
      `insert into ledger_blocks (bucket, vendor_id, block_number, entry_count, entry_marks, hash)
       select k.bucket, b.vendor_id, $2, b.entry_count, b.entry_marks, b.hash
       from buckets k cross join unnest($3::integer[], $4::bigint[], $5::bytea[], $6::bytea[])
         as b (vendor_id, entry_count, entry_marks, hash)
       where k.bucket = $1`,
      [
        bucket,
        blockNumber,
        items.map((made) => made.vendorId),
        items.map((made) => made.entryCount),
        items.map((made) => made.entryMarks),
        items.map((made) => made.hash),
      ],
    );
  }
}

export async function isInChain(db: Queryable, { blockNumber, hash }: Head): Promise<boolean> {
  const known = await db.query('select from ledger_heads where block_number = $1 and hash = $2', [
    blockNumber,
    hash,
  ]);
  return known.rowCount === 1;
}

/** The number of the newest block; null before the first one. */
export async function readLastBlock(db: Queryable): Promise<bigint | null> {
  const read = await db.query<{ blockNumber: bigint | null }>(
    'select max(block_number) as "blockNumber" from ledger_heads',
  );
  return read.rows[0]?.blockNumber ?? null;
}

/** Reads the time up to which blocks are built; null before the first block. */
export async function readChainEnd(db: Queryable): Promise<Date | null> {
  const read = await db.query<{ endedAt: Date | null }>(
    `select nullif(ended_at, '-infinity') as "endedAt" from ledger_chain`,
  );
  return read.rows[0]?.endedAt ?? null;
}

/** The database's clock. */
async function readNow(pool: Pool): Promise<Date> {
  const read = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  return read.rows[0]?.now ?? new Date();
}

/**
 * Extends the chain over everything that existed when it was called, as far as nothing can be added
 * to it any more. Later rows are left out, so that it terminates alongside running payments.
 * Returns how many blocks were made, and the newest of them.
 * @param options.signal stops it between two spans; the next call continues there.
 */
export async function completeChain(
  pool: Pool,
  mac: Mac,
  options: {
    readonly expected?: Head | undefined;
    readonly onBlock?: (blocks: number) => void;
    readonly signal?: AbortSignal;
  } = {},
): Promise<{ readonly blocks: number; readonly head: Head | undefined }> {
  const until = await readNow(pool);
  let head: Head | undefined;
  for (let blocks = 0; ; blocks += 1) {
    const made = await extendChain(pool, mac, head ?? options.expected);
    if (made === undefined) return { blocks, head };
    head = made;
    const end = await readChainEnd(pool);
    if (end === null || end >= until || options.signal?.aborted === true) {
      return { blocks: blocks + 1, head };
    }
    options.onBlock?.(blocks + 1);
  }
}
