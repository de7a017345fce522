import { crashPoint } from '#crash-points';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/pool.ts';

/**
 * One transfer as the chain hashes it, oldest first. The text of a timestamp depends on the session,
 * hence microseconds since 1970.
 */
const LINES = `string_agg(
    concat_ws('|', f.source_id, f.leg, f.debit_account, f.credit_account, f.amount_cents,
      (extract(epoch from f.created_at) * 1000000)::bigint),
    E'\\n' order by f.created_at, f.source_id, f.leg)`;

/** hash of a block = SHA-256 of the hash before it and of its transfers' lines. */
export const BLOCK_HASH = (previousHash: string): string =>
  `sha256(coalesce(${previousHash}, ''::bytea) || convert_to(${LINES}, 'UTF8'))`;

/** Most time one block covers; after an outage several follow each other. */
const BLOCK_SPAN = `interval '10 minutes'`;

/**
 * Extends the vendors' hash chains over the next span of time that nobody can still add to: before
 * the start of the oldest running transaction. Returns how many blocks were made; call again until
 * it is 0.
 */
export async function extendChains(pool: Pool): Promise<number> {
  return await transaction(pool, async (client) => {
    // One builder at a time; whoever waited here goes on where the other ended.
    const chain = await client.query<{ ended_at: string }>(
      'select ended_at::text from ledger_chain for update',
    );
    const horizon = await client.query<{ at: string }>(
      `select least(now(), min(xact_start))::text as at from pg_stat_activity
       where datname = current_database() and xact_start is not null`,
    );
    // A statement of its own, whose snapshot is younger than the horizon: whoever was no longer
    // running then is seen now.
    const span = await client.query<{ from: string | null; to: string | null }>(
      `select min(created_at)::text as from,
         least(min(created_at) + ${BLOCK_SPAN}, $2::timestamptz)::text as to
       from transfers where created_at >= $1::timestamptz and created_at < $2::timestamptz`,
      [chain.rows[0]?.ended_at, horizon.rows[0]?.at],
    );
    const { from, to } = span.rows[0] ?? {};
    if (from === undefined || from === null) return 0;
    const built = await client.query(
      `insert into ledger_blocks (vendor_id, block_number, started_at, ended_at, transfer_count, hash)
       select f.vendor_id, coalesce(head.block_number, 0) + 1, $1::timestamptz, $2::timestamptz,
         count(*), ${BLOCK_HASH('head.hash')}
       from transfers f left join lateral (
         select block_number, hash from ledger_blocks
         where vendor_id = f.vendor_id order by block_number desc limit 1
       ) head on true
       where f.created_at >= $1::timestamptz and f.created_at < $2::timestamptz
       group by f.vendor_id, head.block_number, head.hash`,
      [from, to],
    );
    crashPoint('chain:before-commit');
    await client.query('update ledger_chain set ended_at = $1::timestamptz', [to]);
    return built.rowCount ?? 0;
  });
}

/** How far the chains reach; null before the first block. */
export async function readChainEnd(pool: Pool): Promise<Date | null> {
  const read = await pool.query<{ ended_at: Date | null }>(
    `select nullif(ended_at, '-infinity') as ended_at from ledger_chain`,
  );
  return read.rows[0]?.ended_at ?? null;
}

/** The database's clock. */
async function readNow(pool: Pool): Promise<Date> {
  const read = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  return read.rows[0]?.now ?? new Date();
}

/**
 * Extends the chains over what was there when it was called, as far as nobody can still add to it;
 * what is added meanwhile is left, so that it ends beside running payments. Returns how many blocks
 * were made.
 * @param options.signal ends it between two spans; the next call goes on there.
 */
export async function completeChains(
  pool: Pool,
  options: {
    readonly onBlocks?: (blocks: number) => void;
    readonly signal?: AbortSignal;
  } = {},
): Promise<number> {
  const until = await readNow(pool);
  let blocks = 0;
  for (;;) {
    const made = await extendChains(pool);
    blocks += made;
    const end = made === 0 ? null : await readChainEnd(pool);
    if (end === null || end >= until || options.signal?.aborted === true) return blocks;
    options.onBlocks?.(blocks);
  }
}
