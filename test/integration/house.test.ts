import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readFloatBeginning } from '../../src/payments/house/store.ts';
import { readTrialBalance } from '../../src/payments/house/trial-balance.ts';
import { saveBalance } from '../../src/payments/billers/float-store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { reportFloat } from '../../src/payments/reconciliation/float-report.ts';
import { addBank, proposeEntry } from '../support/house-decisions.ts';
import type { NamedEntry } from '../support/house-decisions.ts';
import { approveSeen, named } from '../support/payouts.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { moved } from '../support/moved.ts';
import { chainEverything } from '../support/chain.ts';
import { metricsOf } from '../support/metrics.ts';
import { brokenInvariants } from '../support/books-check.ts';
import { createInstructed, instructNew, OPERATOR, paidReport } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { databaseTime, importLines } from '../support/reconciliation-fixture.ts';

// The books of the house: entries from statements and people, and the detection of every forgery.

const DAY_MS = 86_400_000;
const freshBooks = sharedBooks();
let books: Books;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'house-'));
});
afterAll(async () => await rm(folder, { recursive: true }));
beforeEach(async () => {
  books = await freshBooks();
  await addBank(books);
});
afterEach(async () => await books.close());

const violations = async (): Promise<string[]> => await brokenInvariants(books);

async function transfers(): Promise<[string, string, string, bigint][]> {
  const read = await books.pool.query<{ s: string; d: string; c: string; a: bigint }>(
    `select source as s, debit_account as d, credit_account as c, amount_cents as a
     from house_transfers order by posted_at, transfer_id`,
  );
  return read.rows.map(({ s, d, c, a }) => [s, d, c, a]);
}

const instruct = async (amountCents: bigint): Promise<NewPayment> =>
  await instructNew(books, amountCents);

async function pay(amountCents: bigint): Promise<void> {
  await settlePayments(books.pool, [paidReport(await instruct(amountCents))]);
}

const FLOAT = `operator-float:${OPERATOR}`;
const CHARGES = `operator-charges:${OPERATOR}`;

describe('a statement', () => {
  test('books its opening, its top-ups and the sum of its charges, once', async () => {
    await pay(30_000n);
    const to = await databaseTime(books);
    const from = new Date(Number(to) - DAY_MS);
    const lines = [
      { type: 'top_up', amountCents: 50_000n, operatorReference: 'TOP1' },
      { type: 'charge', amountCents: 100n },
      { type: 'charge', amountCents: 200n },
    ];
    const { booked } = await importLines(books, folder, lines, { from, to });
    expect(booked).toEqual({
      openingCents: 100_000_000n,
      topUpCents: 50_000n,
      topUpConfirmedCents: 0n,
      chargeCents: 300n,
      chargeConfirmedCents: 0n,
    });
    const again = await importLines(books, folder, lines.slice(0, 1), {
      to: await databaseTime(books),
      openingCents: 1n,
    });
    expect(again.booked).toMatchObject({ openingCents: null, topUpCents: 0n });
    expect(await transfers()).toEqual([
      ['opening', FLOAT, 'opening', 100_000_000n],
      ['top_up', FLOAT, 'suspense', 50_000n],
      ['charges', CHARGES, FLOAT, 300n],
    ]);
    expect(await violations()).toEqual([]);
  });

  test('begins the books with the float that earlier payments left', async () => {
    await pay(30_000n);
    const from = await databaseTime(books);
    await pay(5_000n);
    await importLines(books, folder, [], {
      from,
      to: await databaseTime(books),
      openingCents: 70_000n,
      complete: true,
    });
    // Opened with 100,000, of which 30,000 had been consumed; 5,000 were consumed since then.
    expect(await transfers()).toEqual([['opening', FLOAT, 'opening', 100_000n]]);
    const { bookedCents } = await reportFloat(books.pool, float(null));
    expect(bookedCents).toBe(65_000n);
  });

  test('nothing is booked for a period before the books began', async () => {
    const to = await databaseTime(books);
    await importLines(books, folder, [], { from: new Date(Number(to) - DAY_MS), to });
    const before = new Date(Number(to) - DAY_MS);
    const { booked } = await importLines(books, folder, [{ type: 'top_up' }, { type: 'charge' }], {
      from: new Date(Number(before) - DAY_MS),
      to: before,
    });
    expect(booked).toMatchObject({ topUpCents: 0n, chargeCents: 0n });
    expect(await violations()).toEqual([]);
  });
});

