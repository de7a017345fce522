import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { retireKey, rotateKey } from '../../src/parties/administer.ts';
import { setWebhook } from '../../src/payments/events/administer.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { collect, fresh } from '../support/demo-vendors.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { headerOf, withHeader } from '../support/header-signature.ts';
import {
  refusalIn,
  requestFor,
  resourceOf,
  RESOURCES,
  SelfServiceClient,
} from '../support/self-service-client.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

let database: TestDatabase;
let folder: string;
let operators: SimulatedOperators;
let running: InProcessService;
let receiver: WebhookReceiver;
let vendor: VendorClient;
let program: SelfServiceClient;
/** Payments of the demo vendor, oldest first: the last one failed. */
const references: string[] = [];

const OWN = ['first', 'second', 'third', 'fourth'].map((name) => `${name} & co=+1`);

beforeAll(async () => {
  database = await createServiceDatabase();
  folder = await makeTemporaryFolder();
  operators = await startSimulatedOperators(folder);
  running = await startInProcess(database.url, {
    environment: { ROLES: 'api,dispatcher,jobs', SELF_SERVICE_REQUESTS_PER_SECOND: '0' },
    operatorOrigin: operators.origin,
  });
  receiver = await startWebhookReceiver();
  vendor = running.demo();
  program = new SelfServiceClient(running.origin, vendor);
  await setWebhook(running.service.pool, await vendorOf(vendor.vid), {
    url: receiver.url,
    allowsPrivate: true,
    sealing: async () => running.sealing,
  });
  await vendor.fund();
  for (const [index, merchantReference] of OWN.entries()) {
    const account = index === 3 ? '37200009902' : '14234569901';
    const params = { biller_name: 'kplc_prepaid', amount: `10${index}.00`, account };
    const reference = await vendor.accepted({ ...params, merchant_reference: merchantReference });
    references.push(reference);
    await until('it is settled', async () => {
      const { transaction_status: status } = await vendor.payment(reference);
      return status === 'SUCCESS' || status === 'FAILED';
    });
  }
  await until('the events are delivered', () => receiver.calls.length >= OWN.length);
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
  await operators.kill('SIGTERM');
  await removeFolder(folder);
  await database.drop();
});

async function vendorOf(vid: string): Promise<{ vendorId: number; vid: string }> {
  const found = running.service.directory.vendor(vid);
  if (found === undefined) throw new Error(`there is no vendor ${vid}`);
  return await Promise.resolve(found);
}

