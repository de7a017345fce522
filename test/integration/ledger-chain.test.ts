import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import type { CheckOptions } from '../../src/payments/audit/check.ts';
import { AcknowledgedPayments } from '../../src/payments/dispatch/acknowledged.ts';
import { startChainBuilder } from '../../src/payments/ledger/chain-builder.ts';
import { ChainAlteredError, completeChain, extendChain } from '../../src/payments/ledger/chain.ts';
import { lockFloat, postTransfer } from '../../src/payments/ledger/store.ts';
import { postingTime } from '../../src/platform/db/posting-time.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { enterOnChange } from '../../src/payments/quarantine/after-restore.ts';
import { enterQuarantine } from '../../src/payments/quarantine/enter.ts';
import { createKeeper } from '../../src/platform/history/keeper.ts';
import type { Keeper } from '../../src/platform/history/keeper.ts';
import type { PeriodicJob } from '../../src/platform/jobs/periodic-job.ts';
import { folderStorage } from '../../src/platform/storage/folder.ts';
import { chainEverything, pastPostingTimes } from '../support/chain.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { moved } from '../support/moved.ts';
import { newPayment } from '../support/new-transaction.ts';
import { must, newMasterKey } from './cli-support.ts';

// How the hash chain is built and verified. Which changes of which columns it finds is in
// test/security/tampering.test.ts.

const freshBooks = sharedBooks();
let books: Books;
beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => {
  await books.close();
});

async function chainViolations(options: CheckOptions = {}): Promise<string[]> {
  const { violations } = await checkLedger(books.pool, options);
  return violations
    .filter((violation) => violation.invariant.startsWith('chain_'))
    .map((violation) => `${violation.invariant}: ${violation.detail}`);
}

async function brokenChains(options: CheckOptions = {}): Promise<string[]> {
  return [...new Set((await chainViolations(options)).map((text) => text.split(':')[0] ?? ''))];
}

interface Block {
  readonly vendor_id: number;
  readonly block_number: bigint;
  readonly entry_count: bigint;
}

async function readBlocks(): Promise<Block[]> {
  const read = await books.pool.query<Block>(
    `select vendor_id, block_number, entry_count from ledger_blocks
     order by vendor_id, block_number`,
  );
  return read.rows;
}

async function readHead(): Promise<string> {
  return (await checkLedger(books.pool)).head?.hash ?? '';
}

const buildAll = async (): Promise<number> => await chainEverything(books);

/** Three vendors in two blocks each: a collection and a fund movement with their transfers. */
async function makeChain(): Promise<number[]> {
  const vendorIds = await books.addVendors([1_000n, 1_000n, 1_000n]);
  await buildAll();
  for (const vendorId of vendorIds) await books.addFloat(vendorId, 500n);
  await buildAll();
  expect(await brokenChains({ mac: books.ledgerMac })).toEqual([]);
  return vendorIds;
}

async function run(sql: string, values: readonly unknown[] = []): Promise<void> {
  const done = await books.owner.query(sql, [...values]);
  if (done.rowCount === 0) throw new Error(`nothing was changed by: ${sql}`);
}