async function entry(change: Partial<NamedEntry> = {}) {
  return await proposeEntry(books, {
    operatorCode: OPERATOR,
    kind: 'top_up',
    amountCents: 40_000n,
    reference: 'BANK1',
    movedAt: new Date(Date.now() - 60_000),
    bank: 'bank',
    note: 'entered by hand',
    by: 'Asha',
    ...change,
  });
}

const approve = async (entryId: string, by = 'Baraka') =>
  await approveSeen(books, entryId, named(by));
const reject = async (proposalId: string): Promise<void> =>
  void (await quietProposals(books).reject({ proposalId, by: named('Asha') }));
describe('an entry', () => {
  test('an entry is booked when another person approves it, and once', async () => {
    const { proposalId } = await entry();
    expect(await transfers()).toEqual([]);
    await expect(approve(proposalId, ' asha')).rejects.toMatchObject({ field: 'by' });
    await expect(approve(proposalId, 'ASHA')).rejects.toThrow('another person');
    await approve(proposalId);
    await expect(approve(proposalId)).rejects.toThrow('already approved by Baraka');
    await expect(entry({ reference: ' bank1 ' })).rejects.toThrow('entered before');
    await expect(entry({ reference: 'BANK-1' })).rejects.toThrow('entered before');
    await expect(entry({ reference: ' ' })).rejects.toMatchObject({ field: 'reference' });
    expect(await transfers()).toEqual([['entry', FLOAT, 'bank:bank', 40_000n]]);
    expect(await violations()).toEqual([]);
  });

  test('a rejected entry is not booked, and can be entered again', async () => {
    const { proposalId } = await entry();
    await reject(proposalId);
    await expect(approve(proposalId)).rejects.toThrow('already withdrawn');
    await approve((await entry()).proposalId);
    expect(await transfers()).toHaveLength(1);
  });

  test('a statement that lists an entry does not book it again', async () => {
    await approve((await entry({ kind: 'opening', reference: 'O', amountCents: 10n })).proposalId);
    await approve((await entry()).proposalId);
    const to = await databaseTime(books);
    const { booked } = await importLines(
      books,
      folder,
      [
        { type: 'top_up', amountCents: 40_000n, operatorReference: 'OP-77' },
        { type: 'top_up', amountCents: 40_000n, operatorReference: 'OP-78' },
      ],
      { from: new Date(Number(to) - 3_600_000), to },
    );
    expect(booked).toMatchObject({ topUpCents: 40_000n, topUpConfirmedCents: 40_000n });
    await expect(entry({ reference: 'BANK2' })).rejects.toThrow('within three days is booked');
    expect(await violations()).toEqual([]);
  });

  test('an entry is not booked again after a statement listed its reference, whatever its day and spelling', async () => {
    const to = await databaseTime(books);
    const topUp = { type: 'top_up', amountCents: 40_000n, operatorReference: 'OP-78' };
    const from = new Date(Number(to) - 20 * DAY_MS);
    const at = new Date(Number(from) + DAY_MS);
    await importLines(books, folder, [{ ...topUp, at }], { from, to });
    await expect(entry({ reference: 'op 78' })).rejects.toMatchObject({ field: 'reference' });
    await expect(entry({ reference: 'OP-79' })).resolves.toMatchObject({
      content: { reference: 'OP-79' },
    });
  });

  test('an entry is not booked again with the reference of the row that confirmed it', async () => {
    const waiting = await entry({ reference: 'OP 77', amountCents: 41_000n });
    await approve((await entry()).proposalId);
    const topUp = { type: 'top_up', amountCents: 40_000n, operatorReference: 'OP-77' };
    const { booked } = await importLines(books, folder, [topUp]);
    expect(booked).toMatchObject({ topUpCents: 0n, topUpConfirmedCents: 40_000n });
    await expect(approve(waiting.proposalId)).rejects.toMatchObject({ field: 'reference' });
    await reject(waiting.proposalId);
    await expect(entry({ reference: 'op77' })).rejects.toThrow('list this reference');
    expect(await transfers()).toEqual([['entry', FLOAT, 'bank:bank', 40_000n]]);
    // The next top-up of the same amount, which no statement has listed yet.
    await expect(entry({ reference: 'BANK2' })).resolves.toMatchObject({
      content: { reference: 'BANK2' },
    });
  });

  test('an entry is not booked if a statement lists it before the opening, which contains it', async () => {
    const to = await databaseTime(books);
    const opening = { kind: 'opening', reference: 'O', movedAt: to } as const;
    await approve((await entry(opening)).proposalId);
    const topUp = { type: 'top_up', amountCents: 40_000n, operatorReference: 'OP-9' };
    const { booked } = await importLines(books, folder, [topUp], { to });
    expect(booked).toMatchObject({ topUpCents: 0n, topUpConfirmedCents: 0n });
    const movedAt = new Date(Number(to) + 1);
    await expect(entry({ reference: 'OP-9', movedAt })).rejects.toThrow('list this reference');
    await expect(entry({ movedAt })).rejects.toThrow('or is part of the opening');
  });

  test('a statement that lists the reference of a charge does not book it again', async () => {
    const charge = { kind: 'charge', amountCents: 500n } as const;
    await approve((await entry({ ...charge, reference: 'ch 1' })).proposalId);
    await approve((await entry({ ...charge, reference: 'CH-9' })).proposalId);
    const line = { type: 'charge', amountCents: 500n };
    const { booked } = await importLines(books, folder, [
      { ...line, operatorReference: 'CH-1' },
      { ...line, operatorReference: 'CH-2' },
    ]);
    expect(booked).toMatchObject({ chargeCents: 500n, chargeConfirmedCents: 500n });
    expect(await transfers()).toEqual([
      ['entry', CHARGES, FLOAT, 500n],
      ['entry', CHARGES, FLOAT, 500n],
      ['charges', CHARGES, FLOAT, 500n],
    ]);
    expect(await violations()).toEqual([]);
  });

  test('a charge is not booked after a statement listed its reference', async () => {
    const charge = { kind: 'charge', amountCents: 500n } as const;
    const waiting = await entry({ ...charge, reference: 'CH 1' });
    await importLines(books, folder, [
      { type: 'charge', amountCents: 500n, operatorReference: 'CH-1' },
      { type: 'charge', amountCents: 500n, operatorReference: 'CH-2' },
    ]);
    await expect(approve(waiting.proposalId)).rejects.toMatchObject({ field: 'reference' });
    await expect(entry({ ...charge, reference: 'ch2' })).rejects.toThrow('list this reference');
    await expect(entry({ ...charge, reference: 'CH-3' })).resolves.toMatchObject({
      content: { kind: 'charge', cents: '500' },
    });
    expect(await violations()).toEqual([]);
  });

  test('begins the books with the float that earlier payments left', async () => {
    await pay(30_000n);
    const movedAt = await afterLastPosting();
    await pay(5_000n);
    const opening = { kind: 'opening', reference: 'O', amountCents: 70_000n, movedAt } as const;
    await approve((await entry(opening)).proposalId);
    expect(await transfers()).toEqual([
      ['entry', FLOAT, 'opening', 70_000n],
      ['entry', FLOAT, 'opening', 30_000n],
    ]);
    const { bookedCents } = await reportFloat(books.pool, float(null));
    expect(bookedCents).toBe(65_000n);
    expect(await violations()).toEqual([]);
  });

  test('cannot be an opening after another one, which says how to enter what is missing', async () => {
    await pay(30_000n);
    const opening = await entry({ kind: 'opening', reference: 'O', amountCents: 70_000n });
    await approve((await entry({ kind: 'charge', reference: 'C', amountCents: 100n })).proposalId);
    const refused = {
      field: 'kind',
      message: expect.stringContaining('as a top-up or a withdrawal') as string,
    };
    await expect(approve(opening.proposalId)).rejects.toMatchObject(refused);
    await expect(entry({ kind: 'opening', reference: 'P' })).rejects.toMatchObject(refused);
    const { bookedCents } = await reportFloat(books.pool, float(null));
    const amountCents = 70_000n - bookedCents;
    await approve((await entry({ reference: 'MISSING', amountCents, bank: null })).proposalId);
    expect(await reportFloat(books.pool, float(70_000n))).toMatchObject({
      bookedCents: 70_000n,
      bridge: { differenceCents: 0n },
    });
  });

  test('no opening is entered while a payment may still be booked with an earlier time', async () => {
    const made = await instruct(5_000n);
    const settling = await books.openPool().connect();
    let opening: { readonly proposalId: string };
    try {
      await settling.query('begin');
      await settlePayments(settling, [paidReport(made)]);
      const movedAt = await databaseTime(books);
      opening = await entry({ kind: 'opening', reference: 'O', amountCents: 70_000n, movedAt });
      await expect(approve(opening.proposalId)).rejects.toMatchObject({
        field: 'at',
        message: expect.stringContaining('Try again in a moment') as string,
      });
      await settling.query('commit');
    } finally {
      settling.release();
    }
    await approve(opening.proposalId);
    expect(await transfers()).toEqual([
      ['entry', FLOAT, 'opening', 70_000n],
      ['entry', FLOAT, 'opening', 5_000n],
    ]);
    expect((await reportFloat(books.pool, float(null))).bookedCents).toBe(70_000n);
  });

  test.each([
    ['top_up', 0n],
    ['withdrawal', -1n],
    ['charge', 0n],
    ['opening', -1n],
  ] as const)('needs an amount: a %s of %s is refused', async (kind, amountCents) => {
    const text = 'It must be greater than 0.';
    const message = expect.stringContaining(text) as string;
    await expect(entry({ kind, amountCents })).rejects.toMatchObject({ field: 'amount', message });
  });

  test('an opening of 0 is refused, and the refusal says how the books begin instead', async () => {
    const earlier = await databaseTime(books);
    await pay(30_000n);
    const opening = { kind: 'opening', reference: 'O' } as const;
    await expect(entry({ ...opening, amountCents: 0n })).rejects.toThrow('of an earlier time');
    const begin = await entry({ ...opening, amountCents: 30_000n, movedAt: earlier });
    await approve(begin.proposalId);
    expect((await reportFloat(books.pool, float(null))).bookedCents).toBe(0n);
  });

  test('cannot begin the books twice, nor lie before them', async () => {
    await approve((await entry({ kind: 'opening', reference: 'O' })).proposalId);
    await expect(entry({ kind: 'opening', reference: 'P' })).rejects.toThrow(
      'already have an opening balance',
    );
    const movedAt = new Date(Date.now() - DAY_MS);
    const { beganAt } = await readFloatBeginning(books.pool, OPERATOR);
    // In the service’s time zone, like every other time.
    const begin = books.wireTime.format(beganAt ?? new Date(0));
    await expect(entry({ movedAt })).rejects.toThrow(
      `The books of this float begin at ${begin}; what was there then is its opening.`,
    );
    const future = new Date(Date.now() + DAY_MS);
    await expect(entry({ movedAt: future })).rejects.toThrow('in the future');
    await expect(entry({ operatorCode: 'nobody' })).rejects.toThrow('does not exist');
  });
});

