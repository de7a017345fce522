import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { checkLedger } from '../../src/ledger/check.ts';
import { BLOCK_HASH, completeChains, extendChains } from '../../src/ledger/chain.ts';
import { lockFloat, postingTime, postTransfer } from '../../src/ledger/store.ts';
import { createTransactions } from '../../src/transactions/store.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newTransaction } from '../support/new-transaction.ts';

// The hash chain: what was once in a block cannot be changed, removed or added to unnoticed, and
// nothing that is still being written is passed over.

let books: Books;
beforeEach(async () => {
  books = await openBooks();
});
afterEach(async () => {
  await books.close();
});

async function brokenChains(): Promise<string[]> {
  const { violations } = await checkLedger(books.pool);
  return violations
    .filter((violation) => violation.invariant.startsWith('chain_'))
    .map((violation) => violation.invariant);
}

interface Block {
  readonly vendor_id: number;
  readonly block_number: number;
  readonly transfer_count: bigint;
}

async function readBlocks(): Promise<Block[]> {
  const read = await books.pool.query<Block>(
    `select vendor_id, block_number, transfer_count from ledger_blocks
     order by vendor_id, block_number`,
  );
  return read.rows;
}

/** Builds all that is there; bounded, because nothing is added meanwhile. */
async function buildAll(): Promise<number> {
  return await completeChains(books.pool);
}

/** Three vendors with two blocks each, two transfers in a block. */
async function makeChains(): Promise<number[]> {
  const vendorIds = await books.addVendors([1_000n, 1_000n, 1_000n]);
  await buildAll();
  for (const vendorId of vendorIds) await books.addFloat(vendorId, 500n);
  await buildAll();
  expect(await brokenChains()).toEqual([]);
  return vendorIds;
}

async function run(sql: string, values: readonly unknown[] = []): Promise<void> {
  const done = await books.pool.query(sql, [...values]);
  if (done.rowCount === 0) throw new Error(`nothing was changed by: ${sql}`);
}

describe('extending', () => {
  test('makes a block for every vendor with new transfers, and none for the others', async () => {
    const vendorIds = await makeChains();
    expect(await readBlocks()).toEqual(
      vendorIds.flatMap((vendorId) =>
        [1, 2].map((number) => ({
          vendor_id: vendorId,
          block_number: number,
          transfer_count: 2n,
        })),
      ),
    );
    expect(await buildAll()).toBe(0);
    await books.addFloat(vendorIds[1] ?? 0, 1n);
    expect(await buildAll()).toBe(1);
    expect((await readBlocks()).map((block) => block.block_number)).toEqual([1, 2, 1, 2, 3, 1, 2]);
    expect((await checkLedger(books.pool)).violations).toEqual([]);
  });

  test('covers ten minutes at a time', async () => {
    const [vendorId = 0] = await books.addVendors([1_000n]);
    for (let hour = 1; hour <= 3; hour += 1) {
      await books.addFloat(vendorId, 10n);
      await run(`update transfers set created_at = created_at - interval '1 hour'`);
    }
    // One span, and no more once the service stops.
    const signal = AbortSignal.abort();
    expect(await completeChains(books.pool, { signal })).toBe(1);
    expect(await readBlocks()).toMatchObject([{ transfer_count: 4n }]);
    expect(await buildAll()).toBe(2);
    expect(await readBlocks()).toMatchObject([{}, { transfer_count: 2n }, { transfer_count: 2n }]);
    expect((await checkLedger(books.pool)).violations).toEqual([]);
  });

  test('by several at once makes each block once', async () => {
    const vendorIds = await books.addVendors([1_000n, 1_000n]);
    const made = await Promise.all(
      Array.from({ length: 6 }, async () => await extendChains(books.pool)),
    );
    expect(made.toSorted((one, other) => other - one)).toEqual([2, 0, 0, 0, 0, 0]);
    expect(await readBlocks()).toHaveLength(vendorIds.length);
    expect(await brokenChains()).toEqual([]);
  });
});

describe('what somebody is still writing', () => {
  test('is not passed over: the chain ends before it began', async () => {
    const [vendorId = 0, other = 0] = await books.addVendors([1_000n, 1_000n]);
    const writer = await books.pool.connect();
    await writer.query('begin');
    await lockFloat(writer, vendorId);
    await postTransfer(writer, {
      vendorId,
      sourceId: newId(),
      leg: 1,
      debitAccount: 'float',
      creditAccount: 'collected',
      amountCents: 1n,
      createdAt: await postingTime(writer),
    });
    // Later than the writer’s, and committed before it.
    await books.addFloat(other, 500n);
    // A bounded number of tries: what it cannot build now stays for later.
    for (let tries = 0; tries < 5; tries += 1) await extendChains(books.pool);
    const begun = await books.pool.query<{ before: boolean }>(
      `select c.ended_at <= a.xact_start as before from ledger_chain c, pg_stat_activity a
       where a.state = 'idle in transaction' and a.datname = current_database()`,
    );
    expect(begun.rows).toEqual([{ before: true }]);
    expect(await readBlocks()).toMatchObject([{ transfer_count: 2n }, { transfer_count: 2n }]);

    await writer.query('commit');
    writer.release();
    await buildAll();
    expect(await readBlocks()).toMatchObject([
      { block_number: 1, transfer_count: 2n },
      { block_number: 2, transfer_count: 1n },
      { block_number: 1, transfer_count: 2n },
      { block_number: 2, transfer_count: 2n },
    ]);
    expect(await brokenChains()).toEqual([]);
  });

  test('by many at once is in the chain in the end', async () => {
    const vendorIds = await books.addVendors([1_000_000n, 1_000_000n, 1_000_000n, 1_000_000n]);
    const writing = { writers: vendorIds.length };
    const writers = vendorIds.map(async (vendorId) => {
      for (let round = 0; round < 60; round += 1) {
        await createTransactions(
          books.pool,
          [newTransaction({ vendorId, amountCents: 1n })],
          false,
        );
      }
      writing.writers -= 1;
    });
    while (writing.writers > 0) await extendChains(books.pool);
    await Promise.all(writers);
    await buildAll();
    expect(await brokenChains()).toEqual([]);
    const blocks = await readBlocks();
    expect(blocks.reduce((sum, block) => sum + block.transfer_count, 0n)).toBe(4n * 62n);
  });
});

