import { cp, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openHistory } from '../../src/history.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { AcknowledgedPayments } from '../../src/payments/dispatch/acknowledged.ts';
import { enterOnChange, leaveWhenConfirmed } from '../../src/payments/quarantine/after-restore.ts';
import { enterQuarantine } from '../../src/payments/quarantine/enter.ts';
import { releaseQuarantine } from '../../src/payments/quarantine/release.ts';
import { findOpenQuarantine, listEvents } from '../../src/payments/quarantine/read-quarantine.ts';
import type { QuarantineRow } from '../../src/payments/quarantine/read-quarantine.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Queryable } from '../../src/platform/db/pool.ts';
import { countChanges, listAbsent } from '../../src/platform/history/processes-store.ts';
import { createKeeper } from '../../src/platform/history/keeper.ts';
import type { Keeper, KeeperOptions } from '../../src/platform/history/keeper.ts';
import { folderStorage } from '../../src/platform/storage/folder.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { createInstructed, ledgerMac, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { must, newMasterKey } from './cli-support.ts';
import { EmbeddedFixture, run } from './embedded-support.ts';

// The service notices that its database was restored or replaced, by whatever tool.

const log = pino({ level: 'silent' });

describe('an embedded database', () => {
  const fixture = new EmbeddedFixture();
  const MASTER_KEY = newMasterKey();
  let original: string;
  afterAll(async () => {
    await fixture.cleanUpAll();
  });
  beforeAll(async () => {
    original = path.join(await fixture.folder(), 'original');
    await must({ DATA_DIR: original, MASTER_KEY }, 'migrate');
  });

  async function newDataDir(): Promise<string> {
    const dataDir = path.join(await fixture.folder(), 'data');
    await run('cp', ['-a', original, dataDir]);
    return dataDir;
  }

  /** Starts on the folder, as the service does, and stops. Returns the quarantine that it is in. */
  async function use(
    dataDir: string,
    given: Readonly<Record<string, string>> = {},
  ): Promise<QuarantineRow | undefined> {
    const server = await fixture.start(path.join(dataDir, 'postgres'));
    const pool = createPool({ url: server.url, max: 2, name: 'test' });
    try {
      const config = readConfig('sandbox', { DATA_DIR: dataDir, ...given });
      const history = await openHistory({ config, databaseUrl: server.url, pool, ledgerMac, log });
      await history.stop();
      return await findOpenQuarantine(pool);
    } finally {
      await pool.end();
      await server.stop();
    }
  }

  test('a database that is used again is the known one', async () => {
    const dataDir = await newDataDir();
    expect(await use(dataDir)).toBeUndefined();
    expect(await use(dataDir)).toBeUndefined();
    const files = await readdir(dataDir);
    expect(files.filter((name) => /^database-[0-9a-f-]{36}\.json$/.test(name))).toHaveLength(1);
  });

  test('a database whose folder was put back is quarantined once, because it lacks what it had', async () => {
    const dataDir = await newDataDir();
    await use(dataDir);
    const [folder, copy] = [path.join(dataDir, 'postgres'), path.join(dataDir, 'copy')];
    await run('cp', ['-a', folder, copy]);
    await use(dataDir);
    await rm(folder, { recursive: true });
    await rename(copy, folder);
    const found = await use(dataDir);
    expect(found).toMatchObject({
      reason: 'the database was restored or replaced: it lacks what it had',
      seemsComplete: false,
    });
    const before = found?.lostUntil;
    expect((await use(dataDir))?.lostUntil).toEqual(before);
  });

  test('another witness notices that the whole data folder was put back', async () => {
    const dataDir = await newDataDir();
    const witness = { DATABASE_WITNESS: path.join(await fixture.folder(), 'witness') };
    await use(dataDir, witness);
    const copy = `${dataDir}-copy`;
    await run('cp', ['-a', dataDir, copy]);
    await use(dataDir, witness);
    expect((await use(copy, witness))?.reason).toContain('it lacks what it had');
  });

  test('a database that recovered to a point in time is quarantined: it is on another timeline', async () => {
    const dataDir = await newDataDir();
    await use(dataDir);
    const backup = path.join(await fixture.folder(), 'backup');
    await must({ DATA_DIR: dataDir, MASTER_KEY }, 'backup', backup);
    const restored = path.join(await fixture.folder(), 'restored');
    await must({ MASTER_KEY }, 'restore', backup, '--data-dir', restored);
    // As another tool would have restored it.
    await rm(path.join(restored, 'postgres', 'data', 'malipo.quarantine'));
    expect(await use(restored)).toMatchObject({
      reason: 'the database was restored or replaced: timeline 1 is now 2',
    });
  });
});

