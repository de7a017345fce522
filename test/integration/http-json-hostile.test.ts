import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import * as net from 'node:net';
import { Pool } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { exchange } from '../../src/platform/outbound/exchange.ts';
import type { HttpJsonOptions } from '../../src/connectors/operators/http-json/connector.ts';
import type { PaymentOutcome } from '../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import { connectorTo } from '../support/simulated-operators.ts';

// Operators and networks that misbehave. The tests check the difference between "nothing was sent" and
// "unknown", and that every call ends.

const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const PAID = {
  status: 'paid',
  reference: 'REF',
  operator_reference: 'OP1',
  amount: '100.00',
  currency: 'KES',
  message: 'Payment received',
  paid_at: '2026-03-01T10:00:00Z',
};

/** An operator of raw bytes. Resolves with its port. */
async function listenRaw(onConnection: (socket: net.Socket) => void): Promise<number> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as net.AddressInfo).port;
}

/** An operator that reads each request and then answers with these bytes, again and again if asked. */
function listenAnswering(...writes: (string | Buffer)[]): Promise<number> {
  return listenRaw((socket) => {
    socket.once('data', () => {
      for (const bytes of writes) socket.write(bytes);
      socket.end();
    });
  });
}

async function listenHttp(
  listener: RequestListener,
): Promise<{ port: number; connections: number[] }> {
  const connections: number[] = [];
  const server = createServer(listener);
  server.on('connection', (socket) => connections.push(socket.remotePort ?? 0));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { port: (server.address() as net.AddressInfo).port, connections };
}

function connect(port: number, options: Partial<HttpJsonOptions> = {}): Connector {
  const connector = connectorTo(`http://127.0.0.1:${port}/operator`, options);
  cleanups.push(() => connector.close());
  return connector;
}

function pay(connector: Connector, signal = never, reference = 'REF'): Promise<PaymentOutcome> {
  const instruction = {
    reference,
    attemptNumber: 1,
    billerCode: 'airtel',
    account: '0712000001',
    phone: null,
    amountCents: 100_00n,
    operatorHandle: null,
  };
  return connector.pay(instruction, signal);
}

function unheard(reason: string) {
  return { kind: 'unknown', reason, operatorHandle: null, answered: false };
}

function notSent(reason: string) {
  return { kind: 'not_sent', reason, operatorPaused: false, answered: false };
}

