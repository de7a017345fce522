import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { proposeForReceipt } from '../../src/payments/receipts/assign.ts';
import { proposeCollection } from '../../src/payments/receipts/collection.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import type { Actor } from '../../src/proposals/kind.ts';
import type { Proposals } from '../../src/proposals/proposals.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { addStaff } from '../support/staff.ts';

// Money that may be known already, under another spelling or from another source: whoever decides sees that.

const PAID_AT = new Date('2026-01-05T07:15:30Z');
const CENTS = 70_000n;

let books: Books;
let proposals: Proposals;
let asha: Actor;
let baraka: Actor;
beforeAll(async () => {
  books = await openBooks();
  proposals = quietProposals(books);
  const add = async (login: string) =>
    await addStaff(books, { login, name: `${login} M.`, role: 'finance' });
  [asha, baraka] = [await add('asha'), await add('baraka')];
});
afterAll(async () => await books.close());

async function newVendor() {
  const vendorId = await books.addVendor();
  return { vendorId, vid: `vendor-${vendorId}` };
}

test('income that waits under two spellings is looked at again once the first is approved', async () => {
  const { vendorId, vid } = await newVendor();
  const propose = async (reference: string) => {
    const income = {
      collector: COLLECTOR,
      vendorId,
      reference,
      amountCents: CENTS,
      paidAt: PAID_AT,
    };
    const asked = { income, vid, by: asha, note: 'their link was down' };
    const { proposalId } = await proposeCollection(proposals, asked);
    return { proposalId, by: baraka, seen: (await proposals.preview(proposalId)).seen };
  };
  const [one, other] = [await propose('R-1'), await propose('r1')];
  await proposals.approve(one);
  await expect(proposals.approve(other)).rejects.toMatchObject({ field: 'seen' });
  expect(await books.balances(vendorId)).toMatchObject({ collected: CENTS });
  const { lines, seen } = await proposals.preview(other.proposalId);
  expect(lines).toContainEqual({ label: 'Reported alike', text: `${COLLECTOR} R-1` });
  // It may be other money, so people decide.
  await proposals.approve({ ...other, seen });
  expect(await books.balances(vendorId)).toMatchObject({ collected: 2n * CENTS });
});

test('whoever decides about a receipt sees why it waits', async () => {
  const { vid } = await newVendor();
  const reports = ['paybill', 'second'].map((sourceCode, index): ReceiptReport => ({
    ...{ sourceCode, issuer: sourceCode, receipt: `AL0000000${index}`, collector: COLLECTOR },
    ...{ channel: 'pull', amountCents: CENTS, paidAt: PAID_AT, account: 'SHOP', payer: null },
  }));
  const deps = { ...books, log: pino({ level: 'silent' }) };
  for (const [index, report] of reports.entries()) {
    const settings = { base_url: 'http://127.0.0.1:9', short_code: `60010${index}` };
    const source = { name: 'Pay bill', kind: 'daraja', collector: COLLECTOR, settings } as const;
    await setSource(books.pool, report.sourceCode, source);
    const account = { sourceCode: report.sourceCode, account: 'SHOP', vid, by: 'Chege' };
    await addAccount(books, account);
  }
  const taken = [];
  for (const report of reports) taken.push(await takeReport(deps, report));
  expect(taken).toEqual(['credited', 'unmatched']);
  const asked = { receipt: 'AL00000001', vid, by: asha, note: 'the customer paid twice' };
  const { proposalId } = await proposeForReceipt({ ...books, proposals }, asked);
  const { remarks } = await proposals.preview(proposalId);
  expect(remarks).toEqual([
    {
      label: 'Waits because',
      text: expect.stringMatching(
        /^another source reported this amount.*: paybill AL00000000$/,
      ) as string,
    },
  ]);
});
