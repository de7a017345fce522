import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { createStatementFormat } from '../../src/connectors/operators/http-json/statement.ts';
import { findViolations } from '../support/books-check.ts';
import { HOUSE } from '../../src/payments/cases/cases-store.ts';
import { listCases } from '../../src/payments/cases/read-cases.ts';
import type { CaseRow } from '../../src/payments/cases/read-cases.ts';
import { houseAmount } from '../../src/payments/corrections/house-transfer.ts';
import type { HouseResolution } from '../../src/payments/corrections/house-transfer.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { FinalReport, NewPayment } from '../../src/payments/create/payment.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { readAttempts, readQueued, readStored } from '../support/dispatch-fixture.ts';
import { createInstructed, failedReport, OPERATOR, paidReport } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { moved } from '../support/moved.ts';
import { newPayment } from '../support/new-transaction.ts';
import {
  databaseTime,
  importLines,
  referenceOf,
  tryImport,
} from '../support/reconciliation-fixture.ts';
import { countWaiting } from '../support/waiting.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

// An operator's statement compared with books that contain every situation.

let folder: string;
const freshBooks = sharedBooks();
let books: Books;
let vendorId: number;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
});
beforeEach(async () => {
  books = await freshBooks();
  vendorId = await books.addVendor(1_000_000n);
});
afterEach(async () => {
  expect(await findViolations(books.pool)).toEqual([]);
  await books.close();
});
afterAll(async () => {
  await removeFolder(folder);
});

async function sent(count = 1): Promise<NewPayment[]> {
  const made = Array.from({ length: count }, () => newPayment({ vendorId, account: newId() }));
  await createInstructed(books.pool, made);
  return made;
}

async function sentOne(): Promise<NewPayment> {
  const [made] = await sent();
  if (made === undefined) throw new Error('nothing was made');
  return made;
}

/** An instruction may leave us three seconds after its claim. */
async function sentEarlier({ paymentId }: NewPayment): Promise<void> {
  await books.owner.query(
    `update dispatch_queue set sent_at = ${moved('sent_at', '-4 seconds')}
     where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2`,
    [vendorId, paymentId],
  );
}

async function settle(...reports: readonly FinalReport[]): Promise<void> {
  await settlePayments(books.pool, reports);
}

async function openCases(): Promise<CaseRow[]> {
  return await listCases(books.pool, { resolved: false, limit: 1000 });
}

async function propose(row: CaseRow | undefined, resolution: string): Promise<void> {
  const nothing = { amount_cents: null, operator_reference: null, message: null, details: null };
  await proposeResolution(books, {
    ...{ caseId: row?.caseId ?? '', by: 'Asha' },
    proposal: { resolution, note: 'as the statement lists', ...nothing },
  });
}

async function resolve(row: CaseRow | undefined, resolution: string): Promise<void> {
  await propose(row, resolution);
  await approveCurrent(books, { caseId: row?.caseId ?? '', by: 'Baraka' });
}

