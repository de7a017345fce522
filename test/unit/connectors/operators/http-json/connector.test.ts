import { expect, test } from 'vitest';
import { createHttpJsonConnector } from '../../../../../src/connectors/operators/http-json/connector.ts';
import type { HttpJsonOptions } from '../../../../../src/connectors/operators/http-json/connector.ts';

const OPTIONS: HttpJsonOptions = {
  operatorCode: 'acme',
  baseUrl: 'https://operator.example/api/',
  key: Buffer.alloc(32, 1).toString('base64'),
  callbackUrl: 'https://service.example/callbacks/acme',
  payTimeoutMs: 30_000,
  statusTimeoutMs: 10_000,
  connectTimeoutMs: 5000,
  acceptanceWindowMs: 60_000,
  maxConnections: 4,
  answerBytes: 1024,
};

test('declares its limits to the dispatcher', async () => {
  const connector = createHttpJsonConnector(OPTIONS);
  expect(connector.payDeadlineMs).toBe(30_000);
  expect(connector.acceptanceWindowMs).toBe(60_000);
  await connector.close();
  await connector.close();
});

test.each([
  ['http://operator.example', 'https'],
  ['http://127.0.0.1.operator.example', 'https'],
  ['ftp://127.0.0.1', 'https'],
  ['https://user:secret@operator.example', 'base URL'],
  ['https://:secret@operator.example', 'base URL'],
  ['https://operator.example/?x=1', 'base URL'],
  ['https://operator.example/#x', 'base URL'],
  ['operator.example', 'base URL'],
])('the base URL %s is refused', (baseUrl, reason) => {
  const create = () => createHttpJsonConnector({ ...OPTIONS, baseUrl });
  expect(create).toThrow('operator acme');
  expect(create).toThrow(reason);
});

test.each(['http://127.0.0.1:8081/x', 'http://localhost:8081', 'http://[::1]:8081'])(
  'the base URL %s is this machine',
  async (baseUrl) => {
    await createHttpJsonConnector({ ...OPTIONS, baseUrl }).close();
  },
);

test('an invalid key is refused, and not repeated', () => {
  expect(() => createHttpJsonConnector({ ...OPTIONS, key: 'short-secret' })).toThrow(
    /^operator acme: the key must be base64, with or without whsec_ in front$/,
  );
});
