import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findViolations } from '../support/books-check.ts';
import { listCases } from '../../src/payments/cases/read-cases.ts';
import { addAccount, requireSource, setSource } from '../../src/payments/receipts/administer.ts';
import { approveForReceipt, proposeForReceipt } from '../support/receipt-decisions.ts';
import { creditLeftClaims } from '../../src/payments/receipts/left-claims.ts';
import { pullSource } from '../../src/payments/receipts/pull.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';
import { reportReversal, takeReversal } from '../../src/payments/receipts/reverse.ts';
import { importBankStatement } from '../support/import-statements.ts';
import { findReceipts } from '../../src/payments/receipts/read-receipts.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { proposePhonePayout } from '../../src/payments/disbursements/disbursements.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { reportExposure } from '../../src/payments/reports/receivables.ts';
import { openDisbursements, VENDOR_PHONE } from '../support/disbursements.ts';
import { approveSeen, named, proposedPayout } from '../support/payouts.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { foldOutside } from '../support/outside.ts';
import { COLLECTOR } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';

// What the provider takes back leaves the books once, and only if it was credited.

const RECEIPT = 'TB00000001';
const TERMS = { amount_cents: null, operator_reference: null, message: null, details: null };

const freshBooks = sharedBooks();
let books: Books;
let vendorId: number;

beforeEach(async () => {
  books = await freshBooks();
  vendorId = await books.addVendor();
  const settings = {
    base_url: 'http://127.0.0.1:9',
    short_code: '600100',
    addresses: ['127.0.0.1'],
  };
  const source = { name: 'Pay bill', kind: 'daraja', collector: COLLECTOR, settings } as const;
  await setSource(books.pool, 'paybill', source);
  const vid = `vendor-${vendorId}`;
  await addAccount(books, { sourceCode: 'paybill', account: 'V0001', vid, by: 'Asha' });
});

afterEach(async () => await books.close());

const deps = () => ({
  pool: books.pool,
  ledgerMac: books.ledgerMac,
  log: pino({ level: 'silent' }),
});

const report = (change: Partial<ReceiptReport> = {}): ReceiptReport => ({
  issuer: 'mpesa',
  receipt: RECEIPT,
  sourceCode: 'paybill',
  collector: COLLECTOR,
  channel: 'confirmation',
  amountCents: 50_000n,
  paidAt: new Date('2026-01-05T09:00:00Z'),
  account: 'V0001',
  payer: null,
  ...change,
});

async function suspend(status: 'suspended' | 'active'): Promise<void> {
  await books.pool.query('update collectors set status = $1', [status]);
}

const openCases = async () => await listCases(books.pool, { resolved: false, limit: 10 });