describe('a statement that agrees', () => {
  test('a statement that agrees is matched, opens nothing, and proves the float', async () => {
    const [one, two] = await sent(2);
    if (!one || !two) throw new Error('nothing was made');
    await settle(
      paidReport(one, { billerReference: 'A' }),
      paidReport(two, { billerReference: 'B' }),
    );
    const failed = await sentOne();
    await settle(failedReport(failed));
    const result = await importLines(books, folder, [
      { of: one, operatorReference: 'A' },
      // Matched by the operator's reference instead of ours.
      { reference: '', operatorReference: 'B', amountCents: two.amountCents },
      { type: 'top_up', amountCents: 5_000_000n },
      { type: 'charge', amountCents: 700n },
    ]);
    expect(result).toMatchObject({
      repeated: false,
      verdicts: { matched: 2, noted: 2 },
      oursOnly: 0,
      casesOpened: 0,
      float: {
        openingCents: 100_000_000n,
        topUpCents: 5_000_000n,
        chargeCents: 700n,
        paymentCents: 20_000n,
        closingCents: 104_979_300n,
        unexplainedCents: 0n,
      },
    });
    expect(await openCases()).toEqual([]);
  });

  test('importing a statement again changes nothing; its movements in another file count once', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const lines = [{ of: made, operatorReference: 'A' }, { operatorReference: 'NOBODY' }];
    const to = await databaseTime(books);
    const first = await importLines(books, folder, lines, { to });
    expect(first).toMatchObject({ verdicts: { matched: 1, theirs_only: 1 }, casesOpened: 1 });
    const again = await importLines(books, folder, lines, { to });
    expect(again).toMatchObject({ repeated: true, statementId: first.statementId });
    const other = await importLines(books, folder, lines, { to, openingCents: 100_000_001n });
    expect(other).toMatchObject({
      repeated: false,
      verdicts: { repeated: 2 },
      casesOpened: 0,
      float: { unexplainedCents: 0n },
    });
    await expect(importLines(books, folder, lines, { to, complete: false })).rejects.toThrow(
      'as the statement of another period',
    );
    expect(await openCases()).toHaveLength(1);
  });

  test('imported twice at once counts once', async () => {
    const made = await sentOne();
    const to = await databaseTime(books);
    const lines = [{ of: made, operatorReference: 'A' }];
    const results = await Promise.all([
      importLines(books, folder, lines, { to }),
      importLines(books, folder, lines, { to }),
    ]);
    expect(results.filter((result) => result.repeated)).toHaveLength(1);
    expect(await readStored(books, made)).toMatchObject({ outcome: 'success' });
  });
});

