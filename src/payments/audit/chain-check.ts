import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { headHash, headText, MICROSECONDS } from '../ledger/chain.ts';
import type { HeadContent } from '../ledger/chain.ts';
import type { Violation } from './violation.ts';
import { queryByBucket } from '../ledger/in-bucket.ts';
import { BLOCKS_HASH, entries, ENTRY_ORDER, MARK_BYTES } from '../ledger/entries.ts';

/** The newest block of the chain. */
export interface ChainHead {
  readonly blockNumber: number;
  /** Hexadecimal. */
  readonly hash: string;
  readonly endedAt: Date;
  readonly builtAt: Date;
}

/** A head that was stored elsewhere; `blockNumber` is null if it is not in the chain. */
export interface KeptHead {
  readonly hash: string;
  readonly blockNumber: number | null;
  readonly builtAt: Date | null;
}

/** While payments continue, a block may be built this much later than its entries. */
const LATE_MS = 86_400_000;
/** Number of blocks that are read at once. */
const PAGE_BLOCKS = 5_000;
/**
 * Maximum number of entries in the blocks that are recomputed at once, unless one block has more.
 */
const PAGE_ENTRIES = 500_000n;
/** Maximum number of altered blocks whose rows are listed. */
const MAX_NAMED_BLOCKS = 50;
/** Maximum number of rows listed for one block. */
const MAX_NAMED_ROWS = 20;

export interface ChainReport {
  readonly violations: readonly Violation[];
  readonly head: ChainHead | null;
  readonly keptHeads: readonly KeptHead[];
}

interface BlockRow extends HeadContent {
  startedAt: Date;
  endedAt: Date;
  hash: Buffer;
  mac: Buffer;
}

/**
 * Verifies the chain from both ends: each block from the previous one, and from the rows that it
 * covers. In the caller's snapshot.
 */
export async function checkChain(
  db: Queryable,
  options: {
    readonly mac: Mac | undefined;
    readonly heads: readonly string[];
    readonly onProgress?: ((what: string) => void) | undefined;
  },
): Promise<ChainReport> {
  const violations: Violation[] = [];
  const report = (invariant: string, detail: string, vendorId = 0): void =>
    void violations.push({ invariant, vendorId, detail });
  const wanted = new Map<string, KeptHead>(
    options.heads.map((hash) => [
      hash.toLowerCase(),
      { hash: hash.toLowerCase(), blockNumber: null, builtAt: null },
    ]),
  );
  const late: { number: bigint; detail: string }[] = [];
  const altered: AlteredBlock[] = [];
  const page = new RowsPage(db, altered);
  let previous: BlockRow | undefined;
  for await (const block of readBlocks(db)) {
    for (const detail of faultsOf(block, previous)) report('chain_continuous', detail);
    if (previous !== undefined && isLate(previous, block)) {
      late.push({ number: previous.blockNumber, detail: lateText(previous) });
    }
    if (options.mac?.verify(headText(block.hash), block.mac) === false) {
      report(
        'chain_authentic',
        `block ${block.blockNumber} was not built by the service: its authentication code does not match`,
      );
    }
    const hash = block.hash.toString('hex');
    if (wanted.has(hash)) {
      const blockNumber = Number(block.blockNumber);
      wanted.set(hash, { hash, blockNumber, builtAt: block.builtAt });
    }
    if (await page.add(block)) options.onProgress?.(`chain_intact, block ${block.blockNumber}`);
    previous = block;
  }
  await page.flush();
  for (const detail of await endFaults(db, previous)) report('chain_continuous', detail);
  const keptHeads = [...wanted.values()];
  const confirmed = Math.max(0, ...keptHeads.map(({ blockNumber }) => blockNumber ?? 0));
  for (const { number, detail } of late) {
    if (Number(number) > confirmed) report('chain_built_in_time', detail);
  }
  for (const { hash, blockNumber } of keptHeads) {
    if (blockNumber !== null) continue;
    report('chain_has_kept_heads', `${hash} is not in the chain, which was rebuilt or truncated`);
  }
  violations.push(...(await nameRows(db, altered)));
  return { violations, head: previous === undefined ? null : headOf(previous), keptHeads };
}