const referencesIn = (items: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
  items.map(({ reference }) => reference);

describe('payments', () => {
  test('payments are listed newest first, with cents and times', async () => {
    const { items, next_cursor: next } = await program.ask('listPayments');
    expect(referencesIn(items)).toEqual(references.toReversed());
    expect(next).toBeNull();
    expect(items[0]).toMatchObject({
      merchant_reference: OWN[3],
      status: 'FAILED',
      biller: 'kplc_prepaid',
      account: '37200009902',
      amount_cents: '10300',
      fee_cents: '0',
    });
  });

  test('payments are listed page by page, unmoved by payments that come meanwhile', async () => {
    const first = await program.ask('listPayments', { query: { limit: '2' } });
    const later = await vendor.accepted({
      account: '254722000000',
      merchant_reference: fresh('m'),
    });
    const cursor = String(first.next_cursor);
    const second = await program.ask('listPayments', { query: { limit: '2', cursor } });
    expect(referencesIn([...first.items, ...second.items])).toEqual(references.toReversed());
    expect(referencesIn(await program.all('listPayments', { limit: '1' }))).toEqual(
      [...references, later].toReversed(),
    );
  });

  test.each([
    [{ status: 'FAILED' }, [3]],
    [{ biller: 'kplc_prepaid' }, [3, 2, 1, 0]],
    [{ biller: 'zuku' }, []],
    [{ account: '14234569901' }, [2, 1, 0]],
    [{ account: '14234569901', status: 'FAILED' }, []],
    [{ merchant_reference: OWN[1] ?? '' }, [1]],
    [{ merchant_reference: 'nobody has this' }, []],
    [{ from: '2020-01-01', to: '2020-12-31' }, []],
  ])('the query %j selects the payments that match it', async (query, wanted) => {
    const items = await program.all('listPayments', query);
    const found = referencesIn(items).filter((one) => references.includes(String(one)));
    expect(found).toEqual(wanted.map((index) => references[index]));
  });

  test('payments are found by reference, in any case, and by period', async () => {
    const reference = references[2] ?? '';
    const found = await program.ask('listPayments', {
      query: { reference: reference.toLowerCase() },
    });
    expect(referencesIn(found.items)).toEqual([reference]);
    const [one] = found.items;
    const at = String(one?.['created_at']);
    const period = { from: at, to: new Date(Date.parse(at) + 1).toISOString() };
    expect(referencesIn(await program.all('listPayments', period))).toEqual([reference]);
  });

  test('have their result and their timeline', async () => {
    const found = await program.ask('getPayment', { path: { reference: references[0] ?? '' } });
    expect(found).toMatchObject({
      reference: references[0],
      status: 'SUCCESS',
      details: { token: expect.stringMatching(/^\d{20}$/) as string },
      archived: false,
    });
    const kinds = (found['timeline'] as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['created', 'attempt', 'settled', 'event']));
    expect(kinds.filter((kind) => kind === 'transfer')).toHaveLength(2);
  });

  test('payments are exported as CSV with the fields of the list', async () => {
    const answer = await program.send('exportPayments', { query: { status: 'FAILED' } });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="payments.csv"',
      'cache-control': 'no-store',
    });
    const [titles, line, ...others] = answer.text.split('\r\n');
    expect(titles).toBe(
      'reference,merchant_reference,status,biller,account,phone,amount_cents,fee_cents,created_at,settled_at',
    );
    expect(line).toContain(
      `${references[3]},${OWN[3]},FAILED,kplc_prepaid,37200009902,,10300,0,20`,
    );
    expect(others).toEqual(['']);
  });

  test.each([
    [{ limit: '0' }, 'invalid_field', 'limit'],
    [{ limit: '201' }, 'invalid_field', 'limit'],
    [{ status: 'PAID' }, 'invalid_field', 'status'],
    [{ from: 'yesterday' }, 'invalid_field', 'from'],
    [{ from: '2026-02-30' }, 'invalid_field', 'from'],
    [{ to: '9999-12-31T23:59:59-03:00' }, 'invalid_field', 'to'],
    [{ from: '2026-01-02', to: '2025-01-01' }, 'invalid_field', 'to'],
    [{ color: 'red' }, 'unknown_field', 'color'],
    [{ hash: 'a'.repeat(64) }, 'unknown_field', 'hash'],
    [{ reference: 'x', account: 'y' }, 'ambiguous_request', 'account'],
    [{ account: 'a\u0000b' }, 'malformed_request', 'account'],
  ])('%j is refused', async (query, code, field) => {
    expect(await program.refused('listPayments', { query })).toEqual({ status: 400, code, field });
  });
});

/** Without a time it would be this month, which may end meanwhile. */
const SINCE = { from: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10) };

describe('the books', () => {
  test('have the balance now and at past instants', async () => {
    const before = await program.ask('getBalance', { query: { at: '2020-01-01' } });
    expect(before).toMatchObject({ float_cents: '0', total_cents: '0' });
    const now = await program.ask('getBalance');
    expect(now['float_cents']).toBe(String(Math.round((await vendor.balance()) * 100)));
    const statement = await program.ask('getStatement', { query: SINCE });
    const { at } = statement.items[0] as unknown as { at: string };
    const first = await program.ask('getBalance', { query: { at } });
    expect(first['total_cents']).toBe('0');
  });

  test('a balance in the future is refused', async () => {
    expect(await program.refused('getBalance', { query: { at: '2999-01-01' } })).toEqual({
      status: 400,
      code: 'invalid_field',
      field: 'at',
    });
  });

  test('have a statement whose lines add up, page by page', async () => {
    const { head, items } = await program.ask('getStatement', { query: SINCE });
    const { closing_cents: closing, opening_cents: opening } = head as Record<string, string>;
    const sum = items.reduce((total, line) => total + BigInt(String(line['change_cents'])), 0n);
    expect(BigInt(opening ?? '') + sum).toBe(BigInt(closing ?? ''));
    expect(items.at(-1)).toMatchObject({ balance_cents: closing });
    const pages = await program.all('getStatement', { ...SINCE, limit: '3' });
    // It may have grown meanwhile.
    expect(pages.slice(0, items.length)).toEqual(items);
  });

  test('have the same statement as CSV', async () => {
    const { items } = await program.ask('getStatement', { query: SINCE });
    const answer = await program.send('exportStatement', { query: SINCE });
    const lines = answer.text.trimEnd().split('\r\n');
    expect(lines[0]).toContain('amount_cents,change_cents,balance_cents,float_cents');
    expect(lines[1]).toMatch(/^\S+Z,opening,.*,0,0$/);
    expect(lines.at(-1)).toMatch(/^\S+Z,closing,/);
    expect(lines.length).toBeGreaterThanOrEqual(items.length + 3);
  });

  test('the file of a statement is named after its first day in the service’s time zone', async () => {
    // Nairobi’s day begins at 21:00 UTC of the day before.
    const query = { from: '2024-03-02', to: '2024-03-02' };
    const answer = await program.send('exportStatement', { query });
    expect(answer.headers).toMatchObject({
      'content-disposition': 'attachment; filename="statement-2024-03-02.csv"',
    });
  });

  test('a statement of more than a year is refused', async () => {
    const query = { from: '2020-01-01', to: '2022-01-01' };
    expect(await program.refused('getStatement', { query })).toMatchObject({ field: 'from' });
    expect(await program.refused('exportStatement', { query })).toMatchObject({ field: 'from' });
  });

  test('a statement of the future is refused', async () => {
    const refusal = await program.refused('getStatement', { query: { from: '2999-01-01' } });
    expect(refusal).toEqual({ status: 400, code: 'invalid_field', field: 'from' });
  });
});

