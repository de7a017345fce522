import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { limitConnections } from '../../src/platform/http/admission.ts';
import { createServer } from '../../src/platform/http/server.ts';
import type { ServerLimits } from '../../src/platform/http/server.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';

// How much of the service one client address may use, with real connections.

const cleanups: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Running {
  readonly port: number;
  readonly origin: string;
  readonly answerAll: () => void;
  readonly arrived: () => number;
  readonly stop: () => Promise<void>;
  /** Resolves when a stop has begun. */
  readonly stopping: Promise<void>;
}

/** A server that answers `/quick` at once and `/slow` when it is asked to. */
async function serve(
  limits: Partial<ServerLimits>,
  trustedProxies: readonly string[] = [],
): Promise<Running> {
  const app = createServer({ log: pino({ level: 'silent' }), limits, trustedProxies });
  const gate = Promise.withResolvers<void>();
  let arrived = 0;
  app.post('/quick', () => ({ done: true }));
  app.post('/slow', async () => {
    arrived += 1;
    await gate.promise;
    return { done: true };
  });
  app.get('/health/live', { config: { alwaysServed: true } }, () => ({ status: 'live' }));
  app.get('/health/slow', { config: { alwaysServed: true } }, async () => {
    arrived += 1;
    await gate.promise;
    return { status: 'slow' };
  });
  const stopping = Promise.withResolvers<void>();
  app.addHook('preClose', async () => stopping.resolve());
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => await (stopped ??= app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  cleanups.push(stop, () => gate.resolve());
  const { port } = app.server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    answerAll: () => gate.resolve(),
    arrived: () => arrived,
    stop,
    stopping: stopping.promise,
  };
}

interface Connection {
  readonly socket: Socket;
  readonly heard: () => string;
  /** Everything received, once the other side has closed the connection. */
  readonly ended: Promise<string>;
}

async function open(port: number, text = ''): Promise<Connection> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  cleanups.push(() => void socket.destroy());
  let heard = '';
  socket.on('data', (chunk) => (heard += chunk)).on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  if (text !== '') await new Promise((resolve) => socket.write(text, resolve));
  return { socket, heard: () => heard, ended: closed.then(() => heard) };
}

