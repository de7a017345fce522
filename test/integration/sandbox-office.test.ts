import { expect, test } from 'vitest';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { prepareSandbox } from '../../sandbox/data.ts';
import { CLAIMED, openFloatBooks } from '../../sandbox/traffic/finance-work.ts';
import { workInOffice } from '../../sandbox/traffic/office.ts';
import { earn, openShops } from '../../sandbox/traffic/shops.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { parseMoney } from '../../src/platform/base/money.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { listOpenProposals, resolutionOf } from '../../src/payments/cases/case-proposals.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { openCaseByHand } from '../../src/payments/corrections/open-case.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { claim } from '../../src/payments/dispatch/store.ts';
import { listEntries } from '../../src/payments/house/entries.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { proposeEntry } from '../support/house-decisions.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { failedReport, through } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';

test('the office works on where it stopped, and does everything once', async () => {
  const pool = createPool({ url: (await createTestDatabase()).url, max: 2, name: 'test' });
  try {
    const masterKeys = { current: Buffer.alloc(32, 'test master key'), previous: undefined };
    await prepareSandbox(pool, { masterKeys, operatorOrigin: 'http://127.0.0.1:9' });
    const vendors = await openShops(pool, { masterKeys });
    const [shop] = vendors.shops;
    if (shop === undefined) throw new Error('there is no shop');
    const config = { timeZone: 'Africa/Nairobi', creditRetentionDays: 365 };
    const work = async (): Promise<boolean> =>
      await workInOffice({ pool, masterKeys, creditKeys: undefined, config }, vendors);

    expect([await work(), await work()], 'without the payments').toEqual([false, false]);

    await earn({ pool, ledgerMac: await openLedgerMac(pool, masterKeys) }, shop);
    await fund(pool, { vendorId: shop.vendorId, requestedAt: new Date() });
    const payments = CLAIMED.map(({ biller, account, amount, merchantReference }) =>
      newPayment({
        ...{ vendorId: shop.vendorId, billerCode: biller, account, merchantReference },
        amountCents: parseMoney(amount),
        feePrice: null,
      }),
    );
    await createPayments(pool, payments);
    expect(await work(), 'before they are declined').toBe(false);

    const queue = { vendorId: shop.vendorId, billerCode: 'kplc_postpaid', stage: 'send' } as const;
    await claim(pool, [{ ...queue, max: 2, leaseMs: 60_000, route: through('kplc') }]);
    await settlePayments(
      pool,
      payments.map((payment) => failedReport(payment, { operatorCode: 'kplc' })),
    );
    // As if it had been stopped after the first step of the second claim.
    const second = { vendorId: shop.vendorId, paymentId: payments[1]?.paymentId ?? '' };
    await openCaseByHand(pool, { ...second, by: 'admin', note: 'The operator took it' });
    expect([await work(), await work()], 'at last').toEqual([true, true]);

    const ends: unknown[] = [];
    for (const { paymentId } of payments) {
      for (const { caseId, resolution } of await listCasesAbout(pool, shop.vendorId, paymentId)) {
        const open = (await listOpenProposals(pool, [caseId])).get(caseId);
        ends.push([resolution, open && resolutionOf(open)]);
      }
    }
    expect(ends).toEqual([
      ['receivable', undefined],
      [null, 'receivable'],
    ]);
  } finally {
    await pool.end();
  }
});

test('the office leaves an opening that somebody else has entered to another person', async () => {
  const pool = createPool({ url: (await createTestDatabase()).url, max: 2, name: 'test' });
  try {
    const masterKeys = { current: Buffer.alloc(32, 'test master key'), previous: undefined };
    const wireTime = createWireTime('Africa/Nairobi');
    await prepareSandbox(pool, { masterKeys, operatorOrigin: 'http://127.0.0.1:9' });
    await pool.query(
      `insert into operator_floats (operator_code, balance_cents, polled_at)
       values ('kplc', 500000, now() - interval '1 minute'), ('jtl', 500000, now() - interval '1 minute')`,
    );
    const deps = { pool, wireTime, ledgerMac: await openLedgerMac(pool, masterKeys) };
    await proposeEntry(deps, {
      ...{ operatorCode: 'kplc', kind: 'opening', amountCents: 500_000n, reference: 'PORTAL-1' },
      ...{ movedAt: new Date(Date.now() - 60_000), bank: null, note: 'their portal', by: 'asha' },
    });
    await openFloatBooks(deps);
    const entries = await listEntries(pool, quietProposals(deps), { open: false, limit: 10 });
    const decisions = Object.fromEntries(
      entries.map(({ content, row }) => [content.reference, row.decision]),
    );
    expect(decisions).toEqual({ 'OPENING-jtl': 'approved', 'PORTAL-1': null });
  } finally {
    await pool.end();
  }
});
