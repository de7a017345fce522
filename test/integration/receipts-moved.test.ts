import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findViolations } from '../support/books-check.ts';
import { listCases } from '../../src/payments/cases/read-cases.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { creditLeftClaims } from '../../src/payments/receipts/left-claims.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';
import { reportReversal } from '../../src/payments/receipts/reverse.ts';
import { findReceipts } from '../../src/payments/receipts/read-receipts.ts';
import { credit, takeReport } from '../../src/payments/receipts/take.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { foldOutside } from '../support/outside.ts';
import { COLLECTOR, createInstructed } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { approveForReceipt, proposeForReceipt } from '../support/receipt-decisions.ts';

// A receipt that the wrong vendor got goes to the right one, and its money is in the books once.

const freshBooks = sharedBooks();
let books: Books;
let vendors: readonly number[];

beforeEach(async () => {
  books = await freshBooks();
  vendors = [await books.addVendor(), await books.addVendor(), await books.addVendor()];
  const settings = { base_url: 'http://127.0.0.1:9', short_code: '600100' };
  const source = { name: 'Pay bill', kind: 'daraja', collector: COLLECTOR, settings } as const;
  await setSource(books.pool, 'paybill', source);
  await addAccount(books, { sourceCode: 'paybill', account: 'V0', vid: vidOf(0), by: 'Asha' });
});

afterEach(async () => await books.close());

const deps = () => ({ ...books, log: pino({ level: 'silent' }) });
const idOf = (vendor: number): number => vendors[vendor] ?? expect.fail();
const vidOf = (vendor: number): string => `vendor-${idOf(vendor)}`;

const report = (receipt: string, change: Partial<ReceiptReport> = {}): ReceiptReport => ({
  ...{ issuer: 'mpesa', receipt, sourceCode: 'paybill', collector: COLLECTOR, channel: 'pull' },
  ...{ amountCents: 50_000n, paidAt: new Date('2026-01-05T09:00:00Z'), account: 'V0' },
  payer: null,
  ...change,
});

async function propose(receipt: string, vendor: number): Promise<void> {
  await proposeForReceipt(books, {
    receipt,
    vid: vidOf(vendor),
    by: 'Asha',
    note: 'their customer',
  });
}

async function move(receipt: string, vendor: number): Promise<void> {
  await propose(receipt, vendor);
  await approveForReceipt(books, { receipt, by: 'Baraka' });
}