function answerBytes(body: string, head = '200 OK'): string {
  return `HTTP/1.1 ${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function noProtocol(status: number) {
  return unheard(`HTTP ${status} without a valid answer`);
}

/** An operator that keeps writing as long as the connection lasts. */
function listenDripping(start: string, drop: string): Promise<number> {
  return listenRaw((socket) => {
    socket.once('data', () => {
      socket.write(start);
      const timer = setInterval(() => socket.write(drop), 10);
      socket.once('close', () => clearInterval(timer));
    });
  });
}

test('the same server with a valid answer is believed', async () => {
  const port = await listenAnswering(answerBytes(JSON.stringify(PAID)));
  expect(await pay(connect(port))).toMatchObject({ kind: 'paid', amountCents: 100_00n });
});

test('bytes that are not UTF-8 do not matter where the value does not matter', async () => {
  const bytes = Buffer.from(JSON.stringify(PAID).replace('Payment', 'P\u00e4'), 'latin1');
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  const port = await listenAnswering(head, bytes);
  expect(await pay(connect(port))).toMatchObject({ kind: 'paid', amountCents: 100_00n });
});

describe('invalid answers leave the outcome unknown', () => {
  test.each([
    ['nothing', '', 200],
    ['HTML', '<html><body>Paid!</body></html>', 200],
    ['cut JSON', JSON.stringify(PAID).slice(0, -1), 200],
    ['a list', JSON.stringify([PAID]), 200],
    ['deeply nested', '['.repeat(60_000), 200],
    [
      'bad UTF-8 in the status',
      Buffer.from(JSON.stringify(PAID).replace('paid', 'p\u00e4id'), 'latin1'),
      200,
    ],
    ['a server error that says paid', JSON.stringify(PAID), 500],
    ['a bad gateway', '<html>502</html>', 502],
    ['a client error without a decision', '{"error":"bad request"}', 400],
  ])('%s', async (_what, body, status) => {
    const head = `HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const port = await listenAnswering(head, body);
    expect(await pay(connect(port))).toEqual(noProtocol(status));
  });

  test('an answer about another payment leaves the outcome unknown', async () => {
    const port = await listenAnswering(answerBytes(JSON.stringify({ ...PAID, reference: 'REF2' })));
    expect(await pay(connect(port))).toEqual(unheard('the answer is about another reference'));
  });

  test('a redirect, which is not followed', async () => {
    let visited = false;
    const elsewhere = await listenHttp((_request, response) => {
      visited = true;
      response.end(JSON.stringify(PAID));
    });
    const port = await listenAnswering(
      answerBytes('', `307 X\r\nlocation: http://127.0.0.1:${elsewhere.port}/payments`),
    );
    expect(await pay(connect(port))).toEqual(noProtocol(307));
    expect(visited).toBe(false);
  });

  test.each([
    ['bytes that are not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'the answer is not HTTP'],
    [
      'a body shorter than announced',
      'HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{}',
      undefined,
    ],
    ['no byte at all', '', 'the connection was closed'],
  ])('%s', async (_what, bytes, reason) => {
    const port = await listenAnswering(bytes);
    const outcome = await pay(connect(port));
    expect(outcome).toMatchObject({ kind: 'unknown', answered: false });
    if (reason !== undefined) expect(outcome).toMatchObject({ reason });
  });
});

describe('every call ends', () => {
  const soon = { payTimeoutMs: 500, statusTimeoutMs: 500 };
  const inTime = unheard('no answer in time');

  test.each([
    ['a body that drips', 'HTTP/1.1 200 OK\r\ncontent-length: 50000\r\n\r\n', ' '],
    ['headers that drip', 'HTTP/1.1 200 OK\r\n', 'x-more: 1\r\n'],
    ['preliminary answers without end', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['silence', '', ''],
  ])('%s', async (_what, start, drop) => {
    const connector = connect(await listenDripping(start, drop), soon);
    const query = { billerCode: 'airtel', account: '0712000001', phone: null };
    expect(
      await Promise.all([
        pay(connector),
        connector.validate?.(query, never),
        connector.balance?.(never),
      ]),
    ).toEqual([
      inTime,
      { kind: 'unknown', reason: 'no answer in time' },
      { kind: 'unknown', reason: 'no answer in time' },
    ]);
  });

  test('reading an endless body ends', async () => {
    const endless = await listenHttp((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1024)));
        response.once('drain', more);
      };
      more();
    });
    expect(await pay(connect(endless.port, { answerBytes: 2048 }))).toEqual(
      unheard('the answer is too large'),
    );
  });

  test('a body of exactly the largest size is read', async () => {
    const body = JSON.stringify(PAID);
    const port = await listenAnswering(answerBytes(body));
    expect(await pay(connect(port, { answerBytes: body.length }))).toMatchObject({ kind: 'paid' });
    expect(await pay(connect(port, { answerBytes: body.length - 1 }))).toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('cut connections', () => {
  test('reset after the request was read', async () => {
    const port = await listenRaw((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    expect(await pay(connect(port))).toMatchObject({ kind: 'unknown', answered: false });
  });

  test('a connection that is reset in the middle of the answer leaves the outcome unknown', async () => {
    const port = await listenRaw((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{"status":', () =>
          socket.resetAndDestroy(),
        );
      });
    });
    expect(await pay(connect(port))).toMatchObject({ kind: 'unknown', answered: false });
  });

  test('instructions that were reported as not sent did not arrive, at whatever moment the connection is cut', async () => {
    let received = '';
    let count = 0;
    const port = await listenRaw((socket) => {
      const moment = count % 4;
      count += 1;
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString();
        if (moment === 3) socket.resetAndDestroy();
      });
      if (moment === 0) socket.resetAndDestroy();
      if (moment === 1) setImmediate(() => socket.resetAndDestroy());
      if (moment === 2) setImmediate(() => setImmediate(() => socket.resetAndDestroy()));
    });
    const connector = connect(port);
    const wrong: string[] = [];
    const kinds = new Set<string>();
    for (let index = 0; index < 40; index += 1) {
      const reference = `REF-${index}-`;
      const { kind } = await pay(connector, never, reference);
      kinds.add(kind);
      if (kind === 'not_sent' && received.includes(reference)) wrong.push(reference);
    }
    expect(wrong).toEqual([]);
    // The system decides whether a reset hits the connection attempt; then the result is `not_sent`.
    kinds.delete('not_sent');
    expect(kinds).toEqual(new Set(['unknown']));
  });
});