const float = (balanceCents: bigint | null) => ({
  operatorCode: OPERATOR,
  balanceCents,
  polledAt: balanceCents === null ? null : new Date(Date.now() + 1_000),
});

/** Postings are dated up to a millisecond ahead. */
async function afterLastPosting(): Promise<Date> {
  const read = await books.pool.query<{ at: Date }>(
    `select greatest((select max(created_at) from transfers),
       (select max(posted_at) from house_transfers)) + interval '1 millisecond' as at`,
  );
  return read.rows[0]?.at ?? new Date();
}

test('the trial balance is even, and our float is what vendors’ payments left', async () => {
  await approve((await entry({ kind: 'opening', reference: 'O' })).proposalId);
  await approve((await entry()).proposalId);
  await approve((await entry({ kind: 'charge', reference: 'C', amountCents: 500n })).proposalId);
  await pay(30_000n);
  const middle = await afterLastPosting();
  await pay(1_000n);
  await approve((await entry({ reference: 'LATER', amountCents: 1_000n })).proposalId);
  const end = await afterLastPosting();
  const first = await readTrialBalance(books.pool, { from: new Date(0), to: middle });
  const second = await readTrialBalance(books.pool, { from: middle, to: end });
  expect([first.isEven, second.isEven]).toEqual([true, true]);
  expect(first.total.openingDebitCents).toBe(0n);
  const find = ({ lines }: typeof first, account: string) =>
    lines.find((line) => line.account === account);
  // The last top-up was posted after `middle`, and its money moved before.
  expect(find(first, FLOAT)).toMatchObject({ creditsCents: 30_500n, debitCents: 50_500n });
  expect(find(second, FLOAT)).toMatchObject({
    openingDebitCents: 50_500n,
    debitsCents: 0n,
    creditsCents: 1_000n,
    debitCents: 49_500n,
    parts: [
      { account: FLOAT, openingDebitCents: 80_500n, debitsCents: 0n, debitCents: 80_500n },
      { account: `operator:${OPERATOR}`, openingCreditCents: 30_000n, creditCents: 31_000n },
    ],
  });
  const { bookedCents, bridge } = await reportFloat(books.pool, float(49_500n));
  expect(bookedCents).toBe(49_500n);
  expect(bridge).toMatchObject({ differenceCents: 0n, unexplainedCents: 0n });
});

