import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { useMisusedSandbox } from '../support/misused-sandbox.ts';
import { OPERATIONS, usualParams, withHash } from '../support/operation-samples.ts';
import { expectCallersFault } from '../support/refusals.ts';
import { PATHS, UNSIGNED, encode } from '../support/vendor-client.ts';
import type { OperationName, Params, WireBody, WireRequest } from '../support/vendor-client.ts';

const sandbox = useMisusedSandbox();

const usual = (operation: OperationName): Readonly<Record<string, string>> =>
  usualParams(operation, sandbox.vendor.vid);
const hashed = (operation: OperationName, params: Params): Params =>
  withHash(operation, params, sandbox.vendor.key);

describe.each(OPERATIONS)('%s', (operation) => {
  // Unsigned operations ignore unknown names.
  const isSigned = !UNSIGNED.has(operation);
  const post = (contentType: string, body: string | Buffer): WireRequest => ({
    method: 'POST',
    path: PATHS[operation],
    headers: { 'content-type': contentType },
    body,
  });

  test('JSON that is invalid, or not flat', async () => {
    const good = JSON.stringify(hashed(operation, usual(operation)));
    const more = (member: string): string => good.replace(/\}$/, `, ${member}}`);
    const bodies = [
      '[]',
      '"vid"',
      '1',
      'null',
      'true',
      '{',
      '}',
      '{]',
      '{"vid"}',
      '{"vid":}',
      '{,}',
      '{vid:"demo"}',
      "{'vid':'demo'}",
      'vid=demo',
      '{"vid":"demo",}',
      '{"vid" "demo"}',
      '{"vid":NaN}',
      '{"vid":Infinity}',
      '{"vid":-}',
      '{"vid":01}',
      '{"vid":1.}',
      '{"vid":.1}',
      '{"vid":0x1}',
      '{"vid":1e}',
      '{"vid":"demo}',
      '{"vid":"\\x"}',
      '{"vid":"\\u12"}',
      '{"vid":"\\ud800"}',
      '{"vid":"\\udc00\\ud800"}',
      '{"vid":undefined}',
      '{"vid":"a\nb"}',
      '{"vid":{}}',
      '{"vid":[]}',
      '{"vid":["demo"]}',
      '{"vid":true}',
      '{"vid":false}',
      `[${good}]`,
      `${good}${good}`,
      `${good},`,
      `\ufeff${good}`,
      `//\n${good}`,
      `(${good})`,
      more('"vid":"demo"'),
      more('"vid":null'),
      more('"\\u0076id":"demo"'),
      `{"vid":${'['.repeat(4000)}${']'.repeat(4000)}}`,
      `{"vid":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`,
      `{${Array.from({ length: 1000 }, (_, index) => `"a${index}":1`).join(',')}}`,
      `{"vid":${'9'.repeat(2000)}}`,
      `{"vid":1e${'9'.repeat(300)}}`,
    ];
    const unknown = [
      more('"__proto__":{"vid":"demo"}'),
      more('"__proto__":"x"'),
      more('"constructor":"x"'),
      more('"":"x"'),
      more('"vid ":"x"'),
      more('"VID":"demo"'),
      more('"x":1'),
      more('"hash":"0"'),
    ];
    for (const body of [...bodies, ...(isSigned ? unknown : [])]) {
      expectCallersFault(await sandbox.send(post('application/json', body)), body.slice(0, 80));
    }
  });

  test('bytes that are not text', async () => {
    const good = JSON.stringify(hashed(operation, usual(operation)));
    const form = String(encode(PATHS[operation], hashed(operation, usual(operation)), 'raw').body);
    const bodies: readonly (readonly [string, Buffer])[] = [
      ['application/json', Buffer.from(good, 'utf16le')],
      ['application/json', Buffer.from([0xff, 0xfe, 0x00])],
      ['application/json', Buffer.concat([Buffer.from('{"vid":"'), Buffer.from([0xc3, 0x28])])],
      ['application/json; charset=latin1', Buffer.from(good)],
      ['application/json; charset=iso-8859-1', Buffer.from(`${good}\xe9`, 'latin1')],
      ['application/json; charset=utf-16', Buffer.from(good)],
      ['application/x-www-form-urlencoded', Buffer.from(`${form}&vid=\xe9`, 'latin1')],
      ['application/x-www-form-urlencoded', Buffer.from(`vid=\xed\xa0\x80`, 'latin1')],
      ['application/x-www-form-urlencoded', Buffer.from([0x00, 0xff, 0x3d, 0x80])],
      ['multipart/form-data; boundary=b', Buffer.from([0xff, 0x00, 0x80])],
    ];
    for (const [contentType, body] of bodies) {
      const shown = `${contentType} ${body.toString()}`;
      const { code } = expectCallersFault(await sandbox.send(post(contentType, body)), shown);
      const isText = contentType.includes('charset');
      expect([shown, code]).toEqual([
        shown,
        isText ? 'unsupported_media_type' : 'malformed_request',
      ]);
    }
  });

  test('bodies that are not valid forms', async () => {
    const good = String(encode(PATHS[operation], hashed(operation, usual(operation)), 'raw').body);
    const bodies = [
      'vid',
      '=',
      '=demo',
      '&',
      '&&',
      'vid=%',
      'vid=%2',
      'vid=%zz',
      'vid=%ff',
      'vid=%C3%28',
      'vid=%ED%A0%80',
      '%ff=1',
      'vid=%00',
      'vid=%0a',
      'vid[]=demo',
      'vid[a]=demo',
      'vid.a=1',
      `${good}&vid=demo`,
      `${good}&vid`,
      `vid=demo&${good}`,
      'x=1&'.repeat(2000),
      '{"vid":"demo"}',
    ];
    const unknown = [
      `${good}&x=1`,
      `${good}&__proto__=1`,
      `${good}&hash=${'0'.repeat(64)}`,
      `${good}&constructor=1`,
    ];
    for (const body of [...bodies, ...(isSigned ? unknown : [])]) {
      const contentType = 'application/x-www-form-urlencoded';
      expectCallersFault(await sandbox.send(post(contentType, body)), body.slice(0, 80));
      // The same text as a query has the same faults.
      const path = `${PATHS[operation]}?${body}`;
      if (/^[\x21-\x7e]+$/.test(path)) {
        expectCallersFault(await sandbox.send({ method: 'POST', path }), path.slice(0, 120));
      }
    }
  });

  test('bodies that are not valid multipart', async () => {
    const { body: good = '' } = encode(
      PATHS[operation],
      hashed(operation, usual(operation)),
      'multipart',
    );
    const text = String(good);
    const [boundary = ''] = /^--(\S+)/.exec(text)?.slice(1) ?? [];
    const type = `multipart/form-data; boundary=${boundary}`;
    const part = (headers: string, value = 'demo'): string =>
      text.replace(
        `--${boundary}--`,
        `--${boundary}\r\n${headers}\r\n\r\n${value}\r\n--${boundary}--`,
      );
    const bodies: readonly (readonly [string, string])[] = [
      ['multipart/form-data', text],
      ['multipart/form-data; boundary=', text],
      ['multipart/form-data; boundary=other', text],
      ['multipart/mixed; boundary=b', text],
      [type, 'vid=demo'],
      [type, text.slice(0, -boundary.length - 6)],
      [type, text.slice(0, text.length / 2)],
      [type, `--${boundary}--\r\n`],
      [type, part('Content-Disposition: form-data; name="vid"')],
      [type, part('Content-Disposition: form-data; name="vid"; filename="a.txt"')],
      ...(isSigned
        ? ([
            [type, part('Content-Disposition: form-data; name="x"')],
            [type, part('Content-Disposition: form-data; name="__proto__"')],
          ] as const)
        : []),
      [type, part('Content-Disposition: form-data')],
      [type, part('Content-Disposition: attachment; name="vid"')],
      [type, part('Content-Type: text/plain')],
      [type, part('X: y')],
      [type, part('Content-Disposition: form-data; name="phone"', '\ufeff254722000000')],
    ];
    for (const [contentType, body] of bodies) {
      expectCallersFault(
        await sandbox.send(post(contentType, body)),
        `${contentType} ${body.slice(-120)}`,
      );
    }
  });

  test('no body, too large a body, and parameters in two places', async () => {
    const params = hashed(operation, usual(operation));
    const query = encode(PATHS[operation], params, 'query').path;
    const json = encode(PATHS[operation], params, 'json');
    const requests: readonly WireRequest[] = [
      { method: 'POST', path: PATHS[operation] },
      { method: 'POST', path: `${PATHS[operation]}?` },
      post('application/json', ''),
      post('multipart/form-data; boundary=b', ''),
      { ...json, path: query },
      { ...json, path: `${PATHS[operation]}?x=1` },
      { method: 'POST', path: `${query}&x=${'x'.repeat(9000)}` },
      { method: 'POST', path: `${query}&${'x=1&'.repeat(2500)}` },
      post('application/json', Buffer.alloc(1024 * 1024, 0x20)),
      post('multipart/form-data; boundary=b', Buffer.alloc(1024 * 1024, 0x2d)),
      post('application/x-www-form-urlencoded', Buffer.alloc(1024 * 1024, 0x26)),
      { ...json, headers: { ...json.headers, 'content-encoding': 'gzip' }, body: '\x1f\x8b' },
      { ...json, headers: { 'content-type': 'text/plain' } },
      { ...json, headers: { 'content-type': 'application/json; charset=ebcdic' } },
      { ...json, headers: {} },
    ];
    for (const [index, request] of requests.entries()) {
      expectCallersFault(
        await sandbox.send(request),
        `${operation} #${index} ${request.path.slice(0, 60)}`,
      );
    }
  });
});