describe('a payment that is listed', () => {
  test('settles an open one, with the operator’s reference', async () => {
    const made = await sentOne();
    const result = await importLines(books, folder, [{ of: made, operatorReference: 'A' }]);
    expect(result).toMatchObject({ verdicts: { settled: 1 }, casesOpened: 0 });
    expect(await readStored(books, made)).toMatchObject({
      outcome: 'success',
      billerReference: 'A',
    });
    expect(await readAttempts(books, made)).toMatchObject([{ outcome: 'paid', note: 'statement' }]);
  });

  test('settles one that restored books have only as queued, so that it is not sent again', async () => {
    const made = newPayment({ vendorId });
    await createPayments(books.pool, [made]);
    const result = await importLines(books, folder, [{ of: made, operatorReference: 'A' }]);
    expect(result).toMatchObject({ verdicts: { settled: 1 }, casesOpened: 0 });
    expect(await readStored(books, made)).toMatchObject({ outcome: 'success' });
    expect(await readQueued(books, made)).toBeUndefined();
    expect(await readAttempts(books, made)).toHaveLength(1);
  });

  test('although we have it as failed: a case, and the books do not change', async () => {
    const made = await sentOne();
    await settle(failedReport(made));
    const result = await importLines(books, folder, [{ of: made, operatorReference: 'A' }]);
    expect(result).toMatchObject({
      verdicts: { theirs_only: 1 },
      casesOpened: 1,
      float: { unexplainedCents: made.amountCents },
    });
    expect(await openCases()).toMatchObject([
      {
        kind: 'contradiction',
        paymentId: made.paymentId,
        facts: { books_say: 'failed', operator_says: 'success', source: 'statement' },
      },
    ]);
    expect(await readStored(books, made)).toMatchObject({ outcome: 'failed' });
  });

  test('a listed payment that our ledger lost opens a case of the vendor that the reference names', async () => {
    const paymentId = newId();
    const reference = encodeReference(vendorId, paymentId);
    await importLines(books, folder, [{ reference, operatorReference: 'A', amountCents: 777n }]);
    expect(await openCases()).toMatchObject([
      {
        kind: 'theirs_only',
        vendorId,
        paymentId,
        facts: { reference, operator_reference: 'A', paid_cents: 777 },
      },
    ]);
  });

  test('a listed payment that is unknown to us opens a case of the house', async () => {
    const reference = encodeReference(999_999, newId());
    await importLines(books, folder, [{ reference, operatorReference: 'A', amountCents: 777n }]);
    expect(await openCases()).toMatchObject([
      {
        kind: 'theirs_only',
        vendorId: 0,
        paymentId: null,
        operatorCode: 'kplc',
        facts: { reference, operator_reference: 'A', paid_cents: 777 },
      },
    ]);
  });

  test('a listed payment with another amount opens a case', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const [less, more] = [await sentOne(), await sentOne()];
    const result = await importLines(books, folder, [
      { of: made, amountCents: made.amountCents + 20n },
      { of: less, amountCents: less.amountCents - 1n },
      { of: more, amountCents: more.amountCents + 3n },
    ]);
    expect(result).toMatchObject({
      verdicts: { amount_difference: 1, settled: 2 },
      casesOpened: 3,
      // Of an open payment, the ledger takes what the operator took, but no more than was instructed.
      float: { unexplainedCents: 23n },
    });
    const cases = (await openCases()).map((row) => [row.kind, row.facts['paid_cents']]);
    expect(new Set(cases.map(String))).toEqual(
      new Set([
        `amount_difference,${made.amountCents + 20n}`,
        `amount_difference,${less.amountCents - 1n}`,
        `amount_difference,${more.amountCents + 3n}`,
      ]),
    );
  });

  test('a payment that is listed twice opens a case for each payment too many', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const result = await importLines(books, folder, [{ of: made }, { of: made }, { of: made }]);
    expect(result).toMatchObject({ verdicts: { matched: 1, duplicate: 2 }, casesOpened: 2 });
    expect((await openCases()).map((row) => row.kind)).toEqual(['duplicate', 'duplicate']);
  });

  test('a payment that is listed again in a later statement under another reference is a duplicate', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    await importLines(books, folder, [{ of: made }], { to: new Date(Number(to) - 10) });
    const result = await importLines(books, folder, [{ of: made }], {
      from: new Date(Number(to) - 10),
      to,
      openingCents: 100_000_000n - made.amountCents,
    });
    expect(result).toMatchObject({ verdicts: { duplicate: 1 }, casesOpened: 1 });
  });

  test('a payment that is reversed in a later statement contradicts the books', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    await importLines(books, folder, [{ of: made }], { to: new Date(Number(to) - 10) });
    const result = await importLines(books, folder, [{ of: made, type: 'reversal' }], {
      from: new Date(Number(to) - 10),
      to,
      openingCents: 100_000_000n - made.amountCents,
    });
    expect(result).toMatchObject({ verdicts: { theirs_only: 1 }, casesOpened: 1 });
    expect(await openCases()).toMatchObject([
      { kind: 'contradiction', facts: { books_say: 'success', operator_says: 'failed' } },
    ]);
  });

  test('with a part that we claim, and reversed later: the vendor and we get our parts back', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    const middle = new Date(Number(to) - 10);
    const listed = { of: made, amountCents: made.amountCents + 2_000n };
    await importLines(books, folder, [listed], { to: middle });
    const [more] = await openCases();
    await resolve(more, 'receivable');
    const back = { ...listed, type: 'reversal' };
    const openingCents = 100_000_000n - listed.amountCents;
    const result = await importLines(books, folder, [back], { from: middle, to, openingCents });
    expect(result).toMatchObject({ casesOpened: 2 });
    const opened = await openCases();
    const caseOf = (kind: string) => opened.find((row) => row.kind === kind);
    expect(caseOf('theirs_only')?.facts).toMatchObject({ paid_cents: 2_000, listed_cents: 12_000 });
    await resolve(caseOf('theirs_only'), 'receivable_returned');
    await resolve(caseOf('contradiction'), 'return_to_vendor');
    expect(await books.balances(0)).toMatchObject({ 'receivable:kplc': 0n });
    expect(await books.balances(vendorId)).toMatchObject({
      float: 1_000_000n,
      'operator:kplc': 0n,
    });
  });

  test('twice, and reversed before people decide: nothing is claimed any more', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    const middle = new Date(Number(to) - 10);
    await importLines(books, folder, [{ of: made }, { of: made }], { to: middle });
    const [twice] = await openCases();
    const back = { of: made, type: 'reversal' };
    expect(
      await importLines(books, folder, [back], { from: middle, to, complete: false }),
    ).toMatchObject({ verdicts: { reversed: 1 } });
    for (const resolution of ['house_bears', 'receivable']) {
      await expect(propose(twice, resolution)).rejects.toThrow('has returned it');
    }
    await propose(twice, 'keep_books');
  });

  test('although it failed, and reversed before people decide: nobody is charged', async () => {
    const made = await sentOne();
    await settle(failedReport(made));
    const to = await databaseTime(books);
    const middle = new Date(Number(to) - 10);
    await importLines(books, folder, [{ of: made }], { to: middle });
    const [late] = await openCases();
    await propose(late, 'charge_vendor');
    const back = { of: made, type: 'reversal' };
    expect(
      await importLines(books, folder, [back], { from: middle, to, complete: false }),
    ).toMatchObject({ verdicts: { reversed: 1 } });
    await expect(
      approveCurrent(books, { caseId: late?.caseId ?? '', by: 'Baraka' }),
    ).rejects.toThrow('Nothing is left to correct');
    for (const resolution of ['charge_vendor', 'house_bears', 'receivable']) {
      await expect(propose(late, resolution)).rejects.toThrow('and has not returned');
    }
    await propose(late, 'keep_books');
    // Paid once more: then that is missing.
    await importLines(books, folder, [{ of: made }], { from: middle, to, complete: false });
    await propose(late, 'charge_vendor');
  });

  test('although it failed, and reversed while people decide: they wait for the statement', async () => {
    const made = await sentOne();
    await settle(failedReport(made));
    const to = await databaseTime(books);
    const middle = new Date(Number(to) - 10);
    await importLines(books, folder, [{ of: made }], { to: middle });
    const [late] = await openCases();
    await propose(late, 'charge_vendor');
    const waits = async (count: number) =>
      await vi.waitFor(async () => expect(await countWaiting(books.pool)).toBe(count));
    const holder = await books.owner.connect();
    await holder.query('begin');
    // The import has compared the statement with the books, and now writes its lines.
    await holder.query('lock table statement_rows in exclusive mode');
    const back = { of: made, type: 'reversal' };
    const imported = importLines(books, folder, [back], { from: middle, to, complete: false });
    await waits(1);
    const approved = approveCurrent(books, { caseId: late?.caseId ?? '', by: 'Baraka' });
    const decided = Promise.allSettled([imported, approved]);
    await Promise.race([approved.catch(() => undefined), waits(2).catch(() => undefined)]);
    await holder.query('commit');
    holder.release();
    expect(await decided).toMatchObject([
      { value: { verdicts: { reversed: 1 } } },
      { reason: { message: expect.stringContaining('Nothing is left to correct') } },
    ]);
    expect((await books.balances(vendorId))['float']).toBe(1_000_000n);
  });

  test('then reversed, and paid once more: nothing is returned', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    const middle = new Date(Number(to) - 10);
    await importLines(books, folder, [{ of: made }], { to: middle });
    const lines = [{ of: made, type: 'reversal', at: new Date(Number(to) - 5) }, { of: made }];
    expect(
      await importLines(books, folder, lines, { from: middle, to, complete: false }),
    ).toMatchObject({ verdicts: { theirs_only: 1, matched: 1 } });
    const reversed = (await openCases()).find(({ kind }) => kind === 'contradiction');
    await expect(propose(reversed, 'return_to_vendor')).rejects.toThrow(
      'Nothing is left to return',
    );
    await resolve(reversed, 'keep_books');
  });

  test('with another amount, then reversed, and paid once more: nothing is returned or claimed', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    const more = { of: made, operatorReference: 'A', amountCents: made.amountCents + 2_000n };
    const first = { of: made, operatorReference: 'A' };
    await importLines(books, folder, [first], { to, complete: false });
    const back = { ...more, type: 'reversal', operatorReference: 'B' };
    // The change and the reversal in one statement.
    expect(await importLines(books, folder, [more, back], { to, complete: false })).toMatchObject({
      verdicts: { changed: 1, theirs_only: 1 },
    });
    const again = { of: made, operatorReference: 'C' };
    expect(await importLines(books, folder, [again], { to, complete: false })).toMatchObject({
      verdicts: { matched: 1 },
      casesOpened: 0,
    });
    const cases = await openCases();
    const change = cases.find(({ kind }) => kind === 'statement_change');
    const reversed = cases.find(({ kind }) => kind === 'contradiction');
    expect(cases).toHaveLength(2);
    await expect(propose(change, 'receivable')).rejects.toThrow('Nothing is left to post');
    await expect(propose(reversed, 'return_to_vendor')).rejects.toThrow(
      'Nothing is left to return',
    );
  });

  test('more than instructed, and twice more: the order of decisions does not matter', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    const more = { of: made, amountCents: made.amountCents + 2_000n };
    await importLines(books, folder, [more, { of: made }], { to, complete: false });
    const cases = await openCases();
    await resolve(
      cases.find(({ kind }) => kind === 'duplicate'),
      'receivable',
    );
    await resolve(
      cases.find(({ kind }) => kind === 'amount_difference'),
      'house_bears',
    );
    expect(await books.balances(HOUSE)).toMatchObject({
      'receivable:kplc': made.amountCents,
      'operator:kplc': 2_000n,
    });
  });

  test('the rest is a case of its own if more was reversed than paid', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    const middle = new Date(Number(to) - 10);
    await importLines(books, folder, [{ of: made }], { to: middle });
    const back = { of: made, type: 'reversal', amountCents: made.amountCents + 2_000n };
    await importLines(books, folder, [back], { from: middle, to, complete: false });
    const cases = (await openCases()).filter(({ kind }) => kind !== 'float_difference');
    expect(cases).toHaveLength(2);
    const surplus = cases.find(({ kind }) => kind === 'theirs_only');
    expect(surplus?.facts['paid_cents']).toBe(2_000);
    await expect(propose(surplus, 'return_to_vendor')).rejects.toThrow('about the vendor’s part');
    await resolve(
      cases.find(({ kind }) => kind === 'contradiction'),
      'return_to_vendor',
    );
    await expect(propose(surplus, 'house_recovers')).rejects.toThrow(
      'enter it with house entry propose',
    );
    await resolve(surplus, 'keep_books');
    expect((await books.balances(vendorId))['float']).toBe(1_000_000n);
  });

  test('although it failed, reversed, and paid with more, before people decide: all is charged', async () => {
    const made = await sentOne();
    await settle(failedReport(made));
    const to = await databaseTime(books);
    const options = { to, complete: false };
    const less = { of: made, amountCents: 5_000n };
    await importLines(books, folder, [less], options);
    await importLines(books, folder, [{ ...less, type: 'reversal' }], options);
    expect(await importLines(books, folder, [{ of: made }], options)).toMatchObject({
      verdicts: { theirs_only: 1 },
      casesOpened: 1,
    });
    const cases = (await openCases()).filter(({ kind }) => kind === 'contradiction');
    expect(cases).toHaveLength(2);
    for (const row of cases) await resolve(row, 'charge_vendor');
    expect((await books.balances(vendorId))['operator:kplc']).toBe(made.amountCents);
  });

  test('reversed in part, and paid once more: a duplicate', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    const options = { to, complete: false };
    await importLines(books, folder, [{ of: made }], options);
    const back = { of: made, type: 'reversal', amountCents: 5_000n };
    await importLines(books, folder, [back], options);
    expect(await importLines(books, folder, [{ of: made }], options)).toMatchObject({
      verdicts: { duplicate: 1 },
    });
    const duplicate = (await openCases()).find(({ kind }) => kind === 'duplicate');
    await resolve(duplicate, 'receivable');
    expect((await books.balances(HOUSE))['receivable:kplc']).toBe(made.amountCents - 5_000n);
  });

  test('the vendor is not given less without a word when our part of a payment returns', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    const options = { to, complete: false };
    const twice = { of: made, operatorReference: 'A' };
    await importLines(books, folder, [{ of: made }, twice], options);
    await resolve((await openCases())[0], 'house_bears');
    await importLines(books, folder, [{ of: made, type: 'reversal' }], options);
    await importLines(books, folder, [{ ...twice, amountCents: 4_000n }], options);
    const back = (await openCases()).find(({ kind }) => kind === 'theirs_only');
    await expect(propose(back, 'return_to_vendor')).rejects.toThrow('is the vendor’s');
    await resolve(back, 'house_recovers');
  });

  test('a payment listed with other content than before opens a case', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    await importLines(books, folder, [{ of: made, operatorReference: 'A' }], { to });
    const result = await importLines(
      books,
      folder,
      [{ of: made, operatorReference: 'A', amountCents: 5n }],
      { to },
    );
    expect(result).toMatchObject({
      verdicts: { changed: 1 },
      casesOpened: 1,
      float: { unexplainedCents: 5n - made.amountCents },
    });
    expect(await openCases()).toMatchObject([
      {
        kind: 'statement_change',
        facts: { listed_before_cents: Number(made.amountCents), paid_cents: 5 },
      },
    ]);
  });

  test('changed again: from what the last statement lists, each change once', async () => {
    const to = await databaseTime(books);
    for (const cents of [1_234n, 9_900n, 9_900n, 1_234n, 1_234n]) {
      const charge = { type: 'charge', operatorReference: 'FEE', amountCents: cents };
      // Otherwise it would be the same file.
      await importLines(books, folder, [charge, { type: 'top_up' }], { to });
    }
    expect((await openCases()).map(({ facts }) => facts)).toMatchObject([
      { movement: 'charge', listed_before_cents: 1_234, paid_cents: 9_900 },
      { movement: 'charge', listed_before_cents: 9_900, paid_cents: 1_234 },
    ]);
  });
});