async function takeBack(caseId: string, cents: string | null = null): Promise<void> {
  const proposal = { resolution: 'take_back', note: 'x', ...TERMS, amount_cents: cents };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

async function expectBooks(balances: Readonly<Record<string, bigint>>): Promise<void> {
  const folded = foldOutside(await books.balances(vendorId));
  expect({ collected: 0n, outside: 0n, ...folded }).toMatchObject(balances);
  const violations = await findViolations(books.pool, { mac: books.ledgerMac });
  expect(violations).toEqual([]);
}

/** A part that went back, as the pull lists it. */
const part = (cents: bigint, minute: number, change: Partial<ReceiptReport> = {}): ReceiptReport =>
  report({
    ...{ amountCents: cents, channel: 'pull', ...change },
    paidAt: new Date(Date.parse('2026-01-05T10:00:00Z') + minute * 60_000),
  });

const payOut = async (amountCents: bigint): Promise<unknown> =>
  await proposedPayout(books, { vendorId, amountCents });

test('two cases about one receipt take its amount back once', async () => {
  expect(await takeReport(deps(), report())).toBe('credited');
  expect(await takeReport(deps(), report({ amountCents: 40_000n, channel: 'pull' }))).toBe(
    'conflict',
  );
  await takeReversal(deps(), report());
  const [first, second] = await openCases();
  const exposed = async (): Promise<bigint> =>
    (await reportExposure(books.pool, new Date())).reversedCents;
  expect(await exposed()).toBe(50_000n);
  await takeBack(first?.caseId ?? '', '20000');
  expect(await exposed()).toBe(30_000n);
  await expect(takeBack(second?.caseId ?? '', '30001')).rejects.toThrow('at most 300.00');
  await takeBack(second?.caseId ?? '');
  await expectBooks({ collected: 0n, outside: 0n });
});

test('what one case took back cannot be taken back by another one', async () => {
  await takeReport(deps(), report());
  await takeReport(deps(), report({ amountCents: 40_000n, channel: 'pull' }));
  await takeReversal(deps(), report());
  const [first, second] = await openCases();
  // Of two amounts, the difference is proposed.
  await expect(takeBack(first?.caseId ?? '', '50001')).rejects.toThrow('at most 500.00');
  await takeBack(first?.caseId ?? '', '50000');
  await expect(takeBack(second?.caseId ?? '')).rejects.toThrow('Nothing is left to take back');
  expect((await reportExposure(books.pool, new Date())).reversed).toEqual([]);
  await expectBooks({ collected: 0n, outside: 0n });
});

test('a receipt that is reversed before it is credited is credited by nobody, until people assign it', async () => {
  await suspend('suspended');
  expect(await takeReport(deps(), report())).toBe('claimed');
  await reportReversal(books, { receipt: RECEIPT }, { actor: 'Asha', note: 'n' });
  const [reversal] = await openCases();
  await expect(takeBack(reversal?.caseId ?? '')).rejects.toThrow('was not credited');
  await suspend('active');
  expect(await creditLeftClaims(deps())).toBe(0);
  expect(await findReceipts(books.pool, RECEIPT)).toMatchObject([
    { state: 'unmatched', vendorId: null },
  ]);
  expect(await takeReport(deps(), report({ channel: 'pull' }))).toBe('reversed');
  await expect(payOut(50_000n)).rejects.toThrow('The vendor has 0.00');
  await expectBooks({});
  // The reversal was reported in error.
  const vid = `vendor-${vendorId}`;
  await proposeForReceipt(books, { receipt: RECEIPT, vid, by: 'Asha', note: 'n' });
  await approveForReceipt(deps(), { receipt: RECEIPT, by: 'Baraka' });
  await expectBooks({ collected: 50_000n });
});

test('a reversal after people assigned the receipt opens a case about its vendor, once', async () => {
  expect(await takeReport(deps(), report({ account: 'NOBODY' }))).toBe('unmatched');
  // Reported in error, about another receipt’s number.
  await reportReversal(books, { receipt: RECEIPT }, { actor: 'Asha', note: 'n' });
  const vid = `vendor-${vendorId}`;
  await proposeForReceipt(books, { receipt: RECEIPT, vid, by: 'Asha', note: 'n' });
  await approveForReceipt(deps(), { receipt: RECEIPT, by: 'Baraka' });
  await expectBooks({ collected: 50_000n });
  // A repeat of what they knew is not another one.
  const known = report({ account: 'NOBODY', channel: 'pull' });
  expect(await takeReversal(deps(), known)).toBe(false);
  const reversal = { ...known, paidAt: new Date(Date.now() + 1_000) };
  expect(await takeReversal(deps(), reversal)).toBe(true);
  expect(await takeReversal(deps(), reversal)).toBe(false);
  await expect(payOut(50_000n)).rejects.toThrow('500.00 of it was reversed');
  const about = (await openCases()).filter((one) => one.vendorId === vendorId);
  expect(about).toMatchObject([{ kind: 'receipt_reversed' }]);
  await takeBack(about[0]?.caseId ?? '');
  expect(await takeReversal(deps(), reversal)).toBe(false);
  await expectBooks({ collected: 0n, outside: 0n });
});

test('money that was collected just before its reversal cannot be paid out until people decide', async () => {
  await suspend('suspended');
  await takeReport(deps(), report());
  await suspend('active');
  await takeReport(deps(), report());
  // As if the reversal had been recorded between the two commits of the credit.
  await books.owner.query(`update receipts set state = 'claimed' where receipt = $1`, [RECEIPT]);
  await reportReversal(books, { receipt: RECEIPT }, { actor: 'Asha', note: 'n' });
  await takeReport(deps(), report({ receipt: 'TB00000002', amountCents: 20_000n }));
  await expect(payOut(20_001n)).rejects.toThrow('500.00 of it was reversed');
  // It counts as credited, because it is.
  expect(await creditLeftClaims(deps())).toBe(1);
  await expect(payOut(20_001n)).rejects.toThrow('500.00 of it was reversed');
  await payOut(20_000n);
  const [reversal] = await openCases();
  await takeBack(reversal?.caseId ?? '');
  await expectBooks({ collected: 0n, held: 20_000n });
});

test('money that the provider took back after it was funded is not sent to a phone until people decide', async () => {
  const proposals = quietProposals(books);
  const disbursing = await openDisbursements(books, proposals);
  await disbursing.setPhone(vendorId, VENDOR_PHONE);
  await takeReport(deps(), report());
  await fund(books.pool, { vendorId, requestedAt: new Date() });
  await takeReport(deps(), report({ receipt: 'TB00000002', amountCents: 20_000n }));
  const toPhone = async (amountCents: bigint) =>
    await proposePhonePayout(disbursing, {
      ...{ vendorId, vid: `vendor-${vendorId}`, amountCents, billerCode: undefined },
      ...{ evidence: 'letter', note: 'asked for', by: named('Asha') },
    });
  const before = await toPhone(30_000n);
  await takeReversal(deps(), report());
  await expect(approveSeen(books, before.proposalId)).rejects.toThrow('300.00 of it was reversed');
  await proposals.reject({ proposalId: before.proposalId, by: named('Baraka') });
  // What is collected covers 200.00 of the 500.00 that went back.
  await expect(toPhone(20_001n)).rejects.toThrow('300.00 of it was reversed');
  await toPhone(20_000n);
  await expectBooks({ collected: 20_000n, float: 30_000n, held: 20_000n });
});

describe('parts of a receipt that go back', () => {
  test('parts that go back are kept one by one, and take_back proposes their sum', async () => {
    await takeReport(deps(), report());
    expect(await takeReversal(deps(), part(10_000n, 0))).toBe(true);
    expect(await takeReversal(deps(), part(10_000n, 0))).toBe(false);
    const [opened] = await openCases();
    expect(opened?.facts).toMatchObject({ paid_cents: 50_000, reversed_cents: 10_000 });
    const proposal = { resolution: 'take_back', note: 'x', ...TERMS };
    const caseId = opened?.caseId ?? '';
    await proposeResolution(books, { caseId, by: 'Asha', proposal });
    // Another part of the same amount is another one; what was proposed before does not cover it.
    expect(await takeReversal(deps(), part(10_000n, 5))).toBe(true);
    await expect(approveCurrent(books, { caseId, by: 'Baraka' })).rejects.toThrow('other facts');
    // Whoever tells of them as well tells nothing new, until there is a third one.
    expect(await takeReversal(deps(), part(10_000n, 1, { channel: 'confirmation' }))).toBe(false);
    const heard = { actor: 'Asha', note: 'n', cents: 10_000n };
    expect(await reportReversal(books, { receipt: RECEIPT }, heard)).toBe(false);
    expect((await reportExposure(books.pool, new Date())).reversedCents).toBe(20_000n);
    await expect(payOut(30_001n)).rejects.toThrow('200.00 of it was reversed');
    await takeBack(caseId);
    await expectBooks({ collected: 30_000n });
    // What comes after the decision is a case of its own.
    expect(await takeReversal(deps(), part(10_000n, 6, { channel: 'confirmation' }))).toBe(false);
    expect(await takeReversal(deps(), part(10_000n, 9))).toBe(true);
    expect(await takeReversal(deps(), part(10_000n, 9, { channel: 'confirmation' }))).toBe(false);
    const [third] = await openCases();
    expect(third?.facts).toMatchObject({ reversed_cents: 10_000 });
    await takeBack(third?.caseId ?? '');
    await expectBooks({ collected: 20_000n });
    // A person who names no amount means the rest.
    await reportReversal(books, { receipt: RECEIPT }, { actor: 'Asha', note: 'n' });
    const [rest] = await openCases();
    expect(rest?.facts).toMatchObject({ reversed_cents: 20_000 });
    await takeBack(rest?.caseId ?? '');
    const again = { actor: 'Baraka', note: 'n' };
    expect(await reportReversal(books, { receipt: RECEIPT }, again)).toBe(false);
    const more = reportReversal(books, { receipt: RECEIPT }, { ...again, cents: 50_001n });
    await expect(more).rejects.toThrow('at most 500.00');
    await expectBooks({ collected: 0n, outside: 0n });
  });

  test('people decide about a part that went back before they assigned the receipt', async () => {
    await takeReport(deps(), report({ account: 'NOBODY' }));
    await takeReversal(deps(), part(10_000n, 0, { account: 'NOBODY' }));
    const vid = `vendor-${vendorId}`;
    await proposeForReceipt(books, { receipt: RECEIPT, vid, by: 'Asha', note: 'n' });
    await approveForReceipt(deps(), { receipt: RECEIPT, by: 'Baraka' });
    await expectBooks({ collected: 50_000n });
    const about = (await openCases()).filter((one) => one.vendorId === vendorId);
    expect(about).toMatchObject([{ kind: 'receipt_reversed', facts: { reversed_cents: 10_000 } }]);
    await takeBack(about[0]?.caseId ?? '');
    await expectBooks({ collected: 40_000n });
  });

  test('the pull takes every part that went back, also if it lists them before the payment', async () => {
    const paid = { receipt: RECEIPT, account: 'V0001', payer: null };
    const row = (amountCents: bigint, minute: number, isReversal: boolean) => ({
      ...{ ...paid, amountCents, isReversal },
      paidAt: new Date(Date.parse('2026-01-05T10:00:00Z') + minute * 60_000),
    });
    const payments = [row(10_000n, 7, true), row(10_000n, 5, true), row(50_000n, 0, false)];
    const pull = async () => ({ payments, unreadable: [] });
    const provider = { issuer: 'mpesa', confirmFromCents: null, pull };
    const source = { row: { sourceCode: 'paybill', collector: COLLECTOR }, provider };
    const turn = { now: new Date('2026-01-05T10:10:00Z'), pulledUntil: null };
    const { signal } = new AbortController();
    for (const _time of [1, 2]) {
      await pullSource(deps(), source as never, { ...turn, signal });
      expect(await openCases()).toMatchObject([{ vendorId, facts: { reversed_cents: 20_000 } }]);
    }
    const [opened] = await openCases();
    await takeBack(opened?.caseId ?? '');
    await expectBooks({ collected: 30_000n });
  });

  test('a bank’s statement returns parts with their own amounts, also twice on one day', async () => {
    const settings = { format: 'mt940', account_pattern: String.raw`ACC (\S+)` };
    const bank = { name: 'Bank', kind: 'statement', collector: COLLECTOR, settings } as const;
    await setSource(books.pool, 'bank', bank);
    const vid = `vendor-${vendorId}`;
    await addAccount(books, { sourceCode: 'bank', account: '100200', vid, by: 'Asha' });
    const folder = await makeTemporaryFolder();
    const file = path.join(folder, 'statement.sta');
    const back = ':61:2601060106RC100,00NTRFNONREF//FT26005001';
    const fields = [
      ...[':20:X', ':60F:C260105KES0,00', ':61:2601050105C500,00NTRFNONREF//FT26005001'],
      ...[':86:RENT ACC 100200', back, ':86:PART', back, ':86:PART', ':62F:C260106KES300,00', '-}'],
    ];
    await writeFile(file, fields.join('\n'));
    for (const counts of [
      { credited: 1, reversed: 2 },
      { repeated: 3, reversed: 0 },
    ]) {
      const source = await requireSource(books.pool, 'bank');
      const { wireTime } = books;
      expect(await importBankStatement(deps(), source, { file, wireTime })).toMatchObject(counts);
      expect(await openCases()).toMatchObject([{ facts: { reversed_cents: 20_000 } }]);
    }
    await removeFolder(folder);
    const [opened] = await openCases();
    await takeBack(opened?.caseId ?? '');
    await expectBooks({ collected: 30_000n });
  });
});
