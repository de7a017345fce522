import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addFundedVendor, fresh } from '../support/demo-vendors.ts';
import { expectCallersFault, expectRefusal } from '../support/refusals.ts';
import { SandboxWorkshop } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { BODY_FORMS, PATHS, UNSIGNED, encode, send, signed } from '../support/vendor-client.ts';
import type {
  Answer,
  BodyForm,
  OperationName,
  Params,
  VendorClient,
  WireRequest,
} from '../support/vendor-client.ts';

const workshop = new SandboxWorkshop();
let sandbox: Sandbox;
let vendor: VendorClient;
beforeAll(async () => {
  sandbox = await workshop.start({ env: { FUND_WINDOW_SECONDS: '86400' } });
  vendor = await addFundedVendor(sandbox, { floatAmount: '1000000.00' });
});
afterAll(async () => await workshop.cleanUp());

const OPERATIONS = Object.keys(PATHS) as OperationName[];

/** Good parameters, so that one bad value is all that is wrong. */
function usual(operation: OperationName): Readonly<Record<string, string>> {
  const { vid } = vendor;
  switch (operation) {
    case 'fund':
      return { vid, currency: 'KES', time: String(Date.now()) };
    case 'collect':
      return {
        collector: 'demo-collector',
        vid,
        reference: fresh('receipt'),
        amount: '10.00',
        currency: 'KES',
        paid_at: '2026-01-05 09:00:00',
      };
    case 'create':
      return {
        vid,
        biller_name: 'gotv',
        amount: '60.00',
        account: '2012345678',
        phone: '254722000000',
        merchant_reference: fresh('order'),
      };
    case 'status':
      return { vid, reference: '0'.repeat(32) };
    case 'validate':
      return { vid, account: '2012345678', account_type: 'gotv', phone: '254722000000' };
    case 'lookup':
      return { vid, prefix: '722' };
    case 'billerStatus':
      return { vid, biller_code: 'gotv' };
    default:
      return { vid };
  }
}

function withHash(operation: OperationName, params: Params): Params {
  if (UNSIGNED.has(operation)) return params;
  return signed(params, operation === 'collect' ? 'demo-collector-key' : vendor.key);
}

async function sendBad(request: WireRequest): Promise<Answer> {
  return await send(sandbox.origin, request);
}

const CODES = ['GOTV', 'go-tv', 'x'.repeat(41), 'no_such', '__proto__', 'constructor', 'go tv'];
const SIGNER_NAMES = ['nobody', 'x'.repeat(65), 'demo demo', 'DEMO', '__proto__', 'toString'];

/** What is wrong for each parameter, in the words of its own grammar. */
const BAD_VALUES: Readonly<Record<string, readonly string[]>> = {
  amount: [
    '-1',
    '-0',
    '+5',
    '1e2',
    '1E400',
    '60.000',
    '60.',
    '.5',
    '60,00',
    '1 000',
    ' 60',
    '60 ',
    'NaN',
    'Infinity',
    '0x64',
    '٦٠',
    'sixty',
    '0',
    '0.00',
    '9007199254740993',
    '1000000000000',
    '9'.repeat(400),
    '1.00.00',
    '--1',
    '1_000',
  ],
  account: [' 123', '-1', '<b>', 'x'.repeat(65), 'a"b', 'a;b', 'a&b', 'a=b', 'a\\b', '.', '*'],
  phone: ['abc', '12345678', '1'.repeat(16), '++254722000000', '254 722 000 000', '0722-000000'],
  merchant_reference: [' x', 'x ', 'x'.repeat(65), 'é', ' '],
  biller_name: CODES,
  biller_code: CODES,
  account_type: CODES,
  reference: ['x'.repeat(65), 'O'.repeat(32), '0'.repeat(31), ' ', '%'],
  time: [
    'now',
    '123',
    '2026-13-01 00:00:00',
    '2026-02-30 00:00:00',
    '-1795236000',
    '1e9',
    '99999999999',
    '9999999999999',
    '2026-11-21T00:00:00',
    '0000-00-00 00:00:00',
  ],
  currency: ['kes', 'KES ', 'USD', 'KE', 'K€S', 'KESH'],
  prefix: ['72', '7222', '0722', 'abc', '７２２', '-72', '7.2', '000', ' 72'],
  collector: SIGNER_NAMES,
  vid: SIGNER_NAMES,
  paid_at: [
    'yesterday',
    '2026-01-05T25:00:00Z',
    '2026-01-05T09:00:00',
    '2026-01-05',
    '1',
    '9'.repeat(41),
    '2026-01-05T09:00:00+99:00',
  ],
};
/** Characters that are never valid, wherever they come. */
const BAD_CHARACTERS = [
  'tab\there',
  'line\nbreak',
  'nothing\u0000',
  'delete\u007f',
  'c1\u0085',
  'right\u202eto left',
  'mark\ufeff',
  'replaced\ufffd',
];
const LONG = 'x'.repeat(1025);
const BAD_HASHES = ['', 'x', '0'.repeat(63), '0'.repeat(65), 'g'.repeat(64), '0'.repeat(64)];

