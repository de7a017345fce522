import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collect } from '../../src/payments/collections/collect.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { resealKeys } from '../../src/parties/keys.ts';
import { findLedgerMac, openLedgerMac } from '../../src/parties/ledger-key.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';

const MASTER = { current: randomBytes(32), previous: undefined };

let books: Books;
beforeEach(async () => {
  books = await openBooks();
});
afterEach(async () => {
  await books.close();
});

describe('the key of the ledger', () => {
  test('only one key is created, also by processes that start at the same time', async () => {
    expect(await findLedgerMac(books.pool, MASTER)).toBeUndefined();
    const macs = await Promise.all(
      Array.from({ length: 5 }, async () => await openLedgerMac(books.pool, MASTER)),
    );
    expect(new Set(macs.map((mac) => mac.sign('text').toString('hex'))).size).toBe(1);
  });

  test('stays the same when the master key is changed, and is sealed under the new one only', async () => {
    const before = (await openLedgerMac(books.pool, MASTER)).sign('text');
    const changed = { current: randomBytes(32), previous: MASTER.current };
    await resealKeys(books.pool, changed);
    const after = await openLedgerMac(books.pool, { ...changed, previous: undefined });
    expect(after.verify('text', before)).toBe(true);
    expect(after.verify('another text', before)).toBe(false);
    await expect(openLedgerMac(books.pool, MASTER)).rejects.toThrow('master key');
  });

  test('a replaced key is found: earlier rows have no valid code', async () => {
    const vendorId = await books.addVendor();
    await collect(
      { pool: books.pool, ledgerMac: await openLedgerMac(books.pool, MASTER) },
      { collector: COLLECTOR, reference: 'r', vendorId, amountCents: 1n, paidAt: new Date() },
    );
    const check = async (): Promise<string[]> => {
      const mac = await openLedgerMac(books.pool, MASTER);
      return (await checkLedger(books.pool, { mac })).violations.map(({ invariant }) => invariant);
    };
    expect(await check()).toEqual([]);
    await books.owner.query(`delete from security_keys where holder_kind = 'ledger'`);
    expect(await check()).toEqual(['collections_authentic']);
  });
});
