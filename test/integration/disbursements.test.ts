import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkRows } from '../../src/payments/audit/check.ts';
import { setBiller } from '../../src/payments/billers/administer.ts';
import { setFeePrice } from '../../src/payments/billers/administer-prices.ts';
import { putBiller, putOperator } from '../../src/payments/billers/store.ts';
import { claim } from '../../src/payments/dispatch/store.ts';
import {
  cancelDisbursement,
  findDisbursement,
  proposePhonePayout,
  proposeRefund,
} from '../../src/payments/disbursements/disbursements.ts';
import { cancelPayment } from '../../src/payments/disbursements/store.ts';
import { openCase } from '../../src/payments/cases/cases-store.ts';
import { enterQuarantine } from '../../src/payments/quarantine/enter.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { snapshot } from '../../src/platform/db/pool.ts';
import type { ProposalRow } from '../../src/proposals/proposal.ts';
import type { Proposals } from '../../src/proposals/proposals.ts';
import type { Actor } from '../../src/proposals/kind.ts';
import {
  CUSTOMER,
  openDisbursements,
  paidPayment,
  PAYOUT_BILLER,
  VENDOR_PHONE,
} from '../support/disbursements.ts';
import type { Disbursing } from '../support/disbursements.ts';
import {
  billerRecord,
  failedReport,
  openBooks,
  operatorRecord,
  OPERATOR,
  paidReport,
  through,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { createInstructed } from '../support/money-fixture.ts';
import { releaseByTwo } from '../support/quarantines.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { addStaff } from '../support/staff.ts';

// Money that an operator sends to a phone is a payment: it is sent again only after proof, and ends by reports only.

let books: Books;
let proposals: Proposals;
let deps: Disbursing;
let asha: Actor;
let baraka: Actor;
let chege: Actor;
/** Administrators. */
let eshe: Actor;
let fatuma: Actor;

beforeAll(async () => {
  books = await openBooks();
  proposals = quietProposals(books);
  deps = await openDisbursements(books, proposals);
  const add = async (login: string, name: string) =>
    await addStaff(books, { login, name, role: 'finance' });
  asha = await add('asha', 'Asha Wambui');
  baraka = await add('baraka', 'Baraka Otieno');
  chege = await add('chege', 'Chege Mwangi');
  eshe = await addStaff(books, { login: 'eshe', name: 'Eshe Achieng', role: 'administrator' });
  fatuma = await addStaff(books, { login: 'fatuma', name: 'Fatuma Njeri', role: 'administrator' });
});
afterAll(async () => await books.close());

const TEXTS = { evidence: 'letter', note: 'asked for' };

async function vendorOf(floatCents = 100_000n): Promise<{ vendorId: number; vid: string }> {
  const vendorId = await books.addVendor();
  await books.addFloat(vendorId, floatCents);
  await deps.setPhone(vendorId, VENDOR_PHONE);
  return { vendorId, vid: `vendor-${vendorId}` };
}

type Vendor = Awaited<ReturnType<typeof vendorOf>>;

const payOut = async (of: Vendor, amountCents: bigint, billerCode: string = PAYOUT_BILLER) =>
  await proposePhonePayout(deps, { ...TEXTS, ...of, amountCents, billerCode, by: asha });

const refund = async (of: Vendor, refundOf: string, amountCents: bigint, phone?: string) =>
  await proposeRefund(deps, {
    ...{ ...TEXTS, ...of, refundOf, amountCents, billerCode: PAYOUT_BILLER, phone, by: asha },
  });

async function approve({ proposalId }: ProposalRow, by = baraka): Promise<void> {
  const { seen } = await proposals.preview(proposalId);
  await proposals.approve({ proposalId, by, seen });
}

const paymentOf = ({ content }: ProposalRow) => {
  const { vendorId, paymentId, billerCode, cents } = content as Record<string, string>;
  return {
    ...{ vendorId: Number(vendorId), paymentId: String(paymentId) },
    ...{ billerCode: String(billerCode), amountCents: BigInt(String(cents)) },
  };
};

/** Claims what is due of the vendor, as the dispatcher does before it sends. */
const send = async ({ vendorId }: Vendor, billerCode: string = PAYOUT_BILLER) =>
  await claim(books.pool, [
    {
      ...{ vendorId, billerCode, stage: 'send', max: 100, leaseMs: 600_000 },
      route: through(OPERATOR),
    },
  ]);

async function violations(): Promise<string[]> {
  const { violations: found } = await snapshot(
    books.owner,
    async (client) => await checkRows(client, { mac: books.ledgerMac }),
  );
  return found.map(({ invariant }) => invariant);
}

const nonZero = async ({ vendorId }: Vendor) =>
  Object.fromEntries(
    Object.entries(await books.balances(vendorId)).filter(([, cents]) => cents !== 0n),
  );

test('An approved payout is sent once, to the confirmed phone, and ends at the operator', async () => {
  const of = await vendorOf();
  const row = await payOut(of, 70_000n);
  expect(await nonZero(of)).toMatchObject({ float: 30_000n, held: 70_000n });
  expect(await send(of)).toEqual([]);

  await approve(row);
  expect(await nonZero(of)).toMatchObject({ float: 30_000n, reserved: 70_000n });
  const [sent, ...others] = await send(of);
  expect(sent).toMatchObject({ account: VENDOR_PHONE, amountCents: 70_000n, attemptNumber: 1 });
  expect([...others, ...(await send(of))]).toEqual([]);

  const payment = paymentOf(row);
  expect(await settlePayments(books.pool, [paidReport(payment)])).toEqual(['settled']);
  expect(await settlePayments(books.pool, [paidReport(payment)])).toEqual(['repeated']);
  expect(await nonZero(of)).toMatchObject({ float: 30_000n, [`operator:${OPERATOR}`]: 70_000n });
  expect((await findDisbursement(books.pool, proposals, row.proposalId)).state).toBe('succeeded');
  expect(await violations()).toEqual([]);
});

test('A payout that failed for certain returns to the float, and can be proposed again', async () => {
  const of = await vendorOf();
  const row = await payOut(of, 70_000n);
  await approve(row);
  await send(of);
  await settlePayments(books.pool, [failedReport(paymentOf(row))]);
  expect(await nonZero(of)).toMatchObject({ float: 100_000n });
  expect((await findDisbursement(books.pool, proposals, row.proposalId)).state).toBe('failed');
  await approve(await payOut(of, 70_000n));
  expect(await send(of)).toHaveLength(1);
  expect(await violations()).toEqual([]);
});

test('Two people who approve at once make one payment', async () => {
  const of = await vendorOf();
  const row = await payOut(of, 70_000n);
  const ended = await Promise.allSettled([approve(row, baraka), approve(row, chege)]);
  expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await send(of)).toHaveLength(1);
  expect(await violations()).toEqual([]);
});

