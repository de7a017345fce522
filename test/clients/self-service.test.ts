import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERRORS, Refusal } from '../../src/platform/base/errors.ts';
import type { ErrorCode } from '../../src/platform/base/errors.ts';
import { RESOURCE_REFUSALS_FORM } from '../../src/platform/http/resource-refusals.ts';
import { CLIENTS_HERE, startDriver } from './driver.ts';
import type { Driver } from './driver.ts';
import { drop, exampleOf, hang, json, ok, page, startScriptedService } from './scripted-service.ts';
import type { Reply, ScriptedService } from './scripted-service.ts';

// Operations below `/v1`: pages, files, and what a failure means.

const ROTATION = { overlapSeconds: 86_400, idempotencyKey: '8d7f6c1e-0b4a-4a57-9f0e-3d5b1c2a7e90' };

function refuse(code: ErrorCode, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => {
    const requestId = '019b76da-c740-7a5e-8b6d-2c90f1d3e457';
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const refusal = new Refusal(code, { field: 'limit' });
    json(response, ERRORS[code].status, RESOURCE_REFUSALS_FORM.body?.of(refusal, requestId));
  };
}

const busy = refuse('unavailable', { 'retry-after': '0' });

/** A page with the example of an event, once for each id. */
function events(ids: readonly string[], next: string | null): Reply {
  return (response, { path }) => {
    const example = exampleOf(path) as { readonly items: readonly object[] };
    const items = ids.map((id) => ({ ...example.items[0], event_id: id }));
    json(response, 200, { items, next_cursor: next });
  };
}

/** The beginning of a file, without its end. */
const cutFile: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' });
  response.write('reference,status\r\n', () => response.socket?.destroy());
};

