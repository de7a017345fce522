import { pino } from 'pino';
import { collect } from '../../../src/payments/collections/collect.ts';
import { fund } from '../../../src/payments/collections/fund.ts';
import { findMessage, listMessages } from '../../../src/payments/messages/read-messages.ts';
import { addAccount, setSource } from '../../../src/payments/receipts/administer.ts';
import { proposeForReceipt, requireReceipt } from '../../../src/payments/receipts/assign.ts';
import { proposeCollection } from '../../../src/payments/receipts/collection.ts';
import { proposeForMessage } from '../../../src/payments/receipts/completion.ts';
import { reportReversal } from '../../../src/payments/receipts/reverse.ts';
import { takeReport } from '../../../src/payments/receipts/take.ts';
import { c2bBody, openDarajaBooks, PAYBILL } from '../../support/daraja-books.ts';
import { foldOutside } from '../../support/outside.ts';
import { COLLECTOR, createInstructed } from '../../support/money-fixture.ts';
import type { Books } from '../../support/money-fixture.ts';
import { newPayment } from '../../support/new-transaction.ts';
import { approveSeen } from '../../support/payouts.ts';
import type { Case, Cases, Given } from './case.ts';

const PAID_AT = new Date('2026-01-05T07:15:30Z');
const AMOUNT = 70_000n;

/** Balances that are not zero. */
export async function balances(books: Books, vendorId: number): Promise<Record<string, bigint>> {
  const all = await books.balances(vendorId);
  return Object.fromEntries(Object.entries(all).filter(([, cents]) => cents !== 0n));
}

/** With all accounts where its income comes from as one. */
const folded = async (books: Books, vendorId: number): Promise<Record<string, bigint>> =>
  foldOutside(await books.balances(vendorId));

/** A receipt of M-PESA with an account that nobody has. */
async function takeUnmatched({ pool, ledgerMac }: Books, number: string): Promise<void> {
  const settings = { base_url: 'http://127.0.0.1:9', short_code: '600100' };
  const source = { name: 'Pay bill', kind: 'daraja' as const, collector: COLLECTOR, settings };
  await setSource(pool, 'paybill', source);
  const deps = { pool, ledgerMac, log: pino({ level: 'silent' }) };
  await takeReport(deps, {
    ...{
      issuer: 'mpesa',
      receipt: number,
      sourceCode: 'paybill',
      collector: COLLECTOR,
      channel: 'pull',
    },
    ...{ amountCents: AMOUNT, paidAt: PAID_AT, account: 'TYPO', payer: null },
  });
}

const wentBack = async (books: Books, name: { readonly receipt: string }): Promise<void> =>
  void (await reportReversal(books, name, { actor: 'Chege', note: 'it went back' }));

/** A receipt with an account that nobody has, assigned to a vendor. */
async function receipt({ books, proposals, people }: Given): Promise<Case> {
  const vendorId = await books.addVendor();
  const vid = `vendor-${vendorId}`;
  const name = { issuer: 'mpesa', receipt: 'PP00000001' };
  await takeUnmatched(books, name.receipt);
  const asked = { ...name, vid, note: 'the customer showed it', by: people.asha };
  const { proposalId: id } = await proposeForReceipt({ ...books, proposals }, asked);
  const state = async () => {
    const { state: is, reversedAt } = await requireReceipt(books.pool, name);
    return { is, isReversed: reversedAt !== null, ...(await folded(books, vendorId)) };
  };
  const ended = { is: 'unmatched', isReversed: false };
  return {
    ...{ id, state, ended },
    shown: [{ label: 'Credited as collected income', text: vid, cents: String(AMOUNT) }],
    approved: { is: 'credited', isReversed: false, outside: -AMOUNT, collected: AMOUNT },
    changeFacts: async () => await wentBack(books, name),
    reason: /took the money back|already withdrawn/,
    endedAfterChange: { ...ended, isReversed: true },
    // Somebody else's proposal, approved in between, gives the same money to another vendor.
    spend: async () => {
      const other = `vendor-${await books.addVendor()}`;
      const again = { ...asked, vid: other, by: people.chege };
      const { proposalId } = await proposeForReceipt({ ...books, proposals }, again);
      await approveSeen(books, proposalId, people.baraka);
      return 'refused';
    },
  };
}

