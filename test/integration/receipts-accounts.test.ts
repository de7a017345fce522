import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { databaseTransaction } from '../../src/platform/db/pool.ts';
import { bookOpening } from '../../src/payments/moving/openings.ts';
import { findViolations } from '../support/books-check.ts';
import { addAccount, removeAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { requireReceipt } from '../../src/payments/receipts/assign.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';
import { takeReversal } from '../../src/payments/receipts/reverse.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { COLLECTOR } from '../support/money-fixture.ts';
import { approveForReceipt, proposeForReceipt } from '../support/receipt-decisions.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';

// Account numbers that change hands, and what `ledger check` finds if somebody changes them, or receipts, in the
// database.

const HOUR_MS = 3_600_000;

const freshBooks = sharedBooks();
let books: Books;
let vendors: readonly [number, number];
beforeEach(async () => {
  books = await freshBooks();
  vendors = [await books.addVendor(), await books.addVendor()];
  await setSource(books.pool, 'bank', {
    ...{ name: 'Bank', kind: 'statement', collector: COLLECTOR },
    settings: { format: 'mt940' },
  });
});
afterEach(async () => {
  await books.close();
});

const K900 = { sourceCode: 'bank', account: 'K900', by: 'Asha' };
const deps = () => ({ ...books, log: pino({ level: 'silent' }) });

async function give(vendor: 0 | 1): Promise<void> {
  await addAccount(books, { ...K900, vid: `vendor-${vendors[vendor]}` });
}

function report(change: Partial<ReceiptReport> = {}): ReceiptReport {
  return {
    ...{ issuer: 'mpesa', receipt: 'UA51000900', sourceCode: 'bank', collector: COLLECTOR },
    ...{ channel: 'confirmation', amountCents: 50_000n, account: 'K900', payer: null },
    paidAt: new Date(),
    ...change,
  };
}

async function collected(): Promise<unknown[]> {
  return await Promise.all(vendors.map(async (id) => (await books.balances(id))['collected']));
}

async function violations(): Promise<string[]> {
  const found = await findViolations(books.pool, { mac: books.ledgerMac });
  return found.map(({ invariant, detail }) => `${invariant}: ${detail}`);
}

test('a payment while nobody had the account number is not the next vendor’s', async () => {
  await give(0);
  await removeAccount(books, K900);
  const paidAt = new Date();
  await give(1);
  expect(await takeReport(deps(), report({ paidAt }))).toBe('unmatched');
  const { doubt } = await requireReceipt(books.pool, { receipt: 'UA51000900' });
  expect(doubt).toEqual({ reason: 'changed_hands', others: ['K900'] });
  expect(await collected()).toEqual([0n, 0n]);
  expect(await violations()).toEqual([]);
});

test.each([
  ['confirmation', 0.5, 'unmatched', 0n],
  ['confirmation', 1.5, 'credited', 50_000n],
  // Booked a week after the payment at the latest.
  ['statement', 23, 'unmatched', 0n],
] as const)(
  'a %s of %d hours after a number changed hands is %s',
  async (channel, hours, taken, cents) => {
    await give(0);
    await removeAccount(books, K900);
    await give(1);
    const paidAt = new Date(Date.now() + hours * HOUR_MS);
    expect(await takeReport(deps(), report({ paidAt, channel }))).toBe(taken);
    expect(await collected()).toEqual([0n, cents]);
  },
);

test('a number that a vendor gets back, and never was another’s, is its own at once', async () => {
  await give(0);
  await removeAccount(books, K900);
  await give(0);
  expect(await takeReport(deps(), report())).toBe('credited');
  expect(await collected()).toEqual([50_000n, 0n]);
});

test.each([
  ['confirmation', -1, 'unmatched'],
  ['confirmation', 1, 'credited'],
  // Booked a week after the payment at the latest.
  ['statement', 160, 'unmatched'],
  ['statement', 170, 'credited'],
] as const)(
  'what a %s dates %d hours after the balance that a vendor brought is %s: it may be in the balance',
  async (channel, hours, taken) => {
    await give(0);
    const valuedAt = new Date('2026-10-31T21:00:00Z');
    const opening = { vendorId: vendors[0], importId: newId(), hasReferences: false, valuedAt };
    await databaseTransaction(books.pool, async (db) => {
      const money = { collectedCents: 50_000n, floatCents: 0n };
      await bookOpening({ db, ledgerMac: books.ledgerMac }, { ...opening, ...money });
    });
    const paidAt = new Date(valuedAt.getTime() + hours * HOUR_MS);
    expect(await takeReport(deps(), report({ paidAt, channel }))).toBe(taken);
    expect(await collected()).toEqual([taken === 'credited' ? 100_000n : 50_000n, 0n]);
    if (taken === 'credited') return;
    const named = { receipt: 'UA51000900', issuer: 'mpesa' };
    const { doubt } = await requireReceipt(books.pool, named);
    expect(doubt).toEqual({ reason: 'opening', others: [valuedAt.toISOString()] });
    // Two people may find out that it is not.
    const to = { note: 'not in its balance', vid: `vendor-${vendors[0]}` };
    await proposeForReceipt(books, { ...named, ...to, by: 'Asha' });
    await approveForReceipt(books, { ...named, by: 'Baraka' });
    expect(await collected()).toEqual([100_000n, 0n]);
  },
);

test.each([
  [
    'adds an account number',
    `insert into receipt_accounts (added_at, account_id, vendor_id, source_code, account, added_by, mac)
     values (now(), gen_random_uuid(), $1, 'bank', 'K901', 'Asha', '')`,
    'it was not added by the service, or altered',
  ],
  [
    'gives an account number back to its former vendor',
    `update receipt_accounts set ended_at = null, ended_by = null where vendor_id <> $1`,
    'its end was altered',
  ],
] as const)('the check finds it if somebody %s', async (_change, statement, problem) => {
  await give(0);
  await removeAccount(books, K900);
  expect(await violations()).toEqual([]);
  // With the rights of the service.
  await books.pool.query(
    statement.includes('$1') ? statement.replace('$1', String(vendors[1])) : statement,
  );
  expect(await violations()).toEqual([expect.stringContaining(problem)]);
});

test('the check notices if somebody changes the vendor of an account number: it has another code', async () => {
  await give(0);
  await books.owner.query(`update receipt_accounts set vendor_id = ${vendors[1]}`);
  expect(await violations()).toEqual([expect.stringContaining('or altered')]);
});

test('the check finds it if somebody hides or makes up that a receipt was taken back', async () => {
  await give(0);
  await takeReport(deps(), report());
  await takeReport(deps(), report({ receipt: 'UA51000901', paidAt: new Date(Date.now() + 9) }));
  await takeReversal(deps(), report());
  expect(await violations()).toEqual([]);
  const hide = 'update receipts set reversed_at = null where reversed_at is not null';
  await books.pool.query(hide);
  expect(await violations()).toEqual([expect.stringContaining('receipts_reversed_as_reported')]);
  await books.pool.query(
    `update receipts set reversed_at = '2026-01-01' where receipt = 'UA51000900'`,
  );
  expect(await violations()).toEqual([expect.stringContaining('receipts_reversed_as_reported')]);
  await books.pool.query(`update receipts set reversed_at = now() where receipt = 'UA51000901'`);
  expect(await violations()).toHaveLength(2);
});

test('the check notices if somebody deletes a receipt: it is missing', async () => {
  await give(0);
  await takeReport(deps(), report());
  await books.owner.query('delete from receipts');
  expect(await violations()).toEqual([expect.stringContaining('receipts_exist')]);
});
