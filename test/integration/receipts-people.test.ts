import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findViolations } from '../support/books-check.ts';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { requireReceipt } from '../../src/payments/receipts/assign.ts';
import {
  approveForReceipt,
  proposeForReceipt,
  rejectForReceipt,
} from '../support/receipt-decisions.ts';
import { creditLeftClaims } from '../../src/payments/receipts/left-claims.ts';
import { OPEN_STATES } from '../../src/payments/receipts/receipt.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';
import { reportReversal } from '../../src/payments/receipts/reverse.ts';
import { listReceiptEvents, listReceipts } from '../../src/payments/receipts/read-receipts.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { CITUS_URL } from '../support/citus.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { named } from '../support/payouts.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { countWaiting } from '../support/waiting.ts';

// Receipts that people decide: two people, on what they have seen, once.

const SOURCE = 'paybill';
const CENTS = 60_000_00n;
const note = 'the customer showed the message';

let books: Books;
beforeAll(async () => {
  books = await openBooks();
  await setSource(books.pool, SOURCE, {
    name: 'Pay bill',
    kind: 'daraja',
    collector: COLLECTOR,
    settings: { base_url: 'http://127.0.0.1:9', short_code: '600100' },
  });
});
afterAll(async () => {
  await books.close();
});

function deps() {
  return { pool: books.pool, ledgerMac: books.ledgerMac, log: pino({ level: 'silent' }) };
}

let made = 0;

function reportOf(account: string | null, channel: ReceiptReport['channel']): ReceiptReport {
  made += 1;
  return {
    issuer: 'mpesa',
    receipt: `PE${String(made).padStart(8, '0')}`,
    sourceCode: SOURCE,
    collector: COLLECTOR,
    channel,
    amountCents: CENTS,
    paidAt: new Date('2026-01-05T07:15:30Z'),
    account,
    payer: null,
  };
}

/** A receipt that waits for people, and two vendors that it may belong to. */
async function waiting() {
  const report = reportOf('TYPO', 'pull');
  expect(await takeReport(deps(), report)).toBe('unmatched');
  const [one, other] = [await books.addVendor(), await books.addVendor()];
  const name = { receipt: report.receipt };
  return { report, name, one, other, vid: vidOf(one), otherVid: vidOf(other) };
}

function vidOf(vendorId: number): string {
  return `vendor-${vendorId}`;
}

async function collected(vendorId: number): Promise<bigint | undefined> {
  return (await books.balances(vendorId))['collected'];
}

async function violations(): Promise<string[]> {
  const found = await findViolations(books.pool, { mac: books.ledgerMac });
  return found.map(({ invariant }) => invariant);
}

test.each(['Asha', 'ASHA', 'asha', 'Ａｓｈａ'])(
  'what Asha proposed is not approved by %s',
  async (by) => {
    const { name, one, vid } = await waiting();
    await proposeForReceipt(books, { ...name, by: 'Asha', note, vid });
    await expect(approveForReceipt(deps(), { ...name, by })).rejects.toThrow('another person');
    expect(await collected(one)).toBe(0n);
  },
);

test('two spellings of one person, by spaces or invisible characters, are refused', async () => {
  const { name, vid } = await waiting();
  await proposeForReceipt(books, { ...name, by: 'Asha Otieno', note, vid });
  for (const by of ['Asha  Otieno', 'Asha\u00a0Otieno', 'Asha Otieno\u034f', 'Asha\u200b Otieno']) {
    await expect(approveForReceipt(deps(), { ...name, by })).rejects.toMatchObject({
      field: 'by',
    });
  }
  expect(await requireReceipt(books.pool, name)).toMatchObject({ state: 'unmatched' });
});

test('an approval names what it approves: a proposal that was replaced in between is not carried out', async () => {
  const { name, one, other, vid, otherVid } = await waiting();
  const proposals = quietProposals(books);
  const { proposalId } = await proposeForReceipt(books, { ...name, by: 'Asha', note, vid });
  const { seen } = await proposals.preview(proposalId);
  // Baraka has seen it, and Asha changes it.
  await proposeForReceipt(books, { ...name, by: 'Asha', note, vid: otherVid });
  const approval = { proposalId, seen, by: named('Baraka') };
  await expect(proposals.approve(approval)).rejects.toThrow('already withdrawn by Asha');
  expect([await collected(one), await collected(other)]).toEqual([0n, 0n]);
});

