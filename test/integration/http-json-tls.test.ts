import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { PaymentOutcome } from '../../src/connectors/operator-outcomes.ts';
import { connectorTo } from '../support/simulated-operators.ts';

// Answers are not signed, so only TLS proves that they are the operator's: every doubt is a refusal.

const cleanups: (() => unknown)[] = [];
const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const DAY_MS = 86_400_000;

beforeAll(() => {
  const certificate = certificateFor('Test Authority', authority.publicKey, { isAuthority: true });
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate]);
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function listen(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => sockets.add(socket));
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as net.AddressInfo).port;
}

/** An operator over TLS that answers "paid" to everything, and counts its requests. */
async function listenTls(
  options: CertificateOptions,
): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = [];
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = createServer(
    {
      key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      cert: certificateFor('operator', keys.publicKey, options),
    },
    (request, response) => {
      requests.push(request.url ?? '');
      response.end(
        JSON.stringify({
          status: 'paid',
          reference: 'REF',
          operator_reference: 'OP1',
          amount: '100.00',
          message: '',
          paid_at: '2026-03-01T10:00:00+03:00',
        }),
      );
    },
  );
  return { port: await listen(server), requests };
}

async function payAt(port: number, connectTimeoutMs = 5000): Promise<PaymentOutcome> {
  const connector = connectorTo(`https://localhost:${port}`, { connectTimeoutMs });
  cleanups.push(() => connector.close());
  const instruction = { reference: 'REF', attemptNumber: 1, billerCode: 'airtel', phone: null };
  return connector.pay(
    { ...instruction, account: '0712000001', amountCents: 100_00n, operatorHandle: null },
    new AbortController().signal,
  );
}

test('a trusted certificate for the right name is accepted', async () => {
  const operator = await listenTls({ names: ['localhost'] });
  expect(await payAt(operator.port)).toMatchObject({ kind: 'paid' });
  expect(operator.requests).toEqual(['/payments']);
});

test.each([
  ['from nobody we trust', { names: ['localhost'], issuer: 'stranger' }, /CERT|SIGNATURE/],
  ['for another name', { names: ['operator.example'] }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['that has expired', { names: ['localhost'], expiredMs: DAY_MS }, 'CERT_HAS_EXPIRED'],
] as const)('a certificate %s: nothing is sent', async (_what, options, reason) => {
  const operator = await listenTls(options);
  expect(await payAt(operator.port)).toEqual({
    kind: 'not_sent',
    reason: expect.stringMatching(reason),
    operatorPaused: false,
    answered: false,
  });
  expect(operator.requests).toEqual([]);
});

test('a handshake that fails: nothing is sent', async () => {
  const port = await listen(net.createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')));
  expect(await payAt(port)).toMatchObject({ kind: 'not_sent', answered: false });
});

test('a connection reset in the handshake: nothing is sent', async () => {
  const port = await listen(
    net.createServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    }),
  );
  expect(await payAt(port)).toMatchObject({ kind: 'not_sent', answered: false });
});

test('a handshake that never ends: no connection in time, nothing is sent', async () => {
  const port = await listen(net.createServer((socket) => void socket.resume()));
  expect(await payAt(port, 100)).toEqual({
    kind: 'not_sent',
    reason: 'no connection in time',
    operatorPaused: false,
    answered: false,
  });
});

interface CertificateOptions {
  readonly names?: readonly string[];
  readonly issuer?: 'authority' | 'stranger';
  readonly expiredMs?: number;
  readonly isAuthority?: boolean;
}

/** A new X.509 certificate (RFC 5280), so that the repository needs no key. */
function certificateFor(subject: string, key: KeyObject, options: CertificateOptions): string {
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = options.issuer === 'stranger' ? stranger : authority;
  const end = Date.now() + (options.expiredMs === undefined ? DAY_MS : -options.expiredMs);
  const algorithm = der(0x30, objectId('2a8648ce3d040302'));
  const names = (options.names ?? []).map((name) => der(0x82, Buffer.from(name)));
  const extensions = [
    ...(options.isAuthority === true
      ? [
          der(
            0x30,
            objectId('551d13'),
            der(0x01, Buffer.of(0xff)),
            der(0x04, der(0x30, der(0x01, Buffer.of(0xff)))),
          ),
        ]
      : []),
    ...(names.length > 0 ? [der(0x30, objectId('551d11'), der(0x04, der(0x30, ...names)))] : []),
  ];
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(options.isAuthority === true ? 1 : 2)),
    algorithm,
    distinguishedName('Test Authority'),
    der(0x30, utcTime(end - 30 * DAY_MS), utcTime(end)),
    distinguishedName(subject),
    key.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, ...extensions)),
  );
  const signature = sign('sha256', content, signer.privateKey);
  const certificate = der(0x30, content, algorithm, der(0x03, Buffer.of(0), signature));
  return `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`;
}

/** One element of DER: tag, length, content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 128) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const length = Buffer.from(content.length.toString(16).padStart(4, '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x82), length, content]);
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function distinguishedName(commonName: string): Buffer {
  const name = der(0x30, objectId('550403'), der(0x0c, Buffer.from(commonName)));
  return der(0x30, der(0x31, name));
}

function utcTime(timeMs: number): Buffer {
  const digits = new Date(timeMs).toISOString().replaceAll(/[-T:]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
