import { readdir } from 'node:fs/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import fastify from 'fastify';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { changeBillerStatus } from '../../src/payments/billers/administer.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { addHealthRoutes } from '../../src/platform/http/health.ts';
import { createReadiness } from '../../src/platform/http/readiness.ts';
import { SCHEMA } from '../../src/schema.ts';
import { useService } from '../support/use-service.ts';
import { until } from '../support/until.ts';
import { PATHS, encode, send } from '../support/vendor-client.ts';

// What all paths have in common: request ids, log lines, health and metrics.

const running = useService({ environment: { METRICS_PORT: '0' } });

const get = async (path: string, headers = {}) =>
  await send(running.origin, { method: 'GET', path, headers });

/** The status line and headers of the answer to exactly these bytes. */
async function exchange(text: string): Promise<string> {
  const socket = connect(Number(new URL(running.origin).port), '127.0.0.1').setEncoding('utf8');
  let heard = '';
  socket.on('data', (chunk) => (heard += chunk));
  socket.write(text);
  await once(socket, 'close');
  return heard;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('the id of a request', () => {
  test.each([
    '/health/live',
    '/health/ready',
    '/metrics',
    '/openapi.json',
    '/',
    '/docs',
    '/docs/',
    '/nothing',
    '/billing/%zz',
    '/billing/list?vid=demo',
    '/billing/account/balance?vid=demo&hash=x',
    `/${'x'.repeat(5000)}`,
  ])('is in the header of %s, whatever the client sent', async (path) => {
    const answer = await get(path, { 'X-Request-Id': 'mine' });
    expect(answer.headers['x-request-id']).toMatch(UUID);
    if (answer.status >= 400) {
      expect(answer.body.request_id).toBe(answer.headers['x-request-id']);
    }
  });

  test('every log line has the id of its request', async () => {
    const answer = await get('/nothing');
    const id = answer.headers['x-request-id'];
    expect(lineOf(id)).toMatchObject({ msg: 'request', status: 404, code: 'unknown_path' });
  });
});

/** The line of a request in the log. */
function lineOf(requestId: unknown): unknown {
  const lines = running.logged().split('\n').slice(0, -1);
  const own = lines.filter((text) => text.includes(String(requestId)));
  expect(own).toHaveLength(1);
  return JSON.parse(own[0] ?? '{}');
}

describe('the line of a request', () => {
  test('names the vendor and the payment', async () => {
    const vendor = running.demo();
    await running.demo().fund();
    const created = await vendor.create({ account: '254722000001', merchant_reference: 'line 1' });
    const reference = String(created.body.msg['ipay_reference']);
    expect(lineOf(created.headers['x-request-id'])).toMatchObject({
      level: 'info',
      vid: 'demo',
      reference,
      status: 200,
    });
    const reused = await vendor.create({ account: '254722000002', merchant_reference: 'line 1' });
    expect(lineOf(reused.headers['x-request-id'])).toMatchObject({
      vid: 'demo',
      code: 'reference_reused',
      reference,
    });
    const status = await vendor.call('status', { reference });
    expect(lineOf(status.headers['x-request-id'])).toMatchObject({ vid: 'demo', reference });
    for (const personal of ['254722000001', 'line 1']) {
      expect(running.logged()).not.toContain(personal);
    }
  });

  test('names the vendor and the code of a refusal, but no unknown name', async () => {
    const refused = await running.demo().create({ account: '254722000001', amount: '0.01' });
    expect(lineOf(refused.headers['x-request-id'])).toMatchObject({
      vid: 'demo',
      code: 'amount_below_minimum',
    });
    const wrong = await send(running.origin, {
      method: 'POST',
      path: `${PATHS.balance}?vid=demo&hash=${'0'.repeat(64)}`,
    });
    expect(lineOf(wrong.headers['x-request-id'])).toMatchObject({
      vid: 'demo',
      code: 'signature_invalid',
    });
    const bulk = await send(running.origin, {
      method: 'POST',
      path: '/transaction/bulk?vid=demo&hash=x&batch_reference=b&sha256=x',
    });
    expect(lineOf(bulk.headers['x-request-id'])).toMatchObject({ vid: 'demo' });
    const unknown = encode(PATHS.balance, { vid: '254733111222', hash: '0'.repeat(64) }, 'json');
    const answer = await send(running.origin, unknown);
    expect(lineOf(answer.headers['x-request-id'])).toMatchObject({ code: 'signature_invalid' });
    expect(running.logged()).not.toContain('254733111222');
  });

  test('refusing an offline biller logs no error', async () => {
    const { pool, catalogue } = running.service;
    await changeBillerStatus(pool, 'safaricom', 'OFFLINE');
    await catalogue.reload();
    const refused = await running.demo().create({ account: '254722000001' });
    await changeBillerStatus(pool, 'safaricom', 'ONLINE');
    await catalogue.reload();
    expect(refused.body.error?.[0]?.code).toBe('biller_offline');
    expect(lineOf(refused.headers['x-request-id'])).toMatchObject({
      level: 'info',
      code: 'biller_offline',
    });
  });
});

test('/ leads to the documentation', async () => {
  const answer = await get('/');
  expect([answer.status, answer.headers.location]).toEqual([302, '/docs']);
});

describe('the reference page', () => {
  test('/docs leads to the documentation, behind any prefix', async () => {
    const answer = await get('/docs');
    expect([answer.status, answer.headers.location]).toEqual([302, 'docs/']);
  });

  test.each(['/docs/api', '/docs/api/index.html'])('%s leads to it', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(302);
    const leadsTo = new URL(String(answer.headers.location), `http://malipo.example${path}`);
    expect(leadsTo.pathname).toBe('/docs/api/');
  });

  test('has more security headers than the answers of operations, which are no pages', async () => {
    const ofData = ['x-content-type-options', 'x-frame-options', 'cross-origin-resource-policy'];
    const ofPages = ['cross-origin-opener-policy', 'origin-agent-cluster', 'referrer-policy'];
    const page = await get('/docs/api/');
    expect(Object.keys(page.headers)).toEqual(expect.arrayContaining([...ofData, ...ofPages]));
    const answer = await get('/billing/list?vid=demo');
    expect(Object.keys(answer.headers)).toEqual(expect.arrayContaining(ofData));
    for (const name of ofPages) expect(answer.headers).not.toHaveProperty(name);
  });

  test('has nothing inline and no absolute address', async () => {
    const { text, headers } = await get('/docs/api/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain(`default-src 'self'`);
    expect(policy).not.toMatch(/unsafe|data:|\*/);
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    for (const [, address = ''] of text.matchAll(/(?:src|href)="([^"]*)"/g)) {
      expect(address).not.toMatch(/^(?:\/|[a-z]+:)/i);
    }
  });

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['', undefined],
  ])('a client that takes “%s” gets the reference page as %s', async (accepted, encoding) => {
    for (const path of [
      '/docs/api/',
      '/docs/api/main.js',
      '/docs/api/style.css',
      '/openapi.json',
    ]) {
      const answer = await get(path, { 'Accept-Encoding': accepted });
      expect([answer.status, answer.headers['content-encoding']]).toEqual([200, encoding]);
      const etag = String(answer.headers['etag']);
      const again = await get(path, { 'If-None-Match': etag });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });

  test('loads in less than 60 kB', async () => {
    const accepted = { 'Accept-Encoding': 'br' };
    const { text } = await get('/docs/api/');
    const scripts = await readdir(
      new URL('../../src/platform/http/reference/page', import.meta.url),
    );
    const files = scripts.filter((name) => name.endsWith('.js')).map((name) => `/docs/api/${name}`);
    expect(text).toContain('main.js');
    let bytes = 0;
    for (const path of [
      '/docs/api/',
      '/docs/api/style.css',
      '/docs/api/settings.json',
      '/openapi.json',
      ...files,
    ]) {
      const { status, headers } = await get(path, accepted);
      expect([path, status]).toEqual([path, 200]);
      bytes += Number(headers['content-length']);
    }
    expect(bytes).toBeLessThan(60_000);
  });
});

