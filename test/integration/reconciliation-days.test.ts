import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findViolations } from '../support/books-check.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { listCases } from '../../src/payments/cases/read-cases.ts';
import { closeDay, reportDay } from '../../src/payments/reconciliation/days.ts';
import type { CloseRequest, DayReport } from '../../src/payments/reconciliation/days.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { FinalReport, NewPayment } from '../../src/payments/create/payment.ts';
import { createInstructed, failedReport, OPERATOR, paidReport } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { createWireTime, periodOfDay } from '../../src/platform/base/clock.ts';
import { moved } from '../support/moved.ts';
import { newPayment } from '../support/new-transaction.ts';
import { databaseTime, HEADER, importLines } from '../support/reconciliation-fixture.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

// Days that are closed one after the other. In this test a "day" ends at any chosen time.

let folder: string;
const freshBooks = sharedBooks();
let books: Books;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
});
beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => {
  await books.close();
});
afterAll(async () => {
  await removeFolder(folder);
});

async function pay(vendorId: number, amountCents: bigint): Promise<NewPayment> {
  const made = newPayment({ vendorId, amountCents, feeCents: 100n });
  await createInstructed(books.pool, [made]);
  return made;
}

async function settle(report: FinalReport): Promise<void> {
  await settlePayments(books.pool, [report]);
}

/** A database time after everything so far and before everything that follows. */
async function boundary(): Promise<Date> {
  const at = new Date(Number(await databaseTime(books)) + 2);
  await expect.poll(async () => (await databaseTime(books)) > at, { interval: 2 }).toBe(true);
  return at;
}

function request(
  day: string,
  from: Date,
  to: Date,
  given: Partial<CloseRequest> = {},
): CloseRequest {
  const nothing = { withoutStatement: [], despiteOpenCases: false, note: null };
  return { day, from, to, by: 'Asha', ...nothing, ...given };
}

async function violations(): Promise<string[]> {
  return (await findViolations(books.pool)).map((found) => found.invariant);
}

function totalsOf(report: DayReport, vendorId: number, operatorCode: string) {
  const { totals } = report;
  return totals.find((row) => row.vendorId === vendorId && row.operatorCode === operatorCode);
}

const EXCEPTIONS = { withoutStatement: [OPERATOR], despiteOpenCases: true, note: 'none comes' };

