import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Batch, BatchKey, RowResult } from '../../src/batches/batch.ts';
import type { EndedBatch } from '../../src/batches/kind.ts';
import * as store from '../../src/batches/store.ts';
import { readBatch, readNextRow } from '../../src/batches/read-batches.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { SLICE_ROWS } from '../../src/platform/export/rows.ts';
import { ANY_ACCOUNT } from '../../src/payments/billers/account-format.ts';
import type { Biller } from '../../src/payments/billers/biller.ts';
import {
  encodeRows,
  merchantReferenceOf,
  newBatchId,
  paymentIdOf,
} from '../../src/payments/bulk/batch.ts';
import type { AcceptedRow, BulkBatches, BulkRow } from '../../src/payments/bulk/batch.ts';
import { decideChunk } from '../../src/payments/bulk/chunk.ts';
import type { BulkChunk } from '../../src/payments/bulk/chunk.ts';
import { createBulkBatches } from '../../src/payments/bulk/kind.ts';
import type { BulkOptions } from '../../src/payments/bulk/kind.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { acceptPayment, createCreateLane } from '../../src/payments/create/create.ts';
import type { CreateRequest } from '../../src/payments/create/payment.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { enterQuarantine } from '../../src/payments/quarantine/enter.ts';
import { releaseQuarantine } from '../../src/payments/quarantine/release.ts';
import { releaseByTwo } from '../support/quarantines.ts';
import type { Vendor } from '../../src/parties/vendor.ts';
import { metricsOf } from '../support/metrics.ts';
import { OPERATOR, OTHER_BILLER, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { flatPrices } from '../support/fee-prices.ts';
import { BILLER } from '../support/new-transaction.ts';
import { until } from '../support/until.ts';

let books: Books;

beforeAll(async () => {
  books = await openBooks();
});

afterAll(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
  await books.close();
});

const MINIMUM_CENTS = 5_000n;

function biller(billerCode: string, change: Partial<Biller> = {}): Biller {
  return {
    billerCode,
    name: 'Biller',
    category: 'electricity',
    operatorCode: OPERATOR,
    minimumCents: MINIMUM_CENTS,
    maximumCents: null,
    products: [],
    soldAmounts: null,
    feePrices: new Map(),
    secondaryAccount: false,
    validatesAccounts: false,
    ...ANY_ACCOUNT,
    availability: 'ONLINE',
    routes: [],
    ...change,
  };
}

function vendorOf(vendorId: number, change: Partial<Vendor> = {}): Vendor {
  return {
    vendorId,
    vid: `vendor-${vendorId}`,
    name: 'Vendor',
    sector: 'retail',
    suspended: false,
    keys: [],
    duplicateCheck: 'off',
    duplicateWindowSeconds: 30,
    referenceRequired: false,
    ...change,
  } as Vendor;
}

const BILLERS: ReadonlyMap<string, Biller> = new Map([
  [BILLER, biller(BILLER)],
  [OTHER_BILLER, biller(OTHER_BILLER, { secondaryAccount: true })],
  ['offline', biller('offline', { availability: 'OFFLINE' })],
]);

/** A bulk processor on its own connection; accepted payments are in `accepted`. */
function openProcessor(options: Partial<BulkOptions> & { vendor?: Partial<Vendor> } = {}): {
  readonly receiver: BulkBatches;
  readonly accepted: NewPayment[];
} {
  const accepted: NewPayment[] = [];
  const { vendor, ...given } = options;
  const receiver = createBulkBatches({
    pool: books.pool,
    lanePool: books.openPool({ byIndexOnly: true }),
    laneConnections: 1,
    laneDeadlineMs: 5_000,
    rules: {
      vendorById: (vendorId) => vendorOf(vendorId, vendor),
      billerOf: (code) => BILLERS.get(code),
    },
    onAccepted: (some) => accepted.push(...some),
    onDecided: () => undefined,
    // It processes only what a test adds.
    pollMs: 3_600_000,
    leaseMs: 60_000,
    log: pino({ level: 'silent' }),
    ...given,
  });
  receiver.start();
  return { receiver, accepted };
}