describe.each(CLIENTS_HERE)('$title', ({ name, runs }) => {
  let driver: Driver;
  let service: ScriptedService;
  const only = test.skipIf(!runs);
  const open = async (more: Record<string, unknown> = {}): Promise<void> => {
    const access = { url: service.origin, vid: 'demo', key: 'demo-security-key' };
    await driver.value('open', { ...access, ...more });
  };
  beforeAll(async () => {
    if (!runs) return;
    service = await startScriptedService();
    driver = startDriver(name);
    await open();
  });
  afterAll(async () => {
    if (!runs) return;
    await driver.end();
    await service.close();
  });

  only('reads a list page after page, also after an empty page and a failure', async () => {
    service.play(events(['a', 'b'], 'c-1'), events([], 'c-2'), busy, events(['c'], null));
    const found = await driver.value<readonly Record<string, unknown>[]>('listEvents', {
      state: 'given_up',
    });
    expect(found.map(({ eventId }) => eventId)).toEqual(['a', 'b', 'c']);
    const asked = service.arrived.map(({ params: { cursor, state } }) => [cursor, state]);
    expect(asked).toEqual([undefined, 'c-1', 'c-2', 'c-2'].map((cursor) => [cursor, 'given_up']));
    const signatures = service.arrived.map(({ headers }) => headers['x-signature']);
    expect(new Set(signatures).size).toBe(4);
  });

  only('pauses after an empty page: a list of events that is followed has no end', async () => {
    const askedMs: number[] = [];
    const timed =
      (reply: Reply): Reply =>
      (response, arrived) => {
        askedMs.push(performance.now());
        reply(response, arrived);
      };
    service.play(timed(events([], 'c-1')), timed(events(['a'], null)));
    await driver.value('listEvents', { since: '2026-11-21' });
    const [first = 0, second = 0] = askedMs;
    expect(second - first).toBeGreaterThan(400);
  });

  only('reads a page', async () => {
    service.play(events(['a'], 'c-2'));
    const paging = { cursor: 'c-1', limit: 1 };
    expect(await driver.value('listEvents', { page: paging })).toMatchObject({
      items: [{ eventId: 'a', at: '2026-11-21T06:15:01.000Z', delivery: { attempts: 1 } }],
      nextCursor: 'c-2',
    });
    expect(service.arrived[0]?.params).toMatchObject({ cursor: 'c-1', limit: '1' });
  });

  only('reads cents beyond those of a payment', async () => {
    const balance = { ...(exampleOf('/v1/balance') as object), total_cents: '9007199254740991' };
    service.play((response) => json(response, 200, { ...balance, float_cents: '-12345' }));
    expect(await driver.value('getBalance')).toMatchObject({
      totalCents: Number.MAX_SAFE_INTEGER,
      floatCents: -12_345,
    });
  });

  only.each([
    ['an amount that is not one', { float_cents: '12.50' }],
    ['a time that is not one', { at: 'yesterday' }],
  ])('does not take %s', async (_, wrong) => {
    const balance = exampleOf('/v1/balance') as object;
    service.play((response) => json(response, 200, { ...balance, ...wrong }));
    expect(await driver.error('getBalance')).toMatchObject({
      type: 'Unavailable',
      code: 'unexpected_answer',
      attempts: 1,
    });
  });

  only('is refused', async () => {
    service.play(refuse('invalid_field'));
    expect(await driver.error('listEvents', { state: 'lost' })).toMatchObject({
      type: 'Refused',
      code: 'invalid_field',
      field: 'limit',
      status: ERRORS.invalid_field.status,
      requestId: '019b76da-c740-7a5e-8b6d-2c90f1d3e457',
      attempts: 1,
    });
  });

  only('repeats a rotation with the same key and a new signature', async () => {
    // A connection that was used before may be closed at any time, so PHP’s cURL repeats on another one.
    await open();
    service.play(drop, busy, ok);
    expect(await driver.value('rotateKey', ROTATION)).toMatchObject({ overlapSeconds: 86_400 });
    const [first, second, third] = service.arrived;
    expect(JSON.parse(first?.body ?? '')).toEqual({
      overlap_seconds: 86_400,
      idempotency_key: ROTATION.idempotencyKey,
    });
    expect([second?.body, third?.body]).toEqual([first?.body, first?.body]);
    expect(second?.headers['x-signature']).not.toBe(first?.headers['x-signature']);
  });

  only('does not know what became of a change without an answer', async () => {
    await open({ timeoutMs: 300, retryForMs: 0 });
    for (const failure of [hang, drop, page(200), page(502)]) {
      service.play(failure);
      const error = await driver.error('setWebhook', { url: 'https://shop.example/' });
      expect(error).toMatchObject({ type: 'OutcomeUnknown', attempts: 1 });
    }
    await open();
  });

  only('reads a file, which is repeated as long as it has not begun', async () => {
    await open();
    service.play(drop, busy, ok);
    const example = exampleOf('/v1/payments.csv');
    expect(await driver.value('exportPayments')).toBe(example);
    expect(service.arrived).toHaveLength(3);
  });

  only('does not take a file that is cut off for the whole', async () => {
    await open();
    // This PSR-18 client reads all of it first, so nothing has been written and it can be repeated.
    if (name === 'php with PSR-18') await open({ retryForMs: 0 });
    service.play(cutFile, ok);
    expect(await driver.error('exportPayments')).toMatchObject({
      type: 'Unavailable',
      code: 'no_answer',
    });
    expect(service.arrived).toHaveLength(1);
    await open();
  });

  only.each([
    ['a page', page(200), 'Unavailable'],
    ['an answer that is no file', (response) => json(response, 200, { items: [] }), 'Unavailable'],
    ['a refusal', refuse('invalid_field'), 'Refused'],
  ] as const satisfies readonly (readonly [string, Reply, string])[])(
    'does not take %s for a file',
    async (_, reply, type) => {
      await open({ retryForMs: 0 });
      service.play(reply);
      expect(await driver.error('exportStatement')).toMatchObject({ type });
      await open();
    },
  );
});