describe('a closed day', () => {
  test('freezes its totals; a later correction counts on its own day', async () => {
    const start = new Date(Number(await databaseTime(books)) - 3_600_000);
    const vendorId = await books.addVendor();
    await books.addFloat(vendorId, 100_000n);
    const [done, failed, open] = [
      await pay(vendorId, 10_000n),
      await pay(vendorId, 20_000n),
      await pay(vendorId, 30_000n),
    ];
    await settle(paidReport(done));
    await settle(failedReport(failed));
    const lines = [{ of: done, operatorReference: 'A' }];
    await importLines(books, folder, lines, { from: start });
    const noon = await boundary();
    await importLines(books, folder, lines, { from: start, to: noon });

    const first = await closeDay(books.pool, request('2026-03-01', start, noon));
    expect(first.closed).toMatchObject({ day: '2026-03-01', closedBy: 'Asha', exceptions: {} });
    expect(totalsOf(first, vendorId, '')).toEqual({
      vendorId: vendorId,
      operatorCode: '',
      openingCents: 0n,
      inCents: 100_000n,
      paymentsCents: 10_000n,
      feesCents: 100n,
      vatCents: 0n,
      payoutsCents: 0n,
      costsCents: 0n,
      commissionsCents: 0n,
      refundsCents: 20_100n,
      correctionsCents: 0n,
      closingCents: 89_900n,
    });
    expect(totalsOf(first, vendorId, OPERATOR)).toMatchObject({
      openingCents: 0n,
      paymentsCents: 10_000n,
      closingCents: 10_000n,
    });

    // The next day: the open one is paid, and the failed one turns out to have been paid.
    await settle(paidReport(open));
    await settle(paidReport(failed, { source: 'callback' }));
    const [late] = await listCases(books.pool, { resolved: false, limit: 10 });
    const caseId = late?.caseId ?? '';
    const proposal = {
      resolution: 'charge_vendor',
      note: 'paid after all',
      amount_cents: null,
      operator_reference: null,
      message: null,
      details: null,
    };
    await proposeResolution(books, { caseId, by: 'Asha', proposal });
    await approveCurrent(books, { caseId, by: 'Baraka' });
    const night = await boundary();
    const second = await closeDay(books.pool, request('2026-03-02', noon, night, EXCEPTIONS));
    expect(totalsOf(second, vendorId, '')).toMatchObject({
      openingCents: 89_900n,
      inCents: 0n,
      paymentsCents: 30_000n,
      feesCents: 100n,
      correctionsCents: -20_100n,
      closingCents: 39_700n,
    });
    expect(totalsOf(second, vendorId, OPERATOR)).toMatchObject({
      openingCents: 10_000n,
      paymentsCents: 30_000n,
      correctionsCents: 20_000n,
      closingCents: 60_000n,
    });
    const again = await reportDay(books.pool, { day: '2026-03-01', from: start, to: noon });
    expect(again.totals).toEqual(first.totals);
    expect(await violations()).toEqual([]);
  });

  test('tampering with a closed day is found', async () => {
    const start = new Date(Number(await databaseTime(books)) - 3_600_000);
    const vendorId = await books.addVendor();
    await books.addFloat(vendorId, 100_000n);
    const noon = await boundary();
    await closeDay(books.pool, request('2026-03-01', start, noon));
    await books.addFloat(vendorId, 500n);
    const night = await boundary();
    await closeDay(books.pool, request('2026-03-02', noon, night));
    expect(await violations()).toEqual([]);
    for (const [change, undo] of [
      [
        `update day_totals set in_cents = in_cents + 1 where day = '2026-03-01'`,
        `update day_totals set in_cents = in_cents - 1 where day = '2026-03-01'`,
      ],
      [
        `update day_totals set opening_cents = opening_cents + 1, closing_cents = closing_cents + 1
         where day = '2026-03-02'`,
        `update day_totals set opening_cents = opening_cents - 1, closing_cents = closing_cents - 1
         where day = '2026-03-02'`,
      ],
      // A transfer that was added to the closed day afterwards.
      [
        `update transfers set created_at = ${moved('created_at', '-1 minute')} where amount_cents = 500`,
        `update transfers set created_at = ${moved('created_at', '1 minute')} where amount_cents = 500`,
      ],
    ] as const) {
      await books.owner.query(change);
      expect(new Set(await violations())).toEqual(new Set(['closed_days_frozen']));
      await books.owner.query(undo);
    }
    expect(await violations()).toEqual([]);
  });
});