function headOf(block: BlockRow): ChainHead {
  return {
    blockNumber: Number(block.blockNumber),
    hash: block.hash.toString('hex'),
    endedAt: block.endedAt,
    builtAt: block.builtAt,
  };
}

async function* readBlocks(db: Queryable): AsyncGenerator<BlockRow> {
  for (let after = 0n; ;) {
    const read = await db.query<Omit<BlockRow, 'blocksHash'>>(
      `select h.block_number as "blockNumber", h.started_at as "startedAt",
        ${MICROSECONDS('h.started_at')} as "startedUs", h.ended_at as "endedAt",
         ${MICROSECONDS('h.ended_at')} as "endedUs", h.built_at as "builtAt",
           h.entry_count as "entryCount", h.hash, h.mac
       from ledger_heads h where block_number > $1 order by block_number limit ${PAGE_BLOCKS}`,
      [after],
    );
    const hashes = await readBlocksHashes(db, read.rows);
    for (const row of read.rows) {
      yield { ...row, blocksHash: hashes.get(row.blockNumber) ?? null };
    }
    const last = read.rows.at(-1);
    if (last === undefined || read.rows.length < PAGE_BLOCKS) return;
    after = last.blockNumber;
  }
}

async function readBlocksHashes(
  db: Queryable,
  of: readonly Pick<BlockRow, 'blockNumber'>[],
): Promise<Map<bigint, Buffer>> {
  const read = await db.query<{ blockNumber: bigint; blocksHash: Buffer }>(
    // offset 0: collects the rows of all vendors before they are hashed.
    `select block_number as "blockNumber", ${BLOCKS_HASH} as "blocksHash" from (
       select block_number, vendor_id, entry_count, hash from ledger_blocks
       where block_number between $1 and $2 offset 0
     ) b group by block_number`,
    [of[0]?.blockNumber ?? 0n, of.at(-1)?.blockNumber ?? 0n],
  );
  return new Map(read.rows.map((row) => [row.blockNumber, row.blocksHash]));
}

function faultsOf(block: BlockRow, previous: BlockRow | undefined): string[] {
  const { blockNumber: number } = block;
  const faults: string[] = [];
  const expected = (previous?.blockNumber ?? 0n) + 1n;
  if (number !== expected) faults.push(`block ${expected} is missing`);
  if (previous !== undefined && BigInt(block.startedUs) < BigInt(previous.endedUs)) {
    faults.push(`block ${number} overlaps the one before`);
  }
  const hash = headHash(previous?.hash ?? null, {
    blockNumber: number,
    startedUs: block.startedUs,
    endedUs: block.endedUs,
    builtAt: block.builtAt,
    entryCount: block.entryCount,
    blocksHash: block.blocksHash,
  });
  if (!hash.equals(block.hash)) {
    faults.push(`block ${number} was altered, or does not follow from the one before`);
  }
  return faults;
}

/** The entries of the next block existed long before this one was built. */
function isLate(block: BlockRow, next: BlockRow): boolean {
  return next.startedAt.getTime() < block.builtAt.getTime() - LATE_MS;
}

function lateText(block: BlockRow): string {
  return `block ${block.blockNumber} covers the time to ${block.endedAt.toISOString()} and was built on ${block.builtAt.toISOString()}, although payments continued: nothing extended the chain for more than a day, or it was truncated and rebuilt. A head that was stored since then shows which (--head).`;
}

