import { createSecretKey } from 'node:crypto';
import { runInThisContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { canonicalText } from '../../src/base/canonical.ts';
import { readFields } from '../../src/http/wire/request.ts';
import { fetchSigned } from '../../src/http/reference-signing.ts';
import { sign } from '../../src/vendors/signature.ts';
import { parametersOf } from '../support/parameters.ts';

const URL = 'http://reference.test/transaction/create';
const NAMES = parametersOf(['vid', 'collector', 'amount', 'account', 'phone']);
const WRONG = '0'.repeat(64);

afterEach(() => vi.unstubAllGlobals());

/** Sends it from the page and returns what reaches the server, as the service reads it. */
async function whatIsSent(url: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  let sent: Request | undefined;
  vi.stubGlobal('fetch', (...call: Parameters<typeof fetch>) => {
    sent = new Request(...call);
    return Promise.resolve(new Response('{}'));
  });
  // The page gets the function as text, so that is what is tried.
  const inPage = runInThisContext(`(${fetchSigned.toString()})`) as typeof fetchSigned;
  await inPage(url, init);
  if (sent === undefined) throw new Error('nothing was sent');
  const reading = await readFields(
    {
      contentType: sent.headers.get('content-type') ?? undefined,
      body: Buffer.from(await sent.arrayBuffer()),
      query: new globalThis.URL(sent.url).search.slice(1),
    },
    NAMES,
  );
  return Object.fromEntries(reading.fields);
}

function hashOf(fields: Record<string, string | null>, key: string): string {
  return sign(canonicalText(new Map(Object.entries(fields))), createSecretKey(key, 'utf8'));
}

const fields = { vid: 'demo', amount: '100.00', account: 'A & B + 50%' };
const signed = { ...fields, hash: hashOf(fields, 'demo-security-key') };

describe('“Test Request” signs for the demo vendors', () => {
  test('a JSON body', async () => {
    const body = JSON.stringify({ ...fields, hash: WRONG });
    const headers = { 'content-type': 'application/json' };
    expect(await whatIsSent(URL, { method: 'POST', headers, body })).toEqual(signed);
  });

  test('numbers as they were written, null left out', async () => {
    const body = `{"vid":"demo","amount":10.50,"phone":null,"hash":""}`;
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const sent = await whatIsSent(URL, { method: 'POST', headers, body });
    expect(sent['amount']).toBe('10.50');
    expect(sent['hash']).toBe(hashOf({ vid: 'demo', amount: '10.50' }, 'demo-security-key'));
  });

  test('a form', async () => {
    const body = new URLSearchParams({ ...fields, hash: WRONG });
    expect(await whatIsSent(URL, { method: 'POST', body })).toEqual(signed);
  });

  test('a multipart form', async () => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...fields, hash: WRONG })) body.set(name, value);
    expect(await whatIsSent(URL, { method: 'POST', body })).toEqual(signed);
  });

  test('a query', async () => {
    const query = new URLSearchParams({ ...fields, hash: WRONG });
    expect(await whatIsSent(`${URL}?${query.toString()}`)).toEqual(signed);
  });

  test('and for the demo collector with its own key', async () => {
    const report = { vid: 'demo', collector: 'demo-collector', amount: '1' };
    const body = new URLSearchParams({ ...report, hash: WRONG });
    const sent = await whatIsSent(URL, { method: 'POST', body });
    expect(sent['hash']).toBe(hashOf(report, 'demo-collector-key'));
  });
});

describe('“Test Request” for other vendors', () => {
  const mine = { ...fields, vid: 'mine' };

  test('signs with the key that is typed into hash', async () => {
    const body = new URLSearchParams({ ...mine, hash: 'my own key' });
    const sent = await whatIsSent(URL, { method: 'POST', body });
    expect(sent).toEqual({ ...mine, hash: hashOf(mine, 'my own key') });
  });

  test('leaves a hash as it is', async () => {
    const body = new URLSearchParams({ ...mine, hash: WRONG });
    expect(await whatIsSent(URL, { method: 'POST', body })).toEqual({ ...mine, hash: WRONG });
  });

  test('keeps the key to itself where browsers do not sign', async () => {
    vi.stubGlobal('isSecureContext', false);
    const body = JSON.stringify({ ...mine, hash: 'my own key' });
    const headers = { 'content-type': 'application/json' };
    const sent = await whatIsSent(URL, { method: 'POST', headers, body });
    expect(sent).toEqual({ ...mine, hash: '' });
  });
});

test('requests without a hash pass unchanged', async () => {
  expect(await whatIsSent(`${URL}?vid=demo`)).toEqual({ vid: 'demo' });
});
