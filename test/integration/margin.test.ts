import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setOperatorPrice } from '../../src/payments/billers/administer-prices.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { claim } from '../../src/payments/dispatch/store.ts';
import { completeSums } from '../../src/payments/ledger/sums.ts';
import { marginOf, reportMargin } from '../../src/payments/reports/margin.ts';
import { DIMENSIONS } from '../../src/payments/reports/dimensions.ts';
import type { Dimension } from '../../src/payments/reports/dimensions.ts';
import {
  failedReport,
  openBooks,
  OPERATOR,
  OTHER_BILLER,
  paidReport,
  through,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import { spreadVendors } from '../support/several-buckets.ts';

// The margin of random payments and corrections equals the accounts.

const TERMS = {
  cost: { flatCents: 30n, bps: 50 },
  commission: { flatCents: 0n, bps: 200 },
};
const PERIOD = {
  from: new Date(Date.now() - 3_600_000),
  to: new Date(Date.now() + 3_600_000),
  timeZone: 'Africa/Nairobi',
};

let books: Books;
const versions = new Map<string, number>();
beforeAll(async () => {
  books = await openBooks();
  await spreadVendors(books.owner);
  const setting = { validFrom: null, setBy: 'Asha' };
  for (const billerCode of [BILLER, OTHER_BILLER]) {
    const terms = { ...TERMS, commissionNetted: billerCode === BILLER };
    const route = { billerCode, operatorCode: OPERATOR };
    versions.set(billerCode, await setOperatorPrice(books.pool, route, terms, setting));
  }
});
afterAll(async () => {
  await books.close();
});

const ending = fc.record({
  billerCode: fc.constantFrom(BILLER, OTHER_BILLER),
  hasTerms: fc.boolean(),
  amountCents: fc.bigInt({ min: 100n, max: 20_000n }),
  feeCents: fc.constantFrom(0n, 25n, 116n),
  paid: fc.constantFrom('whole', 'half', 'no'),
  corrected: fc.boolean(),
});

test('sums to the accounts in every grouping', async () => {
  const endings = fc.sample(ending, { numRuns: 40, seed: 7 });
  const vendorIds = await books.addVendors([1_000_000n, 1_000_000n, 1_000_000n]);
  for (const [index, end] of endings.entries()) {
    const { feeCents, billerCode, amountCents } = end;
    const vatCents = feeCents === 116n ? 16n : 0n;
    const content = { billerCode, amountCents, feeCents, vatCents };
    const made = newPayment({ vendorId: vendorIds[index % 3] ?? 0, ...content });
    await createPayments(books.pool, [made]);
    await send(made, end.hasTerms ? (versions.get(billerCode) ?? null) : null);
    await finish(made, end);
  }
  const accounts = await sums(vendorIds);
  expect(Object.keys(accounts).toSorted()).toEqual(
    ['commission', 'cost', 'fees', 'operator', 'vat'].toSorted(),
  );
  for (const by of [[], ['biller'], ['day', 'vendor'], DIMENSIONS] as Dimension[][]) {
    const { rows, total } = await reportMargin(books.pool, PERIOD, new Set(by));
    const { feesCents, vatCents, costCents, commissionCents, amountCents } = total;
    expect({ feesCents, vatCents, costCents, commissionCents }).toEqual({
      feesCents: accounts['fees'],
      vatCents: accounts['vat'],
      costCents: accounts['cost'],
      commissionCents: accounts['commission'],
    });
    // The payments for vendors; cost and netted commission are in the same account.
    const netted = await sums(vendorIds, `and account = 'commission_due:kplc'`);
    const due = netted['commission_due'] ?? 0n;
    expect(amountCents + costCents - (commissionCents - due)).toBe(accounts['operator']);
    expect(rows.reduce((sum, row) => sum + marginOf(row), 0n)).toBe(marginOf(total));
    expect(rows.reduce((sum, row) => sum + row.payments, 0)).toBe(total.payments);
    expect(total.payments).toBe(await countSuccesses(vendorIds));
    for (const dimension of DIMENSIONS) {
      const key = (
        { biller: 'billerCode', operator: 'operatorCode', vendor: 'vendorId', day: 'day' } as const
      )[dimension];
      const isListed = by.includes(dimension);
      expect(rows.every((row) => (row[key] !== null) === isListed)).toBe(true);
    }
  }
  const before = { ...PERIOD, to: PERIOD.from, from: new Date(0) };
  expect((await reportMargin(books.pool, before, new Set(['day']))).rows).toEqual([]);
});

test('days begin in the zone’s midnight, also if that is on the hour in summer only', async () => {
  // Ahead by 11:00 in summer, by 10:30 in winter.
  const timeZone = 'Australia/Lord_Howe';
  const vendorId = await books.addVendor();
  const times = ['2026-07-01T13:15:00Z', '2026-07-01T13:45:00Z', '2026-01-01T13:15:00Z'];
  await books.owner.query(
    `insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents,
       created_at)
     select bucket_of($1), $1, gen_random_uuid(), 3, 'reserved', 'fees', 100, at
     from unnest($2::timestamptz[]) as at`,
    [vendorId, times],
  );
  await completeSums(books.pool);
  const period = { from: new Date('2026-01-01'), to: new Date('2026-07-31'), timeZone };
  const { rows } = await reportMargin(books.pool, period, new Set(['day']));
  expect(rows.map(({ day, feesCents }) => [day, feesCents])).toEqual([
    ['2026-01-02', 100n],
    ['2026-07-01', 100n],
    ['2026-07-02', 100n],
  ]);
});

async function send({ vendorId, billerCode }: NewPayment, version: number | null): Promise<void> {
  const queue = { vendorId, billerCode, stage: 'send' as const, max: 1, leaseMs: 60_000 };
  await claim(books.pool, [{ ...queue, route: through(OPERATOR, version) }]);
}

async function finish(
  made: NewPayment,
  { paid, corrected }: { readonly paid: string; readonly corrected: boolean },
): Promise<void> {
  const paidCents = paid === 'half' ? made.amountCents / 2n : made.amountCents;
  const isPaid = paid !== 'no';
  const report = isPaid ? paidReport(made, { paidCents }) : failedReport(made);
  await settlePayments(books.pool, [report]);
  if (!corrected) return;
  await settlePayments(books.pool, [isPaid ? failedReport(made) : paidReport(made)]);
  const cases = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  const caseId = cases.find(({ kind }) => kind === 'contradiction')?.caseId ?? '';
  const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
  const resolution = isPaid ? 'return_to_vendor' : 'charge_vendor';
  const proposal = { resolution, note: 'as agreed', ...terms };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

/** Balances of all vendors by the kind of account, costs and dues as positive amounts. */
async function sums(
  vendorIds: readonly number[],
  where = `and split_part(account, ':', 1) in ('fees', 'vat', 'cost', 'commission', 'operator')`,
): Promise<Record<string, bigint>> {
  const read = await books.pool.query<{ kind: string; cents: bigint }>(
    `select split_part(account, ':', 1) as kind,
       abs(sum(balance_cents))::bigint as cents
     from accounts where vendor_id = any ($1) ${where} group by 1`,
    [vendorIds],
  );
  return Object.fromEntries(read.rows.map((row) => [row.kind, row.cents]));
}

async function countSuccesses(vendorIds: readonly number[]): Promise<number> {
  const read = await books.pool.query<{ count: number }>(
    `select count(*)::integer as count from payments
     where vendor_id = any ($1) and outcome = 'success'`,
    [vendorIds],
  );
  return read.rows[0]?.count ?? 0;
}
