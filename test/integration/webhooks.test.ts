import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { firstIdAt, newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { databaseTransaction } from '../../src/platform/db/pool.ts';
import {
  changeEventTypes,
  enableWebhook,
  removeWebhook,
  replayEvents,
  requireWebhook,
  rotateSecret,
  setEventTypes,
  setWebhook,
} from '../../src/payments/events/administer.ts';
import type { ReplayTurns } from '../../src/payments/events/administer.ts';
import { EVENT_TYPES } from '../../src/payments/events/event-types.ts';
import { WEBHOOK_POLICY } from '../../src/payments/events/webhook-policy.ts';
import type { WebhookPolicy } from '../../src/payments/events/webhook-policy.ts';
import { createDeliverer } from '../../src/payments/events/deliver.ts';
import { startEventRetention } from '../../src/payments/events/retention.ts';
import { startWebhookSender } from '../../src/payments/events/sender.ts';
import {
  claimEvents,
  deleteEventsBefore,
  listWaitingWebhooks,
  writeFailure,
} from '../../src/payments/events/store.ts';
import { listEvents } from '../../src/payments/events/read-events.ts';
import type { ListedEvent } from '../../src/payments/events/read-events.ts';
import { createLog } from '../../src/platform/log.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import type { Sealing } from '../../src/parties/administer.ts';
import { openPaymentsOf } from '../support/dispatch-fixture.ts';
import { createInstructed, failedReport, openBooks, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { until } from '../support/until.ts';
import { countWaiting } from '../support/waiting.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import type { ReceivedCall, WebhookReceiver } from '../support/webhook-receiver.ts';

const MASTER_KEYS = { current: Buffer.alloc(32, 'master key'), previous: undefined };
const SEALING: Sealing = { masterKeys: MASTER_KEYS, certain: true };
const sealing = async (): Promise<Sealing> => SEALING;

/** The rules with times that a test can wait for. */
const QUICK: WebhookPolicy = {
  ...WEBHOOK_POLICY,
  callTimeoutMs: 2_000,
  firstRetryMs: 20,
  maxRetryMs: 40,
  restMs: 1,
  maxRestMs: 5,
};

interface Shop {
  readonly vendorId: number;
  readonly vid: string;
  readonly secret: string;
}

/** The vendor’s own people and programs. */
const OWN = { isStaff: false };
let books: Books;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  books = await openBooks();
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});
afterAll(async () => await books.close());

async function receive(
  answer?: (response: ServerResponse, call: ReceivedCall) => void,
): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver(answer);
  ends.push(async () => await receiver.close());
  return receiver;
}

async function shopWith(url: string | undefined): Promise<Shop> {
  const vendorId = await books.addVendor(100_000_000n);
  const vendor = { vendorId, vid: `vendor-${vendorId}` };
  const secret =
    url === undefined
      ? ''
      : await setWebhook(books.pool, vendor, { url, allowsPrivate: true, sealing });
  // Otherwise the sender of the next test would call this webhook.
  ends.push(
    async () => await removeWebhook(books.pool, vendor, { isStaff: false }).catch(() => undefined),
  );
  return { ...vendor, secret: secret ?? '' };
}

async function pay(
  shop: Shop,
  end: 'success' | 'failed' = 'success',
  given = {},
): Promise<NewPayment> {
  const made = newPayment({ vendorId: shop.vendorId, ...given });
  await createInstructed(books.pool, [made]);
  const details = { token: '12345678901234567890' };
  const report = end === 'success' ? paidReport(made, { details }) : failedReport(made);
  expect(await settlePayments(books.pool, [report])).toEqual(['settled']);
  return made;
}

