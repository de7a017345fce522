import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { settlePayments } from '../../../src/payments/settle/store.ts';
import { addAccount, removeAccount, setSource } from '../../../src/payments/receipts/administer.ts';
import { proposeBankStatement } from '../../../src/payments/uploads/bank-statement.ts';
import { proposeOperatorStatement } from '../../../src/payments/uploads/operator-statement.ts';
import { fund } from '../../../src/payments/collections/fund.ts';
import { readStored } from '../../support/dispatch-fixture.ts';
import { COLLECTOR, createInstructed, OPERATOR, paidReport } from '../../support/money-fixture.ts';
import { newPayment } from '../../support/new-transaction.ts';
import {
  databaseTime,
  importLines,
  referenceOf,
  statementText,
} from '../../support/reconciliation-fixture.ts';
import { makeTemporaryFolder } from '../../support/temporary.ts';
import type { Case, Cases, Given } from './case.ts';
import { income } from './payout-cases.ts';

const AMOUNT = 70_000n;

/** A payment without an answer, which the statement lists as paid, and a charge. */
async function operatorStatement(given: Given): Promise<Case> {
  const { books, proposals, people } = given;
  await books.owner.query(`update operators set connector = 'http-json'`);
  const { vendorId } = await income(books);
  await fund(books.pool, { vendorId, requestedAt: new Date() });
  const made = newPayment({ vendorId, amountCents: AMOUNT, feeCents: 0n });
  await createInstructed(books.pool, [made]);
  const to = await databaseTime(books);
  const from = new Date(Number(to) - 3_600_000);
  const at = new Date(Number(to) - 1);
  const text = statementText(
    [
      { of: made, operatorReference: 'A', at },
      { type: 'charge', operatorReference: 'FEE', amountCents: 5_000n, at },
    ],
    { from, to },
  );
  const folder = await makeTemporaryFolder();
  const file = path.join(folder, 'statement.csv');
  await writeFile(file, text);
  const period = { operator: OPERATOR, from, to, complete: true, toleranceMs: 0 };
  const request = { ...period, file, note: 'of March', by: people.asha };
  const proposed = await proposeOperatorStatement({ ...books, proposals }, request);
  if (proposed.kind !== 'proposed') throw new Error('nothing was proposed');
  const state = async () => {
    const { outcome } = (await readStored(books, made)) ?? {};
    const booked = await books.pool.query<{ source: string; cents: bigint }>(
      'select source, sum(amount_cents)::bigint as cents from house_transfers group by 1 order by 1',
    );
    return { outcome, booked: booked.rows.map((row) => [row.source, row.cents]) };
  };
  const before = { outcome: null, booked: [] };
  const after = {
    outcome: 'success',
    booked: [
      ['charges', 5_000n],
      ['opening', 100_000_000n],
    ],
  };
  return {
    id: proposed.row.proposalId,
    shown: [
      { label: 'Payments that become paid', text: `1: ${referenceOf(made)}`, cents: '70000' },
      { label: 'Opening balance that is booked', cents: '100000000' },
      { label: 'Charges that are booked', cents: '5000' },
      { label: 'Movements', text: 'noted 1, settled 1' },
      { label: 'Payments that it does not list', text: '0' },
      { label: 'Cases that are opened', text: '0' },
      { label: 'Not in our books', text: '0.00' },
    ],
    state,
    approved: after,
    ended: before,
    // The same statement was imported in another way.
    changeFacts: async () => {
      await importLines(books, folder, [], { from, to, text });
    },
    reason: /imported before/,
    endedAfterChange: after,
    // The operator answered meanwhile.
    spend: async () => {
      await settlePayments(books.pool, [paidReport(made)]);
      return after;
    },
  };
}

/** A bank statement with one credit of the vendor, and one that nobody has. */
async function bankStatement(given: Given): Promise<Case> {
  const { books, proposals, people } = given;
  const { pool } = books;
  const [vendorId, otherId] = [await books.addVendor(), await books.addVendor()];
  const settings = {
    format: 'csv',
    columns: { time: 'Date', amount: 'Amount', reference: 'Ref', text: 'Narrative' },
    account_pattern: String.raw`ACC (\w+)`,
  };
  const source = { name: 'Bank', kind: 'statement' as const, collector: COLLECTOR, settings };
  await setSource(pool, 'bank', source);
  const account = { sourceCode: 'bank', account: '100200', by: 'Asha' };
  await addAccount(books, { ...account, vid: `vendor-${vendorId}` });
  const file = path.join(await makeTemporaryFolder(), 'statement.csv');
  const rows = ['2026-01-05,700.00,FT000001,ACC 100200', '2026-01-05,5.00,FT000002,a gift'];
  await writeFile(file, ['Date,Amount,Ref,Narrative', ...rows].join('\n'));
  const request = { source: 'bank', file, acceptedLines: [], note: 'of January', by: people.asha };
  const { proposalId: id } = await proposeBankStatement({ ...books, proposals }, request);
  const state = async () =>
    await Promise.all(
      [vendorId, otherId].map(async (each) => (await books.balances(each))['collected']),
    );
  return {
    id,
    shown: [
      { label: `Credited to vendor-${vendorId}`, text: '1 lines', cents: '70000' },
      { label: 'Waits for people', text: '1 lines', cents: '500' },
    ],
    state,
    approved: [70_000n, 0n],
    ended: [0n, 0n],
    // The file cannot be read with the source's settings any more.
    changeFacts: async () => {
      const columns = { ...settings.columns, reference: 'Reference' };
      await setSource(pool, 'bank', { settings: { ...settings, columns } });
    },
    reason: /settings of source bank have changed/,
    // The account number was given to another vendor, so that it is nobody's money.
    spend: async () => {
      await removeAccount(books, account);
      await addAccount(books, { ...account, vid: `vendor-${otherId}` });
      return [0n, 0n];
    },
  };
}

export const CASES: Cases = {
  operator_statement: { make: operatorStatement },
  bank_statement: { make: bankStatement },
};