describe('a service that runs', () => {
  let books: Books;
  let folder: string;
  let keeper: Keeper;
  const create = (given: Partial<KeeperOptions> = {}): Keeper =>
    createKeeper({
      processName: 'test',
      witnesses: [folderStorage(folder)],
      acknowledged: new AcknowledgedPayments(),
      onChange: enterOnChange(books.pool),
      onConfirmed: leaveWhenConfirmed(books, log),
      log,
      ...given,
    });
  beforeEach(async () => {
    books = await openBooks();
    folder = await mkdtemp(path.join(tmpdir(), 'malipo-history-'));
    keeper = create();
    await keeper.check(books.pool);
  });
  afterEach(async () => {
    await keeper.stop();
    await books.close();
    await rm(folder, { recursive: true });
  });

  /** As a standby that has everything and was promoted, or one that lacks the last beats. */
  async function promote(lostBeats: number, synchronous: boolean): Promise<void> {
    await books.owner.query(
      `update database_history set timeline = timeline - 1, beats = beats - $1, synchronous = $2`,
      [lostBeats, synchronous],
    );
  }

  test('uses no new connection until it has acted on the change', async () => {
    await keeper.verify(books.pool);
    await promote(0, false);
    const pool = books.openPool({ verify: keeper.verify });
    await expect(pool.query('select 1')).rejects.toThrow('the database was restored or replaced');
    await keeper.check(books.pool);
    expect((await pool.query('select 1')).rowCount).toBe(1);
    expect(await findOpenQuarantine(books.pool)).toMatchObject({ seemsComplete: false });
  });

  test('acts on a change once, together with other processes', async () => {
    const other = create();
    await other.check(books.pool);
    await keeper.check(books.pool);
    await promote(0, true);
    await Promise.all([keeper.check(books.pool), other.check(books.pool)]);
    const actions = (await listEvents(books.pool, 10)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'entered')).toHaveLength(1);
    await other.stop();
  });

  test('lost nothing by a promotion, as one person says and nothing contradicts', async () => {
    // A process that has ended cannot confirm it.
    await create().check(books.pool);
    await promote(0, true);
    await keeper.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toMatchObject({ seemsComplete: true });
    await releaseQuarantine(books, {
      by: 'Amina',
      nothingLost: 'switched over for maintenance',
    });
    const [event] = await listEvents(books.pool, 1);
    expect(event?.detail).toEqual({
      forced: false,
      nothing_lost: 'switched over for maintenance',
    });
  });

  test.each([
    ['the standby was not synchronous', 0, false],
    ['the standby lacks what this process had seen', 1, true],
  ])('cannot say that nothing was lost if %s', async (_, lostBeats, synchronous) => {
    await keeper.check(books.pool);
    await promote(lostBeats, synchronous);
    await keeper.check(books.pool);
    await expect(
      releaseQuarantine(books, { by: 'Amina', nothingLost: 'promoted' }),
    ).rejects.toThrow('cannot be confirmed');
    expect(await findOpenQuarantine(books.pool)).toBeDefined();
  });

  test('continues by itself when every process has confirmed that nothing was lost', async () => {
    const other = create({ processName: 'other' });
    await other.check(books.pool);
    await promote(0, true);
    await keeper.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toMatchObject({ seemsComplete: true });
    expect(await listAbsent(books.pool)).toMatchObject([{ name: 'other' }]);
    await keeper.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toBeDefined();
    await other.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toBeUndefined();
    const [event] = await listEvents(books.pool, 1);
    expect(event).toMatchObject({
      action: 'released',
      actor: 'service',
      detail: { forced: false, confirmed_by: ['other', 'test'] },
    });
    await other.stop();
  });

  test('does not wait for a process that stopped in order', async () => {
    const other = create({ processName: 'other' });
    other.start(books.pool);
    await other.check(books.pool);
    await other.stop();
    await promote(0, true);
    await keeper.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toBeUndefined();
  });

  test('takes no word of processes that did not live through the promotion', async () => {
    keeper.start(books.pool);
    await keeper.stop();
    await promote(0, true);
    keeper = create();
    await keeper.check(books.pool);
    expect(await listAbsent(books.pool)).toEqual([]);
    expect(await findOpenQuarantine(books.pool)).toMatchObject({ seemsComplete: true });
  });

  test('stays in quarantine after a second promotion that came before all had confirmed', async () => {
    const other = create({ processName: 'other' });
    await other.check(books.pool);
    await promote(0, true);
    await keeper.check(books.pool);
    await promote(0, true);
    await keeper.check(books.pool);
    await other.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toMatchObject({ seemsComplete: false });
    await other.stop();
  });

  test('continues after a second promotion if all had confirmed the first', async () => {
    await promote(0, true);
    await keeper.check(books.pool);
    await promote(0, true);
    await keeper.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toBeUndefined();
    expect(await countChanges(books.pool)).toBe(2);
  });

  test('stays in a quarantine that a person has entered as well', async () => {
    const lostFrom = new Date();
    const entry = { entryId: newId(), lostFrom, lostUntil: null, by: 'Amina', reason: 'restored' };
    await enterQuarantine(books.pool, entry);
    await promote(0, true);
    await keeper.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toMatchObject({ seemsComplete: false });
  });

  describe('compares what it had acknowledged since its last beat', () => {
    let acknowledged: AcknowledgedPayments;
    let process: Keeper;
    let vendorId: number;
    beforeEach(async () => {
      vendorId = await books.addVendor(100_000n);
      acknowledged = new AcknowledgedPayments();
      process = create({ processName: 'other', acknowledged });
      await process.check(books.pool);
    });
    afterEach(async () => {
      await process.stop();
    });

    async function bothCheck(): Promise<QuarantineRow | undefined> {
      await keeper.check(books.pool);
      await process.check(books.pool);
      return await findOpenQuarantine(books.pool);
    }

    test('a service accepts a database that has all payments it acknowledged', async () => {
      const claims = await createInstructed(books.pool, [newPayment({ vendorId })]);
      acknowledged.note(claims.map((claim) => ({ ...claim, attemptNumber: 0 })));
      acknowledged.note(claims);
      await promote(0, true);
      expect(await bothCheck()).toBeUndefined();
    });

    test('a service notices a payment that it acknowledged and that is not there', async () => {
      acknowledged.note([{ vendorId, paymentId: newId(), attemptNumber: 0 }]);
      await promote(0, true);
      expect(await bothCheck()).toMatchObject({
        seemsComplete: false,
        reason: expect.stringContaining('it lacks what it had'),
      });
    });

    test('a service notices a claim that is not there, although the quarantine suspects the payment', async () => {
      const payment = newPayment({ vendorId });
      await createPayments(books.pool, [payment]);
      acknowledged.note([{ ...payment, attemptNumber: 1 }]);
      await promote(0, true);
      expect(await bothCheck()).toMatchObject({ seemsComplete: false });
    });

    test('a service compares for a while after the promotion: a connection may lead to the former primary', async () => {
      await promote(0, true);
      expect(await bothCheck()).toBeUndefined();
      acknowledged.note([{ vendorId, paymentId: newId(), attemptNumber: 0 }]);
      await process.check(books.pool);
      expect(await findOpenQuarantine(books.pool)).toMatchObject({ seemsComplete: false });
    });
  });

  test('another process that had seen more contradicts a process that had not', async () => {
    const other = create();
    await other.check(books.pool);
    await promote(1, true);
    // This one did not see the last beat.
    await keeper.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toMatchObject({ seemsComplete: true });
    await other.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toMatchObject({ seemsComplete: false });
    await other.stop();
  });

  test('misses nothing if another process is faster while it starts', async () => {
    const place = folderStorage(folder);
    const read: Storage['read'] = async (name) => {
      await keeper.check(books.pool);
      return await place.read(name);
    };
    const starting = create({ witnesses: [{ ...place, read }] });
    await starting.check(books.pool);
    expect(await findOpenQuarantine(books.pool)).toBeUndefined();
    await starting.stop();
  });

  test('misses nothing on a new connection while it checks', async () => {
    const query = async (text: string): Promise<unknown> => {
      const result = await books.pool.query(text);
      if (text.includes('database_history')) await keeper.check(books.pool);
      return result;
    };
    await keeper.verify({ query } as Queryable);
  });

  test('does not overwrite a witness that it cannot read', async () => {
    const [file = ''] = await readdir(folder);
    const known = await readFile(path.join(folder, file), 'utf8');
    await cp(path.join(folder, file), path.join(folder, 'kept'));
    const away = folderStorage(folder);
    const unreadable = create({
      witnesses: [{ ...away, read: async () => await Promise.reject(new Error('away')) }],
    });
    await unreadable.check(books.pool);
    await unreadable.check(books.pool);
    expect(await readFile(path.join(folder, file), 'utf8')).toBe(known);
    await unreadable.stop();
  });
});
