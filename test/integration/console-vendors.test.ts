import { beforeAll, describe, expect, test } from 'vitest';
import type { AuditAnswer } from '../../src/staff/audit.ts';
import type { KeyList, NewSecret } from '../../src/staff/vendor-keys.ts';
import type { VendorView } from '../../src/staff/vendor-view.ts';
import type { VendorAdded } from '../../src/staff/new-vendors.ts';
import type { VendorList } from '../../src/staff/vendors.ts';
import type { TestView, WebhookSet, WebhookView } from '../../src/staff/webhook-view.ts';
import type { EventList } from '../../src/staff/webhooks.ts';
import { OPTIONAL_EVENT_TYPES } from '../../src/payments/events/event-types.ts';
import { insertPurpose } from '../../src/platform/db/purpose-store.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { zoneAtNoon } from '../support/noon.ts';
import { VendorClient } from '../support/vendor-client.ts';

const running = useService({
  environment: { TIME_ZONE: zoneAtNoon() },
});
let admin: ConsoleClient;
let demoAdmin: ConsoleClient;

beforeAll(async () => {
  const mark = { purpose: 'sandbox', markedAt: new Date(), demoEndedAt: null } as const;
  await insertPurpose(running.service.pool, mark);
  admin = await signedIn(running.origin, 'admin');
  demoAdmin = await signedIn(running.origin, 'demo-admin');
});

async function read<Answer>(client: ConsoleClient, path: string): Promise<Answer> {
  const answer = await client.get(path);
  expect(answer.status).toBe(200);
  return answer.body as unknown as Answer;
}

async function act<Answer>(client: ConsoleClient, ...call: [string, string, object]) {
  const [method, path, body] = call;
  const answer = await client.send(method, path, { reason: 'It is time', ...body });
  expect(answer.code).toBeUndefined();
  return answer.body as unknown as Answer;
}

const balanceStatus = async (vid: string, key: string): Promise<number> =>
  (await new VendorClient(running.origin, { vid, key }).call('balance', {})).status;

describe('vendors', () => {
  test('the list has each vendor’s float and what it paid today', async () => {
    const shop = await running.addVendor({ vid: 'list-shop', name: 'Mama Njeri' });
    const demo = running.demo();
    await demo.call('fund', { time: String(Date.now()), currency: 'KES' });
    for (const number of [1, 2]) {
      await demo.call('create', {
        biller_name: 'kplc_prepaid',
        amount: '150',
        account: `1423456990${number}`,
        merchant_reference: `list-${number}`,
      });
    }
    const { vendors } = await read<VendorList>(admin, '/vendors');
    expect(vendors.map(({ vid }) => vid)).toEqual(['demo', 'demo2', shop.vid]);
    expect(vendors[0]).toMatchObject({
      float: '99700.00',
      collected: '0.00',
      status: 'active',
      low: null,
      today: { count: 2, failed: 0, amount: '300.00' },
    });
    const found = await read<VendorList>(admin, '/vendors?search=njeri');
    expect(found.vendors.map(({ vid }) => vid)).toEqual([shop.vid]);
    expect((await read<VendorList>(admin, '/vendors?search=%25')).vendors).toEqual([]);
    const detail = await read<VendorView>(admin, '/vendors/demo');
    expect(detail).toMatchObject({ reserved: '300.00', sector: 'bank' });
    expect(await read<VendorView>(demoAdmin, '/vendors/demo')).toEqual(detail);
  });

  test('long lists have pages', async () => {
    for (let number = 0; number < 55; number += 1) {
      await running.addVendor({ vid: `page-${String(number).padStart(2, '0')}` });
    }
    const first = await read<VendorList>(admin, '/vendors?search=page-&limit=50');
    expect(first.vendors).toHaveLength(50);
    const path = `/vendors?search=page-&limit=50&cursor=${first.next}`;
    const second = await read<VendorList>(admin, path);
    expect(second.vendors.map(({ vid }) => vid)).toEqual(
      ['50', '51', '52', '53', '54'].map((number) => `page-${number}`),
    );
    expect(second.next).toBeNull();
  });

  test('a vendor is added, configured, suspended and resumed with a reason', async () => {
    const vendor = { vid: 'new-shop', name: 'New Shop', sector: 'retail' };
    const { secret } = await act<VendorAdded>(admin, 'POST', '/vendors', vendor);
    await running.service.directory.reload();
    expect(await balanceStatus('new-shop', secret)).toBe(200);
    const change = { signature: 'v2', reference_required: false };
    await act(admin, 'POST', '/vendors/new-shop', change);
    const changed = await read<VendorView>(admin, '/vendors/new-shop');
    expect(changed).toMatchObject({ ...change, sector: 'retail' });
    await act(admin, 'POST', '/vendors/new-shop', { signature: 'v1' });
    const suspended = await act<VendorView>(admin, 'POST', '/vendors/new-shop/suspend', {});
    expect(suspended.status).toBe('suspended');
    await running.service.directory.reload();
    expect(await balanceStatus('new-shop', secret)).toBe(403);
    await act(admin, 'POST', '/vendors/new-shop/resume', {});
    await running.service.directory.reload();
    expect(await balanceStatus('new-shop', secret)).toBe(200);
    const { entries } = await read<AuditAnswer>(admin, '/audit?target=new-shop');
    expect(entries.map(({ action }) => action)).toEqual([
      'vendor.resume',
      'vendor.suspend',
      'vendor.set',
      'vendor.set',
      'vendor.add',
    ]);
    expect(entries[1]).toMatchObject({ before: { status: 'active' }, reason: 'It is time' });
    expect(JSON.stringify(entries)).not.toContain(secret);
    const twice = await admin.send('POST', '/vendors', { ...vendor, reason: 'x' });
    expect(twice).toMatchObject({ status: 400, code: 'invalid_field' });
    expect((await demoAdmin.send('POST', '/vendors/demo/suspend', { reason: 'x' })).code).toBe(
      'not_permitted',
    );
  });

  test('the vendor sets the float below which it is notified', async () => {
    const set = (low: string | null) =>
      act<{ low: string | null }>(demoAdmin, 'POST', '/vendors/demo/float', { low });
    expect((await set('5000')).low).toBe('5000.00');
    expect((await set(null)).low).toBeNull();
    const wrong = await demoAdmin.send('POST', '/vendors/demo/float', { low: '-1', reason: 'x' });
    expect(wrong.code).toBe('invalid_field');
  });
});