describe('events', () => {
  test('events are listed with their delivery, and sent again', async () => {
    const listed = await program.ask('listEvents', { query: { type: 'transaction.failed' } });
    expect(listed.items).toHaveLength(1);
    const [event] = listed.items;
    const [id, webhookId] = [String(event?.['event_id']), String(event?.['webhook_id'])];
    expect(event).toMatchObject({
      reference: references[3],
      payload: { type: 'transaction.failed', data: { ipay_reference: references[3] } },
      delivery: { state: 'delivered', attempts: 1, last_result: 'HTTP 204' },
    });
    expect(await program.ask('getEvent', { path: { event_id: webhookId } })).toEqual(event);
    const calls = (): number =>
      receiver.calls.filter(({ headers }) => headers['webhook-id'] === webhookId).length;
    const before = calls();
    expect(await program.ask('replayEvent', { path: { event_id: id } })).toEqual({ count: 1 });
    await until('it is sent again', () => calls() > before);
    await until('it is recorded', async () => {
      const again = await program.ask('getEvent', { path: { event_id: webhookId } });
      return (again['delivery'] as { state: string }).state === 'delivered';
    });
  });

  test('a selection of events is sent again', async () => {
    const before = receiver.calls.length;
    const body = { state: 'delivered', from: '2020-01-01' };
    const { count } = await program.ask('replayEvents', { body });
    expect(count).toBeGreaterThanOrEqual(OWN.length);
    await until('they are sent again', () => receiver.calls.length >= before + Number(count));
  });

  test('events of a type that is off are not sent again, and the refusal says so', async () => {
    const { items } = await program.ask('listEvents', { query: { type: 'transaction.succeeded' } });
    const [event] = items as readonly Readonly<Record<string, unknown>>[];
    const path = { event_id: String(event?.['event_id']) };
    const types = (await program.ask('getWebhook'))['types'];
    const url = receiver.url;
    await program.ask('setWebhook', { body: { url, types: ['transaction.failed'] } });
    const refused = await program.send('replayEvent', { path });
    await program.ask('setWebhook', { body: { url, types } });
    expect(refused.text).toContain('its type is switched off');
    expect(await program.ask('replayEvent', { path })).toEqual({ count: 1 });
  });

  test('cannot be read from a time in the future, which would hide the next ones', async () => {
    const aMinute = { since: new Date(Date.now() + 60_000).toISOString() };
    expect(await program.ask('listEvents', { query: aMinute })).toMatchObject({ items: [] });
    const refusal = await program.refused('listEvents', { query: { since: '2999-01-01' } });
    expect(refusal).toEqual({ status: 400, code: 'invalid_field', field: 'since' });
  });

  test.each([
    [{}, 'missing_field', 'state'],
    [{ state: 'lost' }, 'invalid_field', 'state'],
    [{ state: 'delivered', to: 'soon' }, 'invalid_field', 'to'],
    [{ state: 'delivered', hurry: true }, 'unknown_field', 'hurry'],
    [{ state: ['delivered'] }, 'invalid_field', 'state'],
  ])('a selection %j is refused', async (body, code, field) => {
    expect(await program.refused('replayEvents', { body })).toEqual({ status: 400, code, field });
  });

  test('events that do not exist are not found', async () => {
    for (const eventId of ['0199e3c0-7d3a-7000-8000-2b6a1f0c9d11', 'x', "'; drop table events"]) {
      const path = { event_id: eventId };
      for (const id of ['getEvent', 'replayEvent']) {
        expect(await program.refused(id, { path })).toMatchObject({ code: 'not_found' });
      }
    }
  });
});

