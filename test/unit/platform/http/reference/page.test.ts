import { execFileSync } from 'node:child_process';
import { createHash, createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import document from '../../../../../openapi.json' with { type: 'json' };
import { canonicalText } from '../../../../../src/platform/base/canonical.ts';
import {
  exampleFile,
  firstValue,
  neededBefore,
} from '../../../../../src/platform/http/reference/page/examples.js';
import { operationsOf } from '../../../../../src/platform/http/reference/page/operations.js';
import {
  buildRequest,
  buildWholeRequest,
  signedRequest,
} from '../../../../../src/platform/http/reference/page/request.js';
import * as signing from '../../../../../src/platform/http/reference/page/signing.js';
import { readFields } from '../../../../../src/platform/http/wire/request.ts';
import { sign } from '../../../../../src/parties/signature.ts';
import { CONTRACT_OPERATIONS } from '../../../../support/contract-operations.ts';
import { parametersOf } from '../../../../support/parameters.ts';
import { headerOf } from '../../../../support/header-signature.ts';
import { RESOURCES } from '../../../../support/self-service-client.ts';

const operations = operationsOf(document);
const NAMES = parametersOf(['vid', 'amount', 'account', 'merchant_reference', 'hash']);
const ADDRESS = 'http://reference.test/prefix/transaction/create';
const AWKWARD = new Map([
  ['vid', 'demo'],
  ['amount', '100.00'],
  ['account', `A & B + 50% 'x' "y" \\n é`],
  ['merchant_reference', '@file;type=x'],
]);

function operation(id: string) {
  const found = operations.find((each) => each.id === id);
  if (found === undefined) throw new Error(`${id} is not on the page`);
  return found;
}

/** The parameters that a request carries, as the service reads them. */
async function read(sent: Request): Promise<Record<string, unknown>> {
  const reading = await readFields(
    {
      contentType: sent.headers.get('content-type') ?? undefined,
      body: Buffer.from(await sent.arrayBuffer()),
      query: new URL(sent.url).search.slice(1),
    },
    NAMES,
  );
  return Object.fromEntries(reading.fields);
}

describe('the signature that the page computes', () => {
  test('the page computes the service’s signature', async () => {
    const text = signing.canonicalText(new Map([...AWKWARD, ['hash', 'x']]));
    expect(text).toBe(canonicalText(AWKWARD));
    expect(await signing.hmacSha256('kéy', text)).toBe(sign(text, createSecretKey('kéy', 'utf8')));
  });

  test('covers the bytes of the file', async () => {
    const file = 'a,b\né,2\n';
    expect(await signing.sha256(file)).toBe(createHash('sha256').update(file).digest('hex'));
  });
});

describe('a request of the page', () => {
  const balance = operation('balance').forms;
  test.each(balance)('$label arrives as it was entered', async (form) => {
    const { url, init } = buildRequest(ADDRESS, form, { values: AWKWARD, file: undefined });
    expect(await read(new Request(url, init))).toEqual(Object.fromEntries(AWKWARD));
  });

  test.each(operation('bulkCreate').forms)('$label carries the whole file', async (form) => {
    const file = "biller_name,account\nsafaricom,'1 % \\n\n";
    const { url, init } = buildRequest(ADDRESS, form, { values: AWKWARD, file });
    const sent = new Request(url, init);
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual(Object.fromEntries(AWKWARD));
    const isMultipart = form.contentType.startsWith('multipart/');
    const part = isMultipart ? (await sent.formData()).get('file') : await sent.blob();
    expect(await (part as Blob).text()).toBe(file);
  });

  test.each([...balance, ...operation('bulkCreate').forms])(
    '$label as a curl line has the same values in a shell',
    ({ ...form }) => {
      const file = form.contentType === 'text/csv' ? "it's\n100 %\n" : undefined;
      const { url, init, curl } = buildRequest(ADDRESS, form, { values: AWKWARD, file });
      const script = `curl() { printf '%s\\n' "$@"; if [ -n "$FILE" ]; then cat; fi; }\n${curl}`;
      const env = { PATH: process.env['PATH'], FILE: file };
      const said = execFileSync('sh', ['-c', script], { encoding: 'utf8', env });
      expect(said).toContain(`${url}\n`);
      if (typeof init.body === 'string') expect(said).toContain(init.body);
      if (init.body instanceof FormData) {
        for (const [name, value] of AWKWARD) expect(said).toContain(`${name}=${value}\n`);
      }
    },
  );
});

describe('the examples of the page', () => {
  test('every required parameter has an example, or its value comes from an earlier answer', () => {
    for (const each of operations) {
      const empty = each.parameters.filter(
        (parameter) => parameter.isRequired && firstValue(each, parameter) === '',
      );
      const isFollowUp = [
        'transactionStatus',
        'bulkStatus',
        'bulkResult',
        'batchScoreStatus',
        'batchScoreResult',
        'watchCustomer',
        'unwatchCustomer',
        'getPayment',
      ].includes(each.id);
      expect([each.id, empty.length > 0 && !isFollowUp]).toEqual([each.id, false]);
    }
  });

  test('fit the contract and are new each time', () => {
    const bulk = operation('bulkCreate');
    for (const each of operations) {
      for (const parameter of each.parameters) {
        const [one, other] = [firstValue(each, parameter), firstValue(each, parameter)];
        const isReference = /reference/i.test(parameter.name) && one !== '';
        if (isReference) expect(one).not.toBe(other);
        if (parameter.name === 'idempotency_key') {
          expect(one).toMatch(/^[0-9a-f]{32}$/);
          expect(one).not.toBe(other);
        }
        if (parameter.name === 'requestReference' && isReference)
          expect(one).toMatch(/^[A-Za-z0-9]+$/);
      }
    }
    expect(exampleFile(bulk.file ?? '', 'text/csv')).not.toBe(
      exampleFile(bulk.file ?? '', 'text/csv'),
    );
  });

  test('an example file exists in both forms', () => {
    const { file = '' } = operation('bulkCreate');
    const lines = exampleFile(file, 'application/x-ndjson').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { biller_name: 'safaricom', account: '254722000001', amount: '100' },
      { biller_name: 'safaricom', account: '254722000002', amount: '1' },
    ]);
  });
});

