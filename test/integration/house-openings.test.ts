import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { archivePayments } from '../../src/payments/archive/archive.ts';
import { openCase } from '../../src/payments/cases/cases-store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { completeSums } from '../../src/payments/ledger/sums.ts';
import { readSummedUntil } from '../../src/payments/ledger/sums-store.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { bookEntry } from '../support/house-decisions.ts';
import type { NamedEntry } from '../support/house-decisions.ts';
import { brokenInvariants } from '../support/books-check.ts';
import { instructNew, OPERATOR, paidReport } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { moved } from '../support/moved.ts';
import { databaseTime, importLines, statementText } from '../support/reconciliation-fixture.ts';
import { until } from '../support/until.ts';

// The ledger check computes the opening of a float again: it finds one that is missing or wrong, and
// nothing that happens later makes it a violation.

const freshBooks = sharedBooks();
let books: Books;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'house-openings-'));
});
afterAll(async () => await rm(folder, { recursive: true }));
beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => await books.close());

const violations = async (): Promise<string[]> => await brokenInvariants(books);

const instruct = async (amountCents: bigint): Promise<NewPayment> =>
  await instructNew(books, amountCents);

async function settle(payment: NewPayment): Promise<void> {
  await settlePayments(books.pool, [paidReport(payment)]);
}

/** A paid payment of a new vendor. */
async function pay(amountCents: bigint): Promise<NewPayment> {
  const made = await instruct(amountCents);
  await settle(made);
  return made;
}

async function enter(change: Partial<NamedEntry>): Promise<void> {
  await bookEntry(books, {
    operatorCode: OPERATOR,
    kind: 'opening',
    amountCents: 70_000n,
    reference: 'O',
    movedAt: new Date(),
    bank: null,
    note: 'entered by hand',
    by: 'Asha',
    ...change,
  });
}

async function openByEntry(): Promise<void> {
  await enter({ movedAt: await databaseTime(books) });
}

async function openByStatement(): Promise<void> {
  const from = await databaseTime(books);
  await importLines(books, folder, [], { from, openingCents: 70_000n, complete: false });
}

const OPENERS: readonly [string, () => Promise<void>][] = [
  ['an entry', openByEntry],
  ['a statement', openByStatement],
];

/** The operator never took it: it is returned to the vendor. */
async function correct({ vendorId, paymentId }: NewPayment): Promise<void> {
  const caseId = await openCase(books.pool, {
    vendorId,
    paymentId,
    kind: 'contradiction',
    evidenceId: null,
    operatorCode: OPERATOR,
    facts: { books_say: 'success', operator_says: 'failed' },
  });
  if (caseId === undefined) throw new Error('no case was opened');
  const proposal = {
    ...({ resolution: 'return_to_vendor', note: 'It was not paid.', amount_cents: null } as const),
    ...{ operator_reference: null, message: null, details: null },
  };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

describe('it finds', () => {
  test.each<[string, () => Promise<void>, string, readonly string[]]>([
    [
      'an entry without what payments had consumed',
      openByEntry,
      'delete from house_transfers where part = 2',
      [],
    ],
    [
      'an entry with another amount that payments had consumed',
      openByEntry,
      'update house_transfers set amount_cents = amount_cents - 1 where part = 2',
      ['house_authentic'],
    ],
    [
      'a statement whose opening is not booked',
      openByStatement,
      `delete from house_transfers where source = 'opening'`,
      [],
    ],
    [
      'a statement whose opening is booked with another amount',
      openByStatement,
      `update house_transfers set amount_cents = amount_cents - 30000 where source = 'opening'`,
      ['house_authentic'],
    ],
  ])('the check finds %s', async (_, open, sql, others) => {
    await pay(30_000n);
    await open();
    expect(await violations()).toEqual([]);
    await books.owner.query(sql);
    expect(await violations()).toEqual([...others, 'house_openings_complete']);
  });

  test('an opening that is not booked although later movements are', async () => {
    const topUp = { type: 'top_up', amountCents: 40_000n };
    await importLines(books, folder, [topUp]);
    await importLines(books, folder, [{ ...topUp, amountCents: 50_000n }]);
    await books.owner.query(`delete from house_transfers where source = 'opening'`);
    expect(await violations()).toEqual(['house_openings_complete']);
  });

  test('a payment of the time before that was committed too late to be counted', async () => {
    await openByEntry();
    await pay(5_000n);
    expect(await violations()).toEqual([]);
    await books.owner.query(
      `update transfers set created_at = ${moved('created_at', '-1 minute')}
       where credit_account like 'operator:%'`,
    );
    expect(await violations()).toContain('house_openings_complete');
  });
});

describe.each(OPENERS)('an opening by %s is as it was booked', (_, open) => {
  test('the opening is as it was booked after payments of the time before were settled, corrected and archived', async () => {
    const [early, wrong, corrected] = [await pay(500n), await pay(30_000n), await pay(2_000n)];
    const slow = await instruct(5_000n);
    await correct(corrected);
    await open();
    await settle(slow);
    await correct(wrong);
    await pay(1_000n);
    expect(await violations()).toEqual([]);
    const archived = await archivePayments(books.owner, {
      vendorIds: [early.vendorId, slow.vendorId],
      before: await databaseTime(books),
      folder,
    });
    expect(archived.payments).toBe(2);
    expect(await violations()).toEqual([]);
  });

  test('when more was returned than consumed', async () => {
    const returned = await pay(2_000n);
    await books.owner.query(
      `update transfers set debit_account = credit_account, credit_account = debit_account
       where credit_account like 'operator:%' and source_id = $1`,
      [returned.paymentId],
    );
    await open();
    expect(await violations()).not.toContain('house_openings_complete');
  });

  test('when the transfers of the time before are summed', async () => {
    await pay(30_000n);
    await open();
    await pay(4_000n);
    const back = '-3 hours';
    await books.owner.query(`update transfers set created_at = ${moved('created_at', back)}`);
    for (const table of ['house_transfers', 'house_entries']) {
      await books.owner.query(`update ${table} set moved_at = ${moved('moved_at', back)}`);
    }
    await books.owner.query(
      `update operator_statements set period_start = ${moved('period_start', back)}`,
    );
    await until('the transfers are summed', async () => {
      await completeSums(books.pool);
      return (await readSummedUntil(books.pool)) !== undefined;
    });
    expect(await violations()).not.toContain('house_openings_complete');
  });
});

describe('a statement books no opening', () => {
  test('no opening is booked for a float whose books began with a top-up', async () => {
    await enter({ kind: 'top_up', movedAt: new Date(Date.now() - 60_000) });
    await pay(30_000n);
    await importLines(books, folder, []);
    expect(await violations()).toEqual([]);
  });

  test('no opening of nothing is booked', async () => {
    const to = await databaseTime(books);
    const from = new Date(Number(to) - 60_000);
    const text = statementText([], { from, to, openingCents: 0n });
    await importLines(books, folder, [], { from, to, text });
    await pay(30_000n);
    expect(await violations()).toEqual([]);
  });
});