async function takeBack(caseId: string, cents: bigint | null = null): Promise<void> {
  const amount_cents = cents === null ? null : String(cents);
  const terms = { amount_cents, operator_reference: null, message: null, details: null };
  const proposal = { resolution: 'take_back', note: 'x', ...terms };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

async function balances(vendor: number): Promise<Record<string, bigint>> {
  const all = await books.balances(idOf(vendor));
  return foldOutside(all);
}

async function expectConsistent(): Promise<void> {
  const violations = await findViolations(books.pool, { mac: books.ledgerMac });
  expect(violations).toEqual([]);
}

async function openCaseOf(vendor: number, kind: string): Promise<string> {
  const rows = await listCases(books.pool, { resolved: false, vid: vidOf(vendor), limit: 100 });
  const found = rows.find((row) => row.kind === kind);
  return found?.caseId ?? expect.fail(`no case ${kind}`);
}

test('a receipt goes to the right vendor, back and forth, and later reports of it change nothing', async () => {
  expect(await takeReport(deps(), report('MV00000001'))).toBe('credited');
  const has = { outside: -50_000n, collected: 50_000n };
  for (const [from, to] of [
    [0, 1],
    [1, 0],
    [0, 2],
    [2, 0],
  ] as const) {
    await move('MV00000001', to);
    expect([await balances(from), await balances(to)]).toEqual([{}, has]);
    expect(await takeReport(deps(), report('MV00000001', { channel: 'confirmation' }))).toBe(
      'repeated',
    );
    await expectConsistent();
  }
  await expect(propose('MV00000001', 0)).rejects.toThrow('has the receipt');
  expect(await listCases(books.pool, { resolved: false, limit: 10 })).toEqual([]);
});

test('what the wrong vendor has spent is its debt, and the right one gets all of it', async () => {
  await takeReport(deps(), report('MV00000002'));
  await fund(books.pool, { vendorId: idOf(0), requestedAt: new Date() });
  const spent = newPayment({ vendorId: idOf(0), amountCents: 30_000n, feeCents: 0n });
  await createInstructed(books.pool, [spent]);
  await move('MV00000002', 1);
  expect(await balances(0)).toEqual({ exposure: -30_000n, reserved: 30_000n });
  expect(await balances(1)).toEqual({ outside: -50_000n, collected: 50_000n });
  await openCaseOf(0, 'exposure');
  await expectConsistent();
});

test('a process that credits the former vendor late, or ends after the decision, changes nothing', async () => {
  await takeReport(deps(), report('MV00000003'));
  await books.pool.query(`update collectors set status = 'suspended'`);
  await expect(propose('MV00000003', 1)).rejects.toThrow('is suspended');
  await books.pool.query(`update collectors set status = 'active'`);
  const [former] = await findReceipts(books.pool, 'MV00000003');
  await move('MV00000003', 1);
  // The claim for the new vendor, before it has ended.
  await books.owner.query(`update receipts set state = 'claimed'`);
  await credit(deps(), { ...(former ?? expect.fail()), state: 'claimed' });
  expect(await creditLeftClaims(deps())).toBe(1);
  expect(await balances(0)).toEqual({});
  expect(await balances(1)).toEqual({ outside: -50_000n, collected: 50_000n });
  await expectConsistent();
});

test('an open contradiction is decided with the move', async () => {
  await takeReport(deps(), report('MV00000006'));
  await takeReport(deps(), report('MV00000006', { account: 'V1', channel: 'confirmation' }));
  await openCaseOf(0, 'receipt_conflict');
  await move('MV00000006', 1);
  expect(await listCases(books.pool, { resolved: false, limit: 10 })).toEqual([]);
  expect(await balances(0)).toEqual({});
  await expectConsistent();
});

test('a part that went back is decided first, and the rest moves', async () => {
  await takeReport(deps(), report('MV00000004'));
  const name = { receipt: 'MV00000004' };
  await reportReversal(books, name, { actor: 'Asha', note: 'n', cents: 20_000n });
  await expect(propose('MV00000004', 1)).rejects.toThrow('Resolve that case first');
  await takeBack(await openCaseOf(0, 'receipt_reversed'));
  await move('MV00000004', 1);
  expect([await balances(0), await balances(1)]).toEqual([
    {},
    { outside: -30_000n, collected: 30_000n },
  ]);
  // The rest goes back as well: it is the right vendor's.
  await reportReversal(books, name, { actor: 'Asha', note: 'n', cents: 30_000n });
  await takeBack(await openCaseOf(1, 'receipt_reversed'));
  expect(await balances(1)).toEqual({});
  await expect(propose('MV00000004', 2)).rejects.toThrow('Nothing of it is left to move');
  await expectConsistent();
});

test('a part that went back before the credit is in the case of the vendor once', async () => {
  await books.pool.query(`update collectors set status = 'suspended'`);
  await takeReport(deps(), report('MV00000007'));
  const name = { receipt: 'MV00000007' };
  await reportReversal(books, name, { actor: 'Asha', note: 'n', cents: 20_000n });
  await books.pool.query(`update collectors set status = 'active'`);
  expect(await creditLeftClaims(deps())).toBe(0);
  await move('MV00000007', 0);
  await takeBack(await openCaseOf(0, 'receipt_reversed'));
  expect(await balances(0)).toEqual({ outside: -30_000n, collected: 30_000n });
  await expectConsistent();
});

/** A receipt whose number its collector reported for a vendor, with 100.00. Resolves the case about it. */
async function disputed(receipt: string, reportedFor: number): Promise<void> {
  const income = { collector: COLLECTOR, reference: receipt, amountCents: 10_000n };
  await collect(books, { ...income, vendorId: idOf(reportedFor), paidAt: new Date() });
  await takeReport(deps(), report(receipt));
  expect(await findReceipts(books.pool, receipt)).toMatchObject([{ state: 'disputed' }]);
  await expect(propose(receipt, 1)).rejects.toThrow('A case about this receipt is open');
  const caseId = await openCaseOf(0, 'receipt_conflict');
  const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution: 'keep_books', note: 'x', ...terms };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

test('a receipt that its collector reported with another amount is credited with the rest, and moved', async () => {
  await disputed('MV00000009', 0);
  await move('MV00000009', 0);
  expect(await balances(0)).toEqual({ outside: -50_000n, collected: 50_000n });
  await expectConsistent();
  await move('MV00000009', 1);
  expect([await balances(0), await balances(1)]).toEqual([
    {},
    { outside: -50_000n, collected: 50_000n },
  ]);
  await expectConsistent();
});

test('a receipt that its collector reported for another vendor goes to whom two people say', async () => {
  await disputed('MV00000010', 2);
  await move('MV00000010', 1);
  expect(await balances(1)).toEqual({ outside: -50_000n, collected: 50_000n });
  await move('MV00000010', 2);
  expect(await balances(2)).toEqual({ outside: -60_000n, collected: 60_000n });
  // Only what the receipt brought.
  await move('MV00000010', 0);
  expect(await balances(0)).toEqual({ outside: -50_000n, collected: 50_000n });
  expect(await balances(2)).toEqual({ outside: -10_000n, collected: 10_000n });
  await expectConsistent();
});

test('a receipt that its collector reported may be closed', async () => {
  await disputed('MV00000011', 0);
  const closing = { receipt: 'MV00000011', vid: null, by: 'Asha', note: 'the report is right' };
  await proposeForReceipt(books, closing);
  const closed = await approveForReceipt(books, { receipt: 'MV00000011', by: 'Baraka' });
  expect(closed).toMatchObject({ state: 'closed', vendorId: null });
  await expectConsistent();
});

test('a receipt that waits for its credit is moved when it has been credited', async () => {
  await books.pool.query(`update collectors set status = 'suspended'`);
  expect(await takeReport(deps(), report('MV00000012'))).toBe('claimed');
  await expect(propose('MV00000012', 1)).rejects.toThrow('permit that, and move the receipt then');
  await books.pool.query(`update collectors set status = 'active'`);
  expect(await creditLeftClaims(deps())).toBe(1);
  await move('MV00000012', 1);
  expect(await balances(1)).toEqual({ outside: -50_000n, collected: 50_000n });
  await expectConsistent();
});

test('a proposal for the case that a move resolves is withdrawn', async () => {
  await takeReport(deps(), report('MV00000008'));
  const other = { amountCents: 40_000n, channel: 'confirmation' } as const;
  await takeReport(deps(), report('MV00000008', other));
  const caseId = await openCaseOf(0, 'receipt_conflict');
  const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution: 'keep_books', note: 'x', ...terms };
  const { proposalId } = await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await move('MV00000008', 1);
  const proposals = quietProposals(books);
  expect(await proposals.list({ open: true, limit: 10 })).toEqual([]);
  expect(await proposals.find(proposalId)).toMatchObject({
    ...{ decision: 'withdrawn', decidedBy: 'Baraka' },
    decisionNote: 'Another decision has made it pointless.',
  });
  await expectConsistent();
});

