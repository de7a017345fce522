import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openApi } from '../../../../src/cli/vendor/api.ts';
import type { VendorApi } from '../../../../src/cli/vendor/api.ts';
import { followEvents } from '../../../../src/cli/vendor/follow.ts';

const event = (webhook_id: string) => ({
  webhook_id,
  type: 'transaction.failed',
  reference: null,
  payload: {},
  delivery: { state: 'pending' },
});

/** A service whose pages of events are given. Keeps the queries. */
function serviceWith(pages: readonly (readonly string[])[]) {
  const queries: unknown[] = [];
  const askedMs: number[] = [];
  const waiting = [...pages];
  const call: VendorApi['call'] = (_method, _path, asked = {}) => {
    const { query = {} } = asked;
    queries.push(query);
    askedMs.push(performance.now());
    const ids = query['since'] === undefined ? ['newest'] : (waiting.shift() ?? []);
    return Promise.resolve({
      status: 200,
      body: { items: ids.map(event), next_cursor: `${queries.length}` },
      at: new Date('2026-01-05T09:00:00Z'),
      retryAfterSeconds: undefined,
    });
  };
  const key = createSecretKey(randomBytes(32));
  const control = async () => await Promise.reject(new Error('not used'));
  const api: VendorApi = { key, call, control };
  return { queries, askedMs, api };
}

async function firstOf(api: VendorApi, since: string | undefined, count: number) {
  const ending = new AbortController();
  const follow = { since, signal: ending.signal, onTrouble: () => undefined };
  const ids: string[] = [];
  for await (const { webhook_id } of await followEvents(api, follow)) {
    ids.push(webhook_id);
    if (ids.length === count) ending.abort();
  }
  return ids;
}

test('without a time, events that are already listed are left out', async () => {
  // The service's clock has seconds only, so events of the same second may be earlier.
  const { api, queries } = serviceWith([['a', 'b'], ['c'], [], ['d']]);
  expect(await firstOf(api, undefined, 1)).toEqual(['d']);
  const since = '2026-01-05T09:00:00.000Z';
  expect(queries).toMatchObject([
    { limit: '1' },
    { since, wait: '0' },
    { since, wait: '0', cursor: '2' },
    { since, wait: '0', cursor: '3' },
    { since, wait: '10', cursor: '4' },
  ]);
});

test('with a time, the first event is the first since then', async () => {
  const since = '2026-01-05T08:00:00.000Z';
  const { api, queries } = serviceWith([['a', 'b'], ['c']]);
  expect(await firstOf(api, since, 3)).toEqual(['a', 'b', 'c']);
  expect(queries).toMatchObject([
    { since, wait: '10' },
    { since, wait: '10', cursor: '1' },
  ]);
});

test('an empty page that comes at once is followed by a pause', async () => {
  const { api, askedMs } = serviceWith([[], ['a']]);
  expect(await firstOf(api, '2026-01-05T08:00:00.000Z', 1)).toEqual(['a']);
  const [first = 0, second = 0] = askedMs;
  expect(second - first).toBeGreaterThan(400);
});

test('a page that is cut off, or is not of the service, is read again', async () => {
  const page = JSON.stringify({ items: [event('a')], next_cursor: '1' });
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    if (asked === 1) {
      response.writeHead(200, { 'content-length': String(page.length) });
      response.write(page.slice(0, 20), () => response.destroy());
    } else {
      response.end(asked === 2 ? '<p>Back soon</p>' : page);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const surroundings = { environment: {} } as Parameters<typeof openApi>[0]['surroundings'];
  const api = openApi({ surroundings }, { vid: 'demo', url });
  expect(await firstOf(api, '2026-01-05T08:00:00.000Z', 1)).toEqual(['a']);
  server.closeAllConnections();
  server.close();
});
