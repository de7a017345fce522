import {
  enterTransfer,
  proposePayout,
  proposeReturn,
} from '../../../src/payments/payouts/payouts.ts';
import { collect } from '../../../src/payments/collections/collect.ts';
import { fund } from '../../../src/payments/collections/fund.ts';
import { newId } from '../../../src/platform/base/ids.ts';
import { COLLECTOR, createInstructed } from '../../support/money-fixture.ts';
import type { Books } from '../../support/money-fixture.ts';
import { newPayment } from '../../support/new-transaction.ts';
import { approveSeen } from '../../support/payouts.ts';
import type { Case, Cases, Given } from './case.ts';
import { balances } from './money-in-cases.ts';

const HAS = 100_000n;
const AMOUNT = 70_000n;
const TEXTS = { bankAccount: 'KCB 110000001', evidence: 'order of 3 March', note: 'it was asked' };

export async function income(books: Books): Promise<{ vendorId: number; vid: string }> {
  const vendorId = await books.addVendor();
  const paidAt = new Date('2026-01-05T09:00:00Z');
  await collect(books, {
    ...{ collector: COLLECTOR, reference: newId(), vendorId, amountCents: HAS, paidAt },
  });
  return { vendorId, vid: `vendor-${vendorId}` };
}

async function fundAndSpend({ books }: Given, vendorId: number, amountCents: bigint) {
  await fund(books.pool, { vendorId, requestedAt: new Date() });
  await createInstructed(books.pool, [newPayment({ vendorId, amountCents, feeCents: 0n })]);
}

async function payout(given: Given): Promise<Case> {
  const { books, proposals, people } = given;
  const { vendorId, vid } = await income(books);
  const request = { ...TEXTS, vendorId, vid, amountCents: AMOUNT, reference: null };
  const { proposalId: id } = await proposePayout(proposals, { ...request, by: people.asha });
  const outside = { [`collector:${COLLECTOR}`]: -HAS };
  const held = { ...outside, collected: HAS - AMOUNT, held: AMOUNT };
  return {
    id,
    shown: [
      { label: 'Transfer that the approval permits', text: TEXTS.bankAccount, cents: '70000' },
      {
        label: 'Booked with the bank’s reference',
        text: `${vid}: held → bank:main`,
        cents: '70000',
      },
    ],
    state: async () => await balances(books, vendorId),
    approved: held,
    ended: { ...outside, collected: HAS },
    // The vendor owes us a part of what it would get.
    changeFacts: async () => await madeTransfer(given, { vendorId, vid }, 60_001n),
    reason: /owes us 300.01/,
    endedAfterChange: { ...outside, exposure: -30_001n, collected: AMOUNT, 'bank:main': 60_001n },
    spend: async () => {
      await fundAndSpend(given, vendorId, HAS - AMOUNT);
      return { ...outside, held: AMOUNT, reserved: HAS - AMOUNT };
    },
  };
}

/** A transfer that was made without a proposal, approved. */
async function madeTransfer(
  { books, proposals, people }: Given,
  of: { readonly vendorId: number; readonly vid: string },
  amountCents: bigint,
): Promise<void> {
  const request = { ...TEXTS, ...of, amountCents, reference: 'FT-OTHER', by: people.chege };
  const { proposalId } = await proposePayout(proposals, request);
  await approveSeen(books, proposalId, people.baraka);
}

async function payoutMade(given: Given): Promise<Case> {
  const { books, proposals, people } = given;
  const { vendorId, vid } = await income(books);
  const request = { ...TEXTS, vendorId, vid, amountCents: AMOUNT, reference: 'FT-1' };
  const { proposalId: id } = await proposePayout(proposals, { ...request, by: people.asha });
  const outside = { [`collector:${COLLECTOR}`]: -HAS };
  return {
    id,
    shown: [{ label: 'Booked', text: `${vid}: held → bank:main`, cents: '70000' }],
    state: async () => await balances(books, vendorId),
    approved: { ...outside, collected: HAS - AMOUNT, 'bank:main': AMOUNT },
    ended: { ...outside, collected: HAS },
    // The same transfer of the bank is booked for another payout.
    changeFacts: async () => {
      const other = { ...request, ...(await income(books)), amountCents: 1_000n, reference: null };
      const { proposalId } = await proposePayout(proposals, { ...other, by: people.asha });
      await approveSeen(books, proposalId, people.baraka);
      const deps = { ...books, proposals };
      const transfer = { payoutId: proposalId, reference: 'ft 1', by: people.baraka };
      await enterTransfer(deps, transfer);
    },
    reason: /reference was entered before/,
    spend: async () => {
      await fundAndSpend(given, vendorId, HAS - AMOUNT);
      return { ...outside, 'bank:main': AMOUNT, reserved: HAS - AMOUNT };
    },
  };
}

async function payoutReturn(given: Given): Promise<Case> {
  const { books, proposals, people } = given;
  const { vendorId, vid } = await income(books);
  const request = { ...TEXTS, vendorId, vid, amountCents: AMOUNT, reference: null };
  const { proposalId: payoutId } = await proposePayout(proposals, { ...request, by: people.chege });
  await approveSeen(books, payoutId, people.baraka);
  const asked = { payoutId, note: 'the bank refused it', by: people.asha };
  const { proposalId: id } = await proposeReturn(proposals, asked);
  const outside = { [`collector:${COLLECTOR}`]: -HAS };
  const paid = { ...outside, collected: HAS - AMOUNT, 'bank:main': AMOUNT };
  const enter = async () => {
    const transfer = { payoutId, reference: 'FT-1', by: people.baraka };
    await enterTransfer({ ...books, proposals }, transfer);
  };
  return {
    id,
    shown: [
      { label: 'Booked', text: `${vid}: held → collected`, cents: '70000' },
      { label: 'Transfer that is not made any more', text: TEXTS.bankAccount },
    ],
    state: async () => await balances(books, vendorId),
    approved: { ...outside, collected: HAS },
    ended: { ...outside, collected: HAS - AMOUNT, held: AMOUNT },
    changeFacts: enter,
    reason: /holds no money/,
    endedAfterChange: paid,
    spend: async () => {
      await enter();
      return 'refused';
    },
  };
}

export const CASES: Cases = {
  payout: { make: payout },
  payout_made: { make: payoutMade },
  payout_return: { make: payoutReturn },
};
