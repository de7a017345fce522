import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { setOperatorPrice } from '../../src/payments/billers/administer-prices.ts';
import { createCreateLane } from '../../src/payments/create/create.ts';
import type { CreateLane } from '../../src/payments/create/create.ts';
import { completeChain } from '../../src/payments/ledger/chain.ts';
import { findViolations } from '../support/books-check.ts';
import type { Settler } from '../../src/payments/settle/settle.ts';
import { readStatuses } from '../../src/payments/create/status-store.ts';
import { statusOf } from '../../src/payments/create/payment.ts';
import { createVendorDirectory } from '../../src/parties/directory.ts';
import type { VendorDirectory } from '../../src/parties/directory.ts';
import { openPaymentsOf } from '../support/dispatch-fixture.ts';
import { COLLECTOR, OPERATOR, OTHER_BILLER } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER } from '../support/new-transaction.ts';
import { TERMS } from './model.ts';
import type { Model } from './model.ts';

/** The real parts, on a real PostgreSQL that all runs share; each run has its own vendors. */
export interface System {
  readonly books: Books;
  readonly lane: CreateLane;
  readonly settler: Settler;
  readonly directory: VendorDirectory;
  /** Versions of the operator’s terms, by biller. */
  readonly operatorPrices: ReadonlyMap<string, number>;
  readonly masterKeys: { readonly current: Buffer; readonly previous: undefined };
  /** The outcomes that occurred, over all runs. */
  readonly seen: Set<string>;
}

/** One run's share of it. */
export interface RunSystem extends System {
  readonly vendorIds: readonly number[];
  /** Makes the references of this run different from those of all others. */
  readonly prefix: string;
  /** Where claims of this run left their payments' rows: these may be elsewhere by now. */
}

export async function createSystem(books: Books): Promise<System> {
  const masterKeys = { current: randomBytes(32), previous: undefined };
  const pool = books.openPool({ max: 2, byIndexOnly: true });
  const operatorPrices = new Map<string, number>();
  for (const billerCode of [BILLER, OTHER_BILLER]) {
    const route = { billerCode, operatorCode: OPERATOR };
    const setting = { validFrom: null, setBy: 'Asha' };
    operatorPrices.set(billerCode, await setOperatorPrice(books.pool, route, TERMS, setting));
  }
  return {
    books,
    operatorPrices,
    masterKeys,
    // Not the facade's `create`: the model chooses ids, fees and checks, and repeats an id.
    lane: createCreateLane({
      pool,
      atOnce: { maxCalls: 2, minItems: 1 },
      deadlineMs: 8_000,
      onAccepted: () => {},
    }),
    settler: openPaymentsOf(books, { laneConnections: 2 }).settler,
    directory: createVendorDirectory(books.pool, masterKeys),
    seen: new Set(),
  };
}

const STATE = `
  select format('vendor %s has %s in %s', vendor_id, balance_cents, account) as line
  from accounts where vendor_id = any ($1) and (balance_cents <> 0)
  union all
  select format('payment %s is in %s', payment_id, coalesce(t.outcome, q.stage::text))
  from payments t left join dispatch_queue q using (vendor_id, payment_id)
  where vendor_id = any ($1)
  union all
  select format('payment %s has a case of %s', payment_id, kind)
  from cases where vendor_id = any ($1)`;

/** Checks that the database's rows of this run equal the model. */
export async function compare(model: Model, system: RunSystem): Promise<void> {
  const read = await system.books.pool.query<{ line: string }>({
    name: 'model_state',
    text: STATE,
    values: [system.vendorIds],
  });
  expect(read.rows.map((row) => row.line).toSorted()).toEqual(linesOf(model).toSorted());
}

function linesOf(model: Model): string[] {
  const balances = [...model.accounts].flatMap(([vendorId, accounts]) =>
    Object.entries({
      [`collector:${COLLECTOR}`]: -accounts.brought,
      collected: accounts.collected,
      float: model.oracle.balances(vendorId).float,
      reserved: accounts.reserved,
      fees: accounts.fees,
      vat: accounts.vat,
      [`cost:${OPERATOR}`]: accounts.cost,
      [`commission:${OPERATOR}`]: accounts.commission,
      [`operator:${OPERATOR}`]: accounts.operator,
    })
      .filter(([, cents]) => cents !== 0n)
      .map(([account, cents]) => `vendor ${vendorId} has ${cents} in ${account}`),
  );
  const payments = model.payments.flatMap(({ row, outcome, stage, cases }) => [
    `payment ${row.paymentId} is in ${outcome ?? stage}`,
    ...[...cases].map((kind) => `payment ${row.paymentId} has a case of ${kind}`),
  ]);
  return [...balances, ...payments];
}

/** Checks that the answers to vendors about their payments equal the model. */
export async function compareAnswers(model: Model, system: RunSystem): Promise<void> {
  for (const vendorId of system.vendorIds) {
    const known = model.payments
      .filter(({ row }) => row.vendorId === vendorId)
      .toSorted((a, b) => (a.row.paymentId < b.row.paymentId ? 1 : -1));
    const rows = await readStatuses(
      system.books.pool,
      known.map(({ row: { paymentId } }) => ({ vendorId, paymentId })),
    );
    expect(rows.map((row) => row && [row.paymentId, statusOf(row.outcome, row.underWay)])).toEqual(
      known.map(({ row, outcome, stage }) => [
        row.paymentId,
        statusOf(outcome, stage === 'verify'),
      ]),
    );
  }
}

/** Checks every invariant of the books, for this run's vendors. */
export async function checkBooks(system: RunSystem): Promise<void> {
  await completeChain(system.books.pool, system.books.ledgerMac);
  const violations = await findViolations(system.books.pool);
  expect(violations.filter(({ vendorId }) => [0, ...system.vendorIds].includes(vendorId))).toEqual(
    [],
  );
}
