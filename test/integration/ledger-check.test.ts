import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { completeChain } from '../../src/payments/ledger/chain.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { FinalReport, NewPayment } from '../../src/payments/create/payment.ts';
import { startDispatch } from '../support/dispatch-fixture.ts';
import { putBiller } from '../../src/payments/billers/store.ts';
import {
  billerRecord,
  createInstructed,
  failedReport,
  openBooks,
  OPERATOR,
  paidReport,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { createScriptedConnector, DECLINED, paid, SILENCE } from '../support/scripted-connector.ts';
import { until } from '../support/until.ts';

// Every invariant of the books: when a test breaks it, exactly this one is reported.

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(async () => {
  await books.close();
});

/** A vendor with one payment of every kind. */
interface Busy {
  readonly vendorId: number;
  /** Not sent yet. */
  readonly queued: NewPayment;
  readonly sent: NewPayment;
  readonly paid: NewPayment;
  readonly failed: NewPayment;
}

async function settle(report: FinalReport): Promise<void> {
  await settlePayments(books.pool, [report]);
}

/** Records the attempt as proven not executed, whatever else is known about it. */
async function spendAttempt(paymentId: string, attemptNumber: number): Promise<void> {
  await run(
    `insert into unexecuted_attempts (bucket, vendor_id, biller_code, payment_id, attempt_number, sent_at,
       ended_at)
     select bucket_of(vendor_id), vendor_id, biller_code, payment_id, $2, now(), now() from payments
     where payment_id = $1`,
    [paymentId, attemptNumber],
  );
}

async function makeBusy(): Promise<Busy> {
  const vendorId = await books.addVendor(1_000_000n);
  const [queued, sent, done, failed] = [0, 1, 2, 3].map((index) =>
    newPayment({ vendorId, amountCents: 1_000n + BigInt(index), feeCents: 10n }),
  );
  if (!queued || !sent || !done || !failed) throw new Error('nothing was made');
  await createInstructed(books.pool, [sent, done, failed]);
  await createPayments(books.pool, [queued]);
  await settle(paidReport(done));
  await settle(failedReport(failed));
  return { vendorId, queued, sent, paid: done, failed };
}

/** Names of the invariants that the vendor's books break, each once. */
async function brokenFor(vendorId: number): Promise<string[]> {
  const { violations } = await checkLedger(books.pool);
  return [
    ...new Set(
      violations
        .filter((violation) => violation.vendorId === vendorId)
        .map((violation) => violation.invariant),
    ),
  ];
}

async function run(sql: string, values: readonly unknown[]): Promise<void> {
  const done = await books.owner.query(sql, [...values]);
  if (done.rowCount === 0) throw new Error(`nothing was changed by: ${sql}`);
}

async function changeBalance(vendorId: number, account: string, cents: number): Promise<void> {
  await run(
    'update accounts set balance_cents = balance_cents + $3 where vendor_id = $1 and account = $2',
    [vendorId, account, cents],
  );
}

/** Adds a transfer of 5 cents without a known source, and adjusts the balances. */
async function addUnmatched(
  vendorId: number,
  from: string,
  to: string,
  { of = newId(), leg = 1 }: { readonly of?: string; readonly leg?: number } = {},
): Promise<void> {
  await run(
    `insert into transfers (bucket, created_at, amount_cents, source_id, vendor_id, leg, debit_account,
       credit_account) values (bucket_of($2), now(), 5, $1, $2, $5, $3, $4)`,
    [of, vendorId, from, to, leg],
  );
  await changeBalance(vendorId, from, -5);
  await changeBalance(vendorId, to, 5);
}

interface Planted {
  readonly invariant: string;
  readonly by: string;
  readonly plant: (busy: Busy) => Promise<void>;
  /** Default: the vendor that the fault was planted with. */
  readonly vendorId?: number;
  /** Invariants that necessarily break together with it. */
  readonly along?: readonly string[];
}

/** Faults in every time that decides when a row is chained. */
const FUTURE: readonly Planted[] = [
  ['payments', 'settled_at', `outcome = 'success'`],
  ['transfers', 'created_at', 'leg = 1'],
  ['collections', 'created_at', 'true'],
  ['fund_movements', 'created_at', 'true'],
].map(([table, column, rows]) => ({
  invariant: 'nothing_in_future',
  by: `${table}.${column} of tomorrow`,
  plant: async ({ vendorId }) =>
    await run(
      `update ${table} set ${column} = now() + interval '1 day' where vendor_id = $1 and ${rows}`,
      [vendorId],
    ),
}));

const PLANTED: readonly Planted[] = [
  ...FUTURE,
  {
    invariant: 'nothing_in_future',
    by: 'a correction of tomorrow',
    plant: async ({ vendorId }) =>
      await run(
        `insert into corrections (bucket, vendor_id, correction_id, case_id, resolution,
           amount_cents, posted_at)
         values (bucket_of($1), $1, $2, $3, 'keep_books', 0, now() + interval '1 day')`,
        [vendorId, newId(), newId()],
      ),
  },
  {
    invariant: 'rows_in_bucket',
    by: 'a webhook in another bucket',
    plant: async ({ vendorId }) =>
      await run(
        `insert into webhooks (bucket, vendor_id, url, allows_private, changed_at)
         values (bucket_of($1) + 1, $1, 'https://example.com', false, now())`,
        [vendorId],
      ),
  },
  {
    invariant: 'balances_equal_transfers',
    by: 'money that moved without a transfer',
    plant: async ({ vendorId }) => {
      await changeBalance(vendorId, 'float', -1);
      await changeBalance(vendorId, 'fees', 1);
    },
  },
  {
    invariant: 'balances_equal_transfers',
    by: 'an account that is gone',
    plant: async ({ vendorId }) =>
      await run('delete from accounts where vendor_id = $1 and account = $2', [
        vendorId,
        `operator:${OPERATOR}`,
      ]),
    along: ['balances_sum_to_zero'],
  },
  {
    invariant: 'balances_sum_to_zero',
    by: 'money from nowhere',
    plant: async ({ vendorId }) => await changeBalance(vendorId, 'float', 1),
    along: ['balances_equal_transfers'],
  },
  {
    invariant: 'never_negative',
    by: 'more funded than was collected',
    plant: async ({ vendorId }) => {
      await books.owner.query('alter table accounts drop constraint accounts_never_negative');
      const movementId = newId();
      await run(
        `insert into fund_movements (bucket, vendor_id, requested_at, movement_id, amount_cents, created_at)
         values (bucket_of($1), $1, now(), $2, 5, now())`,
        [vendorId, movementId],
      );
      await run(
        `insert into transfers (bucket, created_at, amount_cents, source_id, vendor_id, leg, debit_account,
           credit_account) values (bucket_of($2), now(), 5, $1, $2, 1, 'collected', 'float')`,
        [movementId, vendorId],
      );
      await changeBalance(vendorId, 'collected', -5);
      await changeBalance(vendorId, 'float', 5);
    },
  },
  {
    invariant: 'reserved_equals_open',
    by: 'a reservation that was released for no transaction',
    plant: async ({ vendorId }) => await addUnmatched(vendorId, 'reserved', 'float'),
  },
  {
    invariant: 'payment_reserves_once',
    by: 'amounts that changed after they were reserved',
    plant: async ({ vendorId, queued, sent }) =>
      await run(
        `update payments set amount_cents = $2 - amount_cents
         where vendor_id = $1 and payment_id = any($3)`,
        [vendorId, queued.amountCents + sent.amountCents, [queued.paymentId, sent.paymentId]],
      ),
  },
  {
    invariant: 'payment_reserves_once',
    by: 'a reservation of no transaction',
    plant: async ({ vendorId }) => await addUnmatched(vendorId, 'float', 'reserved'),
    along: ['reserved_equals_open'],
  },
  {
    invariant: 'outcome_equals_resolution',
    by: 'outcomes that were exchanged',
    plant: async ({ paid: done, failed }) =>
      await run(
        `update payments set outcome = case outcome when 'failed' then 'success' else 'failed' end,
           failure_code = case outcome when 'success' then 'other' end
         where payment_id = any($1)`,
        [[done.paymentId, failed.paymentId]],
      ),
    along: [],
  },
  ...(['paid', 'failed'] as const).map((which) => ({
    invariant: 'outcome_equals_resolution',
    by: `a ${which} transaction whose resolution belongs to nothing`,
    plant: async (busy: Busy) =>
      await run('update transfers set source_id = $2 where source_id = $1 and leg > 1', [
        busy[which].paymentId,
        newId(),
      ]),
  })),
  {
    invariant: 'outcome_equals_resolution',
    by: 'an open transaction whose reservation was resolved',
    plant: async ({ sent, paid: done }) =>
      await run('update transfers set source_id = $2 where source_id = $1 and leg > 1', [
        done.paymentId,
        sent.paymentId,
      ]),
  },
  {
    invariant: 'outcome_equals_resolution',
    by: 'a fee that went to the operator',
    plant: async ({ vendorId, paid: done }) => {
      await run(
        `update transfers set credit_account = $2 where source_id = $1 and credit_account = 'fees'`,
        [done.paymentId, `operator:${OPERATOR}`],
      );
      await changeBalance(vendorId, 'fees', -10);
      await changeBalance(vendorId, `operator:${OPERATOR}`, 10);
    },
  },
  {
    invariant: 'open_has_no_end',
    by: 'an open transaction with a token',
    plant: async ({ queued }) =>
      await run(`update payments set details = '{"token": "1"}' where payment_id = $1`, [
        queued.paymentId,
      ]),
  },
  {
    invariant: 'open_equals_queued',
    by: 'an open transaction that is not queued',
    plant: async ({ queued }) =>
      await run('delete from dispatch_queue where payment_id = $1', [queued.paymentId]),
  },
  {
    invariant: 'open_equals_queued',
    by: 'a settled transaction that is queued',
    plant: async ({ vendorId, failed }) =>
      await run(
        `insert into dispatch_queue (bucket, due_at, payment_id, vendor_id, biller_code)
         select bucket_of(vendor_id), now() + interval '1 day', payment_id, vendor_id, biller_code
         from payments where vendor_id = $1 and payment_id = $2`,
        [vendorId, failed.paymentId],
      ),
  },
  {
    invariant: 'open_equals_queued',
    by: 'a payment that is also queued for another biller',
    plant: async ({ sent }) =>
      await run(
        `insert into dispatch_queue (bucket, due_at, payment_id, vendor_id, biller_code)
         select bucket_of(vendor_id), due_at, payment_id, vendor_id, $2
         from dispatch_queue where payment_id = $1`,
        [sent.paymentId, 'kplc_postpaid'],
      ),
  },
  {
    invariant: 'nothing_in_future',
    by: 'a payment of tomorrow',
    plant: async ({ queued }) =>
      await run(`update payments set created_at = now() + interval '1 day' where payment_id = $1`, [
        queued.paymentId,
      ]),
    along: ['fees_by_price'],
  },
  {
    invariant: 'attempts_end_once',
    by: 'an attempt that is under way and ended',
    plant: async ({ sent }) => await spendAttempt(sent.paymentId, 1),
  },
  {
    invariant: 'attempts_end_once',
    by: 'an attempt that the operator executed, and did not',
    plant: async ({ paid: done }) => await spendAttempt(done.paymentId, 1),
  },
  {
    invariant: 'attempts_have_payments',
    by: 'an instruction for nothing',
    plant: async ({ vendorId }) =>
      await run(
        `insert into unexecuted_attempts (bucket, sent_at, ended_at, payment_id, vendor_id, attempt_number,
           biller_code)
         values (bucket_of($1), now(), now(), $2, $1, 1, 'kplc_prepaid')`,
        [vendorId, newId()],
      ),
  },
  {
    invariant: 'success_was_instructed',
    by: 'a success without an instruction',
    plant: async ({ paid: done }) =>
      await run(
        `update payments
         set sent_at = null, attempt_number = null, attempt_outcome = null, settled_by = null
         where payment_id = $1`,
        [done.paymentId],
      ),
  },
  {
    invariant: 'movements_equal_transfers',
    by: 'a collection that is gone',
    plant: async ({ vendorId }) =>
      await run('delete from collections where vendor_id = $1', [vendorId]),
  },
  {
    invariant: 'movements_equal_transfers',
    by: 'a fund movement of another amount',
    plant: async ({ vendorId }) =>
      await run('update fund_movements set amount_cents = amount_cents + 1 where vendor_id = $1', [
        vendorId,
      ]),
  },
  {
    invariant: 'corrections_equal_transfers',
    by: 'money that was moved by nobody’s decision',
    plant: async ({ vendorId }) => await addUnmatched(vendorId, 'float', 'fees'),
  },
  {
    invariant: 'own_corrections_decided',
    by: 'a correction between our own accounts that no case asked for',
    vendorId: 0,
    plant: async () =>
      await run(
        `insert into corrections (bucket, vendor_id, correction_id, case_id, resolution, amount_cents,
           posted_at)
         values (bucket_of(0), 0, $1, $2, 'house_bears', 5, now())`,
        [newId(), newId()],
      ),
    along: ['corrections_equal_transfers'],
  },
  {
    invariant: 'outcome_equals_correction',
    by: 'a correction that the transaction does not show',
    plant: async ({ vendorId, failed }) =>
      await run(
        `with resolved as (
           insert into cases (bucket, vendor_id, payment_id, kind, case_id, facts, opened_at,
             proposed_by, resolution, resolved_by, resolved_at)
           values (bucket_of($1), $1, $2, 'contradiction', $3, '{}', now(), 'one', 'charge_vendor', 'two', now())
         )
         insert into corrections (bucket, vendor_id, correction_id, case_id, payment_id, resolution,
           amount_cents, posted_at, outcome_before, outcome_after, settled_before)
         values (bucket_of($1), $1, $4, $3, $2, 'charge_vendor', 5, now(), 'failed', 'success', sha256(''))`,
        [vendorId, failed.paymentId, newId(), newId()],
      ),
    along: ['corrections_equal_transfers'],
  },
  {
    invariant: 'openings_equal_transfers',
    by: 'a balance from another system that nobody decided',
    plant: async ({ vendorId }) => {
      await run(
        `insert into accounts (bucket, vendor_id, account) values (bucket_of($1), $1, 'opening')`,
        [vendorId],
      );
      await addUnmatched(vendorId, 'opening', 'float');
    },
  },
  {
    invariant: 'vendor_hours_equal_transfers',
    by: 'a sum of an hour without transfers',
    plant: async ({ vendorId }) =>
      await run(
        `insert into transfer_vendor_hours (bucket, vendor_id, hour, count, payments, amount_cents,
           debit_account, credit_account)
         values (bucket_of($1), $1, '2020-01-01Z', 1, 0, 5, 'float', 'reserved')`,
        [vendorId],
      ),
  },
  {
    invariant: 'days_equal_hours',
    by: 'a sum of a day without hours',
    plant: async ({ vendorId }) =>
      await run(
        `insert into transfer_days (bucket, vendor_id, day, count, payments, amount_cents,
           debit_account, credit_account)
         values (bucket_of($1), $1, '2020-01-01Z', 1, 0, 5, 'float', 'reserved')`,
        [vendorId],
      ),
  },
  {
    invariant: 'weeks_equal_days',
    by: 'a sum of a week without days',
    plant: async ({ vendorId }) =>
      await run(
        `insert into transfer_weeks (bucket, vendor_id, week, count, payments, amount_cents,
           debit_account, credit_account)
         values (bucket_of($1), $1, '2020-01-06Z', 1, 0, 5, 'float', 'reserved')`,
        [vendorId],
      ),
  },
  {
    invariant: 'hours_equal_transfers',
    by: 'a sum of an hour without transfers',
    vendorId: 0,
    plant: async () =>
      await run(
        `insert into transfer_hours (hour, count, payments, amount_cents, is_own, biller_code,
           operator_code, debit_account, credit_account)
         values ('2020-01-01Z', 1, 0, 5, false, '', '', 'float', 'reserved')`,
        [],
      ),
  },
  {
    invariant: 'fees_by_price',
    by: 'a fee that no price is recorded for',
    plant: async ({ paid: done }) =>
      await run('update payments set fee_price = null where payment_id = $1', [done.paymentId]),
  },
  {
    invariant: 'fees_by_price',
    by: 'VAT that the recorded price does not have',
    plant: async ({ queued }) =>
      await run('update payments set vat_cents = 1 where payment_id = $1', [queued.paymentId]),
  },
  {
    invariant: 'operator_price_in_force',
    by: 'an operator’s price that does not exist',
    plant: async ({ paid: done }) =>
      await run('update payments set operator_price = 77 where payment_id = $1', [done.paymentId]),
  },
  {
    invariant: 'operator_prices_posted',
    by: 'a cost without a price',
    plant: async ({ vendorId, paid: done }) => {
      await run(
        `insert into accounts (bucket, vendor_id, account) values (bucket_of($1), $1, 'cost:kplc')`,
        [vendorId],
      );
      await addUnmatched(vendorId, 'cost:kplc', 'operator:kplc', { of: done.paymentId, leg: 8 });
    },
  },
  {
    invariant: 'corrected_by_price',
    by: 'a correction that leaves the operator with the fee',
    plant: async ({ vendorId, failed }) => {
      await settle(paidReport(failed));
      const cases = await listCasesAbout(books.pool, vendorId, failed.paymentId);
      const caseId = cases[0]?.caseId ?? '';
      const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
      const proposal = { resolution: 'charge_vendor', note: 'paid after all', ...terms };
      await proposeResolution(books, { caseId, by: 'Asha', proposal });
      await approveCurrent(books, { caseId, by: 'Baraka' });
      await run(
        `update transfers set credit_account = 'operator:kplc'
         where vendor_id = $1 and credit_account = 'fees' and debit_account = 'float'`,
        [vendorId],
      );
      await changeBalance(vendorId, 'fees', -10);
      await changeBalance(vendorId, 'operator:kplc', 10);
    },
  },
  {
    invariant: 'closed_days_frozen',
    by: 'a closed day with money that never moved',
    plant: async ({ vendorId }) => {
      await books.pool.query(
        `insert into closed_days (day, started_at, ended_at, closed_at, closed_by, exceptions)
         values ('2000-01-01', '2000-01-01', '2000-01-02', now(), 'nobody', '{}')`,
      );
      await run(
        `insert into day_totals (bucket, day, vendor_id, operator_code, opening_cents, in_cents,
           payments_cents, fees_cents, vat_cents, payouts_cents, costs_cents, commissions_cents,
           refunds_cents, corrections_cents, closing_cents)
         values (bucket_of($1), '2000-01-01', $1, '', 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 5)`,
        [vendorId],
      );
    },
  },
  {
    invariant: 'house_equals_sources',
    by: 'an approved entry that was never booked',
    vendorId: 0,
    plant: async () => {
      await books.pool.query(
        `insert into house_entries (entry_id, kind, subject, reference, debit_account, credit_account,
           amount_cents, moved_at, note, proposed_by, decided_by, decided_at)
         values (gen_random_uuid(), 'top_up', 'kplc', 'R', 'operator-float:kplc', 'suspense', 5, now(), '',
           'Asha', 'Baraka', now())`,
      );
    },
  },
  {
    invariant: 'receipts_are_collected',
    by: 'a receipt that counts as credited and was never collected',
    plant: async ({ vendorId }) => {
      await books.pool.query(
        `insert into receipts (paid_at, received_at, amount_cents, receipt_id, vendor_id, issuer, receipt,
           source_code, collector, bank, state, mac)
         values (now(), now(), 5, gen_random_uuid(), $1, 'bank', 'FT26005001', 'bank', 'till', 'bank', 'credited', '')`,
        [vendorId],
      );
    },
  },
  {
    invariant: 'receipts_reversed_as_reported',
    by: 'a receipt that counts as taken back, which nobody reported',
    vendorId: 0,
    plant: async () => {
      await books.pool.query(
        `insert into receipts (paid_at, received_at, amount_cents, receipt_id, issuer, receipt,
           source_code, collector, bank, state, mac, reversed_at)
         values (now(), now(), 5, gen_random_uuid(), 'bank', 'FT26005003', 'bank', 'till', 'bank', 'unmatched', '', now())`,
      );
    },
  },
  {
    invariant: 'receipts_allocated',
    by: 'a receipt without a vendor that is no liability',
    vendorId: 0,
    plant: async () => {
      await books.pool.query(
        `insert into receipts (paid_at, received_at, amount_cents, receipt_id, issuer, receipt,
           source_code, collector, bank, is_unallocated, state, mac)
         values (now(), now(), 5, gen_random_uuid(), 'bank', 'FT26005007', 'bank', 'till', 'bank', true, 'unmatched', '')`,
      );
    },
  },
  {
    invariant: 'reversals_booked',
    by: 'a reversal that did not leave the bank',
    vendorId: 0,
    plant: async () => {
      const receiptId = newId();
      await books.pool.query(
        `insert into receipts (paid_at, received_at, amount_cents, receipt_id, issuer, receipt,
           source_code, collector, bank, state, mac, reversed_at)
         values (now(), now(), 5, $1, 'bank', 'FT26005008', 'bank', 'till', 'bank', 'unmatched', '', now())`,
        [receiptId],
      );
      await books.pool.query(
        `insert into receipt_events (at, receipt_id, event_id, action, actor, detail)
         values (now(), $1, gen_random_uuid(), 'reversed', 'Asha', '{"cents": 5, "repeat": false}')`,
        [receiptId],
      );
    },
  },
  {
    invariant: 'receipts_exist',
    by: 'a report of a receipt that is gone',
    vendorId: 0,
    plant: async () => {
      await books.pool.query(
        `insert into receipt_reports (reported_at, paid_at, amount_cents, receipt_id, source_code, channel, account)
         values (now(), now(), 5, gen_random_uuid(), 'bank', 'statement', '')`,
      );
    },
  },
  {
    invariant: 'receipts_stay_closed',
    by: 'a receipt that was opened again after two people had closed it',
    vendorId: 0,
    plant: async () => {
      const receiptId = newId();
      await books.pool.query(
        `insert into receipts (paid_at, received_at, amount_cents, receipt_id, issuer, receipt,
           source_code, collector, bank, state, mac)
         values (now(), now(), 5, $1, 'bank', 'FT26005002', 'bank', 'till', 'bank', 'unmatched', '')`,
        [receiptId],
      );
      await books.pool.query(
        `insert into receipt_events (at, receipt_id, event_id, action, actor, detail)
         values (now(), $1, gen_random_uuid(), 'approved', 'Baraka', '{"decision": "close"}')`,
        [receiptId],
      );
    },
  },
  {
    invariant: 'receipts_moved_as_decided',
    by: 'a receipt as it was before two people moved it',
    vendorId: 0,
    plant: async () => {
      const receiptId = newId();
      await books.pool.query(
        `insert into receipts (paid_at, received_at, amount_cents, receipt_id, issuer, receipt,
           source_code, collector, bank, state, mac)
         values (now(), now(), 5, $1, 'bank', 'FT26005004', 'bank', 'till', 'bank', 'unmatched', '')`,
        [receiptId],
      );
      await books.pool.query(
        `insert into receipt_events (at, receipt_id, event_id, action, actor, detail)
         values (now(), $1, gen_random_uuid(), 'approved', 'Baraka', '{"decision": "move"}')`,
        [receiptId],
      );
    },
  },
  {
    invariant: 'receipts_taken_back_once',
    by: 'more taken back than the amount of the receipt',
    plant: async ({ vendorId }) => {
      const caseId = newId();
      const facts = '{"receipt": "TB1", "paid_cents": 5}';
      await run(
        `insert into cases (bucket, vendor_id, kind, case_id, evidence_id, facts, opened_at)
         values (bucket_of($1), $1, 'receipt_reversed', $2, gen_random_uuid(), $3, now())`,
        [vendorId, caseId, facts],
      );
      await run(
        `insert into corrections (bucket, vendor_id, correction_id, case_id, resolution, amount_cents,
           posted_at)
         values (bucket_of($1), $1, gen_random_uuid(), $2, 'take_back', 6, now())`,
        [vendorId, caseId],
      );
    },
  },
  {
    invariant: 'house_equals_journals',
    by: 'an approved journal that was never booked',
    vendorId: 0,
    plant: async () => {
      await books.pool.query(
        `insert into house_journals (journal_id, reference, lines, moved_at, note, evidence, proposed_by,
           decided_by, decided_at)
         values (gen_random_uuid(), 'J', '[{"account": "suspense", "side": "debit", "cents": "5"},
             {"account": "income:x", "side": "credit", "cents": "5"}]', now(), 'x', 'x', 'Asha',
           'Baraka', now())`,
      );
    },
  },
  {
    invariant: 'accounts_in_chart',
    by: 'an account of the house that nobody decided',
    vendorId: 0,
    plant: async () => {
      await books.pool.query(
        `insert into house_accounts (added_at, account_id, account, title, proposed_by, decided_by)
         values (now(), gen_random_uuid(), 'asset:x', 'x', 'Asha', 'Baraka')`,
      );
    },
  },
  {
    invariant: 'payouts_equal_transfers',
    by: 'a payout that was never booked',
    plant: async ({ vendorId }) =>
      await run(
        `insert into vendor_payouts (payout_id, vendor_id, amount_cents, bank, bank_account, reference, evidence,
           note, proposed_by, decided_by, posted_at, mac)
         values (gen_random_uuid(), $1, 5, 'main', 'x', 'x', 'x', 'x', 'Asha', 'Baraka', now(), '')`,
        [vendorId],
      ),
  },
  {
    invariant: 'holds_equal_proposals',
    by: 'a payout that waits without its money',
    plant: async ({ vendorId }) =>
      await run(
        `insert into proposals (proposed_at, proposal_id, kind, about, content, shown, note, proposed_by,
           vendor_id, mac)
         values (now(), gen_random_uuid(), 'payout', 'x', '{"cents": "5"}', '[]', 'x', 'Asha', $1, '')`,
        [vendorId],
      ),
  },
  {
    invariant: 'disbursements_equal_proposals',
    by: 'a payment to a phone that nobody approved',
    plant: async ({ vendorId }) => {
      const billerCode = 'phones';
      await putBiller(books.pool, billerRecord(billerCode, { category: 'disbursements' }));
      await createPayments(books.pool, [newPayment({ vendorId, billerCode, feePrice: null })]);
    },
  },
  {
    invariant: 'house_confirmations_listed',
    by: 'an entry that a row of no statement confirms',
    vendorId: 0,
    plant: async () => {
      await books.pool.query(
        `insert into house_entries (entry_id, kind, subject, reference, debit_account, credit_account,
           amount_cents, moved_at, note, proposed_by, decided_by, decided_at, row_id)
         values (gen_random_uuid(), 'top_up', 'kplc', 'X', 'operator-float:kplc', 'suspense', 5, now(),
           '', 'Asha', 'Baraka', now(), gen_random_uuid())`,
      );
    },
  },
  {
    invariant: 'house_opening_listed',
    by: 'an opening that no statement has',
    vendorId: 0,
    plant: async () => {
      await books.pool.query(
        `insert into house_transfers (transfer_id, source, source_id, part, debit_account,
           credit_account, amount_cents, moved_at, posted_at, mac)
         values (gen_random_uuid(), 'opening', gen_random_uuid(), 1, 'operator-float:kplc', 'opening', 5,
           now(), now(), '')`,
      );
    },
  },
  {
    invariant: 'house_openings_complete',
    by: 'an opening without what payments had consumed by then',
    vendorId: 0,
    plant: async () => {
      await books.pool.query(
        `with entry as (
           insert into house_entries (entry_id, kind, subject, reference, debit_account,
             credit_account, amount_cents, moved_at, note, proposed_by, decided_by,
             decided_at)
           values (gen_random_uuid(), 'opening', 'kplc', 'O', 'operator-float:kplc', 'opening', 5,
             now(), '', 'Asha', 'Baraka', now()) returning *
         )
         insert into house_transfers (transfer_id, source, source_id, part, debit_account,
           credit_account, amount_cents, moved_at, posted_at, mac)
         select gen_random_uuid(), 'entry', entry_id, 1, debit_account, credit_account, amount_cents,
           moved_at, now(), '' from entry`,
      );
    },
  },
  {
    invariant: 'messages_end_as_decided',
    by: 'an unread message that nobody decided to close',
    vendorId: 0,
    plant: async () => {
      await books.pool.query(
        `insert into unread_messages (received_at, last_received_at, decided_at, message_id, sender_kind, sender,
           channel, problem, state, sha256, body)
         values (now(), now(), now(), gen_random_uuid(), 'operator', 'kplc', 'callback', 'no amount', 'closed',
           sha256('{}'), '{}')`,
      );
    },
  },
  {
    invariant: 'archived_or_here',
    by: 'an archived payment that was not taken out',
    plant: async ({ vendorId }) =>
      await run(
        `insert into archived_payments (bucket, vendor_id, payment_id, archive_id, created_at,
           settled_at, outcome, biller_code, account, amount_cents, fee_cents,
           fee_price)
         select bucket_of(vendor_id), vendor_id, payment_id, gen_random_uuid(), created_at, settled_at, outcome,
           biller_code, account, amount_cents, fee_cents, fee_price
         from payments where vendor_id = $1 and outcome is not null limit 1`,
        [vendorId],
      ),
  },
];

describe('the ledger check', () => {
  test.each(PLANTED)(
    'reports $invariant: $by',
    async ({ invariant, plant, vendorId: given, along = [] }) => {
      const busy = await makeBusy();
      const vendorId = given ?? busy.vendorId;
      const before = new Set(await brokenFor(vendorId));
      if (given === undefined) expect(before).toEqual(new Set());
      await plant(busy);
      const broken = (await brokenFor(vendorId)).filter((name) => !before.has(name));
      expect(broken.toSorted()).toEqual([invariant, ...along].toSorted());
    },
  );

  test('has a planted violation for each invariant except those of test/security/tampering.test.ts', async () => {
    const { invariants } = await checkLedger(books.pool);
    const names = invariants.map((invariant) => invariant.name);
    expect([...new Set(PLANTED.map((planted) => planted.invariant))].toSorted()).toEqual(
      names
        .filter((name) => !/^chain_|_authentic$|^schema_intact$|^written_as_sent$/.test(name))
        .toSorted(),
    );
  });
});

describe('healthy books', () => {
  test('break nothing while payments run, and the chain is built', async () => {
    const fresh = await openBooks();
    const answers = [paid, () => DECLINED, () => SILENCE];
    let calls = 0;
    const operator = createScriptedConnector({
      pay: (instruction) => {
        calls += 1;
        return answers[calls % answers.length]?.(instruction) ?? SILENCE;
      },
      status: paid,
    });
    const dispatch = await startDispatch(fresh, { connectors: { [OPERATOR]: operator } });
    const vendorIds = await fresh.addVendors([10_000_000n, 10_000_000n]);
    const running = { creating: true };
    const clients = vendorIds.map(async (vendorId) => {
      for (let round = 0; round < 25; round += 1) {
        const made = Array.from({ length: 4 }, () => newPayment({ vendorId, feeCents: 5n }));
        await createPayments(fresh.pool, made);
        dispatch.dispatcher.hint(made.map((one) => ({ ...one, stage: 'send' as const })));
        await fresh.addFloat(vendorId, 100n);
      }
    });
    const created = Promise.all(clients).finally(() => {
      running.creating = false;
    });
    let checks = 0;
    let blocks = 0;
    while (running.creating || dispatch.dispatcher.underWay > 0) {
      blocks += (await completeChain(fresh.pool, fresh.ledgerMac)).blocks;
      expect((await checkLedger(fresh.pool)).violations).toEqual([]);
      checks += 1;
    }
    await created;
    await dispatch.stop();
    // It waits for database transactions whose beginning is not known, such as those of a cluster’s own work.
    await until('a block is built', async () => {
      blocks += (await completeChain(fresh.pool, fresh.ledgerMac)).blocks;
      return blocks > 0;
    });
    const report = await checkLedger(fresh.pool);
    expect(report.violations).toEqual([]);
    expect(report.counted).toMatchObject({ vendors: 2, payments: 200, cases: 0 });
    expect(checks).toBeGreaterThan(0);
    await fresh.close();
  });
});
