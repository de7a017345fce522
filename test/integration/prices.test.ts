import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findViolations } from '../support/books-check.ts';
import {
  endFeePrice,
  setFeePrice,
  setOperatorPrice,
} from '../../src/payments/billers/administer-prices.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { chainEverything } from '../support/chain.ts';
import { CITUS_URL } from '../support/citus.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { planPayment } from '../../src/payments/create/create-rules.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { claim, writeProgress } from '../../src/payments/dispatch/store.ts';
import { shareOf } from '../../src/payments/prices/price.ts';
import type { OperatorTerms } from '../../src/payments/prices/price.ts';
import { openPaymentsOf } from '../support/dispatch-fixture.ts';
import { flatFormula } from '../support/fee-prices.ts';
import {
  failedReport,
  openBooks,
  OPERATOR,
  paidReport,
  through,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import { spreadVendors } from '../support/several-buckets.ts';

// The effect of prices on the ledger: fee, VAT, cost and commission are separate transfers.

const FLOAT = 1_000_000n;
const AMOUNT = 10_000n;
// 1.16 with VAT of 0.16: the fixture's price.
const FEE = { feeCents: 116n, vatCents: 16n };
/** Cost 0.30 + 0.5 % = 0.80; commission 2 % = 2.00. */
const TERMS: OperatorTerms = {
  cost: { flatCents: 30n, bps: 50 },
  commission: { flatCents: 0n, bps: 200 },
  commissionNetted: true,
};
const NOW = { validFrom: null, setBy: 'Asha' };
const ROUTE = { billerCode: BILLER, operatorCode: OPERATOR };

let books: Books;
/** Versions of operator prices. */
let netted: number;
let later: number;
beforeAll(async () => {
  books = await openBooks();
  await spreadVendors(books.owner);
  netted = await setOperatorPrice(books.pool, ROUTE, TERMS, NOW);
  const unnetted = { ...TERMS, commissionNetted: false };
  later = await setOperatorPrice(books.pool, ROUTE, unnetted, NOW);
});
afterEach(async () => {
  await chainEverything(books);
  expect(await findViolations(books.pool)).toEqual([]);
});
afterAll(async () => {
  await books.close();
});

/** A payment whose instruction was claimed at this operator price. */
async function sent(operatorPrice: number | null): Promise<NewPayment> {
  const vendorId = await books.addVendor(FLOAT);
  const made = newPayment({ vendorId, amountCents: AMOUNT, ...FEE });
  await createPayments(books.pool, [made]);
  await send(made, operatorPrice);
  return made;
}

async function send({ vendorId, billerCode }: NewPayment, operatorPrice: number | null) {
  const queue = { vendorId, billerCode, stage: 'send' as const, max: 1, leaseMs: 60_000 };
  return await claim(books.pool, [{ ...queue, route: through(OPERATOR, operatorPrice) }]);
}

/** Balances that differ from those of a vendor that has only its float. */
async function moved({ vendorId }: NewPayment): Promise<Record<string, bigint>> {
  const balances = Object.entries(await books.balances(vendorId));
  return Object.fromEntries(
    balances
      .map(
        ([account, cents]) =>
          [
            account,
            account === 'float'
              ? cents - FLOAT
              : account.startsWith('collector:')
                ? cents + FLOAT
                : cents,
          ] as const,
      )
      .filter(([, cents]) => cents !== 0n),
  );
}

async function resolve(made: NewPayment, resolution: string, amountCents?: bigint): Promise<void> {
  const cases = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  const caseId = cases.find((row) => row.resolvedAt === null)?.caseId ?? '';
  const terms = { operator_reference: null, message: null, details: null };
  const proposal = {
    resolution,
    note: 'as agreed',
    amount_cents: amountCents?.toString() ?? null,
    ...terms,
  };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

const PAID_NETTED = {
  float: -10_116n,
  fees: 100n,
  vat: 16n,
  // The amount and the cost, less the commission.
  'operator:kplc': 9_880n,
  'cost:kplc': -80n,
  'commission:kplc': 200n,
};

describe('a payment with prices', () => {
  test('paid: fee, VAT, cost and commission are transfers of their own', async () => {
    const made = await sent(netted);
    await settlePayments(books.pool, [paidReport(made)]);
    expect(await moved(made)).toEqual(PAID_NETTED);
    const read = await books.pool.query<{ text: string }>(
      `select leg || ' ' || debit_account || ' ' || credit_account || ' ' || amount_cents as text
       from transfers where source_id = $1 order by leg`,
      [made.paymentId],
    );
    expect(read.rows.map((row) => row.text)).toEqual([
      '1 float reserved 10116',
      '2 reserved operator:kplc 10000',
      '3 reserved fees 100',
      '5 reserved vat 16',
      '8 cost:kplc operator:kplc 80',
      '9 operator:kplc commission:kplc 200',
    ]);
  });

  test('a commission that the operator pays later is due from it', async () => {
    const made = await sent(later);
    await settlePayments(books.pool, [paidReport(made)]);
    expect(await moved(made)).toEqual({
      ...PAID_NETTED,
      'operator:kplc': 10_080n,
      'commission_due:kplc': -200n,
    });
  });

  test('declined: all of it returns, and nothing is charged', async () => {
    const made = await sent(netted);
    await settlePayments(books.pool, [failedReport(made)]);
    expect(await moved(made)).toEqual({});
  });

  test('paid in part: the recorded fee stays, cost and commission are of the part', async () => {
    const made = await sent(netted);
    await settlePayments(books.pool, [paidReport(made, { paidCents: 4_000n })]);
    expect(await moved(made)).toEqual({
      float: -4_116n,
      fees: 100n,
      vat: 16n,
      'operator:kplc': 3_970n,
      'cost:kplc': -50n,
      'commission:kplc': 80n,
    });
  });

  test('a commission above the amount takes no more than the amount', async () => {
    const much = { ...TERMS, commission: { flatCents: 500n, bps: 0 } };
    const version = await setOperatorPrice(books.pool, ROUTE, much, NOW);
    const made = await sent(version);
    await settlePayments(books.pool, [paidReport(made, { paidCents: 100n })]);
    const accounts = { 'operator:kplc': 31n, 'cost:kplc': -31n, 'commission:kplc': 100n };
    expect(await moved(made)).toMatchObject(accounts);
  });

  test('a price that is set after the attempt was claimed does not count', async () => {
    const made = await sent(netted);
    const dearer = { ...TERMS, cost: { flatCents: 9_000n, bps: 0 } };
    await setOperatorPrice(books.pool, ROUTE, dearer, NOW);
    await settlePayments(books.pool, [paidReport(made)]);
    expect(await moved(made)).toEqual(PAID_NETTED);
  });

  test('the operator had executed it after all: the price of its attempt counts', async () => {
    const made = await sent(null);
    const giveUp = async (claimNumber: number): Promise<void> => {
      const { vendorId, paymentId, billerCode } = made;
      const held = { vendorId, paymentId, billerCode, claimNumber };
      const progress = {
        next: 'send' as const,
        delayMs: 0,
        note: 'not found',
        operatorHandle: null,
      };
      expect(await writeProgress(books.pool, [{ claim: held, ...progress }])).toBe(1);
    };
    await giveUp(1);
    await send(made, netted);
    await giveUp(2);
    await settlePayments(books.pool, [paidReport(made, { operatorCode: OPERATOR })]);
    expect(await moved(made)).toEqual(PAID_NETTED);
  });
});

describe('a correction', () => {
  test('paid, then not: everything is reversed, and posted again if it was paid after all', async () => {
    for (const version of [netted, later]) {
      const made = await sent(version);
      await settlePayments(books.pool, [paidReport(made)]);
      const paid = await moved(made);
      await settlePayments(books.pool, [failedReport(made)]);
      await resolve(made, 'return_to_vendor');
      expect(await moved(made)).toEqual({});
      await settlePayments(books.pool, [paidReport(made)]);
      await resolve(made, 'charge_vendor');
      expect(await moved(made)).toEqual(paid);
    }
  });

  test('the vendor and we are charged as for a paid payment if it failed first and was paid after all', async () => {
    const made = await sent(netted);
    await settlePayments(books.pool, [failedReport(made)]);
    await settlePayments(books.pool, [paidReport(made)]);
    await resolve(made, 'charge_vendor');
    expect(await moved(made)).toEqual(PAID_NETTED);
  });

  test('cost and commission follow the amount when a part is corrected, and the fee stays', async () => {
    const made = await sent(netted);
    await settlePayments(books.pool, [paidReport(made)]);
    await settlePayments(books.pool, [failedReport(made)]);
    await resolve(made, 'return_to_vendor', 9_990n);
    expect(await moved(made)).toEqual({
      float: -126n,
      fees: 100n,
      vat: 16n,
      'operator:kplc': 40n,
      'cost:kplc': -30n,
    });
  });
});

describe('the fee of a new payment', () => {
  test('the fee is that of the vendor’s own price, or else of the biller’s', async () => {
    const { pool } = books;
    const vendorIds = [await books.addVendor(FLOAT), await books.addVendor(FLOAT)] as const;
    const key = { billerCode: BILLER, vendorId: null };
    const own = { billerCode: BILLER, vendorId: vendorIds[1] };
    await setFeePrice(pool, key, flatFormula(0n, percent(150)), NOW);
    await setFeePrice(pool, own, flatFormula(700n), NOW);
    const soon = new Date(Date.now() + 86_400_000);
    await setFeePrice(pool, key, flatFormula(9_999n), { validFrom: soon, setBy: 'Asha' });
    expect(await feesOf(vendorIds)).toEqual([150n, 700n]);
    await endFeePrice(pool, own, NOW);
    expect(await feesOf(vendorIds)).toEqual([150n, 150n]);
    await endFeePrice(pool, key, NOW);
    expect(await feesOf(vendorIds)).toEqual([0n, 0n]);
  });

  const percent = (bps: number) => ({ tiers: [{ fromCents: 0n, flatCents: 0n, bps }] });

  /** Creates payments with these prices, and returns the fee of each. */
  async function feesOf(vendorIds: readonly number[]): Promise<bigint[]> {
    const { catalogue } = openPaymentsOf(books);
    await catalogue.reload();
    const request = { billerCode: BILLER, account: '0123456789', phone: null, amountCents: AMOUNT };
    const planned = vendorIds.map((vendorId) =>
      planPayment(
        { ...request, merchantReference: null },
        { vendorId, duplicateCheck: 'off', duplicateWindowSeconds: 30, referenceRequired: false },
        catalogue.biller(BILLER),
        // Later than the database's clock, by which prices begin.
        { nowMs: Date.now() + 1_000 },
      ),
    );
    await createPayments(books.pool, planned);
    return planned.map((row) => row.feeCents);
  }
});

describe('a price', () => {
  test('a price of a biller or an operator that does not exist, of the past, or of nobody is refused', async () => {
    const nowhere = { billerCode: 'nowhere', operatorCode: OPERATOR };
    await expect(setOperatorPrice(books.pool, nowhere, TERMS, NOW)).rejects.toThrow(
      'Biller nowhere does not exist',
    );
    const nobody = { billerCode: BILLER, operatorCode: 'nobody' };
    await expect(setOperatorPrice(books.pool, nobody, TERMS, NOW)).rejects.toThrow(
      'Operator nobody does not exist',
    );
    const key = { billerCode: BILLER, vendorId: null };
    const past = { validFrom: new Date(Date.now() - 1_000), setBy: 'Asha' };
    await expect(setFeePrice(books.pool, key, flatFormula(1n), past)).rejects.toThrow(
      'cannot begin in the past',
    );
    const unsigned = { validFrom: null, setBy: ' ' };
    await expect(setFeePrice(books.pool, key, flatFormula(1n), unsigned)).rejects.toThrow('name');
  });

  // On a cluster the service is the owner of its tables.
  test.skipIf(CITUS_URL !== undefined)(
    'no price is ever changed, not even by the service',
    async () => {
      for (const table of ['fee_prices', 'operator_prices']) {
        const denied = { code: '42501' };
        for (const change of ['version = 1', 'valid_from = set_at']) {
          const changed = books.pool.query(`update ${table} set ${change}`);
          await expect(changed).rejects.toMatchObject(denied);
        }
        await expect(books.pool.query(`delete from ${table}`)).rejects.toMatchObject(denied);
      }
    },
  );

  test('PostgreSQL and the service compute the same fee', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 0n, max: 99_999_999_999_999n }),
        fc.bigInt({ min: 0n, max: 1_000_000n }),
        fc.integer({ min: 0, max: 10_000 }),
        async (amount, flatCents, bps) => {
          const read = await books.pool.query<{ share: bigint }>(
            'select share_of($1, $2, $3) as share',
            [amount, flatCents, bps],
          );
          expect(read.rows[0]?.share).toBe(shareOf(amount, { flatCents, bps }));
        },
      ),
    );
  });
});
