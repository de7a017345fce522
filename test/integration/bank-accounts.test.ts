import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { findViolations } from '../support/books-check.ts';
import { listCases } from '../../src/payments/cases/read-cases.ts';

import { readTrialBalance } from '../../src/payments/house/trial-balance.ts';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { proposeForReceipt } from '../../src/payments/receipts/assign.ts';
import { creditLeftClaims } from '../../src/payments/receipts/left-claims.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';
import { reportReversal } from '../../src/payments/receipts/reverse.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { approveSeen, named, payOut } from '../support/payouts.ts';
import { quietProposals } from '../support/quiet-proposals.ts';

let books: Books;
let vendorId: number;
let before: Record<string, bigint>;
let number = 0;
const deps = () => ({ ...books, log: pino({ level: 'silent' }) });

beforeAll(async () => {
  books = await openBooks();
  const settings = { base_url: 'http://127.0.0.1:9', short_code: '600100' };
  const source = { name: 'Pay bill', kind: 'daraja', collector: COLLECTOR, settings } as const;
  await setSource(books.pool, 'paybill', source);
  await setSource(books.pool, 'second', { ...source, bank: 'paybill' });
});
afterAll(async () => await books.close());
beforeEach(async () => {
  vendorId = await books.addVendor();
  const account = `V${vendorId}`;
  await addAccount(books, {
    ...{ sourceCode: 'paybill', account, vid: `vendor-${vendorId}`, by: 'Asha' },
  });
  before = await lines();
});

/** The lines of the trial balance that are not zero, debits above zero. */
async function lines(): Promise<Record<string, bigint>> {
  const period = { from: new Date(0), to: new Date('2100-01-01T00:00:00Z') };
  const balance = await readTrialBalance(books.pool, period);
  expect(balance.isEven).toBe(true);
  return Object.fromEntries(
    balance.lines.map((line) => [line.account, line.debitCents - line.creditCents]),
  );
}

/** By how much lines differ from those before the test; and the books are consistent. */
async function expectChange(wanted: Record<string, bigint>): Promise<void> {
  const now = await lines();
  const changed = Object.entries(now)
    .map(([account, cents]) => [account, cents - (before[account] ?? 0n)] as const)
    .filter(([, cents]) => cents !== 0n);
  expect(Object.fromEntries(changed)).toEqual(wanted);
  expect(await findViolations(books.pool, { mac: books.ledgerMac })).toEqual([]);
}

function report(change: Partial<ReceiptReport> = {}): ReceiptReport {
  number += 1;
  return {
    ...{ issuer: 'mpesa', receipt: `BA${String(number).padStart(8, '0')}`, sourceCode: 'paybill' },
    ...{ collector: COLLECTOR, channel: 'pull', payer: null, account: `V${vendorId}` },
    ...{ amountCents: 50_000n, paidAt: new Date('2026-01-05T09:00:00Z') },
    ...change,
  };
}

async function decide(receipt: string, to: { vid: string | null; account?: string }) {
  const proposals = quietProposals(books);
  const asked = { receipt, ...to, note: 'seen', by: named('Asha') };
  const { proposalId } = await proposeForReceipt({ ...books, proposals }, asked);
  await approveSeen(deps(), proposalId);
  await creditLeftClaims(deps());
}

test('a receipt with a vendor is at the bank of its source, and belongs to the vendor', async () => {
  await takeReport(deps(), report());
  await expectChange({ 'bank:paybill': 50_000n, collected: -50_000n });
});

test('two sources of one bank share its account', async () => {
  await takeReport(deps(), report({ sourceCode: 'second', bank: 'paybill' }));
  await expectChange({ 'bank:paybill': 50_000n, unallocated: -50_000n });
});

test('a receipt without a vendor is a liability until it is its vendor’s', async () => {
  const kept = report({ account: 'TYPO' });
  await takeReport(deps(), kept);
  await expectChange({ 'bank:paybill': 50_000n, unallocated: -50_000n });
  await decide(kept.receipt, { vid: `vendor-${vendorId}` });
  await expectChange({ 'bank:paybill': 50_000n, collected: -50_000n });
});

test('a receipt whose collector may not collect is a liability until it is credited', async () => {
  await books.pool.query(`update collectors set status = 'suspended'`);
  expect(await takeReport(deps(), report())).toBe('claimed');
  await books.pool.query(`update collectors set status = 'active'`);
  await expectChange({ 'bank:paybill': 50_000n, unallocated: -50_000n });
  await creditLeftClaims(deps());
  await expectChange({ 'bank:paybill': 50_000n, collected: -50_000n });
});

test('a receipt that is closed leaves the bank, or is an account’s that people name', async () => {
  const twice = report({ account: 'TYPO' });
  await takeReport(deps(), twice);
  await decide(twice.receipt, { vid: null });
  await expectChange({});
  const kept = report({ account: 'TYPO' });
  await takeReport(deps(), kept);
  await expect(decide(kept.receipt, { vid: null, account: 'income:unheard' })).rejects.toThrow(
    'no account income:unheard',
  );
  await decide(kept.receipt, { vid: null, account: 'liability:payables' });
  await expectChange({ 'bank:paybill': 50_000n, 'liability:payables': -50_000n });
});

test('money that a bank took back leaves its account at once, and is a claim until people decide', async () => {
  const credited = report();
  await takeReport(deps(), credited);
  const by = { actor: 'Chege', note: 'the bank called', cents: 20_000n };
  await reportReversal(books, { receipt: credited.receipt }, by);
  await expectChange({ 'bank:paybill': 30_000n, collected: -50_000n, reversals: 20_000n });
  const [row] = await listCases(books.pool, {
    resolved: false,
    vid: `vendor-${vendorId}`,
    limit: 1,
  });
  const caseId = row?.caseId ?? '';
  const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution: 'take_back', note: 'x', ...terms };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
  await expectChange({ 'bank:paybill': 30_000n, collected: -30_000n });
});

test('what a bank took back before a receipt is closed was no loss', async () => {
  const kept = report({ account: 'TYPO' });
  await takeReport(deps(), kept);
  const by = { actor: 'Chege', note: 'the bank called' };
  await reportReversal(books, { receipt: kept.receipt }, by);
  await expectChange({ unallocated: -50_000n, reversals: 50_000n });
  await decide(kept.receipt, { vid: null });
  await expectChange({});
});

test('a payout leaves the bank that it names', async () => {
  await takeReport(deps(), report());
  await payOut(books, { vendorId, amountCents: 20_000n, bank: 'paybill' }, `FT-${vendorId}`);
  await expectChange({ 'bank:paybill': 30_000n, collected: -30_000n });
  const nobody = payOut(books, { vendorId, amountCents: 1_000n, bank: 'nobody' }, 'FT-X');
  await expect(nobody).rejects.toThrow('no account bank:nobody');
});