test('the last person who proposes is the proposer', async () => {
  const { name, one, vid } = await waiting();
  await proposeForReceipt(books, { ...name, by: 'Asha', note, vid });
  await proposeForReceipt(books, { ...name, by: 'Baraka', note, vid });
  await expect(approveForReceipt(deps(), { ...name, by: 'Baraka' })).rejects.toThrow('another');
  expect(await approveForReceipt(deps(), { ...name, by: 'Asha' })).toMatchObject({
    state: 'credited',
  });
  expect(await collected(one)).toBe(CENTS);
});

test('many approvals at once credit once', async () => {
  const { name, one, vid } = await waiting();
  await proposeForReceipt(books, { ...name, by: 'Asha', note, vid });
  const tried = await Promise.allSettled(
    Array.from({ length: 20 }, async (_, index) =>
      approveForReceipt(deps(), { ...name, by: `Person ${index}` }),
    ),
  );
  expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await collected(one)).toBe(CENTS);
});

test('a receipt that people assign while the pull confirms it is credited once, to one vendor', async () => {
  for (let round = 0; round < 10; round += 1) {
    const [owner, chosen] = [await books.addVendor(), await books.addVendor()];
    const account = `ACC${round}`;
    const vid = vidOf(owner);
    await addAccount(books, { sourceCode: SOURCE, account, vid, by: 'Asha' });
    const report = reportOf(account, 'confirmation');
    expect(await takeReport(deps(), report, 1n)).toBe('unconfirmed');
    const name = { receipt: report.receipt };
    await proposeForReceipt(books, { ...name, by: 'Asha', note, vid: vidOf(chosen) });
    const approve = async () => await approveForReceipt(deps(), { ...name, by: 'Baraka' });
    const pull = async () => await takeReport(deps(), { ...report, channel: 'pull' }, 1n);
    await Promise.allSettled(round % 2 === 0 ? [approve(), pull()] : [pull(), approve()]);
    const credited = new Set([await collected(owner), await collected(chosen)]);
    expect(credited).toEqual(new Set([0n, CENTS]));
    expect(await requireReceipt(books.pool, name)).toMatchObject({ state: 'credited' });
  }
});

test('a receipt that was reversed after the proposal needs a new one', async () => {
  const { name, one, vid } = await waiting();
  await proposeForReceipt(books, { ...name, by: 'Asha', note, vid });
  await reportReversal(books, name, { actor: 'Chege', note: 'Safaricom called' });
  const approval = { ...name, by: 'Baraka' };
  await expect(approveForReceipt(deps(), approval)).rejects.toThrow('propose again');
  expect(await collected(one)).toBe(0n);
  await proposeForReceipt(books, { ...name, by: 'Asha', note, vid: null });
  const closed = await approveForReceipt(deps(), approval);
  expect(closed).toMatchObject({ state: 'closed', decidedBy: 'Baraka' });
});

test('a receipt that is reversed while it is being proposed needs a new proposal', async () => {
  const { name, one, vid } = await waiting();
  const holder = await books.pool.connect();
  await holder.query('begin');
  await holder.query('select from receipts where receipt = $1 for update', [name.receipt]);
  const waits = async (count: number) =>
    await vi.waitFor(async () => expect(await countWaiting(books.pool)).toBe(count));
  const proposing = proposeForReceipt(books, { ...name, by: 'Asha', note, vid });
  await waits(1);
  // Begins before the proposal is made, and finds it made.
  const reversing = reportReversal(books, name, { actor: 'Chege', note: 'Safaricom called' });
  await waits(2);
  await holder.query('commit');
  holder.release();
  await Promise.all([proposing, reversing]);
  const approval = { ...name, by: 'Baraka' };
  await expect(approveForReceipt(deps(), approval)).rejects.toThrow('propose again');
  expect(await collected(one)).toBe(0n);
});

test('a vendor for whom the collector may not collect cannot be proposed', async () => {
  const { name, vid } = await waiting();
  await books.pool.query(`update collectors set status = 'suspended' where collector = $1`, [
    COLLECTOR,
  ]);
  try {
    const proposal = { ...name, by: 'Asha', note, vid };
    await expect(proposeForReceipt(books, proposal)).rejects.toThrow('suspended');
  } finally {
    await books.pool.query(`update collectors set status = 'active' where collector = $1`, [
      COLLECTOR,
    ]);
  }
});