function request(change: Partial<CreateRequest> = {}): CreateRequest {
  return {
    billerCode: BILLER,
    account: '0123456789',
    phone: null,
    amountCents: 10_000n,
    merchantReference: null,
    ...change,
  };
}

function manyRows(count: number, prefix: string): BulkRow[] {
  return Array.from({ length: count }, (_, index) => ({
    request: request({ merchantReference: `${prefix}-${index}`, account: `01${index}` }),
  }));
}

let batches = 0;
function batchOf(vendorId: number, rows: readonly BulkRow[], batchReference?: string) {
  batches += 1;
  return {
    vendorId,
    batchReference: batchReference ?? `batch-${batches}`,
    fileSha256: createHash('sha256').update(String(batches)).digest(),
    rows,
  };
}

/** Stores a batch as another process does, which works on it until its lease ends. */
async function leave(batch: ReturnType<typeof batchOf>, leaseMs = 3_600_000): Promise<BulkChunk> {
  const { vendorId } = batch;
  const key = { kind: 'payments' as const, vendorId, batchReference: batch.batchReference };
  const inserted = await store.insertBatch(books.pool, {
    ...key,
    batchId: newBatchId(),
    fileSha256: batch.fileSha256,
    rowCount: Math.max(batch.rows.length, 1),
    content: encodeRows(batch.rows),
    sealedContent: null,
    leaseMs,
    maxOpen: LIMITS.bulkOpenBatches,
  });
  const stored = await readBatch(books.pool, key);
  if (!inserted || stored === undefined) throw new Error('the batch was not stored');
  return { ...stored, ...key, firstRow: 1, rows: batch.rows, references: null, leaseMs };
}

/** Every result of a batch. */
async function resultsOf(
  receiver: BulkBatches,
  key: BatchKey,
): Promise<{ readonly progress: Batch; readonly rows: readonly RowResult<AcceptedRow>[] }> {
  const { progress, slices } = await receiver.results(key);
  return { progress, rows: (await everyOf(slices)).flat() };
}

async function everyOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

/** The result of a row, in a comparable form. */
function brief(result: RowResult<AcceptedRow>): string {
  if (result.kind === 'refused') return `${result.code} ${result.field ?? ''}`;
  return result.kind;
}

async function countPayments(vendorId: number): Promise<number> {
  const counted = await books.pool.query<{ count: number }>(
    'select count(*)::integer as count from payments where vendor_id = $1',
    [vendorId],
  );
  return counted.rows[0]?.count ?? 0;
}

test('decides every row as a single create would, in their order', async () => {
  const requests = [
    request({ merchantReference: 'a' }),
    request({ merchantReference: 'a' }),
    request({ merchantReference: 'a', amountCents: 20_000n }),
    request({ merchantReference: 'low', amountCents: 4_999n }),
    request({ billerCode: 'nobody' }),
    request({ billerCode: OTHER_BILLER }),
    request({ billerCode: OTHER_BILLER, phone: '254722000000' }),
    request({ billerCode: 'offline' }),
    request({ account: 'twin' }),
    request({ account: 'twin' }),
    request({ account: 'large', amountCents: 100_000n }),
    request({ account: 'small' }),
    request({ account: 'too much', amountCents: 10_001n }),
  ];
  const float = 150_000n;
  const one = await books.addVendor(float);
  const many = await books.addVendor(float);
  const vendor = vendorOf(one, { duplicateCheck: 'without_reference' });
  const lane = createCreateLane({
    pool: books.openPool({ byIndexOnly: true }),
    deadlineMs: 5_000,
    onAccepted: () => undefined,
  });
  const expected: string[] = [];
  for (const item of requests) {
    const from = { vendor, biller: BILLERS.get(item.billerCode) };
    try {
      await acceptPayment(item, from, { lane, pool: books.pool });
      expected.push('accepted');
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      expected.push(`${error.code} ${error.field ?? ''}`);
    }
  }

  const { receiver, accepted } = openProcessor({ vendor: { duplicateCheck: 'without_reference' } });
  const batch = batchOf(
    many,
    requests.map((item) => ({ request: item })),
  );
  await receiver.accept(batch);
  await receiver.idle();

  const { rows, progress } = await resultsOf(receiver, batch);
  expect(rows.map(brief)).toEqual(expected);
  expect(new Set(expected)).toEqual(
    new Set([
      'accepted',
      'reference_reused merchant_reference',
      'amount_below_minimum amount',
      'unknown_biller biller_name',
      'missing_field phone',
      'biller_offline biller_name',
      'likely_duplicate ',
      'insufficient_float amount',
    ]),
  );
  const taken = expected.filter((kind) => kind === 'accepted').length;
  expect(progress).toMatchObject({
    rowCount: requests.length,
    acceptedCount: taken,
    refusedCount: requests.length - taken,
  });
  expect(progress.endedAt).not.toBeNull();
  expect(await books.balances(many)).toEqual(await books.balances(one));
  // The second row repeats the first one: the same payment, and not a new one.
  expect(accepted).toHaveLength(taken - 1);
  expect(await countPayments(many)).toBe(taken - 1);
  expect(rows[1]).toMatchObject({ paymentId: paymentIdOf(progress.batchId, 1) });
  await receiver.stop();
});

