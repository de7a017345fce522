import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collect } from '../../src/payments/collections/collect.ts';
import { bookOpening } from '../../src/payments/moving/openings.ts';
import { databaseTransaction } from '../../src/platform/db/pool.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { readTrialBalance } from '../../src/payments/house/trial-balance.ts';
import { listCases } from '../../src/payments/cases/read-cases.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { enterQuarantine } from '../../src/payments/quarantine/enter.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { enterTransfer, findPayout, proposeReturn } from '../../src/payments/payouts/payouts.ts';
import type { PayoutRequest } from '../../src/payments/payouts/payouts.ts';
import { proposeAccount } from '../../src/payments/house/own-accounts.ts';
import { proposeJournal } from '../support/house-decisions.ts';
import type { NamedJournal } from '../support/house-decisions.ts';
import { releaseByTwo } from '../support/quarantines.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { chainEverything } from '../support/chain.ts';
import { COLLECTOR, createInstructed, OPERATOR, paidReport } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { approveSeen, named, payOut, proposedPayout } from '../support/payouts.ts';
import { brokenInvariants } from '../support/books-check.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';

// Entries by two people: journals of the house, and payouts to vendors' banks. Forgeries are found.

const freshBooks = sharedBooks();
let books: Books;
let vendorId: number;
beforeEach(async () => {
  books = await freshBooks();
  vendorId = await books.addVendor();
  const paidAt = new Date('2026-01-05T09:00:00Z');
  const income = { collector: COLLECTOR, reference: 'R1', vendorId, amountCents: 50_000n, paidAt };
  await collect(books, income);
});
afterEach(async () => await books.close());

const violations = async (): Promise<string[]> => await brokenInvariants(books);

const journal = async (change: Partial<NamedJournal> = {}) =>
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
  await approveSeen(books, journalId, named(by));