test('every action is recorded with its person', async () => {
  const { name, vid } = await waiting();
  await proposeForReceipt(books, { ...name, by: 'Asha', note: 'first', vid: null });
  await rejectForReceipt(books, { ...name, by: 'Chege', note: 'no' });
  await proposeForReceipt(books, { ...name, by: 'Asha', note, vid });
  const row = await approveForReceipt(deps(), { ...name, by: 'Baraka' });
  const events = await listReceiptEvents(books.pool, row.receiptId);
  expect(events.map(({ action, actor }) => [action, actor])).toEqual([
    ['approved', 'Baraka'],
    ['claimed', 'Baraka'],
    ['credited', COLLECTOR],
  ]);
  expect(row).toMatchObject({ proposedBy: 'Asha', decidedBy: 'Baraka' });
  const all = await quietProposals(books).list({ open: false, kinds: ['receipt'], limit: 2 });
  expect(
    all.map(({ proposedBy, decision, decidedBy }) => [proposedBy, decision, decidedBy]),
  ).toEqual([
    ['Asha', 'approved', 'Baraka'],
    ['Asha', 'rejected', 'Chege'],
  ]);
});

test('a receipt with a future time waits for two people, who can credit it', async () => {
  const vendorId = await books.addVendor();
  const vid = `vendor-${vendorId}`;
  await addAccount(books, { sourceCode: SOURCE, account: 'LATER1', vid, by: 'Asha' });
  const paidAt = new Date(Date.now() + 3 * 86_400_000);
  const report = { ...reportOf('LATER1', 'pull'), paidAt };
  expect(await takeReport(deps(), report)).toBe('misdated');
  expect(await takeReport(deps(), report)).toBe('repeated');
  expect(await creditLeftClaims(deps())).toBe(0);
  const { receipt } = report;
  const open = await listReceipts(books.pool, { states: OPEN_STATES, after: null, limit: 1_000 });
  expect(open.find((row) => row.receipt === receipt)).toMatchObject({ state: 'misdated' });
  await proposeForReceipt(books, { receipt, vid, by: 'Asha', note });
  const row = await approveForReceipt(deps(), { receipt, by: 'Baraka' });
  expect(row).toMatchObject({ state: 'credited', paidAt });
  expect(await books.balances(vendorId)).toMatchObject({ collected: CENTS });
  const { rows } = await books.pool.query<{ paidAt: Date }>(
    `select paid_at as "paidAt" from collections where reference = $1`,
    [receipt],
  );
  expect(rows).toEqual([{ paidAt: row.receivedAt }]);
});

test('a proposal for a receipt that a report credits meanwhile is withdrawn', async () => {
  const vendorId = await books.addVendor();
  const vid = `vendor-${vendorId}`;
  await addAccount(books, { sourceCode: SOURCE, account: 'MEANT1', vid, by: 'Asha' });
  // The statement came first, without an account.
  const report = reportOf(null, 'statement');
  expect(await takeReport(deps(), report)).toBe('unmatched');
  const { receipt } = report;
  const { proposalId } = await proposeForReceipt(books, { receipt, vid, by: 'Asha', note });
  const proposals = quietProposals(books);
  await proposals.withdrawOver();
  expect(await proposals.find(proposalId)).toMatchObject({ isOpen: true });
  expect(await takeReport(deps(), { ...report, account: 'MEANT1', channel: 'pull' })).toBe(
    'credited',
  );
  expect(await proposals.withdrawOver()).toBe(1);
  expect(await proposals.find(proposalId)).toMatchObject({
    ...{ isOpen: false, decision: 'withdrawn', decidedBy: 'malipo' },
    decisionNote: 'The receipt is credited; nothing is left to decide.',
  });
  expect(await proposals.withdrawOver()).toBe(0);
  expect(await collected(vendorId)).toBe(CENTS);
});

test('a waiting claim is logged once by each process', async () => {
  const vendorId = await books.addVendor();
  const vid = `vendor-${vendorId}`;
  await addAccount(books, { sourceCode: SOURCE, account: 'WAITS1', vid, by: 'Asha' });
  const report = { ...reportOf('WAITS1', 'pull'), collector: 'nobody' };
  expect(await takeReport(deps(), report)).toBe('claimed');
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push(line) });
  const logged = new Set<string>();
  for (let run = 0; run < 3; run += 1) await creditLeftClaims({ ...deps(), log }, logged);
  expect(lines.filter((line) => line.includes(report.receipt))).toHaveLength(1);
});

