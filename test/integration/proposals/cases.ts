import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { settlePayments } from '../../../src/payments/settle/store.ts';
import { addAccount, removeAccount, setSource } from '../../../src/payments/receipts/administer.ts';
import { proposeBankStatement } from '../../../src/payments/uploads/bank-statement.ts';
import { proposeOperatorStatement } from '../../../src/payments/uploads/operator-statement.ts';
import {
  enterTransfer,
  proposePayout,
  proposeReturn,
} from '../../../src/payments/payouts/payouts.ts';
import { collect } from '../../../src/payments/collections/collect.ts';
import { rotateAsStaff } from '../../../src/payments/vendor-secrets/rotate.ts';
import { rotateKey } from '../../../src/parties/administer.ts';
import { fund } from '../../../src/payments/collections/fund.ts';
import type { Role } from '../../../src/parties/people/roles.ts';
import { newId } from '../../../src/platform/base/ids.ts';
import type { Actor, Line } from '../../../src/proposals/kind.ts';
import type { Proposals } from '../../../src/proposals/proposals.ts';
import { readStored } from '../../support/dispatch-fixture.ts';
import { COLLECTOR, createInstructed, OPERATOR, paidReport } from '../../support/money-fixture.ts';
import type { Books } from '../../support/money-fixture.ts';
import { newPayment } from '../../support/new-transaction.ts';
import {
  databaseTime,
  importLines,
  referenceOf,
  statementText,
} from '../../support/reconciliation-fixture.ts';
import { SEALING } from '../../support/production-pair.ts';
import { makeTemporaryFolder } from '../../support/temporary.ts';
import { approveSeen } from '../../support/payouts.ts';
import * as credit from './credit-cases.ts';
import { charge, paidByHand } from './case-cases.ts';
import { journal, opening } from './house-cases.ts';
import { balances, collection, receipt, receiptMove } from './money-in-cases.ts';
import { quarantineRelease } from './operations-cases.ts';
import { person } from './people-cases.ts';
import { accountNumber, collector, operator, price } from './setting-cases.ts';

type Person = Actor & { readonly personId: string };

export interface People {
  readonly asha: Person;
  readonly baraka: Person;
  readonly chege: Person;
}

/** A proposal by Asha, and what is right after everything that may happen to it. */
export interface Case {
  readonly id: string;
  /** What an approval would do. */
  readonly shown: readonly Line[];
  /** Everything that the proposal may change. */
  state(): Promise<unknown>;
  /** The state after an approval, and after any other end. */
  readonly approved: unknown;
  readonly ended: unknown;
  /** Makes it impossible to carry out, for this reason. */
  changeFacts(): Promise<void>;
  readonly reason: RegExp;
  /** The state after a rejection once the facts changed. Default: `ended`. */
  readonly endedAfterChange?: unknown;
  /** Spends the money that it is about; returns the state after an approval. */
  spend(): Promise<unknown>;
  /** A role without the permission. Default: `risk`. */
  readonly powerless?: Role;
  /** Every member of staff may propose it, in any role. */
  readonly isProposedByAll?: true;
}

export interface Given {
  readonly books: Books;
  readonly proposals: Proposals;
  readonly people: People;
}

/** By kind: the role of the people who propose and decide it (default: finance), and the proposal. */
export const CASES: Readonly<
  Record<string, { readonly role?: Role; make(given: Given): Promise<Case> }>