test('each part of the difference to the reported balance is named', async () => {
  await approve(
    (await entry({ kind: 'opening', reference: 'O', amountCents: 90_000n })).proposalId,
  );
  const made = newPayment({ vendorId: await books.addVendor(20_000n), amountCents: 20_000n });
  await createInstructed(books.pool, [made]);
  const { bridge } = await reportFloat(books.pool, float(60_000n));
  expect(bridge).toEqual({
    differenceCents: -30_000n,
    inFlightCents: -20_000n,
    settledSinceCents: 0n,
    notBookedCents: 0n,
    unexplainedCents: -10_000n,
  });
});

test('the metrics show the unexplained amount, once an operator has reported and entries exist', async () => {
  const metrics = metricsOf(books.pool);
  await approve(
    (await entry({ kind: 'opening', reference: 'O', amountCents: 90_000n })).proposalId,
  );
  await saveBalance(books.pool, OPERATOR, { balanceCents: 80_000n });
  const text = await metrics.render();
  expect(text).toContain(`malipo_operator_float_unexplained_cents{operator="${OPERATOR}"} -10000`);
});

describe('a forgery is found', () => {
  beforeEach(async () => {
    await approve((await entry()).proposalId);
    const to = await databaseTime(books);
    await importLines(
      books,
      folder,
      [
        { type: 'top_up', amountCents: 70_000n },
        { type: 'charge', amountCents: 9n },
      ],
      { from: new Date(Number(to) - 1_800_000), to },
    );
    await chainEverything(books);
    expect(await violations()).toEqual([]);
  });

  test.each<[string, string, readonly string[]]>([
    [
      'an amount',
      `update house_transfers set amount_cents = amount_cents + 1 where source = 'top_up'`,
      ['chain_intact', 'house_authentic', 'house_equals_sources'],
    ],
    [
      'an amount together with its source',
      `with t as (update house_transfers set amount_cents = 1 where source = 'top_up' returning source_id)
       update statement_rows set amount_cents = 1 where row_id in (select source_id from t)`,
      ['chain_intact', 'house_authentic'],
    ],
    [
      'a transfer that is gone, with its source',
      `with t as (delete from house_transfers where source = 'top_up' returning source_id)
       delete from statement_rows where row_id in (select source_id from t)`,
      ['chain_intact'],
    ],
    ['who approved it', `update house_entries set decided_by = 'Chege'`, ['house_authentic']],
    ['what people wrote', `update house_entries set note = 'other'`, ['house_authentic']],
    [
      'the time of an entry',
      `update house_entries set moved_at = ${moved('moved_at', '-30 days')}`,
      ['house_equals_sources'],
    ],
    [
      'the kind of an entry',
      `update house_entries set kind = 'withdrawal'`,
      ['house_equals_sources'],
    ],
    [
      'an entry that became an opening',
      `update house_entries set kind = 'opening'`,
      ['house_equals_sources'],
    ],
    [
      'the operator of an entry',
      `update house_entries set subject = 'nobody'`,
      ['house_equals_sources'],
    ],
    [
      'the time of a top-up in its statement',
      `update statement_rows set at = ${moved('at', '-1 second')} where kind = 'top_up'`,
      ['house_equals_sources'],
    ],
    [
      'the time of a charge in its statement',
      `update statement_rows set at = ${moved('at', '-1 second')} where kind = 'charge'`,
      ['house_equals_sources'],
    ],
    [
      'an approval that was put into the database',
      `insert into house_entries select decided_at, moved_at, 5, gen_random_uuid(), null,
         'top_up', subject, 'X', debit_account, credit_account, note, proposed_by, 'Chege'
       from house_entries`,
      ['house_equals_sources'],
    ],
    [
      'a transfer that was put into the database',
      `insert into house_transfers select now(), moved_at, 5, gen_random_uuid(), gen_random_uuid(), 1,
         'top_up', debit_account, 'suspense', mac from house_transfers where source = 'top_up'`,
      ['house_authentic', 'house_equals_sources'],
    ],
    [
      'a confirmation that no statement has, so that the statement’s own is booked again',
      `update house_entries set row_id = md5(entry_id::text)::uuid`,
      ['house_confirmations_listed'],
    ],
    [
      'an opening that no statement has',
      `insert into house_transfers select now(), moved_at, 5, gen_random_uuid(), gen_random_uuid(), 1,
         'opening', 'operator-float:other', 'opening', mac from house_transfers where source = 'top_up'`,
      ['house_authentic', 'house_opening_listed'],
    ],
    [
      'a second transfer of an entry that is no opening',
      `insert into house_transfers select now(), moved_at, 5, gen_random_uuid(), source_id, 2, source,
         debit_account, credit_account, mac from house_transfers where source = 'entry'`,
      ['house_authentic', 'house_opening_listed'],
    ],
  ])('%s', async (_, sql, found) => {
    await books.owner.query(sql);
    expect(await violations()).toEqual(found);
  });
});
