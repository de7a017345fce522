import { expect, test } from 'vitest';
import { compileRequest } from '../../../../../src/connectors/operators/http/message.ts';
import { readXml } from '../../../../../src/connectors/operators/http/xml.ts';
import { readJson } from '../../../../../src/connectors/values.ts';

/** For an operator without its own path prefix, headers or signatures. */
const PLAIN = { prefix: '', headers: async () => ({}), signing: null };
const INPUT = { account: 'A&B <1>', amount: '100.00' };

test.each([
  [
    { path: '/pay', json: "{ 'acc': account, 'sum': $number(amount) }" },
    'application/json',
    '{"acc":"A&B <1>","sum":100}',
  ],
  [
    { path: '/pay', form: "{ 'acc': account, 'sum': amount }" },
    'application/x-www-form-urlencoded',
    'acc=A%26B+%3C1%3E&sum=100.00',
  ],
  [
    { path: '/pay', xml: '<pay acc="{{ account }}"><sum>{{ amount }}</sum></pay>' },
    'application/xml',
    '<pay acc="A&amp;B &lt;1&gt;"><sum>100.00</sum></pay>',
  ],
])('writes the body of %j', async (settings, type, body) => {
  const request = await compileRequest('pay', settings, PLAIN)(INPUT);
  expect(request).toEqual({
    method: 'POST',
    path: '/pay',
    body,
    headers: { 'content-type': type },
  });
});

const HOSTILE = `1' or "2"\n</acc>{{ secret.key }}&x=1$(id)%00`;

test('a hostile account stays one value in every format', async () => {
  const input = { account: HOSTILE, secret: { key: 's' } };
  const filled = async (settings: Parameters<typeof compileRequest>[1]) =>
    await compileRequest('pay', settings, PLAIN)(input);
  const { body: json } = await filled({ path: '/', json: "{ 'acc': account }" });
  expect(JSON.parse(json ?? '')).toEqual({ acc: HOSTILE });
  const { body: form } = await filled({ path: '/', form: "{ 'acc': account }" });
  expect([...new URLSearchParams(form ?? '')]).toEqual([['acc', HOSTILE]]);
  const { body: xml } = await filled({ path: '/', xml: '<p><acc>{{ account }}</acc></p>' });
  expect(readXml(xml ?? '')).toEqual({ p: { acc: HOSTILE } });
  const { path } = await filled({ path: '/a/{{ account }}?b={{ account }}' });
  const url = new URL(path, 'http://localhost');
  expect([url.pathname, url.searchParams.get('b')]).toEqual([
    `/a/${encodeURIComponent(HOSTILE)}`,
    HOSTILE,
  ]);
});

test.each(['.', '..'])('an account %s does not make the path another one', async (account) => {
  const request = compileRequest('pay', { path: '/bills/{{ account }}/pay' }, PLAIN);
  await expect(request({ account })).rejects.toThrow('pay.path');
});

test('a GET has no body', async () => {
  const request = await compileRequest('balance', { method: 'GET', path: '/b' }, PLAIN)(INPUT);
  expect(request).toEqual({ method: 'GET', path: '/b', body: null, headers: {} });
});

test('two bodies are refused', () => {
  expect(() => compileRequest('pay', { path: '/', json: '{}', form: '{}' }, PLAIN)).toThrow(
    /more than one/,
  );
});

test('numbers stay as they are written: a token of 20 digits keeps them all', () => {
  expect(readJson(Buffer.from('{"token":00001111,"n":1}'))).toBeUndefined();
  expect(readJson(Buffer.from('{"token":12345678901234567890,"a":100.50}'))).toEqual({
    token: '12345678901234567890',
    a: '100.50',
  });
  expect(readJson(Buffer.from('<html>'))).toBeUndefined();
  expect(readJson(Buffer.from([0xff, 0xfe]))).toBeUndefined();
});
