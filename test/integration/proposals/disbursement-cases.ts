import {
  proposePhonePayout,
  proposeRefund,
} from '../../../src/payments/disbursements/disbursements.ts';
import { setPayoutPhone } from '../../../src/payments/payouts/phones.ts';
import { databaseTransaction } from '../../../src/platform/db/pool.ts';
import { COLLECTOR, createInstructed } from '../../support/money-fixture.ts';
import { newPayment } from '../../support/new-transaction.ts';
import {
  CUSTOMER,
  openDisbursements,
  paidPayment,
  PAYOUT_BILLER,
  VENDOR_PHONE,
} from '../../support/disbursements.ts';
import type { Case, Cases, Given } from './case.ts';
import { balances } from './money-in-cases.ts';

const HAS = 100_000n;
const AMOUNT = 70_000n;
const TEXTS = { evidence: 'letter of 3 March', note: 'it was asked', billerCode: undefined };

async function phonePayout({ books, proposals, people }: Given): Promise<Case> {
  const deps = await openDisbursements(books, proposals);
  const vendorId = await books.addVendor();
  await books.addFloat(vendorId, HAS);
  const vid = `vendor-${vendorId}`;
  await deps.setPhone(vendorId, VENDOR_PHONE);
  const asked = { ...TEXTS, vendorId, vid, amountCents: AMOUNT, by: people.asha };
  const { proposalId: id } = await proposePhonePayout(deps, asked);
  const outside = { [`collector:${COLLECTOR}`]: -HAS };
  return {
    id,
    shown: [
      { label: 'Sent to', text: VENDOR_PHONE, cents: '70000' },
      {
        label: 'Booked',
        text: `${vid}: held → reserved, for a payment through ${PAYOUT_BILLER}`,
        cents: '70000',
      },
    ],
    state: async () => await balances(books, vendorId),
    approved: { ...outside, float: HAS - AMOUNT, reserved: AMOUNT },
    ended: { ...outside, float: HAS },
    // Two people set another phone meanwhile.
    changeFacts: async () =>
      await databaseTransaction(books.pool, async (db) => {
        const change = { vendorId, phone: '254711111111', by: 'Chege' };
        await setPayoutPhone({ db, ledgerMac: books.ledgerMac }, change);
      }),
    reason: /another one now: 254711111111/,
    spend: async () => {
      const amountCents = HAS - AMOUNT;
      await createInstructed(books.pool, [newPayment({ vendorId, amountCents, feeCents: 0n })]);
      return { ...outside, reserved: HAS };
    },
  };
}

async function refund(given: Given): Promise<Case> {
  const { books, proposals, people } = given;
  const deps = await openDisbursements(books, proposals);
  const vendorId = await books.addVendor();
  await books.addFloat(vendorId, 3n * HAS);
  const vid = `vendor-${vendorId}`;
  const refundOf = await paidPayment(books, vendorId, HAS);
  const asked = { ...TEXTS, vendorId, vid, amountCents: AMOUNT, refundOf, phone: CUSTOMER };
  const { proposalId: id } = await proposeRefund(deps, { ...asked, by: people.asha });
  const outside = { [`collector:${COLLECTOR}`]: -3n * HAS };
  const rest = { ...outside, 'operator:kplc': HAS };
  const { lines } = await proposals.preview(id);
  return {
    id,
    shown: [
      { label: 'Sent to', text: String(lines[0]?.text), cents: '70000' },
      {
        label: 'Booked',
        text: `${vid}: held → reserved, for a payment through ${PAYOUT_BILLER}`,
        cents: '70000',
      },
    ],
    state: async () => await balances(books, vendorId),
    approved: { ...rest, float: 2n * HAS - AMOUNT, reserved: AMOUNT },
    ended: { ...rest, float: 2n * HAS },
    // A case about the payment is opened.
    changeFacts: async () => await deps.openCase(vendorId, refundOf),
    reason: /a case about it is open/,
    spend: async () => {
      const amountCents = 2n * HAS - AMOUNT;
      await createInstructed(books.pool, [newPayment({ vendorId, amountCents, feeCents: 0n })]);
      return { ...rest, reserved: 2n * HAS };
    },
  };
}

export const CASES: Cases = { phone_payout: { make: phonePayout }, refund: { make: refund } };