test('Nobody approves a payout alone', async () => {
  const row = await payOut(await vendorOf(), 70_000n);
  await expect(approve(row, asha)).rejects.toThrow(/another person/i);
});

test('A payout to a phone that was replaced is not approved', async () => {
  const of = await vendorOf();
  const row = await payOut(of, 70_000n);
  const { seen } = await proposals.preview(row.proposalId);
  await deps.setPhone(of.vendorId, CUSTOMER);
  const approval = { proposalId: row.proposalId, by: baraka, seen };
  await expect(proposals.approve(approval)).rejects.toThrow(`another one now: ${CUSTOMER}`);
  await proposals.reject({ proposalId: row.proposalId, by: baraka, note: 'another phone' });
  expect(await nonZero(of)).toMatchObject({ float: 100_000n });
});

test('A vendor without a phone for payouts gets none', async () => {
  const of = await vendorOf();
  await deps.setPhone(of.vendorId, null);
  await expect(payOut(of, 70_000n)).rejects.toMatchObject({ field: 'vid' });
});

test('What was approved and not sent can be cancelled; what may have been sent cannot', async () => {
  const of = await vendorOf();
  const [early, late] = [await payOut(of, 30_000n), await payOut(of, 40_000n)];
  const cancel = async ({ proposalId: disbursementId }: ProposalRow) =>
    await cancelDisbursement(deps, { disbursementId, by: asha });
  await expect(cancel(early)).rejects.toThrow('can be rejected');
  await approve(early);
  await cancel(early);
  await expect(cancel(early)).rejects.toThrow('cannot be cancelled');
  expect((await findDisbursement(books.pool, proposals, early.proposalId)).state).toBe('failed');
  await approve(late);
  expect(await send(of)).toMatchObject([{ amountCents: 40_000n }]);
  await expect(cancel(late)).rejects.toThrow('cannot be cancelled');
  expect(await nonZero(of)).toMatchObject({ float: 60_000n, reserved: 40_000n });
  expect(await violations()).toEqual([]);
});