describe('the webhook', () => {
  let own: VendorClient;
  let shop: SelfServiceClient;
  const url = 'https://shop.example/events?a=1&hash=2';
  beforeAll(async () => {
    own = await running.addVendor();
    shop = new SelfServiceClient(running.origin, own);
  });

  test('the webhook is set once with its secret, and again without', async () => {
    for (const id of ['getWebhook', 'removeWebhook', 'enableWebhook', 'testWebhook']) {
      expect(await shop.refused(id)).toMatchObject({ status: 404, code: 'not_found' });
    }
    const types = ['transaction.failed', 'float.low'];
    const first = await shop.ask('setWebhook', { body: { url, types } });
    expect(first).toMatchObject({
      url,
      enabled: true,
      types,
      secret: expect.stringMatching(/^whsec_/) as string,
    });
    const { secret: _secret, ...rest } = first;
    const again = await shop.ask('setWebhook', { body: { url, types } });
    expect(again).toEqual({ ...rest, secret: null });
    expect(await shop.ask('getWebhook')).toEqual(rest);
    expect(await shop.ask('disableWebhook')).toMatchObject({ enabled: false });
    expect(await shop.ask('enableWebhook')).toMatchObject({ enabled: true });
  });

  test.each([
    [{ url: 'http://shop.example/' }, 'invalid_field', 'url'],
    [{ url: 'https://127.0.0.1/' }, 'invalid_field', 'url'],
    [{ url: 'https://shop.example/', types: [] }, 'invalid_field', 'types'],
    [{ url: 'https://shop.example/', types: ['all'] }, 'invalid_field', 'types'],
    [{ types: ['float.low'] }, 'missing_field', 'url'],
    [{ url: 'https://shop.example/', allows_private: true }, 'unknown_field', 'allows_private'],
  ])('%j is refused', async (body, code, field) => {
    expect(await shop.refused('setWebhook', { body })).toEqual({ status: 400, code, field });
  });

  test('keeps a private address that staff allowed only while it is the same', async () => {
    // The second one as somebody may type it.
    for (const typed of [receiver.url, receiver.url.replace('http:', 'HTTP:')]) {
      const same = await program.ask('setWebhook', { body: { url: typed } });
      expect(same).toMatchObject({ url: receiver.url, secret: null });
    }
    const body = { url: receiver.url.replace('/events', '/others') };
    expect(await program.refused('setWebhook', { body })).toMatchObject({ code: 'invalid_field' });
  });

  test('the webhook is tested', async () => {
    const tested = await program.ask('testWebhook');
    expect(tested).toMatchObject({ delivered: true, result: 'HTTP 204', answer: null });
    expect(receiver.calls.map(({ event }) => event.type)).toContain('webhook.test');
  });

  test('gets a new secret once for each request', async () => {
    const body = { overlap_seconds: 60, idempotency_key: randomUUID() };
    const made = await program.ask('rotateWebhookSecret', { body });
    expect(await program.ask('rotateWebhookSecret', { body })).toEqual(made);
    const other = { ...body, overlap_seconds: 61 };
    expect(await program.refused('rotateWebhookSecret', { body: other })).toEqual({
      status: 409,
      code: 'reference_reused',
      field: 'idempotency_key',
    });
    await program.ask('testWebhook');
    const call = receiver.calls.findLast(({ event }) => event.type === 'webhook.test');
    const { 'webhook-id': id, 'webhook-timestamp': time } = call?.headers ?? {};
    const key = Buffer.from(String(made['secret']).replace('whsec_', ''), 'base64');
    const text = `${String(id)}.${String(time)}.${call?.body}`;
    const signature = createHmac('sha256', key).update(text).digest('base64');
    expect(call?.headers['webhook-signature']).toContain(signature);
    const { secrets } = await program.ask('getWebhook');
    const [current, former] = secrets as readonly Record<string, unknown>[];
    expect(current).toMatchObject({ key_id: made['key_id'], is_current: true });
    const left = await program.ask('retireWebhookSecret', {
      path: { key_id: String(former?.['key_id']) },
    });
    expect(left.items).toHaveLength(1);
  });

  test('the webhook is removed', async () => {
    expect(await shop.ask('removeWebhook')).toEqual({ given_up_events: 0 });
    expect(await shop.refused('getWebhook')).toMatchObject({ status: 404 });
  });
});