test('a receipt that was contradicted before it had a vendor can be taken back from the one that got it', async () => {
  await takeReport(deps(), report('MV00000005', { account: 'TYPO' }));
  const other = { account: 'TYPO', amountCents: 40_000n, channel: 'confirmation' } as const;
  expect(await takeReport(deps(), report('MV00000005', other))).toBe('conflict');
  const [own] = await listCases(books.pool, { resolved: false, limit: 10 });
  expect(own).toMatchObject({ vendorId: 0, kind: 'receipt_conflict' });
  await expect(takeBack(own?.caseId ?? '')).rejects.toThrow('in a case of that vendor');
  await move('MV00000005', 1);
  await takeBack(await openCaseOf(1, 'receipt_conflict'));
  expect(await balances(1)).toEqual({ outside: -40_000n, collected: 40_000n });
  await expectConsistent();
});

interface Model {
  /** By vendor: collected, float, reserved, exposure. */
  readonly money: { collected: bigint; float: bigint; reserved: bigint; exposure: bigint }[];
  /** By receipt: who has it, and how much of it. */
  readonly receipts: { holder: number; kept: bigint; readonly reversed: Set<bigint> }[];
}

type Step =
  | { readonly do: 'move'; readonly receipt: number; readonly vendor: number }
  | { readonly do: 'fund'; readonly vendor: number }
  | { readonly do: 'spend'; readonly vendor: number }
  | { readonly do: 'reverse'; readonly receipt: number; readonly cents: bigint };

const vendor = fc.integer({ min: 0, max: 2 });
const receipt = fc.integer({ min: 0, max: 1 });
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('move' as const), receipt, vendor }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('fund' as const, 'spend'), vendor }) },
    {
      weight: 1,
      arbitrary: fc.record({
        ...{ do: fc.constant('reverse' as const), receipt },
        cents: fc.bigInt({ min: 1n, max: 60_000n }),
      }),
    },
  ),
  { minLength: 4, maxLength: 14 },
) as fc.Arbitrary<Step[]>;