describe('extending', () => {
  test('makes no block without transfers, and the command says so', async () => {
    const environment = { DATABASE_URL: books.url, MASTER_KEY: newMasterKey() };
    const chained = await must(environment, 'ledger', 'chain');
    expect(chained.stdout).toMatch(/^blocks added +0\nthe chain reaches to +no transfers yet\n$/);
    const asJson = await must(environment, 'ledger', 'chain', '--json');
    expect(asJson.json()).toEqual({ blocks: 0, ended_at: null, head: null });
  });

  test('makes a block with a part for every vendor that has new entries', async () => {
    const vendorIds = await makeChain();
    expect(await readBlocks()).toEqual(
      vendorIds.flatMap((vendorId) =>
        [1n, 2n].map((number) => ({ vendor_id: vendorId, block_number: number, entry_count: 4n })),
      ),
    );
    expect(await buildAll()).toBe(0);
    await books.addFloat(vendorIds[1] ?? 0, 1n);
    expect(await buildAll()).toBe(1);
    expect((await readBlocks()).map((block) => Number(block.block_number))).toEqual([
      1, 2, 1, 2, 3, 1, 2,
    ]);
    expect((await checkLedger(books.pool)).violations).toEqual([]);
  });

  test('covers a minute at a time', async () => {
    const [vendorId = 0] = await books.addVendors([1_000n]);
    for (let hour = 1; hour <= 3; hour += 1) {
      await books.addFloat(vendorId, 10n);
      await run(`update transfers set created_at = ${moved('created_at', '-1 hour')}`);
      await run(`update collections set created_at = ${moved('created_at', '-1 hour')}`);
      await run(`update fund_movements set created_at = ${moved('created_at', '-1 hour')}`);
    }
    // One span, and no further one once the service stops.
    const signal = AbortSignal.abort();
    await pastPostingTimes(books);
    expect(await completeChain(books.pool, books.ledgerMac, { signal })).toMatchObject({
      blocks: 1,
    });
    expect(await readBlocks()).toMatchObject([{ entry_count: 8n }]);
    expect(await buildAll()).toBe(2);
    expect(await readBlocks()).toMatchObject([{}, { entry_count: 4n }, { entry_count: 4n }]);
    expect((await checkLedger(books.pool)).violations).toEqual([]);
  });

  test('several extensions at once make each block once', async () => {
    const vendorIds = await books.addVendors([1_000n, 1_000n]);
    const made = await Promise.all(
      Array.from({ length: 6 }, async () => await extendChain(books.pool, books.ledgerMac)),
    );
    expect(made.filter((head) => head !== undefined)).toHaveLength(1);
    expect(await readBlocks()).toHaveLength(vendorIds.length);
    expect(await brokenChains()).toEqual([]);
  });

  test.each([
    ['its last block was removed', 'delete from ledger_heads where block_number = 2'],
    ['its blocks were removed', 'delete from ledger_heads'],
    [
      'its end was moved back',
      `update ledger_chain set ended_at = ${moved('ended_at', '-1 microsecond')}`,
    ],
  ])('refuses to go on when %s', async (_, change) => {
    const [vendorId = 0] = await makeChain();
    await run(change);
    await books.addFloat(vendorId, 1n);
    await pastPostingTimes(books);
    // On a cluster the chain waits while Citus looks for deadlocks.
    await vi.waitFor(async () => {
      await expect(extendChain(books.pool, books.ledgerMac)).rejects.toThrow(ChainAlteredError);
    }, 60_000);
  });

  test('logs each head, and detects that the chain was rebuilt while it runs', async () => {
    const [vendorId = 0] = await makeChain();
    const lines: { level: number; msg: string; head?: string; reason?: string }[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as never) });
    const job = startChainBuilder({
      pool: books.pool,
      mac: books.ledgerMac,
      everyMs: 3_600_000,
      log,
    });
    try {
      await books.addFloat(vendorId, 1n);
      await pastPostingTimes(books);
      await vi.waitFor(() => {
        job.hurry();
        expect(lines).toHaveLength(1);
      }, 60_000);
      const head = await readHead();
      expect(lines[0]).toMatchObject({ level: 30, block: 3, head });

      await books.owner.query(
        `delete from ledger_heads; delete from ledger_blocks;
         update ledger_chain set ended_at = '-infinity'`,
      );
      job.hurry();
      await vi.waitFor(() => expect(lines).toHaveLength(2), 60_000);
      expect(lines[1]).toMatchObject({
        level: 50,
        msg: 'the hash chain was altered; nothing is added to it',
        reason: `block 3 with hash ${head} is gone`,
      });
      expect(await readBlocks()).toEqual([]);
    } finally {
      await job.stop();
    }
  });
});

