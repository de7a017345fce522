import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { claimEvents, disableWebhook, writeFailure } from '../../src/payments/events/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { metricsOf } from '../support/metrics.ts';
import { createInstructed, openBooks, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { inProcess, must, newMasterKey } from './cli-support.ts';

let books: Books;
let vid: string;
let vendorId: number;
let environment: Record<string, string>;

beforeAll(async () => {
  books = await openBooks();
  vendorId = await books.addVendor(1_000_000n);
  vid = `vendor-${vendorId}`;
  environment = { DATABASE_URL: books.url, MASTER_KEY: newMasterKey() };
});
afterAll(async () => await books.close());

async function webhook(...args: string[]): Promise<Record<string, never>> {
  return (await must(environment, 'webhook', ...args, '--json')).json();
}

async function pay(): Promise<string> {
  const made = newPayment({ vendorId });
  await createInstructed(books.pool, [made]);
  await settlePayments(books.pool, [paidReport(made)]);
  return encodeReference(vendorId, made.paymentId);
}

async function metric(name: string): Promise<string | undefined> {
  const metrics = metricsOf(books.pool);
  const lines = (await metrics.render()).split('\n');
  return lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
}

test('a webhook is set, with a secret that is shown once and kept sealed', async () => {
  const url = 'https://shop.example/events';
  const first = await webhook('set', vid, url);
  expect(first).toMatchObject({
    vid,
    url,
    allows_private: false,
    secret: expect.stringMatching(/^whsec_/),
  });
  expect(await webhook('set', vid, 'https://shop.example/other')).toMatchObject({ secret: null });
  const stored = await books.pool.query<{ sealed: Buffer }>(
    "select sealed from security_keys where holder_kind = 'webhook'",
  );
  expect(stored.rows).toHaveLength(1);
  expect(stored.rows[0]?.sealed.includes(String(first['secret']))).toBe(false);
  const second = await webhook('rotate-secret', vid, '--overlap', '1h');
  expect(second['secret']).not.toBe(first['secret']);
  const { webhooks } = await webhook('list');
  expect(webhooks).toMatchObject([{ vid, status: 'active', secrets: [{}, {}] }]);
});

test('secrets move to a new master key with the others', async () => {
  const next = newMasterKey();
  const both = {
    ...environment,
    MASTER_KEY: next,
    MASTER_KEY_PREVIOUS: environment['MASTER_KEY'] ?? '',
  };
  await must(both, 'keys', 'reseal');
  environment = { ...environment, MASTER_KEY: next };
  await webhook('rotate-secret', vid);
});

test.each([
  [['set', 'nobody', 'https://shop.example/'], 'does not exist'],
  [['set', 'VID', 'http://shop.example/'], 'must be https'],
  [['set', 'VID', 'https://127.0.0.1/'], 'private network'],
  [['replay', 'VID'], 'At least one of --reference'],
  [['replay', 'VID', '--reference', 'X'], '--reference is not a payment'],
  [['enable', 'OTHER'], 'has no webhook'],
  [['types', 'OTHER', '--off', 'float.low'], 'has no webhook'],
  [['types', 'VID', '--off', 'payment.done'], 'some of transaction.succeeded'],
  [['types', 'VID', '--off', 'float.low', '--on', 'float.low'], 'both name float.low'],
])('%j is refused in plain words', async (args, words) => {
  const other = `vendor-${await books.addVendor()}`;
  const named = args.map((arg) => (arg === 'VID' ? vid : arg === 'OTHER' ? other : arg));
  const ran = await inProcess(environment, 'webhook', ...named);
  expect(ran.exitCode).not.toBe(0);
  expect(ran.stderr).toContain(words);
});

const today = (): string => createWireTime('Africa/Nairobi').format(new Date()).slice(0, 10);

test('waiting, failing and abandoned events are shown, counted and sent again', async () => {
  const began = today();
  // What the commands above have told the vendor.
  await books.owner.query('delete from events');
  const [first, second] = [await pay(), await pay()];
  expect(await metric('malipo_webhook_backlog{webhook="active"}')).toBe('2');
  expect(Number(await metric('malipo_webhook_oldest_seconds'))).toBeGreaterThan(0);
  const failed = { result: 'HTTP 500', retryInMs: undefined, url: 'https://shop.example/other' };
  for (const event of await claimEvents(books.pool, vendorId, { max: 9, leaseMs: 60_000 })) {
    await writeFailure(books.pool, event, failed);
  }
  const { events } = await webhook('events', vid, '--state', 'given_up');
  expect(events).toMatchObject([
    { reference: second, attempts: 1, last_result: 'HTTP 500' },
    { reference: first, type: 'transaction.succeeded', state: 'given_up' },
  ]);
  const shown = await must(environment, 'webhook', 'events', vid);
  expect(shown.stdout).toContain('given_up');
  expect((await webhook('list'))['webhooks']).toMatchObject([{ failures: 2, waiting: 0 }]);
  expect(await webhook('replay', vid, '--reference', first)).toEqual({ vid, replayed: 1 });
  const until = ['--since', began, '--until', today()];
  expect(await webhook('replay', vid, '--state', 'given_up', ...until)).toEqual({
    vid,
    replayed: 1,
  });
  expect(await webhook('replay', vid, '--since', '2099-01-01')).toEqual({ vid, replayed: 0 });
});

test('the types that are sent are chosen', async () => {
  await webhook('types', vid, '--off', 'float.low,float.recovered');
  const { off_types: off } = await webhook('types', vid, '--on', 'float.low');
  expect(off).toEqual(['float.recovered']);
  expect((await webhook('list'))['webhooks']).toMatchObject([{ off_types: ['float.recovered'] }]);
  await webhook('types', vid, '--on', 'float.recovered');
});

test('a disabled one is shown, enabled again, and removed with its secrets', async () => {
  // Two of payments, and three that tell the vendor that staff chose types.
  await disableWebhook(books.pool, vendorId, 'HTTP 500');
  expect(await metric('malipo_webhooks_disabled')).toBe('1');
  expect(await metric('malipo_webhook_backlog{webhook="disabled"}')).toBe('5');
  expect((await must(environment, 'webhook', 'list')).stdout).toContain('disabled: HTTP 500');
  expect(await webhook('enable', vid)).toMatchObject({ vid, status: 'active', waiting: 6 });
  for (const _ of ['once', 'and again']) {
    expect(await webhook('disable', vid)).toMatchObject({ status: 'disabled' });
  }
  expect(await webhook('remove', vid)).toEqual({ vid, given_up: 7 });
  await pay();
  expect((await webhook('events', vid))['events']).toHaveLength(7);
  const valid = await books.pool.query(
    "select 1 from security_keys where holder_kind = 'webhook' and (valid_until is null or valid_until > now())",
  );
  expect(valid.rowCount).toBe(0);
});

test('a test event is signed, shows the answer and is not stored', async () => {
  const receiver = await startWebhookReceiver((response, { path: called }) => {
    const [status, body] = called.startsWith('/events')
      ? [202, 'thanks\u001B[2J']
      : [500, 'broken'];
    response.writeHead(status).end(body);
  });
  try {
    const testedId = await books.addVendor();
    const tested = `vendor-${testedId}`;
    const none = await inProcess(environment, 'webhook', 'test', tested);
    expect(none).toMatchObject({ exitCode: 1, stdout: '' });
    expect(none.stderr).toContain(`webhook set ${tested} URL`);

    const { secret } = await webhook('set', tested, receiver.url, '--allow-private');
    const ran = await must(environment, 'webhook', 'test', tested);
    expect(ran.stdout).toMatch(/^result +delivered: HTTP 202$/m);
    expect(ran.stdout).toMatch(/^answer +thanks/m);
    expect(ran.stdout).not.toContain('\u001B');
    const [call] = receiver.calls;
    expect(
      new Webhook(String(secret)).verify(call?.body ?? '', call?.headers as Record<string, string>),
    ).toEqual({
      type: 'webhook.test',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { vid: tested },
    });

    await webhook('set', tested, new URL('/elsewhere', receiver.url).href, '--allow-private');
    await webhook('disable', tested);
    const failed = await inProcess(environment, 'webhook', 'test', tested, '--json');
    expect(failed.exitCode).toBe(1);
    expect(failed.json()).toMatchObject({
      result: 'failed',
      detail: 'HTTP 500',
      answer: 'broken',
      disabled: true,
    });
    await receiver.close();
    const silent = await inProcess(environment, 'webhook', 'test', tested, '--json');
    expect(silent.json()).toMatchObject({ detail: 'connection refused', answer: null });

    const { events } = await webhook('events', tested);
    // What staff changed, but no test event.
    expect(events).toMatchObject([{ type: 'account.changed' }, { type: 'account.changed' }]);
    const kept = await books.pool.query('select failure_count from webhooks where vendor_id = $1', [
      testedId,
    ]);
    expect(kept.rows).toEqual([{ failure_count: 0 }]);
  } finally {
    await receiver.close().catch(() => undefined);
  }
});
