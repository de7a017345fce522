import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createServer } from '../../src/platform/http/server.ts';
import type { ServerLimits } from '../../src/platform/http/server.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';

// Too many clients, and slow clients, are refused early. The limits are small here.

const cleanups: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A server with one slow path that answers when the test releases it. */
async function serve(limits: Partial<ServerLimits>): Promise<{
  readonly port: number;
  readonly origin: string;
  readonly answerAll: () => void;
  readonly arrived: () => number;
}> {
  const app: FastifyInstance = createServer({ log: pino({ level: 'silent' }), limits });
  const gate = Promise.withResolvers<void>();
  let arrived = 0;
  app.get('/slow', async () => {
    arrived += 1;
    await gate.promise;
    return { done: true };
  });
  app.post('/quick', () => ({ done: true }));
  app.get('/health/live', { config: { alwaysServed: true } }, () => ({ status: 'live' }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  cleanups.push(
    async () => await app.close(),
    () => gate.resolve(),
  );
  const { port } = app.server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    answerAll: () => gate.resolve(),
    arrived: () => arrived,
  };
}

/** Sends this on a connection and returns everything received until the server closes it. */
async function untilClosed(port: number, text: string): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1');
  cleanups.push(() => void socket.destroy());
  let heard = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.write(text);
  await closed;
  return heard;
}

test('beyond the limit of requests the next one is refused at once, and health still responds', async () => {
  const { origin, answerAll, arrived } = await serve({ requestsUnderWay: 2 });
  const get = async (path: string) => await send(origin, { method: 'GET', path });
  const taken = [get('/slow'), get('/slow')];
  await until('both are under way', () => arrived() === 2);
  const refused = await get('/slow');
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
  expect(refused.body.error?.[0]?.code).toBe('overloaded');
  expect((await get('/health/live')).status).toBe(200);
  answerAll();
  expect((await Promise.all(taken)).map((answer) => answer.status)).toEqual([200, 200]);
  expect((await get('/slow')).status).toBe(200);
});

test('the place of a client that disconnects is freed', async () => {
  const { port, origin, answerAll, arrived } = await serve({ requestsUnderWay: 1 });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('it is under way', () => arrived() === 1);
  socket.destroy();
  answerAll();
  await until('its place is free', async () => {
    return (await send(origin, { method: 'GET', path: '/slow' })).status === 200;
  });
});

test('beyond the limit of connections the next one is closed, and the others continue', async () => {
  const { port, arrived, answerAll } = await serve({ connections: 2 });
  const request = 'GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const taken = [untilClosed(port, request), untilClosed(port, request)];
  await until('both are under way', () => arrived() === 2);
  expect(await untilClosed(port, request)).toBe('');
  answerAll();
  for (const heard of await Promise.all(taken)) expect(heard).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ['headers that never end', 'POST /quick HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  [
    'a body that does not come',
    'POST /quick HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nslow',
  ],
])('the server refuses %s and closes the connection after the timeout', async (_, text) => {
  const { port } = await serve({
    headersTimeoutMs: 100,
    requestTimeoutMs: 200,
    timeoutCheckMs: 20,
  });
  expect(await untilClosed(port, text)).toMatch(/^HTTP\/1\.1 400 .*"malformed_request"/s);
});

test('an endless body is refused at the limit, not buffered', async () => {
  const { port } = await serve({});
  const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`;
  const head =
    'POST /quick HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
  expect(await untilClosed(port, head + chunk.repeat(10))).toMatch(
    /^HTTP\/1\.1 413 .*"payload_too_large"/s,
  );
});