describe('a job whose newest block is gone', () => {
  interface Line {
    readonly level: number;
    readonly msg: string;
    readonly reason?: string;
  }
  let lines: Line[];
  let log: Logger;
  let folder: string;
  let job: PeriodicJob;
  let keeper: Keeper;
  let vendorId: number;

  const createTestKeeper = (): Keeper =>
    createKeeper({
      processName: 'test',
      witnesses: [folderStorage(folder)],
      acknowledged: new AcknowledgedPayments(),
      onChange: enterOnChange(books.pool),
      onConfirmed: async () => undefined,
      log: pino({ level: 'silent' }),
    });

  beforeEach(async () => {
    lines = [];
    log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
    folder = await mkdtemp(path.join(tmpdir(), 'malipo-chain-'));
    [vendorId = 0] = await makeChain();
    keeper = createTestKeeper();
    await keeper.check(books.pool);
    await keeper.check(books.pool);
    keeper.start(books.pool);
    const { pool, ledgerMac: mac } = books;
    const { restores } = keeper;
    job = startChainBuilder({ pool, mac, everyMs: 3_600_000, restores, log });
    await extendBy('the hash chain was extended');
    lines = [];
  });
  afterEach(async () => {
    await job.stop();
    await keeper.stop();
    await rm(folder, { recursive: true });
  });

  /** Until the newest line says this, about new transfers. */
  async function extendBy(msg: string): Promise<void> {
    const before = lines.length;
    await books.addFloat(vendorId, 1n);
    await pastPostingTimes(books);
    await vi.waitFor(() => {
      job.hurry();
      expect(lines.slice(before).at(-1)?.msg).toBe(msg);
    }, 60_000);
  }

  /** The third block is lost, and the last beat if the database is an older copy. */
  async function goBack(lostBeats: number): Promise<void> {
    await books.owner.query('delete from ledger_heads where block_number > 2');
    await books.owner.query('delete from ledger_blocks where block_number > 2');
    await books.owner.query(
      `update ledger_chain set ended_at = (select max(ended_at) from ledger_heads)`,
    );
    await books.owner.query('update database_history set beats = beats - $1', [lostBeats]);
  }

  test('continues the chain when the database was restored, and says so once', async () => {
    const head = await readHead();
    await goBack(1);
    await extendBy('the hash chain was extended');
    await extendBy('the hash chain was extended');
    expect(lines[0]).toMatchObject({
      level: 40,
      msg: 'the database was restored: the hash chain continues from block 2',
      ...{ block: 2, lostBlock: 3, lostHead: head },
    });
    expect(new Set(lines.slice(1).map(({ level }) => level))).toEqual(new Set([30]));
  });

  test('continues it when another process was the first to notice', async () => {
    const other = createTestKeeper();
    await goBack(1);
    await other.check(books.pool);
    await extendBy('the hash chain was extended');
    expect(lines[0]?.msg).toBe('the database was restored: the hash chain continues from block 2');
    await other.stop();
  });

  test('reports tampering when only rows of the database say that it was restored', async () => {
    await goBack(0);
    const lostFrom = new Date();
    await enterQuarantine(books.pool, {
      ...{ entryId: newId(), lostFrom, lostUntil: null, by: 'service' },
      reason: 'the database was restored or replaced: it lacks what it had',
    });
    await books.owner.query('update database_history set epoch = epoch + 1, epoch_beats = beats');
    await extendBy('the hash chain was altered; nothing is added to it');
    expect(new Set(lines.map(({ level }) => level))).toEqual(new Set([50]));
    expect(await readBlocks()).not.toContainEqual(expect.objectContaining({ block_number: 3n }));
  });

  test('reports tampering after a restore that had not lost the block', async () => {
    await books.owner.query('update database_history set beats = beats - 1');
    await extendBy('the hash chain was extended');
    await keeper.check(books.pool);
    await extendBy('the hash chain was extended');
    await goBack(0);
    await extendBy('the hash chain was altered; nothing is added to it');
  });
});

describe('what is still being written', () => {
  test('the chain ends before a transfer that is still being written, and does not skip it', async () => {
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
    // A bounded number of attempts: what cannot be built now is built later.
    for (let tries = 0; tries < 5; tries += 1) await extendChain(books.pool, books.ledgerMac);
    const begun = await books.pool.query<{ at: string }>(
      `select xact_start::text as at from pg_stat_activity
       where state = 'idle in transaction' and datname = current_database()`,
    );
    expect(begun.rows).toHaveLength(1);
    const chain = await books.pool.query<{ before: boolean }>(
      'select ended_at <= $1::timestamptz as before from ledger_chain',
      [begun.rows[0]?.at],
    );
    expect(chain.rows).toEqual([{ before: true }]);
    expect(await readBlocks()).toMatchObject([{ entry_count: 4n }, { entry_count: 4n }]);

    await writer.query('commit');
    writer.release();
    await buildAll();
    expect(await readBlocks()).toMatchObject([
      { block_number: 1n, entry_count: 4n },
      { entry_count: 1n },
      { block_number: 1n, entry_count: 4n },
      { entry_count: 4n },
    ]);
    expect(await brokenChains()).toEqual([]);
  });

  test('all transfers of many writers are finally in the chain', async () => {
    const vendorIds = await books.addVendors([1_000_000n, 1_000_000n, 1_000_000n, 1_000_000n]);
    const writing = { writers: vendorIds.length };
    const writers = vendorIds.map(async (vendorId) => {
      for (let round = 0; round < 60; round += 1) {
        await createPayments(books.pool, [newPayment({ vendorId, amountCents: 1n })]);
      }
      writing.writers -= 1;
    });
    while (writing.writers > 0) await extendChain(books.pool, books.ledgerMac);
    await Promise.all(writers);
    await buildAll();
    expect(await brokenChains()).toEqual([]);
    const blocks = await readBlocks();
    expect(blocks.reduce((sum, block) => sum + block.entry_count, 0n)).toBe(4n * 64n);
  });
});