/** The head of a request, and one byte of a body of a hundred. */
function unfinished(client = '10.0.0.1', path = '/quick'): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n{`;
}

const post = async ({ origin }: Running, path: string, client = '10.0.0.1') =>
  await send(origin, {
    method: 'POST',
    path,
    headers: { 'content-type': 'text/plain', 'X-Forwarded-For': client },
    body: 'x'.repeat(100),
  });

const OVERLOADED = /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*"code":"overloaded"/s;

describe('requests whose body does not come', () => {
  test('do not count as received: others are served, however many there are', async () => {
    const server = await serve({ requestsUnderWay: 2 });
    for (let opened = 0; opened < 20; opened += 1) await open(server.port, unfinished());
    expect((await post(server, '/quick')).status).toBe(200);
    expect((await post(server, '/quick', '10.0.0.2')).status).toBe(200);
  });

  test('unfinished requests of one address replace each other, oldest first, and a complete request passes', async () => {
    const server = await serve({ unfinishedPerAddress: 3 });
    const opened: Connection[] = [];
    for (let count = 0; count < 10; count += 1) opened.push(await open(server.port, unfinished()));
    for (const { ended } of opened.slice(0, 7)) expect(await ended).toMatch(OVERLOADED);
    // This request displaces one more, until it has arrived.
    expect((await post(server, '/quick')).status).toBe(200);
    expect(await opened[7]?.ended).toMatch(OVERLOADED);
    // The remaining ones can still be completed.
    const [last] = opened.slice(-1);
    last?.socket.write('x'.repeat(99));
    await until('it is answered', () => last?.heard().startsWith('HTTP/1.1 200 ') === true);
    expect(opened[8]?.heard()).toBe('');
  });

  test('unfinished requests of one address do not affect another address', async () => {
    const server = await serve({ unfinishedPerAddress: 2 }, ['127.0.0.1']);
    const other = await open(server.port, unfinished('10.0.0.2'));
    for (let count = 0; count < 10; count += 1) await open(server.port, unfinished('10.0.0.1'));
    other.socket.write('x'.repeat(99));
    await until('it is answered', () => other.heard().startsWith('HTTP/1.1 200 '));
  });

  test('unfinished requests are bounded in total, and the oldest is displaced', async () => {
    const server = await serve({ unfinishedRequests: 4 }, ['127.0.0.1']);
    const opened: Connection[] = [];
    for (let count = 0; count < 6; count += 1) {
      opened.push(await open(server.port, unfinished(`10.0.0.${count}`)));
    }
    for (const { ended } of opened.slice(0, 2)) expect(await ended).toMatch(OVERLOADED);
    expect(opened.slice(2).map(({ heard }) => heard())).toEqual(['', '', '', '']);
  });

  test('end when the service stops, and so do silent connections', async () => {
    const server = await serve({ stopGraceMs: 600_000 });
    const opened = [await open(server.port, unfinished()), await open(server.port)];
    // The server has seen both, although it has answered neither.
    expect((await post(server, '/quick')).status).toBe(200);
    await server.stop();
    expect(await opened[0]?.ended).toMatch(OVERLOADED);
    expect(await opened[1]?.ended).toBe('');
  });
});

describe('requests that have arrived', () => {
  test('requests of one address are refused beyond its limit, and another address is served', async () => {
    const server = await serve({ requestsPerAddress: 2 }, ['127.0.0.1']);
    const taken = [post(server, '/slow'), post(server, '/slow')];
    await until('both are under way', () => server.arrived() === 2);
    const refused = await post(server, '/quick');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect((await post(server, '/quick', '10.0.0.2')).status).toBe(200);
    expect((await send(server.origin, { method: 'GET', path: '/health/live' })).status).toBe(200);
    server.answerAll();
    for (const answer of await Promise.all(taken)) expect(answer.status).toBe(200);
    expect((await post(server, '/quick')).status).toBe(200);
  });

  test('requests of this machine are not counted, because a proxy on it serves many clients', async () => {
    const server = await serve({ requestsPerAddress: 2, connectionsPerAddress: 2 });
    const taken = Array.from({ length: 5 }, async () => await post(server, '/slow'));
    await until('all are under way', () => server.arrived() === 5);
    server.answerAll();
    for (const answer of await Promise.all(taken)) expect(answer.status).toBe(200);
  });

  test('nobody can claim another address', async () => {
    const server = await serve({ unfinishedPerAddress: 1 });
    const first = await open(server.port, unfinished('10.0.0.1'));
    await open(server.port, unfinished('10.0.0.2'));
    expect(await first.ended).toMatch(OVERLOADED);
  });

  test('requests under way are answered when the service stops, and the connection ends with the answer', async () => {
    const server = await serve({ stopGraceMs: 600_000 });
    const request = unfinished('10.0.0.1', '/slow') + 'x'.repeat(99);
    const taken = await open(server.port, request);
    await until('it is under way', () => server.arrived() === 1);
    const stopped = server.stop();
    await server.stopping;
    server.answerAll();
    expect(await taken.ended).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
    await stopped;
  });

  test('a stop does not wait for requests longer than the grace period', async () => {
    const server = await serve({ stopGraceMs: 1 });
    const taken = await open(server.port, unfinished('10.0.0.1', '/slow') + 'x'.repeat(99));
    await until('it is under way', () => server.arrived() === 1);
    await server.stop();
    expect(await taken.ended).toBe('');
  });
});

describe('requests sent ahead of their answers', () => {
  const PIPELINES = {
    'GET /health/slow': 'GET /health/slow HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST /slow': 'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n',
  };
  const max = LIMITS.unansweredPerConnection;

  test.each(Object.entries(PIPELINES))(
    '%s: too many end the connection, and others are served',
    async (_, request) => {
      const server = await serve({ requestsUnderWay: max + 1 });
      for (const count of [1, 2, 3]) {
        const before = server.arrived();
        const taken = await open(server.port, request.repeat(100));
        expect([count, await taken.ended]).toEqual([count, '']);
        expect(server.arrived() - before).toBeLessThanOrEqual(max);
      }
      // Their places are free, though none of them was answered.
      expect((await post(server, '/quick')).status).toBe(200);
      expect((await send(server.origin, { method: 'GET', path: '/health/live' })).status).toBe(200);
    },
  );

  test('few requests sent ahead are answered in turn', async () => {
    const server = await serve({});
    const taken = await open(server.port, PIPELINES['POST /slow'].repeat(max));
    await until('all are under way', () => server.arrived() === max);
    server.answerAll();
    await until('all are answered', () => taken.heard().split('HTTP/1.1 200').length === max + 1);
    // Later requests are answered too.
    taken.socket.write(PIPELINES['POST /slow']);
    await until('it is answered', () => taken.heard().split('HTTP/1.1 200').length === max + 2);
  });
});

test('the longest waiting request for health or metrics is displaced', async () => {
  const server = await serve({});
  const request = 'GET /health/slow HTTP/1.1\r\nHost: x\r\n\r\n';
  const first = await open(server.port, request);
  for (let count = 1; count <= LIMITS.watchersWaiting; count += 1) {
    await until('it is under way', () => server.arrived() === count);
    await open(server.port, request);
  }
  expect(await first.ended).toBe('');
  expect((await send(server.origin, { method: 'GET', path: '/health/live' })).status).toBe(200);
});

test('connections of one address beyond its share are closed, and free their places', async () => {
  // The server's own limits do not count this machine; these do.
  const app = createServer({ log: pino({ level: 'silent' }) });
  cleanups.push(async () => await app.close());
  limitConnections(app, { ...NO_LIMITS, connectionsPerAddress: 2 }, () => false);
  app.post('/quick', () => ({ done: true }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const first = await open(port, unfinished());
  await open(port, unfinished());
  expect(await (await open(port, unfinished())).ended).toBe('');
  first.socket.destroy();
  await until('its place is free', async () => {
    const next = await open(port, unfinished() + 'x'.repeat(99));
    await Promise.race([next.ended, until('an answer', () => next.heard() !== '')]);
    return next.heard().startsWith('HTTP/1.1 200 ');
  });
});

const NO_LIMITS = {
  requestsUnderWay: 100,
  requestsPerAddress: 0,
  unfinishedRequests: 100,
  unfinishedPerAddress: 0,
  connections: 100,
  connectionsPerAddress: 0,
};
