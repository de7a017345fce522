import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PulledPage, ReportedPayment } from '../../src/connectors/source.ts';
import { addAccount, requireSource, setSource } from '../../src/payments/receipts/administer.ts';
import { requireReceipt } from '../../src/payments/receipts/assign.ts';
import { pullDueSources, pullSource } from '../../src/payments/receipts/pull.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { COLLECTOR } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';

// The pull of a provider whose answers are not what one would expect.

const freshBooks = sharedBooks();
let books: Books;
let vendorId: number;
beforeEach(async () => {
  books = await freshBooks();
  vendorId = await books.addVendor();
  const settings = { base_url: 'https://127.0.0.1', short_code: '600100' };
  const source = { name: 'Pay bill', kind: 'daraja' as const, collector: COLLECTOR, settings };
  await setSource(books.pool, 'paybill', source);
  const vid = `vendor-${vendorId}`;
  await addAccount(books, { sourceCode: 'paybill', account: 'V001', vid, by: 'Asha' });
});
afterEach(async () => await books.close());

const NOW = new Date('2026-01-05T10:10:00Z');
const NOTHING: PulledPage = { payments: [], unreadable: [] };
const UNKNOWN: PulledPage = { ...NOTHING, mayBeUnknown: true };

const paid = (number: number, change: Partial<ReportedPayment> = {}): ReportedPayment => ({
  ...{ receipt: `UAPULL000${number}`, amountCents: 100n, account: 'V001', payer: null },
  ...{ paidAt: new Date('2026-01-05T10:00:00Z'), isReversal: false },
  ...change,
});
const pageOf = (
  payments: readonly ReportedPayment[],
  unreadable: readonly string[] = [],
): PulledPage => ({
  payments,
  unreadable: unreadable.map((row) => ({ problem: 'no amount', body: Buffer.from(row) })),
});

/** Every call gets the next page, then the last one again. */
async function pull(pages: readonly PulledPage[], pulledUntil: Date | null = null, now = NOW) {
  let call = 0;
  const listing = async (): Promise<PulledPage> => {
    const page = pages[Math.min(call, pages.length - 1)] ?? NOTHING;
    call += 1;
    return page;
  };
  const provider = { issuer: 'mpesa', confirmFromCents: null, pull: listing };
  const source = { row: { sourceCode: 'paybill', collector: COLLECTOR }, provider };
  const deps = { ...books, log: pino({ level: 'silent' }) };
  const { signal } = new AbortController();
  return await pullSource(deps, source as never, { now, pulledUntil, signal });
}

const pulledUntil = async () => (await requireSource(books.pool, 'paybill')).pulledUntil;
const collected = async () => (await books.balances(vendorId))['collected'];

test('an answer that an unknown short code would get does not advance before the first success', async () => {
  expect(await pull([UNKNOWN])).toBe(0);
  expect(await pulledUntil()).toBeNull();
  await pull([pageOf([paid(1)]), UNKNOWN]);
  expect(await pulledUntil()).toEqual(NOW);
  expect(await collected()).toBe(100n);
});

test('the same answer means that there is nothing once the provider has listed something', async () => {
  await pull([UNKNOWN], new Date('2026-01-05T10:00:00Z'));
  expect(await pulledUntil()).toEqual(NOW);
});

test('a page without a new row is not the end, and one that is repeated exactly is', async () => {
  const moved = [pageOf([paid(1), paid(2)]), pageOf([paid(2)]), pageOf([paid(3)]), NOTHING];
  expect(await pull(moved)).toBe(3);
  expect(await pull([pageOf([paid(1), paid(4)])])).toBe(2);
  expect(await collected()).toBe(400n);
});

const kept = async () =>
  (
    await books.pool.query<{ row: string }>(
      `select convert_from(body, 'UTF8') as row from unread_messages order by 1`,
    )
  ).rows.map(({ row }) => row);

test('rows that cannot be read are kept, once, and do not hold up those after them or the next pull', async () => {
  const pages = [pageOf([], ['a', 'b']), pageOf([], ['b', 'c']), pageOf([paid(1)]), NOTHING];
  await pull(pages);
  await pull(pages, NOW);
  expect(await collected()).toBe(100n);
  expect(await pulledUntil()).toEqual(NOW);
  expect(await kept()).toEqual(['a', 'b', 'c']);
});

test('the period is pulled again while a row that cannot be read is not kept, because too many wait', async () => {
  const many = Array.from({ length: LIMITS.unreadMessages }, (_, number) => `${number}`);
  await pull([pageOf([], many), NOTHING]);
  const later = new Date(NOW.getTime() + 60_000);
  await expect(pull([pageOf([paid(1)], ['one more']), NOTHING], NOW, later)).rejects.toThrow(
    '1 rows of the pull could not be kept',
  );
  expect(await collected()).toBe(100n);
  expect(await pulledUntil()).toEqual(NOW);
  expect(await kept()).toHaveLength(LIMITS.unreadMessages);
});

test('movements of our own are no receipts, and a type that nobody knows waits for people', async () => {
  const others = ['UAPULL0009, merchant-to-organization-settlement, 500.0'];
  await pull([{ ...pageOf([paid(1, { unknownType: 'hakikisha' })]), others }, NOTHING]);
  expect(await collected()).toBe(0n);
  expect(await requireReceipt(books.pool, { receipt: 'UAPULL0001' })).toMatchObject({
    ...{ state: 'unmatched', doubt: { reason: 'type', others: ['hakikisha'] } },
  });
  expect((await books.pool.query('select from receipts')).rowCount).toBe(1);
});

test('three pulls in a row that fail are an error in the log, and a success begins anew', async () => {
  let isDown = true;
  const levels: number[] = [];
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => void levels.push((JSON.parse(line) as { level: number }).level) },
  );
  const listing = async (): Promise<PulledPage> => {
    if (isDown) throw new Error('Failed to retrieve transactions');
    return NOTHING;
  };
  const provider = { issuer: 'mpesa', confirmFromCents: null, pull: listing };
  const source = { row: { sourceCode: 'paybill', collector: COLLECTOR }, provider };
  const sources = { sources: () => [source] } as never;
  const deps = { ...books, log, sources, everyMs: 0, failures: new Map<string, number>() };
  const { signal } = new AbortController();
  for (const down of [true, true, true, false, true]) {
    isDown = down;
    await pullDueSources(deps, signal);
  }
  expect(levels).toEqual([40, 40, 50, 40]);
});