test('a repeat of an earlier payment gets its answer even if the biller is now offline', async () => {
  const vendorId = await books.addVendor(100_000n);
  const isOnline = { value: true };
  const { receiver } = openProcessor({
    rules: {
      vendorById: (id) => vendorOf(id),
      billerOf: (code) => biller(code, { availability: isOnline.value ? 'ONLINE' : 'OFFLINE' }),
    },
  });
  const first = batchOf(vendorId, manyRows(3, 'repeat'));
  await receiver.accept(first);
  await receiver.idle();
  isOnline.value = false;
  const second = batchOf(vendorId, manyRows(4, 'repeat'));
  await receiver.accept(second);
  await receiver.idle();
  const { rows } = await resultsOf(receiver, second);
  expect(rows.map(brief)).toEqual([
    'accepted',
    'accepted',
    'accepted',
    'biller_offline biller_name',
  ]);
  const before = await resultsOf(receiver, first);
  const wasBefore = before.rows.map((row) => ({ ...row, replayed: true }));
  expect(rows.slice(0, 3)).toEqual(wasBefore);
  expect(before.rows.map((row) => row.kind === 'accepted' && row.replayed)).toEqual(
    before.rows.map(() => false),
  );
  await receiver.stop();
});

test('the same reference with the same file is the same batch, with another file refused', async () => {
  const vendorId = await books.addVendor(1_000_000n);
  const { receiver } = openProcessor();
  const batch = batchOf(vendorId, manyRows(7, 'same'), 'payroll');
  const first = await receiver.accept(batch);
  await receiver.idle();
  const again = await receiver.accept(batch);
  expect(again).toMatchObject({ batchId: first.batchId, acceptedCount: 7 });
  expect(await countPayments(vendorId)).toBe(7);
  await expect(receiver.accept(batchOf(vendorId, manyRows(7, 'other'), 'payroll'))).rejects.toThrow(
    expect.objectContaining({ code: 'reference_reused', field: 'batch_reference' }),
  );
  // References of different vendors are independent.
  const other = await books.addVendor(1_000_000n);
  expect((await receiver.accept({ ...batch, vendorId: other })).batchId).not.toBe(first.batchId);
  await receiver.idle();
  await receiver.stop();
});

test('results are read a page at a time, and say what was decided when the first one was read', async () => {
  const vendorId = await books.addVendor(100_000_000n);
  const stops: (() => void)[] = [];
  const first = openProcessor({ onAccepted: () => stops.forEach((stop) => stop()) });
  const rows = manyRows(LIMITS.bulkChunkRows * 6, 'paged');
  const batch = batchOf(vendorId, rows);
  await first.receiver.accept(batch);
  let chunks = 0;
  stops.push(() => {
    chunks += 1;
    if (chunks === 3) void first.receiver.stop();
  });
  await first.receiver.idle();
  await first.receiver.stop();
  const decided = (await first.receiver.progress(batch)).acceptedCount;
  const turns: number[] = [];
  const { progress, slices } = await first.receiver.results(batch, async (read) => {
    turns.push(turns.length);
    return await read();
  });
  // Of the batch, and of the first page.
  expect(turns).toHaveLength(2);

  const second = openProcessor();
  await until('the batch ends', async () => {
    return (await second.receiver.progress(batch)).endedAt !== null;
  });
  const read = await everyOf(slices);
  expect(progress.acceptedCount).toBe(decided);
  expect(turns.length).toBeGreaterThan(2);
  const results = read.flat();
  expect(results.map(({ row }) => row)).toEqual(rows.map((_, index) => index + 1));
  expect(results.map(({ reference }) => reference)).toEqual(rows.map(merchantReferenceOf));
  expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(decided);
  await second.receiver.stop();
});