describe('keys', () => {
  test('the former key works until its end, or until it is retired', async () => {
    const path = '/vendors/demo/keys';
    const rotation = { overlap: '1h' };
    const { secret } = await act<NewSecret>(demoAdmin, 'POST', path, rotation);
    await running.service.directory.reload();
    expect(await balanceStatus('demo', secret ?? '')).toBe(200);
    expect(await balanceStatus('demo', 'demo-security-key')).toBe(200);
    const { keys } = await read<KeyList>(demoAdmin, path);
    expect(keys.map(({ valid_until: until }) => until === null)).toEqual([true, false]);
    expect(JSON.stringify(keys)).not.toContain(secret);
    const [current, former] = keys.map(({ key_id: id }) => `${path}/${id}/retire`);
    const refused = await demoAdmin.send('POST', current ?? '', { reason: 'x' });
    expect(refused.code).toBe('invalid_field');
    await act(demoAdmin, 'POST', former ?? '', {});
    await running.service.directory.reload();
    expect(await balanceStatus('demo', 'demo-security-key')).toBe(401);
    expect(await balanceStatus('demo', secret ?? '')).toBe(200);
    const again = await demoAdmin.send('POST', former ?? '', { reason: 'x' });
    expect(again.code).toBe('invalid_field');
    // A path with the own vendor cannot name another vendor's key.
    const other = await read<KeyList>(admin, '/vendors/demo2/keys');
    const foreign = `${path}/${other.keys[0]?.key_id}/retire`;
    expect((await demoAdmin.send('POST', foreign, { reason: 'x' })).code).toBe('invalid_field');
  });
});