test('an earlier file that is issued again, after a revision, counts again', async () => {
  const to = await databaseTime(books);
  const file = async (cents: bigint) =>
    await importLines(
      books,
      folder,
      [{ type: 'charge', operatorReference: 'FEE', amountCents: cents }],
      { to },
    );
  await file(1_234n);
  expect(await file(9_900n)).toMatchObject({ repeated: false, verdicts: { changed: 1 } });
  expect(await file(1_234n)).toMatchObject({ repeated: false, verdicts: { changed: 1 } });
  expect(await file(1_234n)).toMatchObject({ repeated: true });
  expect(await file(9_900n)).toMatchObject({ repeated: false, verdicts: { changed: 1 } });
  expect((await openCases()).map(({ facts }) => facts)).toMatchObject([
    { listed_before_cents: 1_234, paid_cents: 9_900 },
    { listed_before_cents: 9_900, paid_cents: 1_234 },
    { listed_before_cents: 1_234, paid_cents: 9_900 },
  ]);
});

describe('references of another field than before', () => {
  const MOVED = { type: 'top_up', amountCents: 500_000n };
  const FEE = { type: 'charge', amountCents: 700n };
  const bookedCents = async (): Promise<bigint | undefined> => {
    const read = await books.pool.query<{ cents: bigint }>(
      "select sum(amount_cents)::bigint as cents from house_transfers where source in ('top_up', 'charges')",
    );
    return read.rows[0]?.cents;
  };

  test('do not book top-ups and charges again, and open cases about payments', async () => {
    const made = await sentOne();
    await settle(paidReport(made, { billerReference: 'A' }));
    const to = await databaseTime(books);
    const numbered = (prefix: string) => [
      { of: made, operatorReference: prefix === '' ? 'A' : `${prefix}PAID` },
      { ...MOVED, operatorReference: `${prefix}MOVED` },
      { ...FEE, operatorReference: `${prefix}FEE1` },
      { ...FEE, operatorReference: `${prefix}FEE2` },
    ];
    const first = await importLines(books, folder, numbered(''), { to });
    expect(first.booked).toMatchObject({ topUpCents: 500_000n, chargeCents: 1_400n });
    const again = await importLines(books, folder, numbered('OTHER'), { to });
    expect(again).toMatchObject({
      verdicts: { repeated: 3, duplicate: 1 },
      booked: { topUpCents: 0n, chargeCents: 0n },
    });
    expect(await bookedCents()).toBe(501_400n);
    // One more of the same moment and amount is new.
    const more = [...numbered('OTHER'), { ...FEE, operatorReference: 'FEE3' }];
    const third = await importLines(books, folder, more, { to });
    expect(third.booked).toMatchObject({ topUpCents: 0n, chargeCents: 700n });
  });

  test('an equal movement is another one if the statement lists the former reference too', async () => {
    const to = await databaseTime(books);
    const first = [{ ...FEE, operatorReference: 'FEE1' }];
    await importLines(books, folder, first, { to });
    const late = [...first, { ...FEE, operatorReference: 'FEE2' }];
    const again = await importLines(books, folder, late, { to });
    expect(again).toMatchObject({
      verdicts: { repeated: 1, noted: 1 },
      booked: { chargeCents: 700n },
    });
  });
});

