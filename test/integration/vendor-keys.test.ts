import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createBillerCatalogue } from '../../src/payments/billers/catalogue.ts';
import { putBiller } from '../../src/payments/billers/store.ts';
import { databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createVendorDirectory } from '../../src/parties/directory.ts';
import { addKey, addKeyOnce, newSecurityKey, openKeys } from '../../src/parties/keys.ts';
import { insertVendor, updateVendor } from '../../src/parties/store.ts';
import { billerRecord, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER } from '../support/new-transaction.ts';

// Keys in the database, and vendors in the memory of processes.

const MASTER_KEYS = { current: randomBytes(32), previous: undefined };

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  await books.close();
});

async function makeVendor(): Promise<string> {
  const vid = newId();
  await databaseTransaction(books.pool, async (client) => {
    await insertVendor(client, { vid, name: 'Vendor', sector: 'retail', createdAt: new Date() });
  });
  return vid;
}

async function rotate(vid: string, secret: string, overlapSeconds: number): Promise<void> {
  await addKey(
    books.pool,
    { holderKind: 'vendor', holder: vid },
    { secret, overlapSeconds, masterKeys: MASTER_KEYS },
  );
}

/** Secrets of the valid keys, newest first. */
async function secretsOf(vid: string): Promise<string[]> {
  const keys = await openKeys(books.pool, ['vendor'], MASTER_KEYS);
  return keys.filter((key) => key.holder === vid).map((key) => key.secret);
}

/** The id of the key that this request gets. The key is not kept. */
async function idOfRequest(
  vid: string,
  idempotencyKey: string,
  masterKeys = MASTER_KEYS,
): Promise<string> {
  const request = { idempotencyKey, overlapSeconds: 600, signedWith: null };
  const made: string[] = [];
  const undo = new Error('undo');
  const work = databaseTransaction(books.pool, async (client) => {
    const by = { newSecret: newSecurityKey, masterKeys };
    const holder = { holderKind: 'vendor', holder: vid } as const;
    made.push((await addKeyOnce(client, holder, request, by)).keyId);
    throw undo;
  });
  await expect(work).rejects.toBe(undo);
  return String(made[0]);
}