describe('proof that nothing was sent', () => {
  test('refused connections prove that nothing was sent', async () => {
    const port = await listenRaw(() => undefined);
    await cleanups.pop()?.();
    expect(await pay(connect(port))).toEqual(notSent('connection refused'));
  });

  test('a name that is not known', async () => {
    const pool = new Pool('http://operator.test', {
      connect: {
        lookup(_host, _options, callback) {
          const error = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
          callback(error, '', 4);
        },
      },
    });
    cleanups.push(() => pool.close());
    const call = { path: '/', body: '{}', headers: {}, deadlineMs: 5000, answerBytes: 10 };
    expect(await exchange(pool, { ...call, signal: never })).toEqual({
      kind: 'nothing_written',
      reason: 'the host name is not known',
    });
  });

  test('the deadline passes while it waits for a free connection', async () => {
    const seen: string[] = [];
    const held = await listenHttp((request) => {
      seen.push(request.url ?? '');
    });
    const connector = connect(held.port, { maxConnections: 1, payTimeoutMs: 150 });
    const giveUp = new AbortController();
    const holding = connector.status?.(
      {
        reference: 'REF',
        attemptNumber: 1,
        billerCode: 'b',
        account: 'a',
        amountCents: 1n,
        operatorHandle: null,
      },
      giveUp.signal,
    );
    expect(await pay(connector)).toEqual(notSent('no answer in time'));
    const aborted = new AbortController();
    const waiting = pay(connector, aborted.signal);
    aborted.abort();
    expect(await waiting).toEqual(notSent('given up by the caller'));
    giveUp.abort();
    expect(await holding).toEqual(unheard('given up by the caller'));
    // With the connection free again, the two must not be sent after all.
    await connector.close();
    expect(seen).toEqual(['/operator/payments/status']);
  });

  test('cancelled before it began', async () => {
    const silent = await listenHttp(() => undefined);
    const connector = connect(silent.port);
    expect(await pay(connector, AbortSignal.abort())).toEqual(notSent('given up by the caller'));
    expect(silent.connections).toEqual([]);
  });

  test('a connector that was closed', async () => {
    const connector = connect(await listenAnswering(answerBytes(JSON.stringify(PAID))));
    await connector.close();
    expect(await pay(connector)).toEqual(notSent('the connector was closed'));
  });
});

test('cancelling after the request was sent leaves the outcome unknown', async () => {
  const giveUp = new AbortController();
  const silent = await listenHttp(() => giveUp.abort());
  expect(await pay(connect(silent.port), giveUp.signal)).toEqual(unheard('given up by the caller'));
});

test('connections are kept and used again', async () => {
  const decent = await listenHttp((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify(PAID)));
  });
  const connector = connect(decent.port);
  for (let round = 0; round < 10; round += 1) {
    expect(await pay(connector)).toMatchObject({ kind: 'paid' });
  }
  // Two, because the next call may begin a moment before the first connection is free again.
  expect(decent.connections.length).toBeLessThanOrEqual(2);
});
