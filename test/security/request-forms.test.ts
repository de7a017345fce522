import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { OPERATIONS, READING, usualParams, withHash } from '../support/operation-samples.ts';
import { expectCallersFault } from '../support/refusals.ts';
import { BODY_FORMS, PATHS, UNSIGNED, encode, send, signed } from '../support/vendor-client.ts';
import type { WireRequest } from '../support/vendor-client.ts';

const running = useService();

const KEY = 'demo-security-key';
const ask = async (request: WireRequest) => await send(running.origin, request);

describe.each([...UNSIGNED])('%s, which nobody signs,', (operation) => {
  test.each(BODY_FORMS)('ignores `hash` and unknown names as %s', async (form) => {
    const plain = await ask(encode(PATHS[operation], usualParams(operation, 'demo'), form));
    expect(plain.status, plain.text).toBe(200);
    const more = { ...signed(usualParams(operation, 'demo'), KEY), time: '1', 'x[y]': '%', _: '' };
    const answer = await ask(encode(PATHS[operation], more, form));
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: plain.text });
  });
});

test('a body that is nested deeply is refused, also before anybody has signed in', async () => {
  const response = `{"id":"a","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
  const answer = await ask({
    method: 'POST',
    path: '/console/api/session/passkey',
    headers: { 'content-type': 'application/json', 'x-malipo-console': '1' },
    body: `{"response":${response}}`,
  });
  expect(answer.status, answer.text).toBe(400);
});

describe.each(READING)('GET %s', (operation) => {
  const params = () => withHash(operation, usualParams(operation, 'demo'), KEY);

  test.each(BODY_FORMS)('the request is read as %s', async (form) => {
    const answer = await ask({ ...encode(PATHS[operation], params(), form), method: 'GET' });
    expect(answer.status, answer.text).toBe(200);
  });

  test('the request is refused with parameters in two places, and with a body of an unknown type', async () => {
    const inBody = encode(PATHS[operation], params(), 'json');
    const inQuery = encode(PATHS[operation], params(), 'query');
    const both = { ...inBody, method: 'GET', path: inQuery.path };
    expect(expectCallersFault(await ask(both), 'both').code).toBe('ambiguous_request');
    const untyped = { ...inBody, method: 'GET', headers: {} };
    expect(expectCallersFault(await ask(untyped), 'untyped').code).toBe('unsupported_media_type');
  });

  test('may announce any type where there is no body', async () => {
    for (const type of ['application/json', 'undefined', '']) {
      const request = encode(PATHS[operation], params(), 'query');
      const answer = await ask({ ...request, method: 'GET', headers: { 'content-type': type } });
      expect(answer.status, answer.text).toBe(200);
    }
  });
});

describe.each([...OPERATIONS.map((name) => PATHS[name]), '/transaction/bulk', '/health/live'])(
  '%s',
  (path) => {
    test.each(['gzip', 'deflate', 'br', 'identity, gzip', 'nonsense'])(
      'refuses a body that is encoded as %s',
      async (encoding) => {
        const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
        const body = encoding === 'gzip' ? gzipSync('{"vid":"demo"}') : '{"vid":"demo"}';
        const method = path.startsWith('/health') ? 'GET' : 'POST';
        const answer = await ask({ method, path, headers, body });
        expect(expectCallersFault(answer, encoding).code).toBe('unsupported_media_type');
        expect(answer.headers['accept-encoding']).toBe('identity');
      },
    );
  },
);

test('a body with a transfer coding other than chunked is refused', async () => {
  const body = JSON.stringify({ vid: 'demo' });
  const { hostname, port } = new URL(running.origin);
  const statusOf = async (coding: string): Promise<string> => {
    const socket = connect(Number(port), hostname);
    socket.end(
      `POST ${PATHS.list} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n` +
        `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    return (await text(socket)).split(' ')[1] ?? '';
  };
  for (const coding of ['chunked', 'Chunked']) expect(await statusOf(coding)).toBe('200');
  // Node itself refuses what does not end in chunked.
  expect(await statusOf('gzip, chunked')).toBe('415');
  expect(await statusOf('chunked, gzip')).toBe('400');
});

test.each([
  ['Host', 'localhost', 'localhost'],
  ['hOST', 'localhost', 'example.org'],
  ['Content-Type', 'application/json', 'application/json'],
  ['content-TYPE', 'application/json', 'application/x-www-form-urlencoded'],
])('two %s headers, %s and %s, are refused', async (name, first, second) => {
  const body = JSON.stringify({ vid: 'demo' });
  const { hostname, port } = new URL(running.origin);
  const socket = connect(Number(port), hostname);
  const host = name.toLowerCase() === 'host' ? '' : 'Host: localhost\r\n';
  socket.end(
    `POST ${PATHS.list} HTTP/1.1\r\n${host}${name}: ${first}\r\n${name}: ${second}\r\n` +
      `Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const heard = await text(socket);
  expect(heard).toMatch(/^HTTP\/1\.1 400 .*"code":"malformed_request"/s);
  expect(heard).toMatch(/"The (?:Host|Content-Type) header was sent more than once"/);
});

test('a body that says that it is not encoded is read', async () => {
  const request = encode(PATHS.list, { vid: 'demo' }, 'json');
  for (const encoding of ['identity', 'Identity', '']) {
    const headers = { ...request.headers, 'content-encoding': encoding };
    expect((await ask({ ...request, headers })).status).toBe(200);
  }
});