test('Amounts that the operator does not take are refused at the proposal, with the field', async () => {
  await putOperator(books.pool, operatorRecord({ operatorCode: 'b2c', connector: 'daraja-b2c' }));
  const category = 'disbursements';
  await putBiller(books.pool, billerRecord('phones', { category, operatorCode: 'b2c' }));
  const of = await vendorOf(30_000_000n);
  for (const [cents, rule] of [
    [999n, 'at least 10.00'],
    [1_050n, 'whole shillings'],
    [25_000_100n, 'at most 250000.00'],
    [29_999_999n, 'at most'],
  ] as const) {
    await expect(payOut(of, cents, 'phones')).rejects.toMatchObject({
      ...{ field: 'amount', message: expect.stringContaining(rule) as unknown },
    });
  }
  await expect(payOut(of, 1_000n, 'kplc_prepaid')).rejects.toMatchObject({ field: 'biller' });
  await expect(payOut(of, 31_000_000n)).rejects.toMatchObject({ field: 'amount' });
  expect((await payOut(of, 1_000n, 'phones')).kind).toBe('phone_payout');
});

test('A biller does not become one for disbursements later, nor the reverse', async () => {
  for (const [code, category] of [
    [PAYOUT_BILLER, 'airtime'],
    ['kplc_prepaid', 'disbursements'],
  ] as const) {
    await expect(setBiller(books.pool, code, { category })).rejects.toMatchObject({
      field: 'category',
    });
  }
});

test('The fee is held and charged, and a changed one needs another proposal', async () => {
  await putBiller(books.pool, billerRecord('priced', { category: 'disbursements' }));
  const price = async (flatCents: bigint) =>
    await setFeePrice(
      books.pool,
      { billerCode: 'priced', vendorId: null },
      {
        tiers: [{ fromCents: 0n, flatCents, bps: 0 }],
        ...{ minimumCents: null, maximumCents: null, vatBps: 0, vatIncluded: false },
      },
      { validFrom: null, setBy: 'Chege' },
    );
  await price(300n);
  const of = await vendorOf();
  const first = await payOut(of, 50_000n, 'priced');
  expect(await nonZero(of)).toMatchObject({ held: 50_300n });
  await price(400n);
  await expect(approve(first)).rejects.toThrow('The fee is 4.00 now');
  await proposals.reject({ proposalId: first.proposalId, by: baraka, note: 'fee' });
  const second = await payOut(of, 50_000n, 'priced');
  await approve(second);
  await send(of, 'priced');
  await settlePayments(books.pool, [paidReport(paymentOf(second))]);
  expect(await nonZero(of)).toMatchObject({ float: 49_600n, fees: 400n });
  expect(await violations()).toEqual([]);
});