async function endFaults(db: Queryable, last: BlockRow | undefined): Promise<string[]> {
  const faults: string[] = [];
  const chain = await db.query<{ endedUs: string | null }>(
    `select ${MICROSECONDS(`nullif(ended_at, '-infinity')`)} as "endedUs" from ledger_chain`,
  );
  if (chain.rows.length !== 1 || (chain.rows[0]?.endedUs ?? null) !== (last?.endedUs ?? null)) {
    faults.push('the last block does not end where the chain does: blocks were removed');
  }
  const unmatched = await db.query<{ blockNumber: bigint }>(
    `with heads as materialized (select block_number from ledger_heads)
     select distinct block_number as "blockNumber" from ledger_blocks b
     where not exists (select from heads h where h.block_number = b.block_number)
     order by block_number limit 100`,
  );
  return [...faults, ...unmatched.rows.map(({ blockNumber: n }) => `block ${n} is missing`)];
}

/** A vendor's part of a block that differs from what the rows give. */
interface AlteredBlock {
  readonly vendorId: number;
  readonly blockNumber: bigint | null;
  readonly from: string;
  readonly to: string;
}

/** The range of a page's entries, as parameters of its queries. */
interface Page {
  readonly numbers: bigint[];
  readonly starts: string[];
  readonly from: string;
  readonly to: string;
}

/** Each entry with the number of the block that covers its time; null: before the first block. */
const PLACED = `(
  select e.*, ($1::bigint[])[nullif(width_bucket(e.at, $2::timestamptz[]), 0)] as block_number
  from (${entries('$3::timestamptz', '$4::timestamptz')}) e
)`;

/** Recomputes blocks from the rows, several at a time. */
class RowsPage {
  readonly #db: Queryable;
  readonly #altered: AlteredBlock[];
  #blocks: BlockRow[] = [];
  #entries = 0n;
  #from = '-infinity';

  constructor(db: Queryable, altered: AlteredBlock[]) {
    this.#db = db;
    this.#altered = altered;
  }

  /** Returns whether blocks were recomputed. */
  async add(block: BlockRow): Promise<boolean> {
    this.#blocks.push(block);
    this.#entries += block.entryCount;
    if (this.#entries < PAGE_ENTRIES && this.#blocks.length < PAGE_BLOCKS) return false;
    await this.flush();
    return true;
  }

  async flush(): Promise<void> {
    const last = this.#blocks.at(-1);
    if (last === undefined) return;
    const page: Page = {
      numbers: this.#blocks.map((block) => block.blockNumber),
      starts: this.#blocks.map((block) => timestamp(block.startedUs)),
      from: this.#from,
      to: timestamp(last.endedUs),
    };
    const rows = await queryByBucket<{ vendorId: number; blockNumber: bigint | null }>(
      this.#db,
      `select coalesce(c.vendor_id, b.vendor_id) as "vendorId",
         coalesce(c.block_number, b.block_number) as "blockNumber"
       from (
         select vendor_id, block_number, count(*) as entry_count,
           sha256(string_agg(hash, ''::bytea ${ENTRY_ORDER})) as hash
         from ${PLACED} p group by vendor_id, block_number
       ) c full join (
         select vendor_id, block_number, entry_count, hash from ledger_blocks
         where block_number = any ($1::bigint[])
       ) b on b.vendor_id = c.vendor_id and b.block_number = c.block_number
       where (b.entry_count, b.hash) is distinct from (c.entry_count, c.hash)
       order by "blockNumber", "vendorId"`,
      parametersOf(page),
    );
    for (const row of rows.toSorted(byBlock)) {
      const index = this.#blocks.findIndex((block) => block.blockNumber === row.blockNumber);
      const next = this.#blocks[index + 1];
      this.#altered.push({
        vendorId: row.vendorId,
        blockNumber: row.blockNumber,
        from: page.starts[index] ?? page.from,
        to: next === undefined ? page.to : timestamp(next.startedUs),
      });
    }
    this.#from = page.to;
    this.#blocks = [];
    this.#entries = 0n;
  }
}

type Found = { readonly vendorId: number; readonly blockNumber: bigint | null };