describe('a body that has a name twice', () => {
  /** The body as text, in which another value of the name comes first or last. */
  const twice = (body: object, name: string, isFirst: boolean): string => {
    const text = JSON.stringify(body);
    const other = `${JSON.stringify(name)}:"other"`;
    return isFirst ? text.replace('{', `{${other},`) : text.replace(/\}$/, `,${other}}`);
  };
  const refusalOf = async (id: string, text: string) => {
    const request = { ...requestFor(id, vendor.vid, { body: {} }), body: text };
    const signed = withHeader(request, headerOf(request, vendor));
    return refusalIn(await send(running.origin, signed));
  };

  test.each([true, false])('changes no webhook (the other url first: %s)', async (isFirst) => {
    const before = await program.ask('getWebhook');
    const body = { url: 'https://shop.example/events' };
    for (const name of ['url', '\\u0075rl']) {
      const text = twice(body, name, isFirst).replaceAll('\\\\', '\\');
      const field = 'url';
      expect(await refusalOf('setWebhook', text)).toEqual({
        status: 400,
        code: 'ambiguous_request',
        field,
      });
    }
    const { url, secrets } = await program.ask('getWebhook');
    expect({ url, secrets }).toEqual({ url: before['url'], secrets: before['secrets'] });
  });

  test.each(
    RESOURCES.flatMap(({ id, body, fields }) => (body === undefined ? [] : [{ id, body, fields }])),
  )('is refused by $id, whichever field it is', async ({ id, body, fields }) => {
    for (const field of fields) {
      const text = twice({ ...body, [field]: body[field] ?? 'x' }, field, true);
      expect(await refusalOf(id, text), field).toEqual({
        status: 400,
        code: 'ambiguous_request',
        field,
      });
    }
  });
});

