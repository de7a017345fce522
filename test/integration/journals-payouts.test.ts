import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collect } from '../../src/payments/collections/collect.ts';
import {
  approveJournal,
  proposeJournal,
  rejectJournal,
} from '../../src/payments/house/journals.ts';
import type { JournalRequest } from '../../src/payments/house/journals.ts';
import { readTrialBalance } from '../../src/payments/house/trial-balance.ts';
import { approvePayout, proposePayout, rejectPayout } from '../../src/payments/payouts/payouts.ts';
import type { PayoutRequest } from '../../src/payments/payouts/payouts.ts';
import { chainEverything } from '../support/chain.ts';
import { COLLECTOR, OPERATOR, openBooks } from '../support/money-fixture.ts';
import { brokenInvariants } from '../support/broken-invariants.ts';
import type { Books } from '../support/money-fixture.ts';

// Entries by two people: journals of the house, and payouts to vendors' banks. Forgeries are found.

let books: Books;
let vendorId: number;
beforeEach(async () => {
  books = await openBooks();
  vendorId = await books.addVendor();
  const paidAt = new Date('2026-01-05T09:00:00Z');
  const income = { collector: COLLECTOR, reference: 'R1', vendorId, amountCents: 50_000n, paidAt };
  await collect(books, income);
});
afterEach(async () => await books.close());

const violations = async (): Promise<string[]> => await brokenInvariants(books);

const journal = async (change: Partial<JournalRequest> = {}) =>
  await proposeJournal(books, {
    lines: [
      { account: 'suspense', side: 'debit', amountCents: 30_000n },
      { account: 'expense:bank-fees', side: 'debit', amountCents: 500n },
      { account: `commission-due:${OPERATOR}`, side: 'credit', amountCents: 20_500n },
      { account: 'income:other', side: 'credit', amountCents: 10_000n },
    ],
    reference: 'J1',
    movedAt: new Date(Date.now() - 60_000),
    note: 'the bank told us',
    evidence: 'mail of 3 March',
    by: 'Asha',
    ...change,
  });
const approve = async (journalId: string, by = 'Baraka') =>
  await approveJournal(books, { journalId, by });

const payout = async (change: Partial<PayoutRequest> = {}) =>
  await proposePayout(books, {
    vendorId,
    amountCents: 20_000n,
    bankAccount: 'KCB 110000001',
    reference: 'FT1',
    evidence: 'order of 3 March',
    note: 'the vendor asked',
    by: 'Asha',
    ...change,
  });
const pay = async (payoutId: string, by = 'Baraka') => await approvePayout(books, { payoutId, by });

describe('a journal', () => {
  test('is booked by another person, once, and the trial balance stays even', async () => {
    const { journalId } = await journal();
    await expect(approve(journalId, 'ASHA')).rejects.toThrow('another person');
    await approve(journalId);
    await expect(approve(journalId)).rejects.toThrow('already approved by Baraka');
    await expect(journal({ reference: 'j-1' })).rejects.toMatchObject({ field: 'reference' });
    const to = new Date(Date.now() + 1_000);
    const balance = await readTrialBalance(books.pool, { from: new Date(0), to });
    expect(balance.isEven).toBe(true);
    const cents = (account: string) => {
      const line = balance.lines.find((one) => one.account === account);
      return (line?.debitCents ?? 0n) - (line?.creditCents ?? 0n);
    };
    expect(cents('suspense')).toBe(30_000n);
    expect(cents('expense:bank-fees')).toBe(500n);
    expect(cents(`commission-due:${OPERATOR}`)).toBe(-20_500n);
    expect(cents('income:other')).toBe(-10_000n);
    await chainEverything(books);
    expect(await violations()).toEqual([]);
  });

  test('that was rejected is not booked', async () => {
    const { journalId } = await journal();
    await rejectJournal(books.pool, { journalId, by: 'Asha' });
    await expect(approve(journalId)).rejects.toThrow('already rejected');
    await journal();
  });

  test.each<[string, Partial<JournalRequest>, string]>([
    ['an operator that does not exist', { lines: pair('operator-charges:nobody') }, 'lines'],
    ['a bank that does not exist', { lines: pair('bank:nobody') }, 'lines'],
    ['a future time', { movedAt: new Date(Date.now() + 86_400_000) }, 'at'],
    ['no evidence', { evidence: ' ' }, 'evidence'],
    ['no reason', { note: '-' }, 'note'],
  ])('is refused with %s', async (_, change, field) => {
    await expect(journal(change)).rejects.toMatchObject({ field });
  });
});