describe('a request that is signed as a whole', () => {
  const values = new Map([
    ['vid', 'demo'],
    ['event_id', 'a/b c'],
    ['overlap_seconds', '600'],
    ['idempotency_key', 'it’s mine'],
    ['url', 'https://shop.example/'],
    ['types', 'float.low, float.recovered'],
  ]);
  const built = (id: string) =>
    buildWholeRequest('http://reference.test/prefix/', operation(id), values);

  test('has each parameter in its place', () => {
    expect(built('getEvent')).toEqual({
      url: 'http://reference.test/prefix/v1/events/a%2Fb%20c?vid=demo',
      method: 'GET',
      body: undefined,
    });
    expect(built('rotateKey')).toMatchObject({
      url: 'http://reference.test/prefix/v1/keys?vid=demo',
      body: '{"overlap_seconds":600,"idempotency_key":"it’s mine"}',
    });
    expect(built('setWebhook').body).toBe(
      '{"url":"https://shop.example/","types":["float.low","float.recovered"]}',
    );
  });

  test('a request that is signed as a whole is signed like the vectors, and is the same with curl', async () => {
    const { url, method, body = '' } = built('rotateKey');
    const target = '/prefix/v1/keys?vid=demo';
    const [time, nonce] = [1_800_000_000, signing.newNonce()];
    expect(nonce).toMatch(/^[A-Za-z0-9_-]{16,64}$/);
    const bodyDigest = await signing.sha256(body);
    const text = signing.requestText({ method, target, bodyDigest, time, nonce });
    const sig = await signing.hmacSha256('demo-security-key', text);
    const header = headerOf(
      { method, path: target, body },
      { key: 'demo-security-key', seconds: time, nonce },
    );
    expect(`v2,t=${time},nonce=${nonce},sig=${sig}`).toBe(header);
    const { init, curl } = signedRequest({ url, method, body }, header);
    expect(init).toMatchObject({ method: 'POST', body, headers: { 'x-signature': header } });
    const words = execFileSync('sh', ['-c', `printf '%s\n' ${curl}`], { encoding: 'utf8' });
    expect(words.split('\n')).toEqual(
      expect.arrayContaining([url, `X-Signature: ${header}`, body]),
    );
  });
});

test('every parameter, every field of an answer and every refusal is described', () => {
  expect(operations.length).toBe(CONTRACT_OPERATIONS.length + RESOURCES.length);
  for (const each of operations) {
    for (const { name, description } of each.parameters) {
      expect([each.id, name, description]).toEqual([each.id, name, expect.stringMatching(/\w/)]);
    }
    if (typeof each.answer !== 'string') expect(each.answerFields.length).toBeGreaterThan(0);
    const methods: Readonly<Record<string, { readonly responses: object }>> =
      document.paths[each.path as keyof typeof document.paths];
    const statuses = Object.keys(methods[each.method.toLowerCase()]?.responses ?? {});
    const shown = new Set(each.refusals.map(({ status }) => status));
    expect([...shown].toSorted()).toEqual(
      statuses.filter((status) => /^[345]/.test(status)).toSorted(),
    );
    expect(each.commonRefusals.map(({ code }) => code)).toContain('missing_field');
    for (const { when } of [...each.refusals, ...each.commonRefusals]) expect(when).toMatch(/\w/);
  }
});

test('what comes first is sent only where nothing else is asked about', () => {
  const status = operation('transactionStatus');
  const before = (values: Record<string, string>) =>
    neededBefore(status, new Map(Object.entries({ vid: 'demo', ...values })));
  expect(before({})).toEqual(['createTransaction']);
  expect(before({ reference: 'x' })).toEqual([]);
  expect(before({ merchant_reference: 'x' })).toEqual([]);
  expect(before({ ipay_reference: 'x' })).toEqual([]);
  expect(neededBefore(operation('bulkResult'), new Map([['format', 'csv']]))).toEqual([
    'bulkCreate',
  ]);
});