describe('a day is not closed', () => {
  test('a day is not closed before it is over, twice, or out of turn', async () => {
    const start = new Date(Number(await databaseTime(books)) - 3_600_000);
    const future = new Date(Number(start) + 7_200_000);
    await expect(closeDay(books.pool, request('2026-03-01', start, future))).rejects.toThrow(
      'is not over',
    );
    const noon = await boundary();
    await closeDay(books.pool, request('2026-03-01', start, noon));
    await expect(closeDay(books.pool, request('2026-03-01', start, noon))).rejects.toThrow(
      'already closed',
    );
    const later = await boundary();
    const gap = new Date(Number(noon) + 1);
    await expect(closeDay(books.pool, request('2026-03-03', gap, later))).rejects.toThrow(
      'The last closed day is 2026-03-01. Days are closed one after the other, without a gap: the next one is 2026-03-02.',
    );
  });

  test('a day in another time zone than the last one is not closed', async () => {
    const dayIn = (zone: string, day = '2024-03-02'): CloseRequest => {
      const { from, to } = periodOfDay(day, createWireTime(zone)) ?? {};
      return request(day, from ?? new Date(0), to ?? new Date(0));
    };
    await closeDay(books.pool, dayIn('Africa/Nairobi', '2024-03-01'));
    await expect(closeDay(books.pool, dayIn('UTC'))).rejects.toThrow(
      'The last closed day, 2024-03-01, ended at 2024-03-02T00:00:00+03:00, but 2024-03-02 begins at 2024-03-02T00:00:00+00:00 in TIME_ZONE. Days are closed without a gap, so TIME_ZONE must be the time zone that 2024-03-01 was closed with.',
    );
    await expect(closeDay(books.pool, dayIn('America/New_York'))).rejects.toThrow(
      '2024-03-02 begins at 2024-03-02T00:00:00-05:00',
    );
    // Another zone with the same midnight leaves no gap.
    expect((await closeDay(books.pool, dayIn('Europe/Istanbul'))).closed).not.toBeNull();
  });

  test('while a database transaction that began before its end may still add to it', async () => {
    const start = new Date(Number(await databaseTime(books)) - 3_600_000);
    const running = await books.pool.connect();
    await running.query('begin');
    await running.query('select 1');
    const noon = await boundary();
    await expect(closeDay(books.pool, request('2026-03-01', start, noon))).rejects.toThrow(
      'still running',
    );
    await running.query('rollback');
    running.release();
    await closeDay(books.pool, request('2026-03-01', start, noon));
  });

  test('while statements are missing or cases are open, unless they are named with a reason', async () => {
    const start = new Date(Number(await databaseTime(books)) - 3_600_000);
    const vendorId = await books.addVendor(1_000_000n);
    const [paid, failed] = [await pay(vendorId, 10_000n), await pay(vendorId, 20_000n)];
    await settle(paidReport(paid));
    await settle(failedReport(failed));
    await settle(paidReport(failed, { source: 'callback' }));
    const noon = await boundary();
    const close = async (given: Partial<CloseRequest> = {}): Promise<DayReport> =>
      await closeDay(books.pool, request('2026-03-01', start, noon, given));
    await expect(close()).rejects.toThrow(
      /no complete statement covers the day of kplc.*open cases: 1.*a note has to say why/,
    );
    await expect(close({ despiteOpenCases: true, note: 'x' })).rejects.toThrow('of kplc');
    await expect(close({ withoutStatement: [OPERATOR], note: 'x' })).rejects.toThrow(
      'open cases: 1',
    );
    await expect(close({ ...EXCEPTIONS, note: null })).rejects.toThrow('a note has to say why');
    expect((await close(EXCEPTIONS)).closed?.exceptions).toEqual({
      without_statement: [OPERATOR],
      open_cases: 1,
      note: 'none comes',
    });
    expect(await violations()).toEqual([]);
  });
});

describe('the operators of a day', () => {
  test('have the amounts that their statements list last', async () => {
    const from = new Date(Number(await databaseTime(books)) - 3_600_000);
    const made = await pay(await books.addVendor(100_000n), 10_000n);
    await settle(paidReport(made));
    const to = await boundary();
    const listed = async (amountCents: bigint): Promise<void> => {
      const movements = [
        { of: made, operatorReference: 'A', amountCents },
        { type: 'top_up', operatorReference: 'B', amountCents: amountCents * 2n },
      ];
      await importLines(books, folder, movements, { from, to });
    };
    const day = { day: '2026-03-01', from, to };
    for (const cents of [10_000n, 8_000n, 9_000n]) {
      await listed(cents);
      expect((await reportDay(books.pool, day)).operators).toMatchObject([
        {
          openingCents: 100_000_000n,
          paymentsCents: cents,
          topUpsCents: cents * 2n,
          closingCents: 100_000_000n + cents,
        },
      ]);
    }
  });

  test('have their balances, also if a further statement has none', async () => {
    const to = await databaseTime(books);
    const from = new Date(Number(to) - 3_600_000);
    await importLines(books, folder, [], { from, to });
    const text = `${HEADER}\r\ncharge,${from.toISOString()},C,,,,1.00,KES\r\n`;
    await importLines(books, folder, [], { from, to, text, complete: false });
    expect((await reportDay(books.pool, { day: '2026-03-01', from, to })).operators).toMatchObject([
      { openingCents: 100_000_000n, closingCents: 100_000_000n },
    ]);
  });
});