test('claims that wait do not hold up later ones, however many there are', async () => {
  const vendorId = await books.addVendor();
  await addAccount(books, {
    ...{ sourceCode: SOURCE, account: 'WAITS2', by: 'Asha' },
    vid: vidOf(vendorId),
  });
  const suspended = async (isSuspended: boolean): Promise<void> => {
    const status = isSuspended ? 'suspended' : 'active';
    const text = 'update collectors set status = $2 where collector = $1';
    await books.pool.query(text, [COLLECTOR, status]);
  };
  for (let count = 0; count < 4; count += 1) {
    const report = { ...reportOf('WAITS2', 'pull'), collector: 'nobody' };
    expect(await takeReport(deps(), report)).toBe('claimed');
  }
  await suspended(true);
  expect(await takeReport(deps(), reportOf('WAITS2', 'pull'))).toBe('claimed');
  await suspended(false);
  expect(await creditLeftClaims(deps(), new Set(), 2)).toBe(1);
  expect(await collected(vendorId)).toBe(CENTS);
});

test('the database itself refuses a decision by the proposer', async () => {
  const { name, vid } = await waiting();
  await proposeForReceipt(books, { ...name, by: 'Asha', note, vid });
  const { receiptId } = await requireReceipt(books.pool, name);
  const decide = `update receipts set proposed_by = 'Asha', decided_by = 'ASHA', decided_at = now() where receipt_id = $1`;
  await expect(books.pool.query(decide, [receiptId])).rejects.toThrow('receipts_two_people');
});

// On a cluster the service is the owner of its tables.
test.skipIf(CITUS_URL !== undefined)('the service cannot change the record', async () => {
  const { name, vid } = await waiting();
  await proposeForReceipt(books, { ...name, by: 'Asha', note, vid });
  const { receiptId } = await requireReceipt(books.pool, name);
  for (const statement of [
    'delete from receipts where receipt_id = $1',
    'update receipts set amount_cents = 1 where receipt_id = $1',
    'update receipt_events set actor = actor where receipt_id = $1',
    'delete from receipt_events where receipt_id = $1',
    'delete from receipt_reports where receipt_id = $1',
  ]) {
    await expect(books.pool.query(statement, [receiptId])).rejects.toThrow('permission denied');
  }
});

test.each([
  ['closed by nobody', `state = 'closed'`, ['receipts_allocated', 'receipts_authentic']],
  [
    'closed in the name of two people',
    `state = 'closed', proposed_by = 'A', decided_by = 'B', decided_at = now()`,
    ['receipts_allocated', 'receipts_authentic'],
  ],
  ['given to a vendor', `state = 'claimed', vendor_id = 1`, ['receipts_authentic']],
  ['given another account', `account = 'ACC1'`, ['receipts_authentic']],
])('ledger check finds a receipt that was %s by SQL', async (_, change, invariants) => {
  const { name } = await waiting();
  const { receiptId } = await requireReceipt(books.pool, name);
  const restore = await books.pool.query<Record<string, unknown>>(
    'select state, vendor_id, account from receipts where receipt_id = $1',
    [receiptId],
  );
  expect(await violations()).toEqual([]);
  await books.pool.query(`update receipts set ${change} where receipt_id = $1`, [receiptId]);
  expect(await violations()).toEqual(invariants);
  const { state, vendor_id: vendorId, account } = restore.rows[0] ?? {};
  await books.pool.query(
    `update receipts set state = $2, vendor_id = $3, account = $4, proposed_by = null,
       decided_by = null, decided_at = null where receipt_id = $1`,
    [receiptId, state, vendorId, account],
  );
});

test('ledger check finds a claim that was marked as credited and never was', async () => {
  const vendorId = await books.addVendor();
  const account = 'UNPAID';
  await addAccount(books, { sourceCode: SOURCE, account, vid: vidOf(vendorId), by: 'Asha' });
  await books.pool.query(`update collectors set status = 'suspended'`);
  const report = reportOf(account, 'pull');
  expect(await takeReport(deps(), report)).toBe('claimed');
  await books.pool.query(`update receipts set state = 'credited' where receipt = $1`, [
    report.receipt,
  ]);
  expect(await violations()).toEqual(['receipts_are_collected']);
});