describe('keys', () => {
  test('one rotation of a key is made for each request, and a lost answer locks nobody out', async () => {
    const own = await running.addVendor();
    const former = new SelfServiceClient(running.origin, own);
    const body = { overlap_seconds: 600, idempotency_key: '8d7f6c1e-0b4a-4a57-9f0e-3d5b1c2a7e90' };
    const made = await former.ask('rotateKey', { body });
    await running.service.directory.reload();
    // As if the answer had been lost: the former key repeats the request.
    expect(await former.ask('rotateKey', { body })).toEqual(made);
    // But it makes no other key.
    const another = { ...body, idempotency_key: '00000000-0b4a-4a57-9f0e-3d5b1c2a7e90' };
    expect(await former.refused('rotateKey', { body: another })).toEqual({
      status: 409,
      code: 'changed_meanwhile',
      field: 'X-Signature',
    });
    const current = new SelfServiceClient(running.origin, {
      vid: own.vid,
      key: String(made['secret']),
    });
    const { items } = await current.ask('listKeys');
    expect(items.map(({ is_current: is }) => is)).toEqual([true, false]);
    const path = { key_id: String(made['key_id']) };
    expect(await current.refused('retireKey', { path })).toMatchObject({ code: 'invalid_field' });
    const left = await current.ask('retireKey', { path: { key_id: String(items[1]?.['key_id']) } });
    expect(left.items).toHaveLength(1);
    await running.service.directory.reload();
    expect(await former.refused('listKeys')).toMatchObject({ code: 'signature_invalid' });
    // The text belongs to a key that has been replaced since.
    const next = await current.ask('rotateKey', { body: another });
    expect(next['key_id']).not.toBe(made['key_id']);
    expect(await current.refused('rotateKey', { body })).toMatchObject({
      code: 'reference_reused',
    });
  });

  test('a repeat after ten minutes is not told the secret', async () => {
    const own = await running.addVendor();
    const shop = new SelfServiceClient(running.origin, own);
    const body = { overlap_seconds: 3600, idempotency_key: randomUUID() };
    await shop.ask('rotateKey', { body });
    await database.asOwner(
      // A cluster does not take a time from an expression.
      'update security_keys set created_at = $2 where holder = $1',
      [own.vid, new Date(Date.now() - 11 * 60_000)],
    );
    expect(await shop.refused('rotateKey', { body })).toMatchObject({ code: 'reference_reused' });
  });

  test.each([
    [{ overlap_seconds: 599 }, 'invalid_field', 'overlap_seconds'],
    [{ overlap_seconds: 2_592_001 }, 'invalid_field', 'overlap_seconds'],
    [{ overlap_seconds: '600' }, 'invalid_field', 'overlap_seconds'],
    [{ overlap_seconds: undefined }, 'missing_field', 'overlap_seconds'],
    [{ idempotency_key: 'short' }, 'invalid_field', 'idempotency_key'],
    // What a thief of a former key would try.
    [{ idempotency_key: 'rotation-of-2026-11-21' }, 'invalid_field', 'idempotency_key'],
    [
      { idempotency_key: 'rotation-of-the-key-of-acme-2026-11-21' },
      'invalid_field',
      'idempotency_key',
    ],
    // A UUID of a time.
    [
      { idempotency_key: '5d2e8a90-c6b1-11f0-8de9-0242ac120002' },
      'invalid_field',
      'idempotency_key',
    ],
    [{ idempotency_key: 'ab'.repeat(15) }, 'invalid_field', 'idempotency_key'],
    [{ idempotency_key: undefined }, 'missing_field', 'idempotency_key'],
    [{ key: 'mine' }, 'unknown_field', 'key'],
  ])('a rotation %j is refused', async (change, code, field) => {
    const body = { ...resourceOf('rotateKey').body, ...change };
    expect(await program.refused('rotateKey', { body })).toEqual({ status: 400, code, field });
  });

  test('keys that another program has retired are not found', async () => {
    const own = await running.addVendor();
    const { pool } = running.service;
    const holder = { holderKind: 'vendor', holder: own.vid } as const;
    const key = await rotateKey(pool, holder, { ...running.sealing, overlapSeconds: 600 });
    await running.service.directory.reload();
    const shop = new SelfServiceClient(running.origin, { vid: own.vid, key });
    const { items } = await shop.ask('listKeys');
    const keyId = String(items[1]?.['key_id']);
    await retireKey(pool, holder, keyId);
    expect(await shop.refused('retireKey', { path: { key_id: keyId } })).toMatchObject({
      status: 404,
    });
  });
});

test('changes are in the audit log under the vendor’s name, without secrets', async () => {
  const own = await running.addVendor();
  const shop = new SelfServiceClient(running.origin, own);
  const made = await shop.ask('rotateKey', {
    body: { overlap_seconds: 600, idempotency_key: randomUUID() },
  });
  await running.service.directory.reload();
  const current = new SelfServiceClient(running.origin, {
    vid: own.vid,
    key: String(made['secret']),
  });
  // The current key cannot be retired.
  await current.refused('retireKey', { path: { key_id: String(made['key_id']) } });
  const { rows } = await database.asOwner<Readonly<Record<string, unknown>>>(
    `select a.action, a.login, a.role, a.target, a.vendor_id, a.filter, r.result, r.after
     from audit_log a join audit_results r using (audit_id) where a.target = $1 order by a.at`,
    [own.vid],
  );
  expect(rows).toEqual([
    expect.objectContaining({
      action: 'vendor.rotate-key',
      login: own.vid,
      role: 'api',
      result: 'done',
      after: { overlapSeconds: 600, key_id: made['key_id'] },
    }),
    expect.objectContaining({ action: 'vendor.retire-key', result: 'refused' }),
  ]);
  expect(JSON.stringify(rows)).not.toContain(String(made['secret']));
});

test('changes are limited, with the time to wait', async () => {
  const shop = new SelfServiceClient(running.origin, await running.addVendor());
  const rotate = async () =>
    await shop.send('rotateKey', {
      body: { overlap_seconds: 600, idempotency_key: randomUUID() },
    });
  const answers = [];
  // The first key stays current for this process until it reloads, so the others are refused too.
  for (let turn = 0; turn < 5; turn += 1) answers.push(await shop.send('testWebhook'));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect((await rotate()).status).toBe(200);
  for (let turn = 0; turn < 10; turn += 1) {
    expect((await program.send('setWebhook', { body: { url: receiver.url } })).status).not.toBe(
      500,
    );
  }
  const refused = await program.send('setWebhook', { body: { url: receiver.url } });
  expect(refused.status, refused.text).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
});

