import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { setOperatorPrice } from '../../src/payments/billers/administer-prices.ts';
import { INVARIANTS } from '../../src/payments/audit/invariants.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import type { Queryable } from '../../src/platform/db/pool.ts';
import {
  createInstructed,
  failedReport,
  openBooks,
  OPERATOR,
  paidReport,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';

// The runtime role may insert transfers and change balances. Every single transfer that it can add with
// matching balances, between any two accounts and for any source in the books, must be found from the
// rows alone: without the chain, and without a key.

const ACCOUNTS = [
  'collector:till',
  'bank:main',
  'unallocated',
  'collected',
  'float',
  'reserved',
  'operator:kplc',
  'receivable:kplc',
  'fees',
  'exposure',
  'mine',
];
/** Accounts that only prices use, with the legs and sources that could hide a transfer of theirs. */
const PRICE_ACCOUNTS = ['vat', 'excise', 'cost:kplc', 'commission:kplc', 'commission_due:kplc'];
const SOURCES = [
  'a queued payment',
  'a successful payment',
  'a failed payment',
  'a corrected payment',
  'a collection',
  'a fund movement',
  'a correction',
  'nothing in the books',
] as const;
const PRICED_SOURCES = ['a successful payment', 'a corrected payment', 'a correction'] as const;
const FEE_CENTS = 116n;
const TERMS = {
  cost: { flatCents: 116n, bps: 0 },
  commission: { flatCents: 116n, bps: 0 },
  commissionNetted: true,
};

interface Pair {
  readonly debit: string;
  readonly credit: string;
}

function pairsOf(accounts: readonly string[]): Pair[] {
  return accounts.flatMap((debit) =>
    accounts.filter((credit) => credit !== debit).map((credit) => ({ debit, credit })),
  );
}

/** The transfers to forge for the sources. */
interface Forgeries {
  readonly sources: readonly (typeof SOURCES)[number][];
  readonly pairs: readonly Pair[];
  readonly legs: readonly number[];
}

let books: Books;
let vendorId: number;
/** Everything that can be the source of a transfer. */
let sources: Readonly<Record<(typeof SOURCES)[number], string>>;

beforeAll(async () => {
  books = await openBooks();
  vendorId = await books.addVendor();
  await books.addFloat(vendorId, 1_000_000n);
  const made = (): NewPayment => newPayment({ vendorId, feeCents: FEE_CENTS, vatCents: 16n });
  const route = { billerCode: BILLER, operatorCode: OPERATOR };
  const setting = { validFrom: null, setBy: 'Asha' };
  const operatorPrice = await setOperatorPrice(books.pool, route, TERMS, setting);
  const payments = { queued: made(), paid: made(), failed: made(), corrected: made() };
  const { queued, paid, failed, corrected } = payments;
  await createInstructed(books.pool, [paid, failed, corrected], operatorPrice);
  await createPayments(books.pool, [queued]);
  await settlePayments(books.pool, [
    paidReport(paid),
    failedReport(failed),
    failedReport(corrected),
  ]);
  await settlePayments(books.pool, [paidReport(corrected)]);
  const caseId = await idOf('select case_id as id from cases');
  const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution: 'charge_vendor', note: 'as the operator says', ...terms };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
  sources = {
    'a queued payment': queued.paymentId,
    'a successful payment': paid.paymentId,
    'a failed payment': failed.paymentId,
    'a corrected payment': corrected.paymentId,
    'a collection': await idOf('select collection_id as id from collections'),
    'a fund movement': await idOf('select movement_id as id from fund_movements'),
    'a correction': await idOf('select correction_id as id from corrections'),
    'nothing in the books': newId(),
  };
});
afterAll(async () => await books.close());

async function idOf(sql: string): Promise<string> {
  return (await books.pool.query<{ id: string }>(sql)).rows[0]?.id ?? '';
}

interface Forged {
  readonly source: string;
  readonly leg: number;
  readonly debit: string;
  readonly credit: string;
}

/** Adds a transfer with its balances. False when a key or a constraint refuses it. */
async function forge(db: Queryable, { source, leg, debit, credit }: Forged): Promise<boolean> {
  try {
    await db.query(
      `insert into accounts (bucket, vendor_id, account)
       select bucket_of($1), $1, unnest($2::text[]) on conflict do nothing`,
      [vendorId, [debit, credit]],
    );
    await db.query(
      `with forged as (
         insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account,
           amount_cents, created_at)
         values (bucket_of($1), $1, $2, $3, $4, $5, $6::bigint, now())
       )
       update accounts set balance_cents = balance_cents + case account when $4 then -$6::bigint else $6::bigint end
       where vendor_id = $1 and account in ($4, $5)`,
      [vendorId, source, leg, debit, credit, FEE_CENTS],
    );
    return true;
  } catch (error) {
    if (!['23505', '23514'].includes((error as { code?: string }).code ?? '')) throw error;
    return false;
  }
}

const invariants = [...INVARIANTS];

async function isFound(db: Queryable): Promise<boolean> {
  for (const [index, invariant] of invariants.entries()) {
    const { name, sql: text } = invariant;
    if ((await db.query({ name, text, values: [] })).rows.length === 0) continue;
    // What finds one forgery is likely to find the next.
    invariants.splice(index, 1);
    invariants.unshift(invariant);
    return true;
  }
  return false;
}

/** Returns what was not found, and how much was tried. */
async function forgeAll({ sources: names, pairs, legs }: Forgeries) {
  const unnoticed: string[] = [];
  let tried = 0;
  const client = await books.pool.connect();
  try {
    await client.query('begin');
    expect(await isFound(client)).toBe(false);
    for (const name of names) {
      const source = sources[name];
      for (const { debit, credit } of pairs) {
        for (const leg of legs) {
          await client.query('savepoint before');
          if (await forge(client, { source, leg, debit, credit })) {
            tried += 1;
            if (!(await isFound(client))) unnoticed.push(`${name}, ${leg}: ${debit} to ${credit}`);
          }
          await client.query('rollback to savepoint before');
        }
      }
    }
    await client.query('rollback');
  } finally {
    client.release();
  }
  return { unnoticed, tried };
}

test.each(SOURCES)(
  'every transfer that can be added for %s is found, between any accounts',
  async (source) => {
    const pairs = pairsOf(ACCOUNTS);
    const forged = await forgeAll({ sources: [source], pairs, legs: [1, 2, 3, 4, 7, 10] });
    expect(forged.unnoticed).toEqual([]);
    expect(forged.tried).toBeGreaterThan(40);
  },
);

test('every added transfer of VAT, cost and commission is found', async () => {
  const pairs = pairsOf([...ACCOUNTS, ...PRICE_ACCOUNTS]).filter(
    ({ debit, credit }) => PRICE_ACCOUNTS.includes(debit) || PRICE_ACCOUNTS.includes(credit),
  );
  const forged = await forgeAll({ sources: PRICED_SOURCES, pairs, legs: [5, 8, 9, 10] });
  expect(forged.unnoticed).toEqual([]);
  expect(forged.tried).toBeGreaterThan(250);
});

test('every added transfer with the leg of a cost or a commission is found', async () => {
  const pairs = pairsOf(ACCOUNTS);
  const forged = await forgeAll({ sources: PRICED_SOURCES, pairs, legs: [8, 9] });
  expect(forged.unnoticed).toEqual([]);
  expect(forged.tried).toBeGreaterThan(100);
});
