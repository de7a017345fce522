import { completeChain } from '../../src/payments/ledger/chain.ts';
import { readHorizon } from '../../src/platform/cluster/horizon.ts';
import type { Books } from './money-fixture.ts';
import { until } from './until.ts';

/**
 * Waits until the chain may cover every transfer. A posting time may be a millisecond ahead of the clock, and
 * the chain ends before later postings. On a cluster its end is not known while a maintenance process of
 * Citus runs.
 */
export async function pastPostingTimes(books: Books): Promise<void> {
  await until('the horizon has passed every posting time', async () => {
    const horizon = await readHorizon(books.pool);
    const read = await books.pool.query<{ past: boolean | null }>(
      `select $1::timestamptz > greatest((select max(created_at) from transfers),
         (select max(posted_at) from house_transfers)) + interval '1 ms' as past`,
      [horizon],
    );
    return horizon !== undefined && read.rows[0]?.past !== false;
  });
}

/**
 * Chains every committed transfer.
 * @returns how many blocks were built.
 */
export async function chainEverything(books: Books): Promise<number> {
  await pastPostingTimes(books);
  return (await completeChain(books.pool, books.ledgerMac)).blocks;
}