test('requests are listed, without anything that was sent', async () => {
  await program.refused('listPayments', { query: { status: 'PAID' } });
  const found = await until('the request is noted', async () => {
    const { items } = await program.ask('listRequests', { query: { only: 'refused' } });
    return items.find(({ operation }) => operation === 'listPayments');
  });
  expect(found).toMatchObject({ method: 'GET', path: '/v1/payments', status: 400 });
  expect(found).toMatchObject({ error_code: expect.any(String) as string });
  const all = await program.all('listRequests', { limit: '200' });
  expect(all.map(({ operation }) => operation)).toContain('createTransaction');
  const ids = all.map(({ request_id: id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(LIMITS.requestLogDays).toBe(7);
});

describe('billers', () => {
  test('have a schema of what create takes', async () => {
    const { items } = await program.ask('describeBillers');
    expect(items.length).toBeGreaterThan(5);
    const one = await program.ask('describeBiller', { path: { biller: 'kplc_prepaid' } });
    expect(items).toContainEqual(one);
    expect(one).toMatchObject({
      minimum_cents: '5000',
      parameters: {
        properties: { account: { pattern: expect.stringMatching(/^\^/) as string } },
        required: ['biller_name', 'account', 'amount'],
      },
    });
  });

  test('billers that do not exist are not found', async () => {
    expect(await program.refused('describeBiller', { path: { biller: 'nobody' } })).toEqual({
      status: 404,
      code: 'not_found',
      field: 'biller',
    });
  });
});

test('enquiries are listed without personal data', async () => {
  const lender = await running.addVendor();
  const shop = new SelfServiceClient(running.origin, lender);
  for (const reference of ['ENQ1', 'ENQ2', 'ENQ3']) {
    const answer = await lender.call('idDecision', {
      nationalID: '900000001',
      reportReason: '2',
      requestReference: reference,
    });
    expect(answer.status, answer.text).toBe(200);
  }
  const items = await shop.all('listEnquiries', { limit: '2' });
  expect(items.map(({ request_reference: reference }) => reference)).toEqual([
    'ENQ3',
    'ENQ2',
    'ENQ1',
  ]);
  expect(items[0]).toMatchObject({
    operation: 'id-decision',
    outcome: 'answered',
    name_differs: false,
  });
  expect(JSON.stringify(items)).not.toMatch(/900000001|Wanjiru/);
  const found = await shop.all('listEnquiries', { request_reference: 'ENQ2', outcome: 'answered' });
  expect(found).toHaveLength(1);
});

test('money that is collected is in the balance and in the statement', async () => {
  const own = await running.addVendor();
  const shop = new SelfServiceClient(running.origin, own);
  await collect(running.origin, { vid: own.vid, amount: '250.00' });
  expect(await shop.ask('getBalance')).toMatchObject({
    collected_cents: '25000',
    held_cents: '0',
    float_cents: '0',
    total_cents: '25000',
  });
  await own.fund();
  // A statement ends before the first moment at which something may still be added.
  const items = await until('both are in the statement', async () => {
    const page = await shop.ask('getStatement');
    return page.items.length === 2 && page.items;
  });
  expect(items.map(({ movement, change_cents: change }) => [movement, change])).toEqual([
    ['collected', '25000'],
    ['funded', '0'],
  ]);
});

// Last, because it leaves the service in quarantine.
test('a search that finds nothing in quarantine does not say that there is no payment', async () => {
  await database.asOwner(
    `insert into quarantines (entered_at, lost_from, lost_until, quarantine_id, reason)
     values (now(), now() - interval '1 hour', now(), gen_random_uuid(), 'restored')`,
  );
  const refused = { status: 503, code: 'quarantine' };
  for (const id of ['listPayments', 'exportPayments']) {
    for (const name of ['merchant_reference', 'account', 'reference']) {
      const asked = { query: { [name]: name === 'reference' ? UNKNOWN : '99999999' } };
      expect(await program.refused(id, asked), `${id} by ${name}`).toMatchObject(refused);
    }
  }
  const [own = ''] = OWN;
  const { items } = await program.ask('listPayments', { query: { merchant_reference: own } });
  expect(items).toHaveLength(1);
});

const UNKNOWN = '00000081M8JZRAFTE68S0B58TH1F0THJ';