test('Refunds of a payment are never more than it was', async () => {
  const of = await vendorOf(300_000n);
  const paid = await paidPayment(books, of.vendorId, 100_000n);
  const first = await refund(of, paid, 60_000n, CUSTOMER);
  await expect(refund(of, paid, 1_000n, CUSTOMER)).rejects.toThrow();
  await approve(first);
  await send(of);
  await expect(refund(of, paid, 40_001n, CUSTOMER)).rejects.toMatchObject({ field: 'amount' });
  const second = await refund(of, paid, 40_000n, CUSTOMER);
  // The first may have been paid: it counts until it failed for certain.
  await settlePayments(books.pool, [failedReport(paymentOf(first))]);
  await approve(second);
  expect((await refund(of, paid, 60_000n, CUSTOMER)).kind).toBe('refund');
  expect(await violations()).toEqual([]);
});

test('A payment that failed, is open, disputed or a disbursement itself is not refunded', async () => {
  const of = await vendorOf(400_000n);
  const [open, failed] = [0, 1].map(() => newPayment({ ...of, amountCents: 10_000n }));
  if (open === undefined || failed === undefined) throw new Error('there are two');
  await createInstructed(books.pool, [open, failed]);
  await settlePayments(books.pool, [failedReport(failed)]);
  const disputed = await paidPayment(books, of.vendorId, 10_000n);
  await deps.openCase(of.vendorId, disputed);
  const payout = await payOut(of, 10_000n);
  await approve(payout);
  await send(of);
  await settlePayments(books.pool, [paidReport(paymentOf(payout))]);
  for (const [paymentId, why] of [
    [open.paymentId, 'not known yet'],
    [failed.paymentId, 'It failed'],
    [disputed, 'a case about it is open'],
    [paymentOf(payout).paymentId, 'a payout or a refund itself'],
  ] as const) {
    await expect(refund(of, paymentId, 1_000n, CUSTOMER)).rejects.toMatchObject({
      ...{ field: 'reference', message: expect.stringContaining(why) as unknown },
    });
  }
});

test('Whoever approves a refund sees its phone beside that of the payment; what is kept has neither', async () => {
  const of = await vendorOf(300_000n);
  const payment = newPayment({ ...of, amountCents: 50_000n, phone: '254733000001' });
  await createInstructed(books.pool, [payment]);
  await settlePayments(books.pool, [paidReport(payment)]);
  const other = await refund(of, payment.paymentId, 10_000n, '0712 345 678');
  const { lines, remarks } = await proposals.preview(other.proposalId);
  expect(remarks).toContainEqual({
    ...{ label: 'Phone number', text: `${CUSTOMER}, NOT in the payment` },
  });
  expect(remarks).toContainEqual({ label: 'Phone number of the payment', text: '254733000001' });
  expect(JSON.stringify([lines, other.content])).not.toContain(CUSTOMER);
  await proposals.reject({ proposalId: other.proposalId, by: baraka, note: 'another phone' });
  const own = await refund(of, payment.paymentId, 10_000n);
  expect((await proposals.preview(own.proposalId)).remarks).toContainEqual({
    ...{ label: 'Phone number', text: '254733000001, as in the payment' },
  });
});

test('Altered phones, amounts and payments that nobody approved show in the check', async () => {
  const of = await vendorOf();
  const row = await payOut(of, 20_000n);
  await approve(row);
  const { paymentId } = paymentOf(row);
  const tamper = async (sql: string, undo: string) => {
    await books.owner.query(sql);
    const found = await violations();
    await books.owner.query(undo);
    return found;
  };
  const payment = `where payment_id = '${paymentId}'`;
  expect(
    await tamper(
      `update payments set account = '${CUSTOMER}' ${payment}`,
      `update payments set account = '${VENDOR_PHONE}' ${payment}`,
    ),
  ).toContain('phones_authentic');
  const phones = `where vendor_id = ${of.vendorId}`;
  expect(
    await tamper(
      `update payout_phones set phone = '${CUSTOMER}' ${phones}`,
      `update payout_phones set phone = '${VENDOR_PHONE}' ${phones}`,
    ),
  ).toContain('phones_authentic');
  expect(
    await tamper(
      `update payments set amount_cents = 30000 ${payment}`,
      `update payments set amount_cents = 20000 ${payment}`,
    ),
  ).toContain('disbursements_equal_proposals');
  expect(await violations()).toEqual([]);
  const forged = newPayment({
    ...of,
    billerCode: PAYOUT_BILLER,
    account: CUSTOMER,
    feePrice: null,
  });
  await createInstructed(books.pool, [forged]);
  expect(await violations()).toContain('disbursements_equal_proposals');
  await settlePayments(books.pool, [failedReport(forged)]);
  await books.owner.query(
    `update payments set biller_code = 'kplc_prepaid' where payment_id = '${forged.paymentId}'`,
  );
});

