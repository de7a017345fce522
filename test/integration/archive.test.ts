import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { firstIdAt, newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import { claim } from '../../src/payments/dispatch/store.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { lockFloat } from '../../src/payments/ledger/store.ts';
import {
  firstCursor,
  readStatementHead,
  readStatementPage,
} from '../../src/payments/reports/statement.ts';
import { archivePayments, verifyArchive } from '../../src/payments/archive/archive.ts';
import { readArchivedPayment } from '../../src/payments/archive/archive-store.ts';
import { createPayments, readPayment } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { CreateDecision, NewPayment } from '../../src/payments/create/payment.ts';
import { chainEverything } from '../support/chain.ts';
import { openCase } from '../../src/payments/cases/cases-store.ts';
import { openCaseByHand } from '../../src/payments/corrections/open-case.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { startInProcess } from '../support/in-process-service.ts';
import { createInstructed, failedReport, openBooks, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { inProcess } from './cli-support.ts';
import { until } from '../support/until.ts';
import { countWaiting } from '../support/waiting.ts';

let books: Books;
let folder: string;

beforeEach(async () => {
  books = await openBooks();
  folder = await mkdtemp(path.join(tmpdir(), 'malipo-archive-'));
});

afterEach(async () => {
  await books.close();
  await rm(folder, { recursive: true });
});

/** Payments of a new vendor: all but the last two have ended, every third of them by a refusal. */
async function makePayments(count: number, at = new Date()): Promise<NewPayment[]> {
  const vendorId = await books.addVendor(100_000_000n);
  const payments = Array.from({ length: count }, (_, index) =>
    newPayment({
      vendorId,
      paymentId: firstIdAt(at).slice(0, -12) + String(index).padStart(12, '0'),
      feeCents: 5n,
      phone: index === 2 ? null : '254722000000',
      merchantReference: `order-${index}`,
    }),
  );
  await createInstructed(books.pool, payments);
  await settle(payments.slice(0, -2));
  return payments;
}

async function settle(payments: readonly NewPayment[]): Promise<void> {
  await settlePayments(
    books.pool,
    payments.map((payment, index) =>
      index % 3 === 0
        ? failedReport(payment)
        : paidReport(payment, { details: { token: '12345678901234567890' } }),
    ),
  );
}

const soon = (): Date => new Date(Date.now() + 60_000);

async function archiveAll(vendorId: number, before = soon()) {
  return await archivePayments(books.owner, { vendorIds: [vendorId], before, folder });
}

async function violations(): Promise<readonly unknown[]> {
  await chainEverything(books);
  return (await checkLedger(books.pool)).violations;
}

test('ended payments move out with all their details, and the ledger stays consistent', async () => {
  const payments = await makePayments(14);
  const [first] = payments;
  if (first === undefined) throw new Error('no payment');
  const { vendorId } = first;
  const before = await readPayment(books.pool, vendorId, first.paymentId);
  const balances = await books.balances(vendorId);

  expect(await archiveAll(vendorId)).toMatchObject({ files: 1, payments: 12 });
  expect(await violations()).toEqual([]);
  expect(await books.balances(vendorId)).toEqual(balances);

  const left = await books.pool.query('select payment_id from payments');
  expect(left.rowCount).toBe(2);
  expect((await books.pool.query('select 1 from attempts')).rowCount).toBe(2);
  const archived = await readArchivedPayment(books.pool, {
    vendorId,
    paymentId: first.paymentId,
  });
  expect(archived).toEqual({ ...before, phone: null, message: null, details: null });
  expect(archived?.failureCode).toBe('declined');

  const [name = ''] = await readdir(folder);
  const lines = gunzipSync(await readFile(path.join(folder, name)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toHaveLength(12);
  expect(lines[1]).toMatchObject({
    payment_id: payments[1]?.paymentId,
    phone: '254722000000',
    outcome: 'success',
    amount_cents: 10_000,
    details: { token: '12345678901234567890' },
    attempts: [{ attempt_number: 1, outcome: 'paid' }],
  });

  // Open payments end as usual, and are archived the next time.
  await settle(payments.slice(-2));
  expect(await archiveAll(vendorId)).toMatchObject({ files: 1, payments: 2 });
  expect(await archiveAll(vendorId)).toEqual({ files: 0, payments: 0, bytes: 0 });
  expect(await violations()).toEqual([]);
});

test('young payments, open payments and those with a case stay', async () => {
  const payments = await makePayments(6);
  const vendorId = payments[0]?.vendorId ?? 0;
  // The operator contradicts itself: a case is opened.
  const contradicted = payments[0];
  if (contradicted === undefined) throw new Error('no payment');
  await settlePayments(books.pool, [paidReport(contradicted)]);
  expect(await archiveAll(vendorId, new Date(Date.now() - 60_000))).toMatchObject({ files: 0 });
  expect(await archiveAll(vendorId)).toMatchObject({ payments: 3 });
  expect(await readPayment(books.pool, vendorId, contradicted.paymentId)).toBeDefined();
  expect(await violations()).toEqual([]);
});

test('a case that a person opens while the file is being written keeps its payment, and the rest moves', async () => {
  const payments = await makePayments(5);
  const [first] = payments;
  if (first === undefined) throw new Error('no payment');
  const { vendorId } = first;
  // Whoever opens a case holds the float.
  const opener = await books.owner.connect();
  await opener.query('begin');
  await lockFloat(opener, vendorId);
  const pool = createPool({ url: books.ownerUrl, max: 1, name: 'archive' });
  const archiving = archivePayments(pool, { vendorIds: [vendorId], before: soon(), folder });
  try {
    await until('the file is written', async () => (await countWaiting(books.owner)) > 0);
    await openCase(opener, {
      ...{ vendorId, paymentId: first.paymentId, kind: 'contradiction', evidenceId: null },
      ...{ operatorCode: null, facts: {} },
    });
    await opener.query('commit');
  } finally {
    opener.release();
  }
  expect(await archiving).toMatchObject({ files: 1, payments: 2 });
  await pool.end();
  expect(await readPayment(books.pool, vendorId, first.paymentId)).toBeDefined();
  expect(await readdir(folder)).toHaveLength(1);
  expect(await violations()).toEqual([]);
});

test('nobody opens a case about a payment that is being archived', async () => {
  const [first] = await makePayments(5);
  if (first === undefined) throw new Error('no payment');
  const { vendorId, paymentId } = first;
  const archiver = await books.owner.connect();
  try {
    await archiver.query('begin');
    await lockFloat(archiver, vendorId);
    await archiver.query('delete from payments where vendor_id = $1 and payment_id = $2', [
      vendorId,
      paymentId,
    ]);
    const opening = openCaseByHand(books.pool, { ...first, by: 'Asha', note: 'not paid' });
    const refused = expect(opening).rejects.toThrow('does not exist, or is archived');
    await until('it waits', async () => (await countWaiting(books.pool)) > 0);
    await archiver.query('commit');
    await refused;
  } finally {
    archiver.release();
  }
});

test('statements name the references of archived payments too', async () => {
  const [payment] = await makePayments(3);
  const vendorId = payment?.vendorId ?? 0;
  await archiveAll(vendorId);
  const of = { kind: 'vendor', vendorId, withOwnTerms: true } as const;
  const head = await readStatementHead(books.pool, of, { from: new Date(0), to: soon() });
  const page = { after: firstCursor(head), to: head.to, limit: 100 };
  const { lines } = await readStatementPage(books.pool, of, page);
  const references = new Set(
    lines.map(({ source }) => ('merchantReference' in source ? source.merchantReference : null)),
  );
  expect(references).toEqual(new Set([null, 'order-0', 'order-1', 'order-2']));
});

test('no second payment is created for an archived merchant_reference', async () => {
  const [payment, , withoutPhone] = await makePayments(5);
  if (payment === undefined || withoutPhone === undefined) throw new Error('no payment');
  const decide = async (...payments: NewPayment[]): Promise<CreateDecision[]> => {
    const again = payments.map((made) => ({ ...made, paymentId: newId() }));
    return await createPayments(books.pool, again);
  };
  const other = { ...payment, amountCents: payment.amountCents + 1n };
  const replays = async (): Promise<CreateDecision[]> => [
    ...(await decide(payment)),
    ...(await decide(withoutPhone)),
    ...(await decide(other)),
    ...(await decide({ ...payment, phone: null })),
    ...(await decide({ ...withoutPhone, phone: '254722000000' })),
    // In a batch with one that is accepted.
    ...(await decide({ ...payment, merchantReference: newId() }, payment, other)),
  ];
  const before = await replays();
  expect(before.map(({ kind }) => kind)).toEqual([
    ...['replayed', 'replayed', 'reference_reused', 'reference_reused', 'reference_reused'],
    ...['accepted', 'replayed', 'reference_reused'],
  ]);
  const archived = await archiveAll(payment.vendorId);
  expect(archived.payments).toBe(3);
  const after = await replays();
  expect(after.toSpliced(5, 1)).toEqual(before.toSpliced(5, 1));
  expect(after[5]?.kind).toBe('accepted');
  expect(await violations()).toEqual([]);
});

test('payments are not moved while others are created for the vendor', async () => {
  // A create that began before the archiving would see its reference in neither table.
  const [payment] = await makePayments(3);
  const vendorId = payment?.vendorId ?? 0;
  const moving = await databaseTransaction(books.pool, async (client) => {
    await lockFloat(client, vendorId);
    const started = archivePayments(books.owner, { vendorIds: [vendorId], before: soon(), folder });
    await until('it waits', async () => (await countWaiting(books.owner)) === 1);
    return [started];
  });
  expect(await moving[0]).toMatchObject({ payments: 1 });
});

test('verification finds a file that is missing, changed, or different from the database', async () => {
  const payments = await makePayments(8);
  const vendorId = payments[0]?.vendorId ?? 0;
  await archiveAll(vendorId);
  expect(await verifyArchive(books.pool, folder)).toEqual({ files: 1, faults: [] });

  await books.owner.query(
    'update archived_payments set amount_cents = amount_cents + 1 where payment_id = $1',
    [payments[3]?.paymentId],
  );
  const [name = ''] = await readdir(folder);
  expect((await verifyArchive(books.pool, folder)).faults).toEqual([
    {
      file: name,
      detail: `payment ${payments[3]?.paymentId} differs from the database`,
    },
  ]);
  const file = path.join(folder, name);
  const bytes = await readFile(file);
  bytes[bytes.length - 5] = (bytes.at(-5) ?? 0) ^ 1;
  await writeFile(file, bytes);
  expect((await verifyArchive(books.pool, folder)).faults[0]?.detail).toContain('SHA-256');
  await rm(file);
  expect((await verifyArchive(books.pool, folder)).faults[0]?.detail).toContain('ENOENT');
});

test('nothing moves when its file cannot be written', async () => {
  const payments = await makePayments(4);
  const vendorId = payments[0]?.vendorId ?? 0;
  const notAFolder = path.join(folder, 'taken');
  await writeFile(notAFolder, '');
  const attempt = archivePayments(books.owner, {
    vendorIds: [vendorId],
    before: soon(),
    folder: notAFolder,
  });
  await expect(attempt).rejects.toThrow(/EEXIST|ENOTDIR/);
  expect((await books.pool.query('select 1 from payments')).rowCount).toBe(4);
});

test('the command refuses payments that are too young, archives and verifies', async () => {
  await makePayments(4, new Date('2020-03-01T00:00:00Z'));
  // As if they had been created in 2020.
  const long = `'2020-03-01T00:00:00Z'`;
  await books.owner.query(`update payments set created_at = ${long}`);
  await books.owner.query(`update payments set settled_at = ${long} where outcome is not null`);
  const environment = {
    DATABASE_URL: books.url,
    DATABASE_OWNER_URL: books.ownerUrl,
    DATA_DIR: folder,
  };
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const young = await inProcess(environment, 'archive', '--before', yesterday);
  expect([young.exitCode, young.stderr]).toEqual([1, expect.stringContaining('90 days')]);
  const none = await inProcess(environment, 'archive', '--before', '2020-01-01', '--json');
  expect(none.json()).toMatchObject({ files: 0 });
  const done = await inProcess(environment, 'archive', '--before', '2020-04-01', '--json');
  expect(done.json()).toMatchObject({ files: 1, payments: 2 });
  const verified = await inProcess(environment, 'archive', 'verify');
  expect([verified.exitCode, verified.stdout]).toEqual([
    0,
    '(every file is as it was)\n\nfiles  1\n',
  ]);
  const elsewhere = await inProcess(environment, 'archive', 'verify', '--from', tmpdir());
  expect(elsewhere.exitCode).toBe(1);
});

test('the status of an archived payment is still answered, without the details in the file', async () => {
  const database = await createTestDatabase();
  const running = await startInProcess(database.url);
  const { pool } = running.service;
  const owner = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
  try {
    const vendor = running.demo();
    await vendor.fund();
    const reference = await vendor.accepted({ account: '254722000001', merchant_reference: 'old' });
    const open = await pool.query<{ vendor_id: number; payment_id: string; cents: bigint }>(
      'select vendor_id, payment_id, amount_cents as cents from payments',
    );
    const [row] = open.rows;
    if (row === undefined) throw new Error('nothing was created');
    const payment = { vendorId: row.vendor_id, paymentId: row.payment_id };
    expect(reference).toBe(encodeReference(payment.vendorId, payment.paymentId));
    const queue = { vendorId: payment.vendorId, billerCode: 'safaricom', stage: 'send' } as const;
    await claim(pool, [{ ...queue, max: 10, leaseMs: 600_000 }]);
    const report = paidReport({ ...payment, billerCode: 'safaricom', amountCents: row.cents });
    await settlePayments(pool, [report]);
    await until('it is archived', async () => {
      const vendorIds = [payment.vendorId];
      const { payments } = await archivePayments(owner, { vendorIds, before: soon(), folder });
      return payments === 1;
    });
    const answer = await vendor.call('status', { reference });
    const byOwn = await vendor.call('status', { merchant_reference: 'old' });
    expect(byOwn.body).toEqual(answer.body);
    expect(answer.body.msg).toMatchObject({
      status: 1,
      ipay_reference: reference,
      merchant_reference: 'old',
      transaction_status: 'SUCCESS',
      biller_reference: 'OP1',
      transaction_message: null,
      account: '254722000001',
      amount: 60,
    });
    // The reference creates no second payment over HTTP either.
    const repeat = { account: '254722000001', merchant_reference: 'old' };
    const replayed = await vendor.create(repeat);
    expect(replayed.headers['idempotency-replayed']).toBe('true');
    expect(replayed.body.msg['ipay_reference']).toBe(reference);
    const other = await vendor.create({ ...repeat, account: '254722000002' });
    expect(other.body).toMatchObject({ error: [{ code: 'reference_reused', reference }] });
  } finally {
    await owner.end();
    await running.stop();
    await database.drop();
  }
});
