import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginHistory, noteTimeZone, readServer } from '../../src/platform/history/store.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { inProcess } from './cli-support.ts';

let books: Books;
let vid: string;
beforeAll(async () => {
  books = await openBooks();
  const vendorId = await books.addVendor(1_000_000n);
  vid = `vendor-${vendorId}`;
  await createPayments(books.pool, [newPayment({ vendorId })]);
  await books.owner.query(`update payments set created_at = '2026-03-01T22:00:00Z'`);
  await books.owner.query(`update vendors set created_at = '2026-02-01'`);
  await beginHistory(books.pool, await readServer(books.pool));
});
afterAll(async () => await books.close());

async function listed(day: string, environment: Record<string, string> = {}) {
  const list = ['payment', 'list', '--vid', vid, '--from', day, '--to', day, '--json'];
  return await inProcess({ DATABASE_URL: books.url, ...environment }, ...list);
}

test('a command reads days in the time zone of the service, and refuses another one', async () => {
  expect(await noteTimeZone(books.pool, 'UTC')).toBeUndefined();
  expect((await listed('2026-03-01')).json()).toMatchObject({ payments: [{}] });
  const refused = await listed('2026-03-02', { TIME_ZONE: 'Africa/Nairobi' });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(
    'TIME_ZONE is Africa/Nairobi for this command and UTC for the service',
  );
  expect(await noteTimeZone(books.pool, 'Africa/Nairobi')).toBe('UTC');
  expect((await listed('2026-03-02', { TIME_ZONE: 'Africa/Nairobi' })).json()).toMatchObject({
    payments: [{}],
  });
});