describe('webhooks', () => {
  test('a vendor’s person cannot make the service call our own network', async () => {
    const path = '/vendors/demo2/webhook';
    const other = await signedIn(running.origin, 'demo2-admin');
    for (const url of ['http://127.0.0.1:9/', 'https://10.0.0.1/', 'https://localhost/']) {
      const answer = await other.send('POST', path, { url, reason: 'x' });
      expect(answer.code).toBe('invalid_field');
    }
    const asked = { url: 'http://127.0.0.1:9/', allows_private: true, reason: 'x' };
    expect((await other.send('POST', path, asked)).code).toBe('not_permitted');
    await act(admin, 'POST', path, asked);
    // If the vendor changes the URL, only a public one is allowed again.
    const url = 'https://shop.example/hook';
    const set = await act<WebhookSet>(other, 'POST', path, { url });
    expect(set).toMatchObject({ secret: null, url, allows_private: false });
  });

  test('a webhook is set, tested, switched off and on, and its secret rotated', async () => {
    const path = '/vendors/demo/webhook';
    expect(await read<WebhookView>(demoAdmin, path)).toMatchObject({
      ...{ url: null, status: null, waiting: 0, secrets: [] },
    });
    const url = 'http://127.0.0.1:9/';
    const set = await act<WebhookSet>(admin, 'POST', path, { url, allows_private: true });
    expect(set.secret).toMatch(/^whsec_/);
    const tested = await act<TestView>(demoAdmin, 'POST', `${path}/test`, {});
    expect(tested).toMatchObject({ answer: null, url });
    expect(tested.result).not.toBe('delivered');
    const rotated = await act<NewSecret>(demoAdmin, 'POST', `${path}/secrets`, {
      overlap: '60s',
    });
    expect(rotated.secret).not.toBe(set.secret);
    const { secrets } = await read<WebhookView>(demoAdmin, path);
    expect(secrets).toHaveLength(2);
    await act(demoAdmin, 'POST', `${path}/secrets/${secrets[1]?.key_id}/retire`, {});
    const on = ['transaction.succeeded', 'transaction.failed'];
    const chosen = await act<WebhookView>(demoAdmin, 'POST', `${path}/types`, {
      ...{ on, off: ['float.low'] },
    });
    expect(chosen.off_types).toContain('float.low');
    expect(chosen.off_types).not.toContain('transaction.failed');
    for (const off of [OPTIONAL_EVENT_TYPES, ['payment.done'], ['float.low', 'float.low'], on]) {
      const body = { on: ['transaction.failed'], off, reason: 'x' };
      expect((await demoAdmin.send('POST', `${path}/types`, body)).code).toBe('invalid_field');
    }
    await act(demoAdmin, 'POST', `${path}/types`, { on: OPTIONAL_EVENT_TYPES });
    const off = await act<WebhookView>(demoAdmin, 'POST', `${path}/disable`, {});
    expect(off.disabled_reason).not.toBeNull();
    const again = await act<WebhookView>(demoAdmin, 'POST', `${path}/enable`, {});
    expect(again).toMatchObject({ status: 'active', secrets: [{ valid_until: null }] });
    for (let more = 0; more < 5; more += 1) await demoAdmin.send('POST', `${path}/test`, {});
    const limited = await demoAdmin.send('POST', `${path}/test`, {});
    expect(limited.code).toBe('too_many_requests');
    const { entries } = await read<AuditAnswer>(admin, '/audit?target=demo');
    expect(JSON.stringify(entries)).not.toContain('whsec_');
  });

  test('events are listed, and sent again one by one or by state', async () => {
    const { pool } = running.service;
    const found = await pool.query<{ id: number }>(
      `select vendor_id as id from vendors where vid = 'demo'`,
    );
    const vendorId = found.rows[0]?.id;
    for (let number = 0; number < 52; number += 1) {
      const id = `00000000-0000-7000-8000-0000000000${String(number).padStart(2, '0')}`;
      await pool.query('select announce_event(bucket_of($1), $1, $2, $3, now(), $4)', [
        vendorId,
        id,
        number === 0 ? 'float.low' : 'float.recovered',
        '{"float": 1}',
      ]);
    }
    await pool.query(
      `update events set state = 'given_up', due_at = null, ended_at = now(), last_result = 'HTTP 500'
       where bucket = bucket_of($1) and vendor_id = $1`,
      [vendorId],
    );
    const path = '/vendors/demo/events';
    const first = await read<EventList>(demoAdmin, `${path}?limit=50`);
    expect(first.events).toHaveLength(50);
    const { events } = await read<EventList>(demoAdmin, `${path}?limit=50&cursor=${first.next}`);
    expect(events).toHaveLength(2);
    const [low] = (await read<EventList>(demoAdmin, `${path}?type=float.low`)).events;
    expect(low).toMatchObject({ state: 'given_up', last_result: 'HTTP 500', reference: null });
    expect(JSON.parse(low?.body ?? '')).toMatchObject({ data: { vid: 'demo', float: 1 } });
    const one = await act(demoAdmin, 'POST', `${path}/${low?.event_id}/replay`, {});
    expect(one).toEqual({ vid: 'demo', replayed: 1 });
    const waiting = await read<EventList>(demoAdmin, `${path}?state=waiting`);
    expect(waiting.events.map(({ event_id: id }) => id)).toEqual([low?.event_id]);
    const all = await act(demoAdmin, 'POST', `${path}/replay`, { state: 'given_up' });
    expect(all).toEqual({ vid: 'demo', replayed: 51 });
    const none = await demoAdmin.send('POST', `${path}/replay`, { reason: 'x' });
    expect(none.code).toBe('missing_field');
    // Another vendor cannot see an event of this vendor.
    const other = await signedIn(running.origin, 'demo2-admin');
    const foreign = `/vendors/demo2/events/${low?.event_id}/replay`;
    expect((await other.send('POST', foreign, { reason: 'x' })).code).toBe('invalid_field');
    const codes = new Set<string | undefined>();
    for (let count = 0; count < 5; count += 1) {
      const body = { state: 'given_up', reason: 'x' };
      codes.add((await demoAdmin.send('POST', `${path}/replay`, body)).code);
    }
    expect([...codes]).toEqual([undefined, 'too_many_requests']);
  });
});