> = {
  payout: { make: payout },
  payout_made: { make: payoutMade },
  payout_return: { make: payoutReturn },
  operator_statement: { make: operatorStatement },
  bank_statement: { make: bankStatement },
  vendor_secret: { role: 'administrator', make: vendorSecret },
  receipt: { make: receipt },
  receipt_move: { make: receiptMove },
  collection: { make: collection },
  case_resolution: { make: charge },
  'case_resolution of an open payment': { make: paidByHand },
  house_entry: { make: opening },
  house_journal: { make: journal },
  person: { role: 'administrator', make: person },
  quarantine_release: { role: 'operations', make: quarantineRelease },
  price_setting: { make: price },
  operator_setting: { role: 'operations', make: operator },
  money_in_setting: { make: accountNumber },
  party_setting: { role: 'administrator', make: collector },
  credit_merge: { role: 'risk', make: credit.merge },
  credit_dispute: { role: 'risk', make: credit.dispute },
  credit_account: { role: 'risk', make: credit.withdrawal },
  credit_life: { role: 'risk', make: credit.life },
  credit_case: { role: 'risk', make: credit.closing },
  credit_import: { role: 'risk', make: credit.importing },
  credit_rule: { role: 'risk', make: credit.rule },
  credit_scorecard: { role: 'risk', make: credit.scorecard },
};

const HAS = 100_000n;
const AMOUNT = 70_000n;
const TEXTS = { bankAccount: 'KCB 110000001', evidence: 'order of 3 March', note: 'it was asked' };

async function income(books: Books): Promise<{ vendorId: number; vid: string }> {
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
  const external = -HAS;
  const held = { external, collected: HAS - AMOUNT, held: AMOUNT };
  return {
    id,
    shown: [
      { label: 'Transfer that the approval permits', text: TEXTS.bankAccount, cents: '70000' },
      {
        label: 'Booked with the bank’s reference',
        text: `${vid}: held → paid_out`,
        cents: '70000',
      },
    ],
    state: async () => await balances(books, vendorId),
    approved: held,
    ended: { external, collected: HAS },
    // The vendor owes us a part of what it would get.
    changeFacts: async () => await madeTransfer(given, { vendorId, vid }, 60_001n),
    reason: /owes us 300.01/,
    endedAfterChange: { external, exposure: -30_001n, collected: AMOUNT, paid_out: 60_001n },
    spend: async () => {
      await fundAndSpend(given, vendorId, HAS - AMOUNT);
      return { external, held: AMOUNT, reserved: HAS - AMOUNT };
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
  const external = -HAS;
  return {
    id,
    shown: [{ label: 'Booked', text: `${vid}: held → paid_out`, cents: '70000' }],
    state: async () => await balances(books, vendorId),
    approved: { external, collected: HAS - AMOUNT, paid_out: AMOUNT },
    ended: { external, collected: HAS },
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
      return { external, paid_out: AMOUNT, reserved: HAS - AMOUNT };
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
  const external = -HAS;
  const paid = { external, collected: HAS - AMOUNT, paid_out: AMOUNT };
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
    approved: { external, collected: HAS },
    ended: { external, collected: HAS - AMOUNT, held: AMOUNT },
    changeFacts: enter,
    reason: /holds no money/,
    endedAfterChange: paid,
    spend: async () => {
      await enter();
      return 'refused';
    },
  };
}

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

/** The approval permits a key, and the vendor sees it in its request log. */
async function vendorSecret({ books, proposals, people }: Given): Promise<Case> {
  const { pool } = books;
  const vendorId = await books.addVendor();
  const vid = `vendor-${vendorId}`;
  const rotate = async () =>
    await rotateKey(pool, { holderKind: 'vendor', holder: vid }, { ...SEALING, overlapSeconds: 0 });
  await rotate();
  const request = { vendor: { vendorId, vid }, of: 'vendor', overlapSeconds: 60 } as const;
  const asked = { ...request, by: people.asha, note: 'it was lost' };
  const { row } = await rotateAsStaff({ pool, proposals }, asked, SEALING);
  const told = { method: 'STAFF', route: '/v1/keys' };
  return {
    id: row.proposalId,
    shown: [{ label: 'Permits a new secret of the vendor', text: `${vid}: Security key` }],
    state: async () => {
      const sql = 'select method, route from request_log where vendor_id = $1';
      return (await pool.query(sql, [vendorId])).rows;
    },
    approved: [told],
    ended: [],
    // The vendor created one itself.
    changeFacts: async () => {
      await rotate();
    },
    reason: /replaced or removed/,
    spend: async () => {
      await books.addFloat(vendorId, 100n);
      return [told];
    },
  };
}