/** A collection reference has the grammar of a merchant’s. */
function badValuesOf(operation: OperationName, name: string): readonly string[] {
  const own = operation === 'collect' && name === 'reference' ? 'merchant_reference' : name;
  return [...(BAD_VALUES[own] ?? []), ...BAD_CHARACTERS, '🙂', LONG];
}

/** Which parameter the answer has to name: an unknown signer is told like a wrong hash. */
function fieldAtFault(operation: OperationName, name: string): string {
  const signer = operation === 'collect' ? 'collector' : 'vid';
  return name === signer && !UNSIGNED.has(operation) ? 'hash' : name;
}

describe.each(OPERATIONS)('%s', (operation) => {
  test.each(BODY_FORMS)('one bad value, rightly signed, as %s', async (form) => {
    const requests: { name: string; value: string; request: WireRequest }[] = [];
    for (const name of Object.keys(usual(operation))) {
      for (const value of badValuesOf(operation, name)) {
        const params = withHash(operation, { ...usual(operation), [name]: value });
        requests.push({ name, value, request: encode(PATHS[operation], params, form) });
      }
    }
    const answers = await Promise.all(requests.map(async ({ request }) => sendBad(request)));
    for (const [index, { name, value }] of requests.entries()) {
      // The unsigned operations tell everybody the same, whoever asks.
      if (UNSIGNED.has(operation) && name === 'vid' && /^[\w.-]{1,64}$/.test(value)) continue;
      const shown = `${operation} ${form} ${name}=${JSON.stringify(value.slice(0, 40))}`;
      const answer = answers[index];
      if (answer === undefined) throw new Error('no answer');
      const fault = expectCallersFault(answer, shown);
      // The built-in multipart parser would hide such a mark, so it is looked for in the whole body.
      if (form === 'multipart' && value.includes('\ufeff')) continue;
      if (BAD_CHARACTERS.includes(value)) {
        expect([shown, fault]).toEqual([shown, { code: 'malformed_request', field: name }]);
      } else if (value === LONG) {
        expect([shown, fault]).toEqual([shown, { code: 'payload_too_large', field: name }]);
      } else {
        expect([shown, fault.field]).toEqual([shown, fieldAtFault(operation, name)]);
      }
    }
  });

  test('one that is missing, empty or null', async () => {
    const optional = new Set(['merchant_reference', 'phone']);
    for (const name of Object.keys(usual(operation))) {
      if (optional.has(name)) continue;
      for (const value of [undefined, '', null]) {
        const { [name]: _, ...others } = usual(operation);
        const params = withHash(
          operation,
          value === undefined ? others : { ...others, [name]: value },
        );
        const answer = await sendBad(encode(PATHS[operation], params, 'json'));
        expectRefusal(answer, {
          status: 400,
          code: 'missing_field',
          field: name,
          atTopLevel: operation === 'validate',
        });
      }
    }
  });

  const post = (contentType: string, body: string | Buffer): WireRequest => ({
    method: 'POST',
    path: PATHS[operation],
    headers: { 'content-type': contentType },
    body,
  });

  test('JSON that is none, or not flat', async () => {
    const good = JSON.stringify(withHash(operation, usual(operation)));
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
      more('"__proto__":{"vid":"demo"}'),
      more('"__proto__":"x"'),
      more('"constructor":"x"'),
      more('"":"x"'),
      more('"vid ":"x"'),
      more('"VID":"demo"'),
      more('"x":1'),
      more('"\\u0076id":"demo"'),
      more('"hash":"0"'),
      `{"vid":${'['.repeat(4000)}${']'.repeat(4000)}}`,
      `{"vid":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`,
      `{${Array.from({ length: 1000 }, (_, index) => `"a${index}":1`).join(',')}}`,
      `{"vid":${'9'.repeat(2000)}}`,
      `{"vid":1e${'9'.repeat(300)}}`,
    ];
    for (const body of bodies) {
      expectCallersFault(await sendBad(post('application/json', body)), body.slice(0, 80));
    }
  });

  test('bytes that are no text', async () => {
    const good = JSON.stringify(withHash(operation, usual(operation)));
    const form = String(
      encode(PATHS[operation], withHash(operation, usual(operation)), 'raw').body,
    );
    const bodies: readonly (readonly [string, Buffer])[] = [
      ['application/json', Buffer.from(good, 'utf16le')],
      ['application/json', Buffer.from([0xff, 0xfe, 0x00])],
      ['application/json', Buffer.concat([Buffer.from('{"vid":"'), Buffer.from([0xc3, 0x28])])],
      ['application/json; charset=latin1', Buffer.from(good)],
      ['application/json; charset=utf-16', Buffer.from(good)],
      ['application/x-www-form-urlencoded', Buffer.from(`${form}&vid=\xe9`, 'latin1')],
      ['application/x-www-form-urlencoded', Buffer.from(`vid=\xed\xa0\x80`, 'latin1')],
      ['application/x-www-form-urlencoded', Buffer.from([0x00, 0xff, 0x3d, 0x80])],
      ['multipart/form-data; boundary=b', Buffer.from([0xff, 0x00, 0x80])],
    ];
    for (const [contentType, body] of bodies) {
      const shown = `${contentType} ${body.toString()}`;
      const { code } = expectCallersFault(await sendBad(post(contentType, body)), shown);
      const isText = contentType.includes('charset');
      expect([shown, code]).toEqual([
        shown,
        isText ? 'unsupported_media_type' : 'malformed_request',
      ]);
    }
  });

  test('forms that are none', async () => {
    const good = String(
      encode(PATHS[operation], withHash(operation, usual(operation)), 'raw').body,
    );
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
      `${good}&x=1`,
      `${good}&__proto__=1`,
      `${good}&vid`,
      `vid=demo&${good}`,
      `${good}&hash=${'0'.repeat(64)}`,
      `${good}&constructor=1`,
      'x=1&'.repeat(2000),
      '{"vid":"demo"}',
    ];
    for (const body of bodies) {
      const contentType = 'application/x-www-form-urlencoded';
      expectCallersFault(await sendBad(post(contentType, body)), body.slice(0, 80));
      // As a query the same things are wrong.
      const path = `${PATHS[operation]}?${body}`;
      if (/^[\x21-\x7e]+$/.test(path)) {
        expectCallersFault(await sendBad({ method: 'POST', path }), path.slice(0, 120));
      }
    }
  });

  test('multipart that is none', async () => {
    const { body: good = '' } = encode(
      PATHS[operation],
      withHash(operation, usual(operation)),
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
      [type, part('Content-Disposition: form-data; name="x"')],
      [type, part('Content-Disposition: form-data; name="__proto__"')],
      [type, part('Content-Disposition: form-data')],
      [type, part('Content-Disposition: attachment; name="vid"')],
      [type, part('Content-Type: text/plain')],
      [type, part('X: y')],
      [type, part('Content-Disposition: form-data; name="phone"', '\ufeff254722000000')],
    ];
    for (const [contentType, body] of bodies) {
      expectCallersFault(
        await sendBad(post(contentType, body)),
        `${contentType} ${body.slice(-120)}`,
      );
    }
  });

  test('nothing at all, too much, and two places at once', async () => {
    const params = withHash(operation, usual(operation));
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
        await sendBad(request),
        `${operation} #${index} ${request.path.slice(0, 60)}`,
      );
    }
  });
});