test('results leave the event loop to others after about a millisecond’s work, waiting ones as well', async () => {
  const vendorId = await books.addVendor(100_000_000n);
  const stops: (() => void)[] = [];
  const { receiver } = openProcessor({ onAccepted: () => stops.forEach((stop) => stop()) });
  const batch = batchOf(vendorId, manyRows(LIMITS.bulkChunkRows * 2, 'sliced'));
  stops.push(() => void receiver.stop());
  await receiver.accept(batch);
  await receiver.idle();
  const { slices } = await receiver.results(batch);
  let othersRan = true;
  const kinds = new Set<string>();
  for await (const slice of slices) {
    expect(slice.length).toBeLessThanOrEqual(SLICE_ROWS);
    for (const { kind } of slice) kinds.add(kind);
    // The first one was made before.
    expect(othersRan).toBe(true);
    othersRan = false;
    setImmediate(() => (othersRan = true));
  }
  expect([...kinds]).toEqual(['accepted', 'waiting']);
  const second = openProcessor();
  await until('the batch ends', async () => {
    return (await second.receiver.progress(batch)).endedAt !== null;
  });
  await second.receiver.stop();
});

test('another process continues where one stopped, and every row is created once', async () => {
  const vendorId = await books.addVendor(100_000_000n);
  const stops: (() => void)[] = [];
  const files: EndedBatch[] = [];
  const onDecided = (file: EndedBatch): void => void files.push(file);
  const first = openProcessor({ onAccepted: () => stops.forEach((stop) => stop()), onDecided });
  stops.push(() => void first.receiver.stop());
  const rows = manyRows(LIMITS.bulkChunkRows * 3, 'go-on');
  // One refused row for each process.
  const refused = [1, LIMITS.bulkChunkRows * 2];
  for (const row of refused) rows[row] = { request: request({ amountCents: 1n }) };
  const batch = batchOf(vendorId, rows);
  await first.receiver.accept(batch);
  await first.receiver.idle();
  await first.receiver.stop();
  const half = await first.receiver.progress(batch);
  expect(half).toMatchObject({ acceptedCount: LIMITS.bulkChunkRows - 1, endedAt: null });
  expect(files).toEqual([]);
  const waiting = await resultsOf(first.receiver, batch);
  expect(waiting.rows.at(-1)).toMatchObject({ kind: 'waiting' });

  const second = openProcessor({ onDecided });
  await until('the batch ends', async () => {
    return (await second.receiver.progress(batch)).endedAt !== null;
  });
  // What was accepted is reported after the commit.
  await second.receiver.idle();
  expect(second.accepted).toHaveLength(LIMITS.bulkChunkRows * 2 - 1);
  expect(await countPayments(vendorId)).toBe(batch.rows.length - refused.length);
  // The process that decides the last row reports the refusals of both.
  const { batchId } = half;
  const refusals = { amount_below_minimum: refused.length };
  expect(files).toEqual([
    expect.objectContaining({ vendorId, batchId, rowCount: rows.length, refusals }),
  ]);
  await second.receiver.stop();
});

test('the batch of a process that died is taken over when its lease has expired', async () => {
  const vendorId = await books.addVendor(1_000_000n);
  const batch = batchOf(vendorId, manyRows(10, 'lapsed'));
  await leave(batch, 400);
  const { receiver } = openProcessor({ pollMs: 50 });
  await until('the batch ends', async () => {
    return (await receiver.progress(batch)).endedAt !== null;
  });
  expect(await countPayments(vendorId)).toBe(10);
  await receiver.idle();
  await receiver.stop();
});