/** Sorts transfers before the first block last, as PostgreSQL sorts nulls. */
function byBlock(one: Found, other: Found): number {
  const [first, second] = [one.blockNumber ?? Infinity, other.blockNumber ?? Infinity];
  if (first === second) return one.vendorId - other.vendorId;
  return first < second ? -1 : 1;
}

function parametersOf({ numbers, starts, from, to }: Page): unknown[] {
  return [numbers, starts, from, to];
}

/** A `timestamptz` as text, exact to the microsecond. */
function timestamp(microseconds: string): string {
  const us = BigInt(microseconds);
  const second = new Date(Number(us / 1_000_000n) * 1000).toISOString().slice(0, 19);
  return `${second}.${String(us % 1_000_000n).padStart(6, '0')}Z`;
}

interface Entry {
  id: string;
  part: number;
  kind:
    | 'accepted'
    | 'settled'
    | 'transfer'
    | 'collection'
    | 'fund'
    | 'correction'
    | 'payout'
    | 'house';
  mark: string;
}

const KINDS: Readonly<Record<Entry['kind'], (id: string, part: number) => string>> = {
  accepted: (id) => `payment ${id}: what was accepted, or its reservation`,
  settled: (id) => `payment ${id}: its outcome, what was settled with it, or its resolution`,
  transfer: (id, part) => `transfer ${id}/${part}`,
  collection: (id) => `collection ${id}`,
  fund: (id) => `fund movement ${id}`,
  correction: (id) => `correction ${id}`,
  payout: (id) => `payout ${id}`,
  house: (id) => `house transfer ${id}`,
};

/** Lists for each altered block the rows that differ from the chained ones. */
async function nameRows(db: Queryable, altered: readonly AlteredBlock[]): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const [index, block] of altered.entries()) {
    const details = index < MAX_NAMED_BLOCKS ? await namesOf(db, block) : [altogether(block)];
    for (const detail of details) {
      violations.push({ invariant: 'chain_intact', vendorId: block.vendorId, detail });
    }
  }
  return violations;
}

const altogether = ({ blockNumber }: AlteredBlock): string =>
  `block ${blockNumber} does not match the rows it covers`;

async function namesOf(db: Queryable, block: AlteredBlock): Promise<string[]> {
  const kept = await db.query<{ entryMarks: Buffer }>(
    `select entry_marks as "entryMarks" from ledger_blocks
      where bucket = bucket_of($1) and vendor_id = $1 and block_number = $2`,
    [block.vendorId, block.blockNumber],
  );
  const missing = new Set(marksOf(kept.rows[0]?.entryMarks));
  const found = await queryByBucket<Entry>(
    db,
    `select e.id, e.part, e.kind, encode(substr(e.hash, 1, ${MARK_BYTES}), 'hex') as mark
     from (${entries('$2::timestamptz', '$3::timestamptz')}) e where e.vendor_id = $1
     ${ENTRY_ORDER}`,
    [block.vendorId, block.from, block.to],
  );
  const unexpected = found.filter(({ mark }) => !missing.delete(mark));
  const where =
    block.blockNumber === null ? 'before the first block' : `block ${block.blockNumber}`;
  const details = unexpected
    .slice(0, MAX_NAMED_ROWS)
    .map(({ kind, id, part }) => `${KINDS[kind](id, part)} was altered or added later (${where})`);
  if (unexpected.length > details.length) {
    details.push(`${where}: ${unexpected.length - details.length} more entries altered or added`);
  }
  if (missing.size > unexpected.length) {
    details.push(`${where}: ${missing.size - unexpected.length} of its entries are missing`);
  }
  return details.length > 0 ? details : [altogether(block)];
}

function marksOf(marks: Buffer | undefined): string[] {
  const text = marks?.toString('hex') ?? '';
  return text.match(new RegExp(`.{${MARK_BYTES * 2}}`, 'g')) ?? [];
}
