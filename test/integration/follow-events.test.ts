import { afterAll, beforeAll, expect, test } from 'vitest';
import { putWebhook } from '../../src/payments/events/webhooks-store.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool, Queryable } from '../../src/platform/db/pool.ts';
import { useService } from '../support/use-service.ts';
import { SelfServiceClient } from '../support/self-service-client.ts';
import type { Json } from '../support/self-service-client.ts';
import { until } from '../support/until.ts';

const running = useService();
let pool: Pool;
beforeAll(async () => {
  pool = createPool({ url: running.database.url, max: 4, name: 'test' });
});
afterAll(async () => {
  await pool.end();
});

/** A vendor with a webhook and no events. */
async function newVendor() {
  const client = await running.addVendor();
  const vendorId = running.service.directory.vendor(client.vid)?.vendorId ?? 0;
  await putWebhook(pool, { vendorId, url: 'https://shop.example/', allowsPrivate: false });
  return { vendorId, follower: new SelfServiceClient(running.origin, client) };
}

async function announce(
  db: Queryable,
  vendorId: number,
  { at, eventId = newId() }: { readonly at: Date; readonly eventId?: string },
): Promise<string> {
  await db.query(`select announce_event(bucket_of($1), $1, $2, 'float.low', $3, '{}')`, [
    vendorId,
    eventId,
    at,
  ]);
  return eventId;
}

const SINCE = '2026-01-01T00:00:00.000Z';
const second = (number: number): Date => new Date(Date.parse(SINCE) + number * 1_000);
const idsIn = ({ items }: Json): unknown[] => items.map((item) => item['event_id']);

test('events come in the order in which they happened, whatever their ids, and each once', async () => {
  const { vendorId, follower } = await newVendor();
  // A payment that was created first and settled last has the smallest id.
  const last = await announce(pool, vendorId, { at: second(3) });
  const first = await announce(pool, vendorId, { at: second(1) });
  const middle = await announce(pool, vendorId, { at: second(2) });
  const follow = async (cursor: string | null = null) =>
    await follower.ask('listEvents', {
      query: { since: SINCE, limit: '2', ...(cursor === null ? {} : { cursor }) },
    });
  const one = await follow();
  const two = await follow(one.next_cursor);
  const three = await follow(two.next_cursor);
  expect([idsIn(one), idsIn(two), idsIn(three)]).toEqual([[first, middle], [last], []]);
  const late = await announce(pool, vendorId, { at: second(3), eventId: newId() });
  expect(idsIn(await follow(three.next_cursor))).toEqual([late]);
});

test('an event that is committed late is not skipped', async () => {
  const { vendorId, follower } = await newVendor();
  const client = await pool.connect();
  await client.query('begin');
  const began = await client.query<{ at: Date }>('select now() as at');
  // A date lacks the microseconds, so it may be before the beginning that it was read from.
  const at = new Date(Number(began.rows[0]?.at) + 1);
  const early = await announce(client, vendorId, { at });
  const later = await announce(pool, vendorId, { at });
  const query = { since: SINCE };
  const before = await follower.ask('listEvents', { query });
  expect(idsIn(before)).toEqual([]);
  await client.query('commit');
  client.release();
  const cursor = before.next_cursor ?? '';
  const after = await follower.ask('listEvents', { query: { ...query, cursor, wait: '20' } });
  expect(idsIn(after)).toEqual([early, later]);
});

test('a request waits for the next event', async () => {
  const { vendorId, follower } = await newVendor();
  const waiting = follower.ask('listEvents', { query: { since: SINCE, wait: '20' } });
  // By then the other request has found nothing.
  await follower.ask('listEvents', { query: { since: SINCE } });
  const eventId = await announce(pool, vendorId, { at: second(1) });
  expect(idsIn(await waiting)).toEqual([eventId]);
});

test('more than two requests of a vendor do not wait', async () => {
  const { vendorId, follower } = await newVendor();
  const query = { since: SINCE, wait: '20' };
  let answered = 0;
  const asked = [1, 2, 3, 4, 5].map(async () => {
    const page = await follower.ask('listEvents', { query });
    answered += 1;
    return page;
  });
  await until('three are answered', () => answered >= 3);
  await announce(pool, vendorId, { at: second(1) });
  const found = (await Promise.all(asked)).filter(({ items }) => items.length > 0);
  expect(found).toHaveLength(2);
});

test('nobody follows another vendor’s events, also not with its cursor', async () => {
  const [own, other] = [await newVendor(), await newVendor()];
  await announce(pool, other.vendorId, { at: second(1) });
  const page = await other.follower.ask('listEvents', { query: { since: SINCE } });
  expect((await own.follower.ask('listEvents', { query: { since: SINCE } })).items).toEqual([]);
  const cursor = page.next_cursor ?? '';
  const stolen = await own.follower.refused('listEvents', { query: { since: SINCE, cursor } });
  expect(stolen).toMatchObject({ code: 'invalid_field', field: 'cursor' });
});

test('wait needs since', async () => {
  const { follower } = await newVendor();
  expect(await follower.refused('listEvents', { query: { wait: '1' } })).toMatchObject({
    code: 'missing_field',
    field: 'since',
  });
});