test('Whoever approves a payout to a phone sees another one of the same amount', async () => {
  const of = await vendorOf();
  const first = await payOut(of, 30_000n);
  await approve(first);
  const { remarks } = await proposals.preview((await payOut(of, 30_000n)).proposalId);
  const text = first.proposalId;
  expect(remarks).toContainEqual({ label: 'Other payouts of this amount', text });
});

/** Enters a quarantine, as after a restore, and ends it, with `during` in between. */
async function restored(during: () => Promise<void>): Promise<void> {
  await enterQuarantine(books.pool, {
    ...{ entryId: newId(), lostFrom: new Date(Date.now() - 60_000), lostUntil: null },
    ...{ by: 'test', reason: 'restored' },
  });
  try {
    await during();
  } finally {
    await releaseByTwo(books, [eshe, fatuma]);
  }
}

test('A disbursement that was proposed before a restore is not approved after it: it may have been paid', async () => {
  const of = await vendorOf();
  const [paidOut, refunded] = [
    await payOut(of, 20_000n),
    await refund(of, await paidPayment(books, of.vendorId, 10_000n), 5_000n, CUSTOMER),
  ];
  await restored(async () => {
    await expect(approve(paidOut)).rejects.toThrow();
    const { problem } = await proposals.preview(paidOut.proposalId);
    expect(problem).toContain('in quarantine');
    await expect(payOut(of, 30_000n)).rejects.toThrow('in quarantine');
  });
  for (const row of [paidOut, refunded]) {
    await expect(approve(row)).rejects.toThrow('may have been approved and paid');
    await proposals.reject({ proposalId: row.proposalId, by: baraka, note: 'not paid' });
  }
  await approve(await payOut(of, 20_000n));
  expect(await send(of)).toHaveLength(1);
});

test('A disbursement that a restore lost, and a statement lists as paid, is not proposed again until people decide', async () => {
  const of = await vendorOf();
  const lost = { biller: PAYOUT_BILLER, account: VENDOR_PHONE, paid_cents: 20_000 };
  const paymentId = newId();
  await openCase(books.pool, {
    ...{ vendorId: of.vendorId, paymentId, kind: 'theirs_only', operatorCode: OPERATOR },
    ...{ evidenceId: newId(), facts: { ...lost, movement: 'payment' } },
  });
  await expect(payOut(of, 20_000n)).rejects.toThrow(encodeReference(of.vendorId, paymentId));
  expect((await payOut(of, 30_000n)).kind).toBe('phone_payout');
});

// What a vendor has, by a simple model: each disbursement is held, reserved, gone or back, exactly once.
type Step =
  | { readonly do: 'propose'; readonly cents: bigint }
  | { readonly do: 'approve' | 'approve twice' | 'reject' | 'cancel' | 'phone' | 'send' | 'kill' }
  | { readonly do: 'paid' | 'failed'; readonly times: number };

const STEPS = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('propose' as const), cents: fc.bigInt(1_000n, 40_000n) }),
    fc.record({
      do: fc.constantFrom(
        ...(['approve', 'approve twice', 'reject', 'cancel', 'phone', 'send', 'kill'] as const),
      ),
    }),
    fc.record({
      ...{ do: fc.constantFrom('paid' as const, 'failed' as const) },
      times: fc.integer({ min: 1, max: 3 }),
    }),
  ),
  { minLength: 5, maxLength: 25 },
);