describe('rotating a key', () => {
  test('the id follows from the request, but nobody can compute it without the master key', async () => {
    const vid = await makeVendor();
    const id = await idOfRequest(vid, 'one');
    expect(await idOfRequest(vid, 'one')).toBe(id);
    expect(await idOfRequest(vid, 'two')).not.toBe(id);
    // Otherwise anyone who sees the id could guess the text, check the guess, and repeat the request.
    const others = { current: randomBytes(32), previous: undefined };
    const halves = (text: string) => [text.slice(0, 18), text.slice(19)];
    for (const half of halves(await idOfRequest(vid, 'one', others))) {
      expect(halves(id)).not.toContain(half);
    }
  });

  test('can be repeated after the master key was replaced', async () => {
    const holder = { holderKind: 'vendor', holder: await makeVendor() } as const;
    const request = { idempotencyKey: 'one', overlapSeconds: 600, signedWith: null };
    const add = async (masterKeys: MasterKeys, asked = request) =>
      await databaseTransaction(books.pool, async (client) => {
        return await addKeyOnce(client, holder, asked, { newSecret: newSecurityKey, masterKeys });
      });
    const made = await add(MASTER_KEYS);
    const replaced = { current: randomBytes(32), previous: MASTER_KEYS.current };
    expect(await add(replaced)).toEqual(made);
    const other = add(replaced, { ...request, overlapSeconds: 700 });
    await expect(other).rejects.toMatchObject({ code: 'reference_reused' });
  });

  test('keeps the former one valid for the overlap, and ends older ones', async () => {
    const vid = await makeVendor();
    await rotate(vid, 'first', 3_600);
    expect(await secretsOf(vid)).toEqual(['first']);
    await rotate(vid, 'second', 3_600);
    expect(await secretsOf(vid)).toEqual(['second', 'first']);
    await rotate(vid, 'third', 3_600);
    expect(await secretsOf(vid)).toEqual(['third', 'second']);
  });

  test('orders keys that were created within a millisecond', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const vid = await makeVendor();
      for (const secret of ['first', 'second', 'third']) await rotate(vid, secret, 3_600);
      expect(await secretsOf(vid)).toEqual(['third', 'second']);
    }
  });

  test('orders keys of processes whose clocks differ', async () => {
    const vid = await makeVendor();
    // The command line of a machine that is five minutes ahead.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 300_000 });
    await rotate(vid, 'first', 3_600);
    vi.useRealTimers();
    await rotate(vid, 'second', 3_600);
    expect(await secretsOf(vid)).toEqual(['second', 'first']);
    await rotate(vid, 'third', 3_600);
    expect(await secretsOf(vid)).toEqual(['third', 'second']);
  });

  test('replaces one that was damaged, as its message says', async () => {
    const vid = await makeVendor();
    await rotate(vid, newSecurityKey(), 0);
    await books.owner.query(
      `update security_keys set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where holder = $1`,
      [vid],
    );
    const read = async () => await openKeys(books.pool, ['vendor'], MASTER_KEYS);
    await expect(read()).rejects.toThrow(`malipo vendor rotate-key ${vid} --overlap 0`);
    const secret = newSecurityKey();
    await rotate(vid, secret, 0);
    const keys = await read();
    expect(keys.filter(({ holder }) => holder === vid)).toMatchObject([{ secret }]);
  });

  test('the error about a damaged ledger’s key says where to restore it from', async () => {
    const flip = `update security_keys set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where holder_kind = 'ledger'`;
    await openLedgerMac(books.pool, MASTER_KEYS);
    await books.owner.query(flip);
    const damaged = openLedgerMac(books.pool, MASTER_KEYS);
    await expect(damaged).rejects.toThrow('of ledger ledger was damaged, or changed');
    await expect(damaged).rejects.toThrow('back from a backup');
    await books.owner.query(flip);
    await openLedgerMac(books.pool, MASTER_KEYS);
  });

  test('without an overlap ends the former one at once', async () => {
    const vid = await makeVendor();
    await rotate(vid, 'first', 0);
    await rotate(vid, 'second', 0);
    expect(await secretsOf(vid)).toEqual(['second']);
  });

  test.each(['null', `'infinity'`, `now() + interval '1 day'`])(
    'is final: the runtime role cannot make an ended key valid again until %s',
    async (until) => {
      const vid = await makeVendor();
      await rotate(vid, 'first', 0);
      await rotate(vid, 'second', 0);
      await books.pool.query(
        `select end_key(holder_kind, holder, key_id, ${until}) from security_keys
         where holder = $1 and valid_until is not null`,
        [vid],
      );
      expect(await secretsOf(vid)).toEqual(['second']);
    },
  );

  test('never makes a key last longer than it would have', async () => {
    const vid = await makeVendor();
    await rotate(vid, 'first', 0);
    await rotate(vid, 'second', 60);
    await books.owner.query('delete from security_keys where holder = $1 and valid_until is null', [
      vid,
    ]);
    await rotate(vid, 'third', 3_600);
    const keys = (await openKeys(books.pool, ['vendor'], MASTER_KEYS)).filter(
      (key) => key.holder === vid,
    );
    expect(keys.map((key) => key.secret)).toEqual(['third', 'first']);
    expect(keys[1]?.validUntil?.getTime()).toBeLessThan(Date.now() + 120_000);
  });

  test('does not change keys of others', async () => {
    const [vid, other] = [await makeVendor(), await makeVendor()];
    await rotate(other, 'theirs', 0);
    await rotate(vid, 'first', 0);
    await rotate(vid, 'second', 0);
    expect(await secretsOf(other)).toEqual(['theirs']);
  });

  test('stores no key that could be read or moved to another vendor', async () => {
    const [vid, other] = [await makeVendor(), await makeVendor()];
    await rotate(vid, 'a-secret-text', 0);
    const stored = await books.pool.query<{ sealed: Buffer }>(
      'select sealed from security_keys where holder = $1',
      [vid],
    );
    expect(stored.rows[0]?.sealed.includes('a-secret-text')).toBe(false);
    await books.owner.query('update security_keys set holder = $2 where holder = $1', [vid, other]);
    await expect(openKeys(books.pool, ['vendor'], MASTER_KEYS)).rejects.toThrow();
    await books.owner.query('delete from security_keys where holder = $1', [other]);
  });
});

