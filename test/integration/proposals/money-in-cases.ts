import { collect } from '../../../src/payments/collections/collect.ts';
import { proposeCollection } from '../../../src/payments/receipts/collection.ts';
import { setSource } from '../../../src/payments/receipts/administer.ts';
import { takeReport } from '../../../src/payments/receipts/take.ts';
import { fund } from '../../../src/payments/collections/fund.ts';
import { pino } from 'pino';
import { COLLECTOR } from '../../support/money-fixture.ts';
import type { Case, Given } from './cases.ts';

const PAID_AT = new Date('2026-01-05T07:15:30Z');

/** Income of a till that a person reports in the name of its collector. */
export async function collection({ books, proposals, people }: Given): Promise<Case> {
  const { pool } = books;
  const vendorId = await books.addVendor();
  const vid = `vendor-${vendorId}`;
  await collect(books, {
    ...{ collector: COLLECTOR, reference: 'till 0', vendorId, amountCents: 30_000n },
    paidAt: PAID_AT,
  });
  const content = { collector: COLLECTOR, reference: 'TILL-1', vendorId, amountCents: 70_000n };
  const income = { ...content, paidAt: PAID_AT };
  const asked = { income, vid, by: people.asha, note: 'their link was down' };
  const { proposalId: id } = await proposeCollection(proposals, asked);
  const state = async () => {
    const { external, collected, float } = await books.balances(vendorId);
    return { external, collected, float: float ?? 0n };
  };
  return {
    ...{ id, state },
    shown: [
      { label: 'Credited as collected income', text: vid, cents: '70000' },
      { label: 'Collector', text: COLLECTOR },
      { label: 'Reference', text: 'TILL-1' },
      { label: 'Customer paid', text: '2026-01-05 10:15:30' },
    ],
    approved: { external: -100_000n, collected: 100_000n, float: 0n },
    ended: { external: -30_000n, collected: 30_000n, float: 0n },
    // A source reports the same money.
    changeFacts: async () => {
      const settings = { base_url: 'http://127.0.0.1:9', short_code: '600100' };
      const source = { name: 'Pay bill', kind: 'daraja' as const, collector: COLLECTOR, settings };
      await setSource(pool, 'paybill', source);
      await takeReport(
        { ...books, log: pino({ level: 'silent' }) },
        {
          ...{ issuer: 'mpesa', receipt: 'till1', sourceCode: 'paybill', collector: COLLECTOR },
          ...{ channel: 'pull', amountCents: 70_000n, paidAt: PAID_AT },
          ...{ account: 'TYPO', payer: null },
        },
      );
    },
    reason: /receipt with this number/,
    // The vendor spends what it has.
    spend: async () => {
      await fund(pool, { vendorId, requestedAt: new Date() });
      return { external: -100_000n, collected: 70_000n, float: 30_000n };
    },
  };
}