test.each(OPERATIONS.filter((operation) => !UNSIGNED.has(operation)))(
  '%s with a bad hash',
  async (operation) => {
    for (const hash of BAD_HASHES) {
      for (const form of BODY_FORMS) {
        const request = encode(PATHS[operation], { ...usual(operation), hash }, form);
        const { field } = expectCallersFault(await sendBad(request), `${form} hash=${hash}`);
        expect(field).toBe('hash');
      }
    }
  },
);

describe('what no HTTP library would send', () => {
  /** The whole answer to these bytes, until the server hangs up. */
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
    ['no host', 'GET /billing/list?vid=demo HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a broken escape in the path', `GET /billing/%zz HTTP/1.1\r\n${host}\r\n`, 404],
    ['a path above all', `GET /../../etc/passwd HTTP/1.1\r\n${host}\r\n`, 404],
    ['an expectation', `POST /transaction/create HTTP/1.1\r\n${host}Expect: cake\r\n\r\n`, 400],
  ] as const)('%s', async (_, bytes, status) => {
    const answer = await exchange(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as unknown;
    expect(body).toMatchObject({
      header_status: status,
      error: [{ code: expect.any(String) as string }],
      msg: { status: 0 },
      request_id: expect.any(String) as string,
    });
  });

  test('half a request, then silence, harms nobody', async () => {
    const { hostname, port } = new URL(sandbox.origin);
    const sockets = Array.from({ length: 50 }, () => connect(Number(port), hostname));
    try {
      for (const socket of sockets) {
        socket.on('error', () => undefined);
        socket.write(
          `POST /transaction/create HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`,
        );
      }
      expect((await vendor.call('balance')).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

const NAMES = [
  ...new Set(
    OPERATIONS.flatMap((name) => Object.keys(BAD_VALUES).concat(name, 'hash', '__proto__')),
  ),
];

describe('anything', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(...Object.values(BAD_VALUES).flat(), ...BAD_CHARACTERS),
    fc.constantFrom('60.00', 'gotv', 'KES', '722', '254722000000', '2012345678', '1767592800'),
    fc.bigInt().map(String),
    fc.double().map(String),
  );
  const someRequest = fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    method: fc.constantFrom('GET', 'POST', 'POST', 'POST'),
    form: fc.constantFrom<BodyForm>(...BODY_FORMS),
    asContentType: fc.option(
      fc.constantFrom(
        'application/json',
        'multipart/form-data; boundary=b',
        'text/plain',
        'a/b; c',
      ),
    ),
    params: fc.dictionary(fc.constantFrom(...NAMES), fc.option(value, { freq: 9 }), { maxKeys: 6 }),
    keepUsual: fc.boolean(),
    isSigned: fc.boolean(),
    cut: fc.option(fc.nat(200)),
    flip: fc.option(fc.record({ at: fc.nat(200), to: fc.nat(255) })),
  });

  function build(
    wanted: typeof someRequest extends fc.Arbitrary<infer Made> ? Made : never,
  ): WireRequest {
    const { operation, form, params, cut, flip } = wanted;
    const merged = { ...(wanted.keepUsual ? usual(operation) : {}), ...params };
    const all = wanted.isSigned ? withHash(operation, merged) : merged;
    const request = encode(PATHS[operation], all, form);
    if (request.body === undefined) return { ...request, method: wanted.method };
    const bytes = Buffer.from(request.body);
    if (flip !== null && flip.at < bytes.length) bytes[flip.at] = flip.to;
    return {
      method: wanted.method,
      path: request.path,
      headers:
        wanted.asContentType === null
          ? (request.headers ?? {})
          : { 'content-type': wanted.asContentType },
      body: cut === null ? bytes : bytes.subarray(0, cut),
    };
  }

  test('is answered, or refused as the caller’s fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someRequest, { minLength: 8, maxLength: 8 }), async (wanted) => {
        const requests = wanted.map(build);
        const answers = await Promise.all(requests.map(sendBad));
        for (const [index, answer] of answers.entries()) {
          if (answer.status === 200) expect(answer.body).not.toHaveProperty('error');
          else expectCallersFault(answer, JSON.stringify(wanted[index]));
        }
      }),
      { numRuns: 400 },
    );
  }, 60_000);
});

test('after all that the service pays as before, and nothing was its own fault', async () => {
  const reference = await vendor.accepted({ account: '254722999999' });
  await until('it is paid', async () => {
    return (await vendor.transaction(reference)).transaction_status === 'SUCCESS';
  });
  expect(sandbox.process.ending).toBeUndefined();
  const faults = sandbox.process.stderr
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line));
  expect(faults).toEqual([]);
});