describe('the vendor directory', () => {
  test('shows the state of the last reload', async () => {
    const directory = createVendorDirectory(books.pool, MASTER_KEYS);
    const vid = await makeVendor();
    expect(directory.vendor(vid)).toBeUndefined();
    await directory.reload();
    expect(directory.vendor(vid)).toMatchObject({ vid, suspended: false, keys: [] });
    const vendorId = directory.vendor(vid)?.vendorId ?? 0;
    expect(directory.vendorById(vendorId)?.vid).toBe(vid);

    await updateVendor(books.pool, vid, {
      status: 'suspended',
      duplicateCheck: 'always',
      referenceRequired: true,
    });
    await rotate(vid, 'first', 0);
    expect(directory.vendor(vid)).toMatchObject({ suspended: false });
    await directory.reload();
    expect(directory.vendor(vid)).toMatchObject({
      suspended: true,
      duplicateCheck: 'always',
      referenceRequired: true,
    });
    expect(directory.vendor(vid)?.keys.map((key) => key.export().toString())).toEqual(['first']);
  });

  test('ends a retired key by time, without a reload', async () => {
    const vid = await makeVendor();
    await rotate(vid, 'first', 0);
    await rotate(vid, 'second', 60);
    const directory = createVendorDirectory(books.pool, MASTER_KEYS);
    await directory.reload();
    const secrets = (): string[] =>
      (directory.vendor(vid)?.keys ?? []).map((key) => key.export().toString());
    expect(secrets()).toEqual(['second', 'first']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(secrets()).toEqual(['second']);
  });
});

describe('a reload that is overtaken by a later one', () => {
  /** A pool whose first answer to a statement with this text waits until it is released. */
  function holdFirst(text: string): { pool: Pool; held: Promise<void>; release: () => void } {
    const reached = Promise.withResolvers<undefined>();
    const gate = Promise.withResolvers<undefined>();
    let first = true;
    const query = async (...given: unknown[]): Promise<unknown> => {
      const send = books.pool.query.bind(books.pool) as (...args: unknown[]) => Promise<unknown>;
      const answer = await send(...given);
      if (first && typeof given[0] === 'string' && given[0].includes(text)) {
        first = false;
        reached.resolve(undefined);
        await gate.promise;
      }
      return answer;
    };
    return {
      pool: { query } as unknown as Pool,
      held: reached.promise,
      release: () => gate.resolve(undefined),
    };
  }

  test('does not restore old vendors', async () => {
    const vid = await makeVendor();
    const { pool, held, release } = holdFirst('from vendors');
    const directory = createVendorDirectory(pool, MASTER_KEYS);
    const slow = directory.reload();
    await held;
    await updateVendor(books.pool, vid, { status: 'suspended' });
    await directory.reload();
    release();
    await slow;
    expect(directory.vendor(vid)).toMatchObject({ suspended: true });
  });

  test('does not restore old billers', async () => {
    const { pool, held, release } = holdFirst('from billers');
    const catalogue = createBillerCatalogue({
      pool,
      masterKeys: MASTER_KEYS,
    });
    const slow = catalogue.reload();
    await held;
    await putBiller(books.pool, billerRecord(BILLER, { status: 'OFFLINE' }));
    await catalogue.reload();
    release();
    await slow;
    expect(catalogue.biller(BILLER)).toMatchObject({ availability: 'OFFLINE' });
  });
});