interface Modelled {
  readonly row: ProposalRow;
  readonly cents: bigint;
  state: 'held' | 'reserved' | 'sent' | 'gone' | 'back';
  phone: string;
}

test('Whatever happens in between, each payout leaves the float once, or not at all', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => await follow(steps)),
    { numRuns: 25 },
  );
});

async function follow(steps: readonly Step[]): Promise<void> {
  const of = await vendorOf();
  let phone = VENDOR_PHONE;
  const made: Modelled[] = [];
  const first = (state: Modelled['state']) => made.find((one) => one.state === state);
  for (const step of steps) {
    const [held, reserved, sent] = [first('held'), first('reserved'), first('sent')];
    if (step.do === 'propose') {
      const row = await payOut(of, step.cents).catch(() => undefined);
      if (row !== undefined) made.push({ row, cents: step.cents, state: 'held', phone });
    } else if (step.do === 'phone') {
      phone = phone === VENDOR_PHONE ? CUSTOMER : VENDOR_PHONE;
      await deps.setPhone(of.vendorId, phone);
    } else if (step.do === 'reject' && held !== undefined) {
      const { proposalId } = held.row;
      await proposals.reject({ proposalId, by: baraka, note: 'no' });
      held.state = 'back';
    } else if ((step.do === 'approve' || step.do === 'approve twice') && held !== undefined) {
      const people = step.do === 'approve' ? [baraka] : [baraka, chege];
      const ended = await Promise.allSettled(people.map(async (by) => await approve(held.row, by)));
      const done = ended.filter(({ status }) => status === 'fulfilled').length;
      expect(done).toBe(held.phone === phone ? 1 : 0);
      if (done === 1) held.state = 'reserved';
    } else if (step.do === 'cancel' && (reserved ?? sent) !== undefined) {
      const { row } = reserved ?? sent ?? expect.fail();
      const done = await cancelPayment(books.pool, paymentOf(row), 'Cancelled');
      expect(done).toBe(reserved !== undefined);
      if (reserved !== undefined) reserved.state = 'back';
    } else if (step.do === 'send' || step.do === 'kill') {
      // After a kill nothing is known of what was sent: it stays reserved, and is not sent again.
      const claims = await send(of);
      const due = made.filter(({ state }) => state === 'reserved');
      expect(claims.map(({ paymentId }) => paymentId).toSorted()).toEqual(
        due.map(({ row }) => paymentOf(row).paymentId).toSorted(),
      );
      for (const one of due) one.state = 'sent';
    } else if ((step.do === 'paid' || step.do === 'failed') && sent !== undefined) {
      const report = step.do === 'paid' ? paidReport : failedReport;
      const results = [];
      for (let time = 0; time < step.times; time += 1) {
        results.push(...(await settlePayments(books.pool, [report(paymentOf(sent.row))])));
      }
      expect(results.filter((one) => one === 'settled')).toHaveLength(1);
      // A contradiction opens a case, and moves nothing.
      const contrary = step.do === 'paid' ? failedReport : paidReport;
      expect(await settlePayments(books.pool, [contrary(paymentOf(sent.row))])).toEqual([
        'contradicted',
      ]);
      sent.state = step.do === 'paid' ? 'gone' : 'back';
    }
    const sum = (...states: Modelled['state'][]) =>
      made
        .filter(({ state }) => states.includes(state))
        .reduce((all, { cents }) => all + cents, 0n);
    const balances = await books.balances(of.vendorId);
    expect({
      float: balances['float'],
      held: balances['held'] ?? 0n,
      reserved: balances['reserved'],
      gone: balances[`operator:${OPERATOR}`] ?? 0n,
    }).toEqual({
      float: 100_000n - sum('held', 'reserved', 'sent', 'gone'),
      held: sum('held'),
      reserved: sum('reserved', 'sent'),
      gone: sum('gone'),
    });
  }
}