/** The operator reports later that it had paid, and two people charge the vendor. */
async function correct(made: NewPayment, shop: Shop): Promise<void> {
  const late = paidReport(made, { billerReference: 'LATE', source: 'callback' });
  await settlePayments(books.pool, [late]);
  const [row] = await listCasesAbout(books.pool, shop.vendorId, made.paymentId);
  const caseId = row?.caseId ?? '';
  const proposal = {
    resolution: 'charge_vendor',
    note: 'as agreed',
    amount_cents: null,
    operator_reference: null,
    message: null,
    details: null,
  };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

function startSender(given: Partial<WebhookPolicy> = {}) {
  const lines: string[] = [];
  const sender = startWebhookSender({
    pool: books.openPool({ max: 2, byIndexOnly: true }),
    masterKeys: MASTER_KEYS,
    wireTime: createWireTime('Africa/Nairobi'),
    policy: { ...QUICK, ...given },
    pollMs: 20,
    log: createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } }),
  });
  let stopped: Promise<void> | undefined;
  const stop = (graceMs = 5_000): Promise<void> => (stopped ??= sender.stop(graceMs));
  ends.push(async () => await stop());
  return { stop, logged: () => lines.join('') };
}

async function eventsOf(shop: Shop): Promise<ListedEvent[]> {
  return await listEvents(books.pool, shop.vendorId, { state: undefined, limit: 1000 });
}

async function untilAll(shop: Shop, state: ListedEvent['state']): Promise<ListedEvent[]> {
  return await until(`all events are ${state}`, async () => {
    const events = await eventsOf(shop);
    return events.every((event) => event.state === state) ? events : undefined;
  });
}