describe('a payment that is not listed', () => {
  test('although we have it as paid: a case, opened once', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const to = await databaseTime(books);
    expect(await importLines(books, folder, [], { to })).toMatchObject({
      oursOnly: 1,
      casesOpened: 1,
    });
    expect(
      await importLines(books, folder, [{ type: 'top_up' }], { to, openingCents: 5n }),
    ).toMatchObject({ oursOnly: 0, casesOpened: 0 });
    expect(await openCases()).toMatchObject([{ kind: 'ours_only', paymentId: made.paymentId }]);
  });

  test('a payment that is not listed is no difference where the statement may be incomplete, or its time is not covered', async () => {
    const made = await sentOne();
    await settle(paidReport(made));
    const nothing = { oursOnly: 0, casesOpened: 0 };
    const to = await databaseTime(books);
    expect(await importLines(books, folder, [], { to, complete: false })).toMatchObject(nothing);
    const earlier = new Date(Number(to) - 600_000);
    expect(await importLines(books, folder, [], { to: earlier })).toMatchObject(nothing);
  });

  test('was not paid when the operator vouches for it, and only then', async () => {
    const made = await sentOne();
    expect(await importLines(books, folder, [])).toMatchObject({ notPaid: 0, casesOpened: 0 });
    expect(await readStored(books, made)).toMatchObject({ outcome: null });
    const times = { acceptanceWindowMs: 0, payDeadlineMs: 0 };
    const vouching = createStatementFormat({ absenceIsProof: true, ...times });
    expect(
      await importLines(books, folder, [{ type: 'charge' }], { format: vouching }),
    ).toMatchObject({ notPaid: 0 });
    await sentEarlier(made);
    expect(
      await importLines(books, folder, [{ type: 'top_up' }], { format: vouching }),
    ).toMatchObject({ notPaid: 1, casesOpened: 0 });
    expect(await readStored(books, made)).toMatchObject({ outcome: 'failed' });
    expect((await books.balances(vendorId))['float']).toBe(1_000_000n);
  });

  test.each([
    ['names it by a part of our reference', (own: string) => own.slice(0, 20), true],
    ['names it in another way', () => 'TXN-0001', true],
    ['has no reference', () => '', true],
    [
      'names a part of our reference, without its account',
      (own: string) => own.slice(0, 20),
      false,
    ],
  ])(
    'is not proven to be unpaid by a statement that %s, nor by a later one',
    async (_how, written, hasAccount) => {
      const made = await sentOne();
      await sentEarlier(made);
      const times = { acceptanceWindowMs: 0, payDeadlineMs: 0 };
      const format = createStatementFormat({ absenceIsProof: true, ...times });
      const named = { reference: written(referenceOf(made)), operatorReference: newId() };
      const line = hasAccount
        ? { ...named, of: made }
        : { ...named, amountCents: made.amountCents + 1n };
      const first = await importLines(books, folder, [line], { format });
      expect(first).toMatchObject({ notPaid: 0, verdicts: { theirs_only: 1 } });
      const later = await importLines(books, folder, [line, { type: 'charge' }], { format });
      expect(later).toMatchObject({ notPaid: 0 });
      expect(await readStored(books, made)).toMatchObject({ outcome: null });
    },
  );

  test('may still be in progress within the acceptance window of the version that was instructed', async () => {
    const made = await sentOne();
    await sentEarlier(made);
    await books.owner.query(
      `insert into operator_versions (operator_code, version, connector, base_url, settings, replaced_at,
         same_account, keys)
       values ($1, 1, 'http-json', 'http://127.0.0.1:9', '{"acceptance_window_ms": 60000}', now(), true,
         'current')`,
      [OPERATOR],
    );
    const times = { acceptanceWindowMs: 0, payDeadlineMs: 0 };
    const format = createStatementFormat({ absenceIsProof: true, ...times });
    expect(await importLines(books, folder, [], { format })).toMatchObject({ notPaid: 0 });
    await books.owner.query(
      `update operator_versions set settings = '{"acceptance_window_ms": 0, "pay_timeout_ms": 100}'`,
    );
    const more = [{ type: 'charge' }];
    expect(await importLines(books, folder, more, { format })).toMatchObject({ notPaid: 1 });
  });

  test('may still be in progress within the acceptance window', async () => {
    await sentOne();
    const format = createStatementFormat({
      absenceIsProof: true,
      acceptanceWindowMs: 60_000,
      payDeadlineMs: 0,
    });
    expect(await importLines(books, folder, [], { format })).toMatchObject({ notPaid: 0 });
  });
});