describe('a head that was kept elsewhere', () => {
  test('a kept head is recognised when the chain has grown, and reported missing when it was rebuilt', async () => {
    const [vendorId = 0] = await makeChain();
    const kept = await readHead();
    await books.addFloat(vendorId, 1n);
    await buildAll();
    const report = await checkLedger(books.pool, { heads: [kept.toUpperCase()] });
    expect(report.violations).toEqual([]);
    expect(report.keptHeads).toMatchObject([{ hash: kept, blockNumber: 2 }]);
    expect(report.head).toMatchObject({ blockNumber: 3 });

    await books.owner.query(
      `delete from ledger_heads; delete from ledger_blocks;
       update ledger_chain set ended_at = '-infinity'`,
    );
    await buildAll();
    expect(await brokenChains({ mac: books.ledgerMac })).toEqual([]);
    expect(await chainViolations({ heads: [kept] })).toEqual([
      `chain_has_kept_heads: ${kept} is not in the chain, which was rebuilt or truncated`,
    ]);
  });
});

describe('a change of the chain itself', () => {
  test.each([
    ['a hash', `update ledger_heads set hash = sha256('x') where block_number = 1`],
    [
      'a time',
      `update ledger_heads set built_at = ${moved('built_at', '1 ms')} where block_number = 1`,
    ],
    ['a vendor’s part', `update ledger_blocks set hash = sha256('x') where block_number = 1`],
    ['a first block that is gone', 'delete from ledger_heads where block_number = 1'],
    ['a last block that is gone', 'delete from ledger_heads where block_number = 2'],
    ['all blocks that are gone', 'delete from ledger_heads'],
    [
      'a block that begins later',
      `update ledger_heads set started_at = ${moved('started_at', '1 microsecond')}`,
    ],
    [
      'a block over the time of another',
      `update ledger_heads set started_at = ${moved('started_at', '-1 hour')} where block_number = 2`,
    ],
    ['blocks with other numbers', 'update ledger_heads set block_number = block_number + 5'],
    ['an end that was moved', `update ledger_chain set ended_at = '-infinity'`],
  ])('is found: %s', async (_, change) => {
    await makeChain();
    await run(change);
    expect(await brokenChains()).toContain('chain_continuous');
  });

  test('the check finds a block that was built without the key', async () => {
    await makeChain();
    await run(`update ledger_heads set mac = sha256(mac) where block_number = 2`);
    expect(await chainViolations()).toEqual([]);
    expect(await brokenChains({ mac: books.ledgerMac })).toEqual(['chain_authentic']);
  });

  test('the check finds blocks that were built late although payments continued, unless a stored head confirms them', async () => {
    const [vendorId = 0] = await books.addVendors([1_000n]);
    for (const table of ['transfers', 'collections', 'fund_movements']) {
      await run(`update ${table} set created_at = ${moved('created_at', '-2 days')}`);
    }
    await books.addFloat(vendorId, 10n);
    for (const table of ['transfers', 'collections', 'fund_movements']) {
      await run(`update ${table} set created_at = ${moved('created_at', '-26 hours')}`);
    }
    await books.addFloat(vendorId, 10n);
    await buildAll();
    // The newest of the three was built in time, and nothing late follows the second.
    expect(await chainViolations()).toEqual([
      expect.stringMatching(/^chain_built_in_time: block 1 covers the time to /),
    ]);
    expect(await chainViolations({ heads: [await readHead()] })).toEqual([]);
  });

  test('the check does not suspect an outage during which nothing was paid', async () => {
    const [vendorId = 0] = await books.addVendors([1_000n]);
    for (const table of ['transfers', 'collections', 'fund_movements']) {
      await run(`update ${table} set created_at = ${moved('created_at', '-3 days')}`);
    }
    await books.addFloat(vendorId, 10n);
    await buildAll();
    expect(await readBlocks()).toHaveLength(2);
    expect(await chainViolations()).toEqual([]);
  });
});