describe('requests that no HTTP library would send', () => {
  /** The whole answer to these bytes, until the server closes the connection. */
  async function exchange(bytes: string | Buffer): Promise<string> {
    const { hostname, port } = new URL(sandbox.origin);
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(bytes);
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
    await once(socket, 'close');
    return Buffer.concat(chunks).toString('utf8');
  }

  const host = 'Host: 127.0.0.1\r\nConnection: close\r\n';
  test.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a space in the path', `GET /billing/list?vid=a b HTTP/1.1\r\n${host}\r\n`, 400],
    [
      'bytes in the query',
      Buffer.from(`GET /billing/list?vid=\xff HTTP/1.1\r\n${host}\r\n`, 'latin1'),
      400,
    ],
    [
      'a bad length',
      `POST /transaction/create HTTP/1.1\r\n${host}Content-Length: ten\r\n\r\n`,
      400,
    ],
    [
      'two lengths',
      `POST /transaction/create HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
    ],
    [
      'a length and chunks',
      `POST /transaction/create HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'a chunk of unknown length',
      `POST /transaction/create HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
    [
      'endless headers',
      `GET /billing/list HTTP/1.1\r\n${host}X: ${'x'.repeat(70_000)}\r\n\r\n`,
      413,
    ],
    ['an unknown method', `BREW /billing/list?vid=demo HTTP/1.1\r\n${host}\r\n`, 400],
    ['an unknown version', `GET /billing/list?vid=demo HTTP/3.7\r\n${host}\r\n`, 400],
    ['an invalid host', 'GET /docs HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    [
      'an impossible address',
      'GET /docs HTTP/1.1\r\nHost: 1.2.3.999\r\nConnection: close\r\n\r\n',
      400,
    ],
    ['two hosts', `GET /billing/list?vid=demo HTTP/1.1\r\n${host}host: example.org\r\n\r\n`, 400],
    ['one host twice', `GET /docs/ HTTP/1.1\r\n${host}${host}\r\n`, 400],
    ['no host', 'GET /billing/list?vid=demo HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a broken escape in the path', `GET /billing/%zz HTTP/1.1\r\n${host}\r\n`, 404],
    ['a path above all', `GET /../../etc/passwd HTTP/1.1\r\n${host}\r\n`, 404],
    ['an expectation', `POST /transaction/create HTTP/1.1\r\n${host}Expect: cake\r\n\r\n`, 400],
  ] as const)('%s', async (_, bytes, status) => {
    const answer = await exchange(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as WireBody;
    expect(/^x-request-id: (.*)\r$/im.exec(answer)?.[1]).toBe(body.request_id);
    expect(body).toMatchObject({
      header_status: status,
      error: [{ code: expect.any(String) as string }],
      msg: { status: 0 },
      request_id: expect.any(String) as string,
    });
  });

  test('HTTP/1.0 requests need not name a host', async () => {
    expect(await exchange('GET /docs/api/ HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('half a request, then silence, affects nobody else', async () => {
    const { hostname, port } = new URL(sandbox.origin);
    const sockets = Array.from({ length: 50 }, () => connect(Number(port), hostname));
    try {
      for (const socket of sockets) {
        socket.on('error', () => undefined);
        socket.write(
          `POST /transaction/create HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`,
        );
      }
      expect((await sandbox.vendor.call('balance')).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

test('afterwards the service pays as before, and none of the failures was its own fault', async () =>
  await sandbox.expectUnharmed());
