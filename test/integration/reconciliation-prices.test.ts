import { afterAll, beforeAll, expect, test } from 'vitest';
import { archivePayments } from '../../src/payments/archive/archive.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { setOperatorPrice } from '../../src/payments/billers/administer-prices.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { readConsumed } from '../../src/payments/house/store.ts';
import { bookedCents, readBookedFloat } from '../../src/payments/reconciliation/bridge-store.ts';
import { compareDay } from '../../src/payments/reconciliation/compare-day.ts';
import { reportFloat } from '../../src/payments/reconciliation/float-report.ts';
import {
  createInstructed,
  failedReport,
  openBooks,
  OPERATOR,
  paidReport,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import { databaseTime, importLines } from '../support/reconciliation-fixture.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

// An operator that charges its cost with each payment and deducts our commission may list what it executed
// or what it took from our float.

const AMOUNT = 10_000n;
/** Cost 0.30, commission 2 %: 98.30 are taken for 100.00. */
const TERMS = {
  cost: { flatCents: 30n, bps: 0 },
  commission: { flatCents: 0n, bps: 200 },
  commissionNetted: true,
};
const NET = 9_830n;

let books: Books;
let folder: string;
let operatorPrice: number;
beforeAll(async () => {
  books = await openBooks();
  folder = await makeTemporaryFolder();
  const route = { billerCode: BILLER, operatorCode: OPERATOR };
  const setting = { validFrom: null, setBy: 'Asha' };
  operatorPrice = await setOperatorPrice(books.pool, route, TERMS, setting);
});
afterAll(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
  await books.close();
  await removeFolder(folder);
});

async function sent(): Promise<NewPayment> {
  const vendorId = await books.addVendor(100_000n);
  const made = newPayment({ vendorId, amountCents: AMOUNT });
  await createInstructed(books.pool, [made], operatorPrice);
  return made;
}

async function caseCount(): Promise<number> {
  const read = await books.pool.query<{ count: number }>(
    'select count(*)::integer as count from cases',
  );
  return read.rows[0]?.count ?? -1;
}

test.each([
  ['the amount', AMOUNT],
  ['what it took', NET],
])('a payment that the ledger has as paid matches %s', async (_, amountCents) => {
  const made = await sent();
  await settlePayments(books.pool, [paidReport(made)]);
  const imported = await importLines(books, folder, [{ of: made, amountCents }]);
  expect(imported.verdicts).toEqual({ matched: 1 });
  expect(await caseCount()).toBe(0);
});

test.each([
  ['the amount', AMOUNT],
  ['what it took', NET],
])('an open payment is settled whole by %s', async (_, amountCents) => {
  const made = await sent();
  const imported = await importLines(books, folder, [{ of: made, amountCents }]);
  expect(imported.verdicts).toEqual({ settled: 1 });
  expect(await caseCount()).toBe(0);
  expect(await books.balances(made.vendorId)).toMatchObject({
    float: 100_000n - AMOUNT,
    [`operator:${OPERATOR}`]: NET,
  });
});

test('another amount is a difference', async () => {
  const made = await sent();
  await settlePayments(books.pool, [paidReport(made)]);
  const imported = await importLines(books, folder, [{ of: made, amountCents: NET - 1n }]);
  expect(imported.verdicts).toEqual({ amount_difference: 1 });
});

test('payments settled since the report explain what they cost at the operator, to the cent', async () => {
  const made = await sent();
  await settlePayments(books.pool, [paidReport(made)]);
  const consumedCents = await readConsumed(books.pool, OPERATOR, null);
  const booked = bookedCents(await readBookedFloat(books.pool, OPERATOR, null));
  const { bridge } = await reportFloat(books.pool, {
    operatorCode: OPERATOR,
    balanceCents: booked + consumedCents + 100n,
    polledAt: await databaseTime(books),
  });
  expect(consumedCents).toBeGreaterThanOrEqual(NET);
  expect(bridge).toMatchObject({ settledSinceCents: consumedCents, unexplainedCents: 100n });
});

test.each([
  ['a cost', { ...TERMS, commission: { flatCents: 0n, bps: 0 } }, AMOUNT + 30n],
  ['a cost and a netted commission', TERMS, NET],
  ['a commission that is paid later', { ...TERMS, commissionNetted: false }, AMOUNT + 30n],
])(
  'a payment in flight with %s explains what it may take, to the cent',
  async (_, terms, takes) => {
    const route = { billerCode: BILLER, operatorCode: OPERATOR };
    const version = await setOperatorPrice(books.pool, route, terms, {
      ...{ validFrom: null, setBy: 'Asha' },
    });
    const made = newPayment({ vendorId: await books.addVendor(100_000n), amountCents: AMOUNT });
    await createInstructed(books.pool, [made], version);
    const booked = bookedCents(await readBookedFloat(books.pool, OPERATOR, null));
    const { bridge } = await reportFloat(books.pool, {
      operatorCode: OPERATOR,
      balanceCents: booked - takes - 100n,
      polledAt: await databaseTime(books),
    });
    await settlePayments(books.pool, [failedReport(made)]);
    expect(bridge).toMatchObject({ inFlightCents: -takes, unexplainedCents: -100n });
  },
);

test.each([
  ['the amount', AMOUNT, 20_000n],
  ['what it took', NET, 19_660n],
])('a day on which each payment is listed with %s has no difference', async (_, cents, sum) => {
  const from = await databaseTime(books);
  const payments = [await sent(), await sent()];
  await settlePayments(
    books.pool,
    payments.map((made) => paidReport(made)),
  );
  const to = await databaseTime(books);
  const lines = payments.map((of) => ({ of, amountCents: cents }));
  await importLines(books, folder, lines, { from, to });
  const sums = { operator: OPERATOR, oursCents: sum, theirsCents: sum };
  const read = async () => await compareDay(books.pool, { day: '2026-03-01', from, to });
  expect((await read()).compared).toEqual([sums]);
  for (const { vendorId } of payments) {
    await archivePayments(books.owner, { vendorIds: [vendorId], before: to, folder });
  }
  expect((await read()).compared).toEqual([sums]);
});