describe('a body that is too large', () => {
  const port = (): number => Number(new URL(running.origin).port);
  const head = (bytes: number): string =>
    `POST /transaction/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;

  test('a too large body is refused, read to its end and discarded; the next request on the connection is answered', async () => {
    const socket = connect(port(), '127.0.0.1').setEncoding('utf8');
    let heard = '';
    socket.on('data', (chunk) => (heard += chunk));
    const closed = once(socket, 'close');
    const bytes = 2 * 1024 * 1024;
    socket.write(head(bytes));
    await until('it is refused', () => /^HTTP\/1\.1 413 .*"payload_too_large"/s.test(heard));
    socket.write(Buffer.alloc(bytes, 0x20));
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await closed;
    expect(heard).toMatch(/HTTP\/1\.1 200 .*$/s);
  });

  test('ends its connection if it has a length that nobody reads', async () => {
    expect(await exchange(head(LIMITS.discardedBodyBytes + 1))).toMatch(
      /^HTTP\/1\.1 413 .*\r\nconnection: close\r\n.*"payload_too_large"/s,
    );
  });
});

test('a request to no operation is refused with a reason and an id', async () => {
  const huge = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
  const overflow = await exchange(huge);
  expect(overflow).toMatch(/^HTTP\/1\.1 413 .*\r\nX-Request-Id: [0-9a-f-]{36}\r\n/s);
  expect(overflow).toMatch(/"text":"The path and the headers have more than \d+ bytes"/);
  const connected = await exchange('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n');
  expect(connected).toMatch(/^HTTP\/1\.1 405 .*\r\nX-Request-Id: .*"method_not_allowed"/s);
});

test('refusals say how to correct the value', async () => {
  const vendor = running.demo();
  const looked = await vendor.call('lookup', { prefix: '072' });
  expect(looked.body.error?.[0]).toMatchObject({
    code: 'unknown_prefix',
    text: expect.stringContaining('leading 0') as string,
  });
  const blank = await vendor.create({ account: '   ' });
  expect(blank.body.error?.[0]).toMatchObject({ code: 'missing_field', field: 'account' });
});

describe('metrics and health', () => {
  const host = 'Host: 127.0.0.1\r\nConnection: close\r\n\r\n';
  test.each([
    '/%6detrics',
    '/metric%73',
    '/%2Fmetrics',
    '//metrics',
    '/./metrics',
    '/metrics/',
    '/metrics#',
    '/Metrics',
    'http://127.0.0.1/metrics',
    'http://127.0.0.1/%6detrics',
    '/health/%6cive',
    '/health%2flive',
    'http://127.0.0.1/health/ready',
  ])('no metrics or health are served at %s', async (target) => {
    expect(await exchange(`GET ${target} HTTP/1.1\r\n${host}`)).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('other operations take the absolute form', async () => {
    const request = `GET http://127.0.0.1/billing/list?vid=demo HTTP/1.1\r\n${host}`;
    expect(await exchange(request)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('query the database once for all simultaneous requests', async () => {
    const gate = Promise.withResolvers<void>();
    let [queries, requests] = [0, 0];
    const refuse = async (): Promise<never> => {
      queries += 1;
      await gate.promise;
      throw new Error('gone');
    };
    const app = fastify();
    app.addHook('preHandler', async () => void (requests += 1));
    const pool = { connect: refuse } as unknown as Pool;
    const log = pino({ level: 'silent' });
    addHealthRoutes(app, createReadiness({ pool, schema: SCHEMA, log, reuseMs: 60_000 }));
    const asked = Array.from({ length: 20 }, async () => await app.inject('/health/ready'));
    await until('all have asked', () => requests === 20);
    gate.resolve();
    for (const answer of await Promise.all(asked)) {
      expect(answer.json()).toEqual({
        status: 'not_ready',
        missing: 'the database reports an error',
      });
    }
    // Nor soon after.
    await app.inject('/health/ready');
    expect(queries).toBe(1);
    await app.close();
  });
});