describe('a journal', () => {
  test('another person books a journal, once, and the trial balance stays even', async () => {
    const { proposalId } = await journal();
    await expect(approve(proposalId, 'ASHA')).rejects.toThrow('another person');
    await approve(proposalId);
    await expect(approve(proposalId)).rejects.toThrow('already approved by Baraka');
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

  test('a journal uses an own account of any class once two people have added it', async () => {
    const lines = pair('liability:landlord');
    await expect(journal({ lines })).rejects.toThrow('no account liability:landlord');
    const asked = { account: 'liability:landlord', title: 'Rent that we owe', note: 'an office' };
    const { proposalId } = await proposeAccount(quietProposals(books), {
      ...{ ...asked, by: named('Asha') },
    });
    await expect(journal({ lines })).rejects.toThrow('no account liability:landlord');
    await approve(proposalId);
    await approve((await journal({ lines })).proposalId);
    const to = new Date(Date.now() + 1_000);
    const { lines: accounts } = await readTrialBalance(books.pool, { from: new Date(0), to });
    const line = accounts.find(({ account }) => account === 'liability:landlord');
    expect(line).toMatchObject({ class: 'liability', debitCents: 1n });
    await chainEverything(books);
    expect(await violations()).toEqual([]);
  });

  test('the opening trial balance of another system is booked once', async () => {
    const lines = [
      { account: 'asset:deposits', side: 'debit', amountCents: 80_000n },
      { account: 'liability:payables', side: 'credit', amountCents: 30_000n },
      { account: 'opening', side: 'credit', amountCents: 50_000n },
    ] as const;
    await expect(journal({ lines })).rejects.toThrow('opening is no account');
    const [first, second] = [
      await journal({ lines, reference: 'O1', isOpening: true }),
      await journal({ lines, reference: 'O2', isOpening: true }),
    ];
    await approve(first.proposalId);
    await expect(approve(second.proposalId)).rejects.toThrow('is booked already');
    await chainEverything(books);
    expect(await violations()).toEqual([]);
    await books.owner.query(`update house_journals set is_opening = false where reference = 'O1'`);
    expect(await violations()).toEqual(['house_equals_journals']);
    await books.owner.query(`update house_journals set is_opening = true where reference = 'O1'`);
    expect(await violations()).toEqual([]);
  });

  test('what floats and vendors had at another system is in two lines, so that neither hides what the other lacks', async () => {
    const lines = [
      { account: 'opening', side: 'debit', amountCents: 40_000n },
      { account: 'equity:capital', side: 'debit', amountCents: 60_000n },
      { account: 'vendors-opening', side: 'credit', amountCents: 100_000n },
    ] as const;
    await expect(journal({ lines })).rejects.toThrow('opening is no account');
    await approve((await journal({ lines, isOpening: true })).proposalId);
    const book = async (of: { collectedCents: bigint; floatCents: bigint }) => {
      const [vendor, importId] = [await books.addVendor(), newId()];
      const opening = { vendorId: vendor, importId, hasReferences: false, valuedAt: new Date(0) };
      await databaseTransaction(books.pool, async (db) => {
        await bookOpening({ db, ledgerMac: books.ledgerMac }, { ...opening, ...of });
      });
    };
    const left = async (account: string) => {
      const period = { from: new Date(0), to: new Date(Date.now() + 60_000) };
      const { lines: all, isEven } = await readTrialBalance(books.pool, period);
      expect(isEven).toBe(true);
      const line = all.find((one) => one.books === 'house' && one.account === account);
      return (line?.debitCents ?? 0n) - (line?.creditCents ?? 0n);
    };
    await book({ collectedCents: 30_000n, floatCents: 80_000n });
    // A vendor got 100.00 too much, and the floats have nothing yet.
    expect([await left('opening'), await left('vendors-opening')]).toEqual([40_000n, 10_000n]);
  });

  test('a rejected journal is not booked', async () => {
    const { proposalId } = await journal();
    await quietProposals(books).reject({ proposalId, by: named('Asha') });
    await expect(approve(proposalId)).rejects.toThrow('already withdrawn');
    await journal();
  });

  test.each<[string, Partial<NamedJournal>, string]>([
    ['an operator that does not exist', { lines: pair('operator-charges:nobody') }, 'lines'],
    ['a bank that does not exist', { lines: pair('bank:nobody') }, 'lines'],
    ['a future time', { movedAt: new Date(Date.now() + 86_400_000) }, 'at'],
    ['no evidence', { evidence: ' ' }, 'evidence'],
    ['no reason', { note: '-' }, 'note'],
  ])('is refused with %s', async (_, change, field) => {
    await expect(journal(change)).rejects.toMatchObject({ field });
  });
});

function pair(account: string): NamedJournal['lines'] {
  return [
    { account, side: 'debit', amountCents: 1n },
    { account: 'suspense', side: 'credit', amountCents: 1n },
  ];
}

describe('a payout', () => {
  const propose = async (amountCents: bigint, change: Partial<PayoutRequest> = {}) =>
    await proposedPayout(books, { vendorId, amountCents, ...change });
  const enter = async (payoutId: string, reference = 'FT1') => {
    const proposals = quietProposals(books);
    await enterTransfer({ ...books, proposals }, { payoutId, reference, by: named('Chege') });
  };
  const stateOf = async (payoutId: string) =>
    (await findPayout(books.pool, quietProposals(books), payoutId)).state;
  const has = async (balances: Record<string, bigint>): Promise<void> => {
    expect(await books.balances(vendorId)).toMatchObject(balances);
    await chainEverything(books);
    expect(await violations()).toEqual([]);
  };

  test('the amount of a payout is held from the proposal on, and booked with the bank’s reference after the approval, once', async () => {
    const payoutId = await propose(20_000n);
    await has({ collected: 30_000n, held: 20_000n });
    await expect(enter(payoutId)).rejects.toThrow('waits for another person');
    await expect(approveSeen(books, payoutId, named('asha'))).rejects.toThrow('another person');
    await approveSeen(books, payoutId);
    expect(await stateOf(payoutId)).toBe('approved');
    const entered = await Promise.allSettled([enter(payoutId), enter(payoutId, 'FT2')]);
    expect(entered.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await has({ collected: 30_000n, held: 0n, 'bank:main': 20_000n });
    expect(await stateOf(payoutId)).toBe('booked');
  });

  test('keeps its money when the vendor funds and spends everything else', async () => {
    const payoutId = await propose(40_000n);
    await fund(books.pool, { vendorId, requestedAt: new Date() });
    const made = newPayment({ vendorId, amountCents: 10_000n, feeCents: 0n });
    await createInstructed(books.pool, [made]);
    await settlePayments(books.pool, [paidReport(made)]);
    await approveSeen(books, payoutId);
    await enter(payoutId);
    await has({
      collected: 0n,
      float: 0n,
      held: 0n,
      'bank:main': 40_000n,
      [`operator:${OPERATOR}`]: 10_000n,
    });
  });

  test('never takes more than the vendor has', async () => {
    await expect(propose(50_001n)).rejects.toMatchObject({ field: 'amount' });
    await expect(propose(0n)).rejects.toMatchObject({ field: 'amount' });
    await propose(40_000n);
    await expect(propose(10_001n)).rejects.toThrow('has 100.00 of collected income');
    await expect(propose(10_000n, { evidence: ' ' })).rejects.toMatchObject({ field: 'evidence' });
  });

  test('a payout is refused while the same one waits, and under a reference that was entered before', async () => {
    const first = await propose(20_000n);
    await expect(propose(20_000n)).rejects.toThrow('waits for a decision');
    const second = await propose(10_000n);
    await approveSeen(books, first);
    await approveSeen(books, second);
    await enter(first, 'FT-1');
    await expect(enter(second, 'ft 1')).rejects.toMatchObject({ field: 'reference' });
    await has({ collected: 20_000n, held: 10_000n, 'bank:main': 20_000n });
  });

  test('whoever approves a payout sees another one of the same amount that was approved', async () => {
    const first = await propose(20_000n);
    await approveSeen(books, first);
    const again = await propose(20_000n);
    const { remarks } = await quietProposals(books).preview(again);
    expect(remarks).toEqual([{ label: 'Other payouts of this amount', text: first }]);
  });

  test('a payout that was proposed before a restore is not approved after it: the transfer may have been made', async () => {
    const payoutId = await propose(20_000n);
    await enterQuarantine(books.pool, {
      ...{ entryId: newId(), lostFrom: new Date(Date.now() - 60_000), lostUntil: null },
      ...{ by: 'test', reason: 'restored' },
    });
    const approval = async () => await approveSeen(books, payoutId);
    await expect(approval()).rejects.toThrow('in quarantine');
    await releaseByTwo(books);
    await expect(approval()).rejects.toThrow('may have been approved and paid');
    await quietProposals(books).reject({ proposalId: payoutId, by: named('Baraka') });
    await approveSeen(books, await propose(20_000n));
    await has({ collected: 30_000n, held: 20_000n });
  });

  test('two people return the money of a payout that was approved and not made', async () => {
    const payoutId = await propose(20_000n);
    await approveSeen(books, payoutId);
    const proposals = quietProposals(books);
    const asked = { payoutId, note: 'the bank refused it', by: named('Baraka') };
    const { proposalId } = await proposeReturn(proposals, asked);
    await approveSeen(books, proposalId, named('Asha'));
    await expect(enter(payoutId)).rejects.toThrow('returned');
    expect(await stateOf(payoutId)).toBe('returned');
    await has({ collected: 50_000n, held: 0n });
  });

  test('a payout that was made without a proposal is booked whatever is left, and the rest is owed', async () => {
    await fund(books.pool, { vendorId, requestedAt: new Date() });
    await createInstructed(books.pool, [
      newPayment({ vendorId, amountCents: 30_000n, feeCents: 0n }),
    ]);
    const income = { collector: COLLECTOR, reference: 'R2', vendorId, amountCents: 5_000n };
    await collect(books, { ...income, paidAt: new Date('2026-01-06T09:00:00Z') });
    const payoutId = await propose(70_000n, { reference: 'FT9' });
    await has({ collected: 0n, held: 5_000n, float: 20_000n });
    await approveSeen(books, payoutId);
    await has({ held: 0n, float: 0n, exposure: -45_000n, 'bank:main': 70_000n });
    const cases = await listCases(books.pool, { resolved: false, limit: 10 });
    expect(cases).toMatchObject([{ kind: 'exposure', vendorId, facts: { owed_cents: 45_000 } }]);
  });
});

describe('a forgery is found', () => {
  beforeEach(async () => {
    await approve((await journal()).proposalId);
    await payOut(books, { vendorId, amountCents: 20_000n }, 'FT1');
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
      'an account that nobody decided',
      `insert into house_accounts (added_at, account_id, account, title, proposed_by, decided_by)
       values (now(), gen_random_uuid(), 'asset:x', 'x', 'Asha', 'Baraka')`,
      ['accounts_in_chart'],
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
      ['chain_intact', 'holds_equal_proposals', 'payouts_equal_transfers'],
    ],
    [
      'a payout that was put into the database',
      `insert into vendor_payouts select posted_at, 5, gen_random_uuid(), vendor_id, bank, bank_account, 'X',
         evidence, note, proposed_by, decided_by, mac
       from vendor_payouts`,
      ['chain_intact', 'payouts_authentic', 'payouts_equal_transfers'],
    ],
  ])('%s', async (_, sql, found) => {
    await books.owner.query(sql);
    expect(await violations()).toEqual(found);
  });
});