function pair(account: string): JournalRequest['lines'] {
  return [
    { account, side: 'debit', amountCents: 1n },
    { account: 'suspense', side: 'credit', amountCents: 1n },
  ];
}

describe('a payout', () => {
  test('leaves collected income when another person approves it, once', async () => {
    const { payoutId } = await payout();
    expect(await books.balances(vendorId)).toMatchObject({ collected: 50_000n });
    await expect(pay(payoutId, 'asha')).rejects.toThrow('another person');
    const booked = await Promise.allSettled([pay(payoutId), pay(payoutId, 'Chege')]);
    expect(booked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await books.balances(vendorId)).toMatchObject({ collected: 30_000n, paid_out: 20_000n });
    await expect(payout({ reference: 'ft 1' })).rejects.toMatchObject({ field: 'reference' });
    await chainEverything(books);
    expect(await violations()).toEqual([]);
  });

  test('never takes more than the vendor has', async () => {
    await expect(payout({ amountCents: 50_001n })).rejects.toMatchObject({ field: 'amount' });
    await expect(payout({ amountCents: 0n })).rejects.toMatchObject({ field: 'amount' });
    const first = await payout({ amountCents: 40_000n });
    const second = await payout({ amountCents: 40_000n, reference: 'FT2' });
    await pay(first.payoutId);
    await expect(pay(second.payoutId)).rejects.toThrow('has 100.00 of collected income');
    await rejectPayout(books.pool, { payoutId: second.payoutId, by: 'Asha' });
    await expect(pay(second.payoutId)).rejects.toThrow('already rejected');
    expect(await violations()).toEqual([]);
  });
});

describe('a forgery is found', () => {
  beforeEach(async () => {
    await approve((await journal()).journalId);
    await pay((await payout()).payoutId);
    await chainEverything(books);
    expect(await violations()).toEqual([]);
  });

  test.each<[string, string, readonly string[]]>([
    [
      'a line of a journal',
      `update house_journals set lines = jsonb_set(lines, '{0,cents}', '"30001"')`,
      ['house_equals_journals'],
    ],
    [
      'the evidence of a journal',
      `update house_journals set evidence = 'mine'`,
      ['house_authentic'],
    ],
    [
      'when the money of a journal moved',
      `update house_journals set moved_at = '2026-01-01T00:00:00Z'`,
      ['house_equals_journals'],
    ],
    [
      'who approved a journal',
      `update house_journals set decided_by = 'Chege'`,
      ['house_authentic'],
    ],
    [
      'a journal that is gone',
      `delete from house_journals`,
      ['house_authentic', 'house_equals_journals'],
    ],
    [
      'a part of a journal that is gone',
      `delete from house_transfers where source = 'journal' and part = 1`,
      ['chain_intact', 'house_equals_journals'],
    ],
    [
      'the amount of a payout',
      `update vendor_payouts set amount_cents = amount_cents - 1`,
      ['chain_intact', 'payouts_authentic', 'payouts_equal_transfers'],
    ],
    [
      'where a payout went',
      `update vendor_payouts set bank_account = 'mine'`,
      ['chain_intact', 'payouts_authentic'],
    ],
    [
      'who approved a payout',
      `update vendor_payouts set decided_by = 'Chege'`,
      ['chain_intact', 'payouts_authentic'],
    ],
    [
      'a payout that is gone',
      `delete from vendor_payouts`,
      ['chain_intact', 'payouts_equal_transfers'],
    ],
    [
      'a payout that was put into the database',
      `insert into vendor_payouts select proposed_at, decided_at, posted_at, 5, gen_random_uuid(),
         vendor_id, bank_account, 'X', evidence, note, proposed_by, decided_by, decision, mac
       from vendor_payouts`,
      ['chain_intact', 'payouts_authentic', 'payouts_equal_transfers'],
    ],
  ])('%s', async (_, sql, found) => {
    await books.owner.query(sql);
    expect(await violations()).toEqual(found);
  });
});
