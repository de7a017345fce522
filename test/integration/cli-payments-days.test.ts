import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstIdAt } from '../../src/platform/base/ids.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { inProcess, must } from './cli-support.ts';

let books: Books;
let vid: string;
beforeAll(async () => {
  books = await openBooks();
  const vendorId = await books.addVendor(1_000_000n);
  vid = `vendor-${vendorId}`;
  await books.owner.query("update vendors set created_at = '2026-02-01'");
  // A day in Nairobi begins at 21:00 UTC.
  const times = ['2026-03-01T20:59:59Z', '2026-03-01T21:00:00Z', '2026-03-02T20:59:59.999Z'];
  for (const [index, time] of times.entries()) {
    const at = new Date(time);
    const paymentId = firstIdAt(at);
    const made = newPayment({ vendorId, paymentId, account: String(index + 1) });
    await createPayments(books.pool, [made]);
    await books.owner.query('update payments set created_at = $2 where payment_id = $1', [
      paymentId,
      at,
    ]);
  }
});
afterAll(async () => {
  await books.close();
});

const run = async (options: readonly string[]) =>
  await inProcess(
    { DATABASE_URL: books.url },
    'payment',
    'list',
    '--vid',
    vid,
    '--json',
    ...options,
  );

test.each<[string[], string[]]>([
  [
    ['--from', '2026-03-02', '--to', '2026-03-02'],
    ['3', '2'],
  ],
  [
    ['--from', '2026-03-01', '--to', '2026-03-02'],
    ['3', '2', '1'],
  ],
  [['--from', '2026-03-01', '--to', '2026-03-01'], ['1']],
  [['--from', '2026-03-03'], []],
  [
    ['--to', '2026-03-02'],
    ['3', '2', '1'],
  ],
  [['--to', '2026-02-28'], []],
])('%j lists payments of whole days, the last one included', async (options, accounts) => {
  const listed = (await run(options)).json<{ payments: { account: string }[] }>();
  expect(listed.payments.map(({ account }) => account)).toEqual(accounts);
});

test.each<[string[], string]>([
  [['--from', '2026-02-30'], '--from is not a valid day or time'],
  [['--to', '2026-02-29'], '--to is not a valid day or time'],
  [['--from', 'today'], '--from is not a valid day or time'],
  [['--from', '2026-03-02', '--to', '2026-03-01'], '--to must not be before from'],
])('%j is refused', async (options, text) => {
  const refused = await run(options);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain(text);
});

test('find has the same days', async () => {
  const found = await must(
    { DATABASE_URL: books.url },
    'payment',
    'find',
    '3',
    '--as',
    'text',
    '--json',
    [...['--from', '2026-03-02', '--to', '2026-03-02']],
  );
  expect(found.json<{ payments: unknown[] }>().payments).toHaveLength(1);
});

test.each([
  [['day', 'totals', '2026-02-30'], 1, '<day> is 2026-02-30, a day that does not exist.'],
  [
    ['day', 'close', '2026-13-01', '--by', 'Asha'],
    1,
    '<day> is 2026-13-01, a day that does not exist.',
  ],
  [['day', 'totals', '1767603600'], 2, '<day> must be written YYYY-MM-DD'],
])('%j ends with %i', async (words, exitCode, text) => {
  const refused = await inProcess({ DATABASE_URL: books.url }, ...words);
  expect(refused).toMatchObject({ exitCode, stdout: '' });
  expect(refused.stderr).toBe(`error: ${text}\n`);
});

test('values of a fixed set are taken in any case', async () => {
  for (const status of ['QUEUED', 'queued', 'Queued']) {
    const listed = await run(['--status', status]);
    expect(listed.json<{ payments: unknown[] }>().payments).toHaveLength(3);
  }
  const refused = await run(['--status', 'paid']);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('Allowed choices are QUEUED, PENDING, SUCCESS, FAILED');
});