describe('balances', () => {
  test('balances that do not follow from the previous statement open a case', async () => {
    const to = await databaseTime(books);
    const middle = new Date(Number(to) - 1_000);
    await importLines(books, folder, [], { to: middle });
    const result = await importLines(books, folder, [], {
      from: middle,
      to,
      openingCents: 99_999_000n,
    });
    expect(result).toMatchObject({ casesOpened: 1 });
    expect(await openCases()).toMatchObject([
      {
        kind: 'float_difference',
        vendorId: 0,
        facts: { closing_cents: 100_000_000, opening_cents: 99_999_000 },
      },
    ]);
  });

  test('balances that later statements repeat or change open a case for each difference once', async () => {
    const to = await databaseTime(books);
    const middle = new Date(Number(to) - 1_000);
    const [first, second] = [{ to: middle }, { from: middle, to }];
    const takenCents = async () =>
      (await openCases()).filter(({ kind }) => kind === 'float_difference').map(houseTaken);
    await importLines(books, folder, [], first);
    await importLines(books, folder, [], { ...second, openingCents: 99_999_000n });
    expect(await takenCents()).toEqual([1_000n]);
    // Again, with one more line.
    const topUp = { type: 'top_up', operatorReference: 'MORE' };
    await importLines(books, folder, [topUp], { ...second, openingCents: 99_999_000n });
    expect(await takenCents()).toEqual([1_000n]);
    await importLines(books, folder, [], { ...second, openingCents: 99_998_700n });
    expect(await takenCents()).toEqual([1_000n, 300n]);
    // The operator corrects the earlier statement: the difference is gone.
    await importLines(books, folder, [], { ...first, openingCents: 99_998_700n });
    expect(await takenCents()).toEqual([1_000n, 300n, -1_300n]);
    await importLines(books, folder, [topUp], { ...second, openingCents: 99_998_700n });
    expect(await takenCents()).toEqual([1_000n, 300n, -1_300n]);
  });
});