describe('a change of what is in a block', () => {
  const FIRST =
    'source_id = (select min(source_id::text)::uuid from transfers where vendor_id = $1)';

  test.each([
    ['its time, by a microsecond', `created_at = created_at + interval '1 microsecond'`],
    ['its amount', 'amount_cents = amount_cents + 1'],
    ['its accounts', `credit_account = 'fees'`],
    ['its cause', 'source_id = gen_random_uuid()'],
    ['its vendor', 'vendor_id = vendor_id + 1'],
  ])('is found: %s', async (_, change) => {
    const [, vendorId] = await makeChains();
    await run(`update transfers set ${change} where vendor_id = $1 and ${FIRST}`, [vendorId]);
    expect(await brokenChains()).toContain('chain_intact');
  });

  test('is found: a transfer that is gone', async () => {
    const [, vendorId] = await makeChains();
    await run(`delete from transfers where vendor_id = $1 and ${FIRST}`, [vendorId]);
    expect(await brokenChains()).toEqual(['chain_intact']);
  });

  test.each([
    ['inside a block', '(select min(created_at) from transfers)', 'chain_intact'],
    [
      'between two blocks',
      `(select min(started_at) - interval '1 microsecond' from ledger_blocks where block_number = 2)`,
      'chain_complete',
    ],
    [
      'before the first block',
      `(select min(created_at) - interval '1 day' from transfers)`,
      'chain_complete',
    ],
  ])('is found: a transfer that was slipped in %s', async (_, when, found) => {
    const [, vendorId] = await makeChains();
    await run(
      `insert into transfers (created_at, amount_cents, source_id, vendor_id, leg, debit_account,
         credit_account)
       values (${when}, 1, $2, $1, 1, 'float', 'fees')`,
      [vendorId, newId()],
    );
    expect(await brokenChains()).toEqual([found]);
  });

  test('is found: a transfer for a vendor that had none in that block', async () => {
    await makeChains();
    const late = await books.addVendor();
    await run(
      `insert into transfers (created_at, amount_cents, source_id, vendor_id, leg, debit_account,
         credit_account)
       select min(created_at), 1, $2, $1, 1, 'float', 'fees' from transfers`,
      [late, newId()],
    );
    expect(await brokenChains()).toEqual(['chain_complete']);
  });
});

describe('a change of the chain itself', () => {
  test.each([
    ['a hash', `update ledger_blocks set hash = sha256('x') where block_number = 1`],
    ['a first block that is gone', 'delete from ledger_blocks where block_number = 1'],
    ['a last block that is gone', 'delete from ledger_blocks where block_number = 2'],
    [
      'a block that begins later',
      `update ledger_blocks set started_at = started_at + interval '1 microsecond'`,
    ],
    [
      'a block over the time of another',
      `update ledger_blocks set started_at = started_at - interval '1 hour' where block_number = 2`,
    ],
  ])('is found: %s', async (_, change) => {
    await makeChains();
    await run(change);
    expect((await brokenChains()).length).toBeGreaterThan(0);
  });

  /** Gives a block the hash its transfers have when it is the first. */
  async function mendHash(vendorId: number, blockNumber: number): Promise<void> {
    await run(
      `update ledger_blocks b set hash = (
         select ${BLOCK_HASH('null::bytea')} from transfers f
         where f.vendor_id = b.vendor_id and f.created_at >= b.started_at
           and f.created_at < b.ended_at)
       where vendor_id = $1 and block_number = $2`,
      [vendorId, blockNumber],
    );
  }

  test('is found: a block that was mended, by the one that was made from it', async () => {
    const [vendorId = 0] = await makeChains();
    await run('update transfers set amount_cents = amount_cents + 1 where vendor_id = $1', [
      vendorId,
    ]);
    expect(await brokenChains()).toEqual(['chain_intact', 'chain_intact']);
    await mendHash(vendorId, 1);
    expect(await brokenChains()).toEqual(['chain_intact']);
    // Its own transfers are not enough.
    await mendHash(vendorId, 2);
    expect(await brokenChains()).toEqual(['chain_intact']);
  });

  test('is found: blocks with other numbers', async () => {
    await makeChains();
    await run('update ledger_blocks set block_number = block_number + 5');
    expect(await brokenChains()).toContain('chain_intact');
  });

  test('is found: what was built a second time', async () => {
    const [vendorId] = await makeChains();
    await run(`update ledger_chain set ended_at = '-infinity'`);
    expect(await extendChains(books.pool)).toBeGreaterThan(0);
    const blocks = (await readBlocks()).filter((block) => block.vendor_id === vendorId);
    expect(blocks.map((block) => block.block_number)).toEqual([1, 2, 3]);
    expect(await brokenChains()).toContain('chain_intact');
  });
});