describe('an event', () => {
  test('an event is written with the end of a payment, once, for vendors that have a webhook', async () => {
    const shop = await shopWith('http://127.0.0.1:9/');
    const other = await shopWith(undefined);
    const made = newPayment({ vendorId: shop.vendorId, merchantReference: 'order 1' });
    const others = newPayment({ vendorId: other.vendorId });
    await createInstructed(books.pool, [made, others]);
    const { settler } = openPaymentsOf(books);
    const reports = [paidReport(made), paidReport(others), paidReport(made), failedReport(made)];
    await Promise.all(reports.map(async (report) => await settler.settle(report)));
    expect(await eventsOf(other)).toEqual([]);
    expect(await eventsOf(shop)).toMatchObject([
      {
        eventId: made.paymentId,
        type: 'transaction.succeeded',
        state: 'waiting',
        merchantReference: 'order 1',
      },
    ]);
  });

  test('events are part of the commit: a change that is rolled back is never reported', async () => {
    const shop = await shopWith('http://127.0.0.1:9/');
    const made = newPayment({ vendorId: shop.vendorId });
    await createInstructed(books.pool, [made]);
    const undone = databaseTransaction(books.pool, async (client) => {
      await settlePayments(client, [paidReport(made)]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await eventsOf(shop)).toEqual([]);
  });

  test('has the fields of the status answer, signed as Standard Webhooks says', async () => {
    const receiver = await receive();
    const shop = await shopWith(receiver.url);
    const made = await pay(shop, 'success', { merchantReference: 'order 2' });
    startSender();
    await untilAll(shop, 'delivered');
    const [call] = receiver.calls;
    if (call === undefined) throw new Error('nothing came');
    expect(receiver.calls).toHaveLength(1);
    expect(call.path).toBe('/events?of=malipo');
    expect(call.headers['content-type']).toBe('application/json');
    expect(call.headers['webhook-id']).toBe(`evt_${made.paymentId}`);
    expect(
      new Webhook(shop.secret).verify(call.body, call.headers as Record<string, string>),
    ).toEqual({
      type: 'transaction.succeeded',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        vid: shop.vid,
        status: 1,
        ipay_reference: encodeReference(shop.vendorId, made.paymentId),
        posted_time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        merchant_reference: 'order 2',
        biller_response_time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        biller_reference: 'OP1',
        transaction_status: 'SUCCESS',
        transaction_message: 'Paid',
        failure_code: null,
        account: made.account,
        amount: Number(made.amountCents) / 100,
        biller_name: made.billerCode,
        details: { token: '12345678901234567890' },
      },
    });
  });

  test('reports a failure, and then its correction', async () => {
    const receiver = await receive();
    const shop = await shopWith(receiver.url);
    await correct(await pay(shop, 'failed'), shop);
    startSender();
    const events = await untilAll(shop, 'delivered');
    expect(new Set(events.map((event) => event.eventId)).size).toBe(2);
    const sent = receiver.calls.map(
      ({ event: { type, data } }) =>
        `${type} ${String(data['transaction_status'])} ${String(data['failure_code'])}`,
    );
    expect(sent.toSorted()).toEqual([
      'transaction.corrected SUCCESS null',
      'transaction.failed FAILED declined',
    ]);
  });

  test('events of a type that is off are not sent; they can be once the type is on', async () => {
    const receiver = await receive();
    const shop = await shopWith(receiver.url);
    const paidBefore = await pay(shop);
    const wanted = EVENT_TYPES.filter((type) => type === 'transaction.failed');
    await setEventTypes(books.pool, shop, wanted, OWN);
    const made = await pay(shop);
    const failed = await pay(shop, 'failed');
    await correct(failed, shop);
    const announce = 'select announce_event(bucket_of($1), $1, gen_random_uuid(), $2, now(), $3)';
    await books.pool.query(announce, [shop.vendorId, 'float.low', '{}']);
    startSender();
    const events = await until('the failure is delivered', async () => {
      const all = await eventsOf(shop);
      return all.some(({ state }) => state === 'delivered') ? all : undefined;
    });
    expect(events.map(({ type, state }) => `${type} ${state}`).toSorted()).toEqual([
      'float.low off',
      'transaction.corrected off',
      'transaction.failed delivered',
      'transaction.succeeded off',
      'transaction.succeeded off',
    ]);
    const offOnes = { paymentId: undefined, since: undefined, until: undefined, state: undefined };
    const replay = async (paymentId: string) =>
      await replayEvents(books.pool, shop, { ...offOnes, paymentId });
    expect(await replay(made.paymentId)).toBe(0);
    await setEventTypes(books.pool, shop, ['transaction.succeeded', ...wanted], OWN);
    expect(await replay(made.paymentId)).toBe(1);
    expect(await replay(paidBefore.paymentId)).toBe(1);
    await until('both arrive', async () => receiver.calls.length === 3);
    expect(receiver.calls.map(({ event }) => event.type)).toEqual([
      'transaction.failed',
      'transaction.succeeded',
      'transaction.succeeded',
    ]);
    await expect(setEventTypes(books.pool, shop, [], OWN)).rejects.toMatchObject({
      field: 'types',
    });
  });

  test('a replay for a request takes turns, ends with its client, and is bounded', async () => {
    const shop = await shopWith('https://shop.example/events');
    await databaseTransaction(books.owner, async (client) => {
      await client.query(
        `insert into events (occurred_at, ended_at, created_at, amount_cents, event_id, payment_id,
           bucket, vendor_id, type, state, outcome, biller_code, account)
         select now(), now(), now(), 100, gen_random_uuid(), gen_random_uuid(), bucket_of($1), $1,
           'transaction.succeeded', 'delivered', 'success', 'kplc', '1'
         from generate_series(1, 2500)`,
        [shop.vendorId],
      );
    });
    const delivered = {
      ...{ paymentId: undefined, since: undefined, until: undefined },
      state: 'delivered',
    } as const;
    let parts = 0;
    const inTurn: ReplayTurns['inTurn'] = async (part) => {
      parts += 1;
      return await part();
    };
    const small = { inTurn, isClosed: () => false, most: 2_499 };
    await expect(replayEvents(books.pool, shop, delivered, small)).rejects.toMatchObject({
      field: 'from',
    });
    expect(parts).toBe(1);
    // Its client disconnects after the first commit.
    const left = { inTurn, isClosed: () => parts >= 3, most: 2_500 };
    expect(await replayEvents(books.pool, shop, delivered, left)).toBe(1_000);
    parts = 0;
    const whole = { inTurn, isClosed: () => false, most: 2_500 };
    expect(await replayEvents(books.pool, shop, delivered, whole)).toBe(1_500);
    // The count, and a commit for each thousand.
    expect(parts).toBe(3);
  });

  test('two changes of types at once both take effect', async () => {
    const shop = await shopWith('https://shop.example/events');
    const changes = await databaseTransaction(books.pool, async (client) => {
      await client.query(
        'select from webhooks where bucket = bucket_of($1) and vendor_id = $1 for update',
        [shop.vendorId],
      );
      const types = ['float.low', 'credit.default'] as const;
      const started = types.map(
        async (type) => await changeEventTypes(books.pool, shop, { on: [], off: [type] }, OWN),
      );
      await until('both wait', async () => (await countWaiting(books.pool)) === types.length);
      return { started };
    });
    await Promise.all(changes.started);
    const { offTypes } = await requireWebhook(books.pool, shop);
    expect(offTypes.toSorted()).toEqual(['credit.default', 'float.low']);
  });

  test('events are signed with both secrets while one is changed', async () => {
    const receiver = await receive();
    const shop = await shopWith(receiver.url);
    const second = await rotateSecret(books.pool, shop, { sealing: SEALING, overlapSeconds: 60 });
    startSender();
    await pay(shop);
    await untilAll(shop, 'delivered');
    const [call] = receiver.calls;
    for (const secret of [shop.secret, second]) {
      new Webhook(secret).verify(call?.body ?? '', call?.headers as Record<string, string>);
    }
    await rotateSecret(books.pool, shop, { sealing: SEALING, overlapSeconds: 0 });
    await pay(shop);
    await untilAll(shop, 'delivered');
    const last = receiver.calls.at(-1);
    expect(() =>
      new Webhook(second).verify(last?.body ?? '', last?.headers as Record<string, string>),
    ).toThrow();
  });

  test('events are deleted after their retention', async () => {
    const shop = await shopWith('http://127.0.0.1:9/');
    await pay(shop);
    const at = (days: number): Date => new Date(Date.now() + days * 86_400_000);
    const never = new AbortController().signal;
    const young = { before: at(-1), firstIdAfter: firstIdAt(at(-1)) };
    expect(await deleteEventsBefore(books.pool, young, never)).toBe(0);
    await books.owner.query(
      `update events set occurred_at = now() - interval '30 days' where vendor_id = $1`,
      [shop.vendorId],
    );
    const job = startEventRetention({
      pool: books.pool,
      clock: { now: () => at(31) },
      everyMs: 3_600_000,
      log: createLog({ level: 'silent', destination: 2 }),
    });
    ends.push(async () => await job.stop());
    await until('it is gone', async () => (await eventsOf(shop)).length === 0);
  });

  test('events are not deleted before their time, whatever the service’s clock says', async () => {
    const shop = await shopWith('http://127.0.0.1:9/');
    await pay(shop);
    const future = new Date(Date.now() + 86_400_000);
    const all = { before: future, firstIdAfter: firstIdAt(future) };
    expect(await deleteEventsBefore(books.pool, all, new AbortController().signal)).toBe(0);
    expect(await eventsOf(shop)).toHaveLength(1);
  });
});

describe('a receiver', () => {
  const failing: readonly [string, (response: ServerResponse) => void, RegExp][] = [
    ['that answers 500', (response) => response.writeHead(500).end(), /^HTTP 500$/],
    [
      'that sends elsewhere',
      (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      /^HTTP 302$/,
    ],
    ['that hangs up', (response) => response.destroy(), /connection/],
    ['that is silent', () => undefined, /no answer in time/],
    [
      'that drips',
      (response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write('x'), 20);
        response.once('close', () => clearInterval(drip));
      },
      /no answer in time/,
    ],
    [
      'that answers without end',
      (response) => {
        response.writeHead(200);
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
      /too large/,
    ],
  ];
  test.each(failing)(
    '%s is retried with the same event until it accepts it',
    async (_, fail, result) => {
      let isWell = false;
      const receiver = await receive((response) => {
        if (isWell) response.writeHead(200).end('thanks');
        else fail(response);
      });
      const shop = await shopWith(receiver.url);
      await pay(shop);
      startSender({ callTimeoutMs: 300 });
      await until('it failed twice as it should', async () => {
        const [seen] = await eventsOf(shop);
        // An attempt counts as soon as it begins.
        return (seen?.attemptCount ?? 0) >= 3 && result.test(seen?.lastResult ?? '');
      });
      isWell = true;
      const [event] = await untilAll(shop, 'delivered');
      expect(event).toMatchObject({ lastResult: 'HTTP 200' });
      expect(event?.attemptCount).toBeGreaterThanOrEqual(3);
      expect(new Set(receiver.calls.map(({ path }) => path))).toEqual(
        new Set(['/events?of=malipo']),
      );
      expect(new Set(receiver.calls.map(({ body }) => body)).size).toBe(1);
      expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    },
  );

  test('events that a receiver never accepts are given up in the end, and can be sent again', async () => {
    let isWell = false;
    const receiver = await receive((response) => response.writeHead(isWell ? 204 : 500).end());
    const shop = await shopWith(receiver.url);
    const made = await pay(shop);
    const { logged } = startSender({ giveUpAfterMs: 100 });
    const [event] = await untilAll(shop, 'given_up');
    expect(event?.attemptCount).toBeGreaterThan(0);
    expect(logged()).toContain('an event was given up');
    isWell = true;
    const filter = {
      paymentId: made.paymentId,
      since: undefined,
      until: undefined,
      state: undefined,
    };
    expect(await replayEvents(books.pool, shop, filter)).toBe(1);
    await untilAll(shop, 'delivered');
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('receivers that fail for too long are disabled; their events wait until they are enabled', async () => {
    let isWell = false;
    const receiver = await receive((response) => response.writeHead(isWell ? 204 : 503).end());
    const shop = await shopWith(receiver.url);
    await pay(shop);
    const { logged } = startSender({ disableAfterFailures: 3, disableAfterMs: 50 });
    await until('it is disabled', () => logged().includes('a webhook was disabled'));
    const count = receiver.calls.length;
    expect(count).toBeGreaterThanOrEqual(3);
    await pay(shop);
    expect(await listWaitingWebhooks(books.pool)).toEqual([]);
    expect((await eventsOf(shop)).map((event) => event.state)).toEqual(['waiting', 'waiting']);
    expect(receiver.calls.length).toBe(count);
    isWell = true;
    expect(await enableWebhook(books.pool, shop, OWN)).toBe(2);
    await untilAll(shop, 'delivered');
  });

  test('receivers that refuse further events (410) are disabled at once', async () => {
    const receiver = await receive((response) => response.writeHead(410).end());
    const shop = await shopWith(receiver.url);
    await pay(shop);
    const { logged } = startSender();
    await until('it is disabled', () => logged().includes('a webhook was disabled'));
    expect(receiver.calls).toHaveLength(1);
  });

  test('late answers of a former URL do not disable a receiver', async () => {
    let answerLast: (() => void) | undefined;
    const former = await receive((response) => {
      answerLast = () => void response.writeHead(410).end();
    });
    const receiver = await receive();
    const shop = await shopWith(former.url);
    await pay(shop);
    const { stop } = startSender({ callTimeoutMs: 300_000 });
    await until('it is called', () => answerLast !== undefined);
    const url = `${receiver.url}&since=today`;
    await setWebhook(books.pool, shop, { url, allowsPrivate: true, sealing });
    await untilAll(shop, 'delivered');
    answerLast?.();
    await stop();
    expect(await requireWebhook(books.pool, shop)).toMatchObject({
      url,
      failureCount: 0,
      disabledAt: null,
    });
  });

  test('receivers that hang do not delay others, and get few calls at once', async () => {
    const held: ServerResponse[] = [];
    const slow = await receive((response) => void held.push(response));
    const quick = await receive();
    const [slowShop, quickShop] = [await shopWith(slow.url), await shopWith(quick.url)];
    for (let count = 0; count < 10; count += 1) await pay(slowShop);
    startSender({ callTimeoutMs: 300_000 });
    await until('it has all it may have at once', () => slow.open === 4);
    for (let count = 0; count < 10; count += 1) await pay(quickShop);
    await untilAll(quickShop, 'delivered');
    expect(slow.calls).toHaveLength(4);
    const taken = (await eventsOf(slowShop)).filter((event) => event.attemptCount > 0);
    expect(taken).toHaveLength(4);
    await until('the rest follows', async () => {
      for (const response of held.splice(0)) response.writeHead(200).end();
      return (await eventsOf(slowShop)).every((event) => event.state === 'delivered');
    });
    expect(slow.calls).toHaveLength(10);
  });

  test('in a private network is not called, unless that is allowed', async () => {
    const receiver = await receive();
    const shop = await shopWith(receiver.url);
    await pay(shop);
    await books.pool.query('update webhooks set allows_private = false where vendor_id = $1', [
      shop.vendorId,
    ]);
    startSender();
    const lastResult = async (): Promise<string> => (await eventsOf(shop))[0]?.lastResult ?? '';
    await until('it was refused', async () => (await lastResult()).includes('must be https'));
    expect(receiver.calls).toEqual([]);
  });
});

test('a public name that resolves to a private network is not called', async () => {
  const receiver = await receive();
  const deliverer = createDeliverer({
    callTimeoutMs: 2_000,
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });
  ends.push(async () => await deliverer.close());
  const url = `https://shop.example:${new URL(receiver.url).port}/`;
  const secrets = [`whsec_${Buffer.alloc(32).toString('base64')}`];
  const delivery = { vid: 'a', url, allowsPrivate: false, webhookId: 'evt_1', body: '{}', secrets };
  const text = 'the host name resolves to a private network';
  const { signal } = new AbortController();
  expect(await deliverer.deliver(delivery, signal)).toEqual({ kind: 'failed', text });
});

describe('several senders', () => {
  test('several senders together deliver each event once', async () => {
    const receiver = await receive();
    const shop = await shopWith(receiver.url);
    for (let count = 0; count < 40; count += 1) await pay(shop);
    for (let count = 0; count < 3; count += 1) startSender();
    await untilAll(shop, 'delivered');
    expect(receiver.calls).toHaveLength(40);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
  });

  test('senders whose lease has expired write no failure', async () => {
    const url = 'http://127.0.0.1:9/';
    const shop = await shopWith(url);
    await pay(shop);
    const [first] = await claimEvents(books.pool, shop.vendorId, { max: 1, leaseMs: 0 });
    const [second] = await claimEvents(books.pool, shop.vendorId, { max: 1, leaseMs: 60_000 });
    if (first === undefined || second === undefined) throw new Error('nothing was claimed');
    expect(await claimEvents(books.pool, shop.vendorId, { max: 1, leaseMs: 0 })).toEqual([]);
    await writeFailure(books.pool, first, { result: 'late', retryInMs: undefined, url });
    expect(await eventsOf(shop)).toMatchObject([{ state: 'waiting', lastResult: null }]);
  });

  test('a sender that is stopped while a receiver hangs cancels the call, and counts no failure', async () => {
    const receiver = await receive(() => undefined);
    const shop = await shopWith(receiver.url);
    await pay(shop);
    const { stop } = startSender({ callTimeoutMs: 60_000 });
    await until('it is called', () => receiver.open === 1);
    await stop(0);
    const [webhook] = await listWaitingWebhooks(books.pool);
    expect(webhook?.failureCount).toBe(0);
  });

  test('senders send nothing in quarantine', async () => {
    const receiver = await receive();
    const shop = await shopWith(receiver.url);
    await pay(shop);
    const id = newId();
    await books.pool.query(
      `insert into quarantines (entered_at, lost_from, lost_until, quarantine_id, reason)
       values (now(), now(), now(), $1, 'test')`,
      [id],
    );
    expect(await listWaitingWebhooks(books.pool)).toEqual([]);
    await books.owner.query('delete from quarantines where quarantine_id = $1', [id]);
    expect(await listWaitingWebhooks(books.pool)).toHaveLength(1);
  });
});

test('webhooks without a listener only delay their events', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const shop = await shopWith(`http://127.0.0.1:${port}/`);
  await pay(shop);
  startSender();
  await until(
    'it was tried',
    async () => (await eventsOf(shop))[0]?.lastResult === 'connection refused',
  );
  const receiver = await receive();
  await setWebhook(books.pool, shop, { url: receiver.url, allowsPrivate: true, sealing });
  await untilAll(shop, 'delivered');
});
