import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import type { Queryable } from '../../src/platform/db/pool.ts';
import { createInstructed, failedReport, openBooks, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { databaseTime, importLines } from '../support/reconciliation-fixture.ts';
import { until } from '../support/until.ts';
import { countWaiting } from '../support/waiting.ts';
import { approveResolution, proposeResolution } from '../support/approve-case.ts';

// The order of locks in src/payments/README.md: floats before cases. Whoever holds a float gets a case at once,
// although an import or an approval is under way: nothing that waits for the float has locked it.

let books: Books;
let folder: string;
beforeAll(async () => {
  books = await openBooks();
  folder = await mkdtemp(path.join(tmpdir(), 'malipo-locks-'));
});
afterAll(async () => {
  await books.close();
  await rm(folder, { recursive: true });
});

async function settled(outcome: typeof paidReport | typeof failedReport): Promise<NewPayment> {
  const vendorId = await books.addVendor(100_000n);
  const made = newPayment({ vendorId, amountCents: 10_000n, feeCents: 0n });
  await createInstructed(books.pool, [made]);
  await settlePayments(books.pool, [outcome(made)]);
  return made;
}

/** Runs `work` as a settlement that has the vendor's float, while what `start` starts waits for that float. */
async function whileHoldingFloat(
  vendorId: number,
  start: () => Promise<unknown>,
  work: (db: Queryable) => Promise<unknown>,
): Promise<void> {
  const holder = await books.owner.connect();
  try {
    await holder.query(`begin; set local lock_timeout = '2s'`);
    await holder.query(
      `select from accounts where vendor_id = $1 and account = 'float' for update`,
      [vendorId],
    );
    const started = start();
    const ended = Promise.allSettled([started]);
    await until('it waits for the float', async () => {
      return (await countWaiting(books.pool)) > 0;
    });
    await work(holder);
    await holder.query('commit');
    await ended;
    await started;
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

test('a settlement that adds to a case does not wait for an approval that waits for the float', async () => {
  const made = await settled(failedReport);
  const details = { token: '1' };
  await settlePayments(books.pool, [paidReport(made, { details })]);
  const [row] = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  const caseId = row?.caseId ?? '';
  const proposal = {
    ...{ resolution: 'charge_vendor', note: 'as agreed', amount_cents: null },
    ...{ operator_reference: null, message: null, details: null },
  };
  const proposed = await proposeResolution(books, { caseId, by: 'Asha', proposal });
  const proposalId = proposed.proposalId ?? '';
  await whileHoldingFloat(
    made.vendorId,
    async () => await approveResolution(books, { caseId, proposalId, by: 'Baraka' }),
    async (holder) => {
      await settlePayments(holder, [paidReport(made, { details: { token: '1' } })]);
      await holder.query('select from cases where case_id = $1 for update', [caseId]);
    },
  );
  const [after] = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  expect(after?.resolution).toBe('charge_vendor');
});

test('a settlement that opens a case does not wait for an import that waits for the float', async () => {
  const made = await settled(paidReport);
  const line = { of: made, amountCents: made.amountCents - 100n };
  // The statement settles it, for which the import needs the float.
  const open = newPayment({ ...made, paymentId: newId(), merchantReference: null });
  await createInstructed(books.pool, [open]);
  const to = await databaseTime(books);
  await whileHoldingFloat(
    made.vendorId,
    async () => await importLines(books, folder, [line, { of: open }], { to }),
    async (holder) => {
      const [result] = await settlePayments(holder, [paidReport(made, { paidCents: 9_900n })]);
      expect(result).toBe('repeated');
      // The case that both would open.
      await holder.query(
        `insert into cases (bucket, vendor_id, payment_id, kind, case_id, facts, opened_at)
         values (bucket_of($1), $1, $2, 'amount_difference', gen_random_uuid(), '{}', now())
         on conflict do nothing`,
        [made.vendorId, made.paymentId],
      );
    },
  );
  const cases = await listCasesAbout(books.pool, made.vendorId, made.paymentId);
  expect(cases.filter(({ kind }) => kind === 'amount_difference')).toHaveLength(1);
});