test('a chunk out of order changes nothing, so that two processes cannot decide it twice', async () => {
  const vendorId = await books.addVendor(1_000_000n);
  const rows = manyRows(10, 'fence').map((row) =>
    // Without references only the fence detects a repeat.
    'request' in row ? { request: { ...row.request, merchantReference: null } } : row,
  );
  const stored = await leave(batchOf(vendorId, rows));
  const rules = {
    vendorById: (id: number) => vendorOf(id),
    billerOf: (code: string) => BILLERS.get(code),
  };
  const chunk = { ...stored, rows: rows.slice(0, 6) };
  const pools = [books.openPool(), books.openPool()];
  const outcomes = await Promise.allSettled(pools.map((pool) => decideOn(pool)));
  async function decideOn(pool: (typeof pools)[number]) {
    const client = await pool.connect();
    try {
      return await decideChunk(client, chunk, rules);
    } finally {
      client.release();
    }
  }
  const errors = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(errors).toEqual([expect.any(store.NotNext)]);
  expect(await readNextRow(books.pool, stored)).toBe(7);
  expect(await countPayments(vendorId)).toBe(6);
});

test('only the row that the database cannot store is refused', async () => {
  const vendorId = await books.addVendor(100_000_000n);
  const { receiver } = openProcessor({
    rules: {
      vendorById: (id) => vendorOf(id),
      // A fee that overflows when the amount is added.
      billerOf: (code) =>
        biller(code, code === BILLER ? {} : { feePrices: flatPrices(9_223_372_036_854_775_807n) }),
    },
  });
  const rows = manyRows(900, 'poison');
  rows[333] = { request: request({ billerCode: 'poison' }) };
  const batch = batchOf(vendorId, rows);
  await receiver.accept(batch);
  await receiver.idle();
  const results = await resultsOf(receiver, batch);
  expect(results.progress).toMatchObject({ acceptedCount: 899, refusedCount: 1 });
  expect(results.rows[333]).toMatchObject({ kind: 'refused', code: 'internal_error' });
  await receiver.stop();
});

test('a row that a rule refuses is told of an earlier row with its reference, and not of a later one', async () => {
  const vendorId = await books.addVendor(1_000_000n);
  const { receiver } = openProcessor();
  const row = (amountCents: bigint, merchantReference: string) => ({
    request: request({ amountCents, merchantReference }),
  });
  const rows = [row(10_000n, 'a'), row(1n, 'a'), row(1n, 'b'), row(10_000n, 'b')];
  const batch = batchOf(vendorId, rows);
  await receiver.accept(batch);
  await receiver.idle();
  const results = await resultsOf(receiver, batch);
  expect(results.rows).toMatchObject([
    { kind: 'accepted' },
    { kind: 'refused', code: 'reference_reused' },
    { kind: 'refused', code: 'amount_below_minimum' },
    { kind: 'accepted' },
  ]);
  await receiver.stop();
});

test('a vendor that is suspended in the meantime has its remaining rows refused', async () => {
  const vendorId = await books.addVendor(100_000n);
  const { receiver } = openProcessor({ vendor: { suspended: true } });
  const batch = batchOf(vendorId, manyRows(2, 'suspended'));
  await receiver.accept(batch);
  await receiver.idle();
  const { rows } = await resultsOf(receiver, batch);
  expect(rows.map(brief)).toEqual(['vendor_suspended vid', 'vendor_suspended vid']);
  await receiver.stop();
});

test('single creates of the vendor wait for at most one chunk, not for the file', async () => {
  const vendorId = await books.addVendor(1_000_000_000n);
  const { receiver } = openProcessor();
  const lane = createCreateLane({
    pool: books.openPool({ byIndexOnly: true }),
    deadlineMs: 5_000,
    onAccepted: () => undefined,
  });
  const batch = batchOf(vendorId, manyRows(LIMITS.bulkChunkRows * 8, 'fair'));
  await receiver.accept(batch);
  const from = { vendor: vendorOf(vendorId), biller: BILLERS.get(BILLER) };
  for (let index = 0; index < 3; index += 1) {
    await acceptPayment(request({ merchantReference: `single-${index}` }), from, {
      lane,
      pool: books.pool,
    });
  }
  expect((await receiver.progress(batch)).endedAt).toBeNull();
  await receiver.idle();
  expect(await countPayments(vendorId)).toBe(batch.rows.length + 3);
  await receiver.stop();
});