/** What a case about our accounts posts: above zero if the operator took it. */
function houseTaken(row: Pick<CaseRow, 'kind' | 'facts' | 'operatorCode'>): bigint {
  const nothing = { amount_cents: null, operator_reference: null, message: null, details: null };
  const centsOf = (resolution: HouseResolution): bigint =>
    houseAmount(row, resolution, { resolution, ...nothing });
  try {
    return centsOf('house_bears');
  } catch {
    return -centsOf('house_recovers');
  }
}

test('a statement about a period that is not over is refused', async () => {
  await expect(
    importLines(books, folder, [], { to: new Date(Date.now() + 60_000) }),
  ).rejects.toThrow('not over yet');
});

test('one wrong line makes the whole statement invalid', async () => {
  const made = await sentOne();
  const result = await tryImport(books, folder, [{ of: made }, { amountCents: 0n }]);
  expect(result).toMatchObject({ kind: 'refused', problems: [{ line: 4, field: 'amount' }] });
  expect((await books.pool.query('select from operator_statements')).rowCount).toBe(0);
  expect(await readStored(books, made)).toMatchObject({ outcome: null });
});

test('another operator’s statement does not settle our payment', async () => {
  await books.pool.query(
    `insert into operators (operator_code, name, connector, base_url)
     values ('airtel', 'Airtel', 'http-json', 'http://127.0.0.1:9')`,
  );
  const made = await sentOne();
  const result = await importLines(books, folder, [{ of: made }], { operator: 'airtel' });
  expect(result).toMatchObject({ verdicts: { theirs_only: 1 } });
  expect(await readStored(books, made)).toMatchObject({ outcome: null });
  // It may have been sent there in a period that a restore lost: people decide before it is sent again.
  expect(await openCases()).toMatchObject([
    { kind: 'contradiction', vendorId: made.vendorId, paymentId: made.paymentId },
  ]);
});