/** From collected income, then the float; the rest is owed. */
function taken(of: Model['money'][number], cents: bigint): void {
  const fromCollected = cents < of.collected ? cents : of.collected;
  const rest = cents - fromCollected;
  const fromFloat = rest < of.float ? rest : of.float;
  of.collected -= fromCollected;
  of.float -= fromFloat;
  of.exposure -= rest - fromFloat;
}

/** Does it in the model and in the books. */
async function step(model: Model, one: Step, names: readonly string[]): Promise<void> {
  switch (one.do) {
    case 'fund':
      return await fundIn(model, one.vendor);
    case 'spend':
      return await spendIn(model, one.vendor);
    case 'move':
      return await moveIn(model, one, names);
    case 'reverse':
      return await reverseIn(model, one, names);
  }
}

async function fundIn({ money }: Model, index: number): Promise<void> {
  const of = money[index] ?? expect.fail();
  await fund(books.pool, { vendorId: idOf(index), requestedAt: new Date() });
  [of.float, of.collected] = [of.float + of.collected, 0n];
}

async function spendIn({ money }: Model, index: number): Promise<void> {
  const of = money[index] ?? expect.fail();
  if (of.float === 0n) return;
  const amountCents = (of.float + 1n) / 2n;
  const spent = newPayment({ vendorId: idOf(index), amountCents, feeCents: 0n });
  await createInstructed(books.pool, [spent]);
  [of.float, of.reserved] = [of.float - amountCents, of.reserved + amountCents];
}

async function moveIn(
  { money, receipts }: Model,
  { receipt: index, vendor: to }: Extract<Step, { do: 'move' }>,
  names: readonly string[],
): Promise<void> {
  const has = receipts[index] ?? expect.fail();
  const name = names[index] ?? expect.fail();
  if (to === has.holder || has.kept === 0n) {
    await expect(propose(name, to)).rejects.toThrow(/has the receipt|left to move/);
    return;
  }
  await move(name, to);
  taken(money[has.holder] ?? expect.fail(), has.kept);
  (money[to] ?? expect.fail()).collected += has.kept;
  has.holder = to;
}

async function reverseIn(
  { money, receipts }: Model,
  { receipt: index, cents: most }: Extract<Step, { do: 'reverse' }>,
  names: readonly string[],
): Promise<void> {
  const has = receipts[index] ?? expect.fail();
  const cents = most < has.kept ? most : has.kept;
  // People who tell of the same amount again tell of the same reversal.
  if (cents === 0n || has.reversed.has(cents)) return;
  has.reversed.add(cents);
  const about = { receipt: names[index] ?? expect.fail() };
  await reportReversal(books, about, { actor: 'Asha', note: 'n', cents });
  await takeBack(await openCaseOf(has.holder, 'receipt_reversed'), cents);
  taken(money[has.holder] ?? expect.fail(), cents);
  has.kept -= cents;
}

test('whatever is moved, spent and taken back, every vendor has what a simple model says', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (planned) => {
      run += 1;
      vendors = [await books.addVendor(), await books.addVendor(), await books.addVendor()];
      const names = [`PR${run}0000A`, `PR${run}0000B`].map((name) => name.padEnd(10, 'X'));
      const none = { collected: 0n, float: 0n, reserved: 0n, exposure: 0n };
      const model: Model = { money: [{ ...none }, { ...none }, { ...none }], receipts: [] };
      for (const [index, name] of names.entries()) {
        const amountCents = 30_000n * BigInt(index + 1);
        await takeReport(deps(), report(name, { account: 'TYPO', amountCents }));
        await move(name, index);
        model.receipts.push({ holder: index, kept: amountCents, reversed: new Set() });
        (model.money[index] ?? expect.fail()).collected += amountCents;
      }
      for (const one of planned) await step(model, one, names);
      for (const [index, of] of model.money.entries()) {
        const outside = -(of.collected + of.float + of.reserved + of.exposure);
        const nonZero = Object.entries({ ...of, outside }).filter(([, cents]) => cents !== 0n);
        expect(await balances(index)).toEqual(Object.fromEntries(nonZero));
      }
      await expectConsistent();
    }),
    { numRuns: 6 },
  );
});