test('a vendor may have a limited number of undecided batches', async () => {
  const vendorId = await books.addVendor(0n);
  const { receiver } = openProcessor();
  // Another process's lease keeps them undecided.
  for (let index = 0; index < LIMITS.bulkOpenBatches; index += 1) {
    await leave(batchOf(vendorId, []));
  }
  await expect(receiver.accept(batchOf(vendorId, manyRows(1, 'one-more')))).rejects.toThrow(
    expect.objectContaining({ code: 'overloaded' }),
  );
  await expect(receiver.progress({ vendorId, batchReference: 'none' })).rejects.toThrow(
    expect.objectContaining({ code: 'unknown_batch' }),
  );
  await receiver.stop();
});

test('waiting batches are counted, with the age of the oldest', async () => {
  const metrics = metricsOf(books.pool);
  const metric = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name} (.*)$`, 'm').exec(await metrics.render())?.[1]);
  const before = await metric('malipo_bulk_open_batches');
  const vendorId = await books.addVendor(1_000_000n);
  await leave(batchOf(vendorId, []));
  expect(await metric('malipo_bulk_open_batches')).toBe(before + 1);
  expect(await metric('malipo_bulk_oldest_seconds')).toBeGreaterThan(0);
  const { receiver } = openProcessor();
  const decided = batchOf(vendorId, manyRows(1, 'decided'));
  await receiver.accept(decided);
  await receiver.idle();
  await receiver.stop();
  expect(await metric('malipo_bulk_open_batches')).toBe(before + 1);
});

describe('in quarantine', () => {
  async function enter(seemsComplete: boolean): Promise<void> {
    await enterQuarantine(books.pool, {
      ...{ entryId: newBatchId(), by: 'restore', reason: 'restored', seemsComplete },
      ...{ lostFrom: new Date(Date.now() - 60_000), lostUntil: null },
    });
  }

  async function release(): Promise<void> {
    await releaseByTwo(books);
  }

  test('rows are not refused as if they had never been accepted, then or later', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const { receiver } = openProcessor();
    const known = batchOf(vendorId, manyRows(1, 'known'));
    await receiver.accept(known);
    await receiver.idle();
    const offline = {
      vendorById: (id: number) => vendorOf(id),
      billerOf: (code: string) => biller(code, { availability: 'OFFLINE' }),
    };
    const { receiver: during } = openProcessor({ rules: offline });
    await enter(false);
    const rows = [
      ...manyRows(2, 'known'),
      { request: request({ amountCents: 1n, merchantReference: 'small' }) },
    ];
    const [one, other] = [batchOf(vendorId, rows), batchOf(vendorId, manyRows(1, 'left'))];
    await during.accept(one);
    await during.idle();
    await leave(other, 0);
    await release();
    const { receiver: after } = openProcessor();
    await until('it takes the other over', async () => {
      const { endedAt } = await after.progress(other);
      return endedAt !== null;
    });
    const results = await resultsOf(after, one);
    expect(results.rows.map(brief)).toEqual([
      'accepted',
      'quarantine ',
      'amount_below_minimum amount',
    ]);
    const left = await resultsOf(after, other);
    expect(left.rows.map(brief)).toEqual(['quarantine ']);
    expect(await countPayments(vendorId)).toBe(1);
  });

  test('rows wait if it seems that nothing was lost', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const { receiver } = openProcessor({ pollMs: 20, leaseMs: 50 });
    await enter(true);
    const batch = batchOf(vendorId, manyRows(1, 'waits'));
    await receiver.accept(batch);
    await receiver.idle();
    const waiting = await resultsOf(receiver, batch);
    expect(waiting.rows.map(brief)).toEqual(['waiting']);
    await releaseQuarantine(books, { by: 'Asha', nothingLost: 'a promotion' });
    await until('it is decided', async () => {
      const { endedAt } = await receiver.progress(batch);
      return endedAt !== null;
    });
    const decided = await resultsOf(receiver, batch);
    expect(decided.rows.map(brief)).toEqual(['accepted']);
    await receiver.stop();
  });
});