/** A confirmation that could not be read, completed as a receipt. */
async function unreadMessage({ books, proposals, people }: Given): Promise<Case> {
  const paybill = await openDarajaBooks(books);
  const vendorId = await books.addVendor();
  const vid = `vendor-${vendorId}`;
  await addAccount(books, { sourceCode: PAYBILL, account: 'V001', vid, by: 'Asha' });
  await paybill.receive(c2bBody({ TransAmount: 'seven hundred' }));
  const [message] = await listMessages(books.pool, { state: 'open', after: null, limit: 1 });
  const read = { receipt: 'UAUNREAD01', amountCents: AMOUNT, account: 'V001', paidAt: PAID_AT };
  const { messageId = '' } = message ?? {};
  const asked = { messageId, read, note: 'the portal shows it', by: people.asha };
  const { proposalId: id } = await proposeForMessage({ ...books, proposals }, asked);
  await paybill.close();
  const state = async () => ({
    is: (await findMessage(books.pool, messageId))?.state,
    ...(await folded(books, vendorId)),
  });
  const credited = { outside: -AMOUNT, collected: AMOUNT };
  return {
    ...{ id, state, ended: { is: 'open' } },
    shown: [{ label: 'Credited as collected income', text: vid, cents: String(AMOUNT) }],
    approved: { is: 'completed', ...credited },
    // A confirmation that can be read has another amount.
    changeFacts: async () => void (await paybill.receive(c2bBody({ TransAmount: '300.00' }))),
    reason: /with another amount, account or time|already withdrawn/,
    endedAfterChange: { is: 'open', outside: -30_000n, collected: 30_000n },
    // Somebody else's proposal, approved in between, closes it.
    spend: async () => {
      const closing = { ...asked, read: null, by: people.chege };
      const { proposalId } = await proposeForMessage({ ...books, proposals }, closing);
      await approveSeen(books, proposalId, people.baraka);
      return 'refused';
    },
  };
}

/** A receipt that two people gave to the wrong vendor, which has spent a part of it. */
async function receiptMove({ books, proposals, people }: Given): Promise<Case> {
  const [from, to] = [await books.addVendor(), await books.addVendor()];
  const name = { issuer: 'mpesa', receipt: 'PP00000002' };
  await takeUnmatched(books, name.receipt);
  const asked = { ...name, note: 'the customer showed it', by: people.asha };
  const give = async (vendorId: number) =>
    await proposeForReceipt({ ...books, proposals }, { ...asked, vid: `vendor-${vendorId}` });
  await approveSeen(books, (await give(from)).proposalId, people.baraka);
  await fund(books.pool, { vendorId: from, requestedAt: new Date() });
  const spent = newPayment({ vendorId: from, amountCents: 60_000n, feeCents: 0n });
  await createInstructed(books.pool, [spent]);
  const { proposalId: id } = await give(to);
  const state = async () => ({
    has: (await requireReceipt(books.pool, name)).vendorId,
    from: await folded(books, from),
    to: await folded(books, to),
  });
  const moved = { has: to, to: { outside: -AMOUNT, collected: AMOUNT } };
  return {
    ...{ id, state },
    shown: [
      { label: 'Taken from', text: `vendor-${from}`, cents: '70000' },
      { label: 'The vendor owes us', text: `vendor-${from}`, cents: '60000' },
      { label: 'Credited as collected income', text: `vendor-${to}`, cents: '70000' },
    ],
    approved: { ...moved, from: { exposure: -60_000n, reserved: 60_000n } },
    ended: { has: from, from: { outside: -AMOUNT, float: 10_000n, reserved: 60_000n }, to: {} },
    changeFacts: async () => await wentBack(books, name),
    reason: /took money of it back/,
    // The vendor collects what it would owe.
    spend: async () => {
      const more = { collector: COLLECTOR, reference: 'more', vendorId: from };
      await collect(books, { ...more, amountCents: 60_000n, paidAt: PAID_AT });
      return { ...moved, from: { outside: -60_000n, reserved: 60_000n } };
    },
  };
}

/** Income of a till that a person reports in the name of its collector. */
async function collection({ books, proposals, people }: Given): Promise<Case> {
  const vendorId = await books.addVendor();
  const vid = `vendor-${vendorId}`;
  const till = { collector: COLLECTOR, vendorId, paidAt: PAID_AT };
  await collect(books, { ...till, reference: 'till 0', amountCents: 30_000n });
  const income = { ...till, reference: 'PP-00000003', amountCents: AMOUNT };
  const asked = { income, vid, by: people.asha, note: 'their link was down' };
  const { proposalId: id } = await proposeCollection(proposals, asked);
  return {
    id,
    state: async () => await folded(books, vendorId),
    shown: [
      { label: 'Credited as collected income', text: vid, cents: '70000' },
      { label: 'Collector', text: COLLECTOR },
      { label: 'Reference', text: 'PP-00000003' },
      { label: 'Customer paid', text: '2026-01-05 10:15:30' },
    ],
    approved: { outside: -100_000n, collected: 100_000n },
    ended: { outside: -30_000n, collected: 30_000n },
    // A source reports the same money.
    changeFacts: async () => await takeUnmatched(books, 'PP00000003'),
    reason: /receipt with this number/,
    // The vendor spends what it has.
    spend: async () => {
      await fund(books.pool, { vendorId, requestedAt: new Date() });
      return { outside: -100_000n, collected: AMOUNT, float: 30_000n };
    },
  };
}

export const CASES: Cases = {
  receipt: { make: receipt },
  receipt_move: { make: receiptMove },
  collection: { make: collection },
  unread_message: { make: unreadMessage },
};
