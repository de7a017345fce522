import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DtOneEmulator } from '../../sandbox/providers/dt-one/emulator.ts';
import { createGateway } from '../../sandbox/providers/dt-one/listener.ts';
import { VtpassEmulator } from '../../sandbox/providers/vtpass/emulator.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { inProcess, must, newMasterKey } from './cli-support.ts';

const CONFIG = fileURLToPath(
  new URL('../../sandbox/providers/vtpass/config.json', import.meta.url),
);

let database: TestDatabase;
let environment: Record<string, string>;
let server: Server;
let baseUrl: string;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, MASTER_KEY: newMasterKey() };
  const emulator = new VtpassEmulator({
    apiKey: 'a',
    webhookUrl: () => '',
    deliverAfterMs: 1,
  });
  server = createServer(emulator.listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(path.join(tmpdir(), 'connectors-'));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
  await database.drop();
});

test('every protocol says what proves that nothing was executed', async () => {
  const { stdout } = await must(environment, 'operator', 'protocols', '--json');
  const { protocols } = JSON.parse(stdout) as {
    protocols: { name: string; proof_of_non_execution: string[] }[];
  };
  expect(protocols.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['http-json', 'daraja-b2b', 'jambopay', 'dt-one', 'http']),
  );
  for (const { proof_of_non_execution: proof } of protocols) expect(proof).not.toEqual([]);
  // Without a database.
  const daraja = await must({}, 'operator', 'protocol', 'daraja-b2b');
  expect(daraja.stdout).toMatch(/What proves that nothing was executed\n  - /);
});

test('an operator by configuration is added, given its secret, and tested without paying', async () => {
  const others = ['--name', 'VTpass', '--connector', 'http', '--base-url', baseUrl];
  await must(environment, 'operator', 'set', 'vtpass', ...others, '--settings-file', CONFIG);
  const generated = await inProcess(environment, 'operator', 'set-key', 'vtpass');
  expect(generated.exitCode).not.toBe(0);
  expect(generated.stderr).toContain('comes from the operator');
  const before = await inProcess(environment, 'operator', 'test', 'vtpass');
  expect(before.stderr).toContain('has no key yet');
  const secret = '{"api_key":"a","secret_key":"s","public_key":"p"}';
  await must(environment, 'operator', 'set-key', 'vtpass', '--key', secret);
  const about = ['--biller', 'kplc_prepaid', '--account', '1111111111111'];
  const { stdout } = await must(environment, 'operator', 'test', 'vtpass', ...about, '--json');
  const { findings } = JSON.parse(stdout) as {
    findings: { is_established: boolean; detail: string }[];
  };
  expect(findings.map((one) => [one.is_established, one.detail])).toEqual([
    [true, 'it answered about our float'],
    [true, '1000000.00'],
    [true, 'not found, which is proof 60 s after the last moment of sending'],
    [true, 'valid, TEST CUSTOMER, 2500.00 due, until 2026-01-31'],
    [true, '1'],
    [false, 'only a payment shows whether they arrive'],
  ]);
  const shown = await must(environment, 'operator', 'test', 'vtpass', ...about);
  expect(shown.stdout).toMatch(/^our float +yes +1000000\.00$/m);
  expect(shown.stdout).toMatch(/^callbacks +no +only a payment/m);
  for (const line of shown.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('lists what an operator sells, where it has a list', async () => {
  const emulator = new DtOneEmulator({ apiKey: 'k', apiSecret: 's', speed: 0, lateLookups: 0 });
  const provider = createServer(createGateway(emulator).listener).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const file = path.join(folder, 'dt-one.json');
  await writeFile(file, '{"billers":{"kplc_prepaid":{"product_id":1001}}}');
  const others = ['--name', 'DT One', '--connector', 'dt-one', '--base-url', url];
  await must(environment, 'operator', 'set', 'dtone', ...others, '--settings-file', file);
  const secret = '{"api_key":"k","api_secret":"s"}';
  await must(environment, 'operator', 'set-key', 'dtone', '--key', secret);
  const { stdout } = await must(environment, 'operator', 'products', 'dtone', '--json');
  const { products } = JSON.parse(stdout) as { products: { product_code: string }[] };
  expect(products.map((one) => one.product_code)).toEqual(['1001', '1002']);
  const found = await must(environment, 'operator', 'products', 'dtone', '--search', 'AIRTIME');
  expect(found.stdout).toMatch(/100\.00 +97\.50/);
  expect(found.stdout).not.toContain('1001');

  const biller = ['--name', 'Power', '--category', 'power', '--minimum', '10'];
  await must(environment, 'biller', 'set', 'kplc_prepaid', '--operator', 'dtone', biller);
  const known = await must(environment, 'biller', 'products', 'kplc_prepaid');
  expect(known.stdout).toContain('dtone has never listed anything');
  const fresh = await must(environment, 'biller', 'refresh-products', 'kplc_prepaid');
  expect(fresh.stdout).toMatch(/^dtone +1001 +Example Power, any amount/m);
  expect(fresh.stdout).not.toContain('1002');
  expect(fresh.stdout).toMatch(/dtone listed them \d{4}-\d\d-\d\d/);
  await must(environment, 'biller', 'set', 'kplc_prepaid', '--amounts', 'products');
  provider.closeAllConnections();
  provider.close();
  const failed = await inProcess(environment, 'biller', 'refresh-products', 'kplc_prepaid');
  expect(failed.stderr).toContain('dtone did not send its list');
  const kept = await must(environment, 'biller', 'products', 'kplc_prepaid', '--json');
  expect(JSON.parse(kept.stdout)).toMatchObject({
    amounts: 'products',
    operators: [{ operator: 'dtone', refreshed_at: expect.any(String), error: expect.any(String) }],
    products: [
      {
        operator: 'dtone',
        product_code: '1001',
        amount: { minimum: '10.00', maximum: '10000.00', currency: 'KES' },
        validity: null,
      },
    ],
  });
  const none = await inProcess(environment, 'operator', 'products', 'dtone');
  expect(none.stderr).toContain('did not send its list');
  const vtpass = await must(environment, 'operator', 'products', 'vtpass');
  expect(vtpass.stdout).toContain('example-electric/prepaid');
  const plain = ['--name', 'Plain', '--connector', 'http-json', '--base-url', url];
  await must(environment, 'operator', 'set', 'plain', plain);
  await must(environment, 'operator', 'set-key', 'plain');
  const without = await inProcess(environment, 'operator', 'products', 'plain');
  expect(without.stderr).toContain('has no list of products');
});

test.each([
  ['{"handle":"$now("}', 'settings'],
  ['[]', 'whose content is a JSON object'],
  ['{', 'whose content is a JSON object'],
])('a settings file that cannot be used is refused: %s', async (text, message) => {
  const file = path.join(folder, 'settings.json');
  await writeFile(file, text);
  const others = ['--name', 'X', '--connector', 'http', '--base-url', baseUrl];
  const refused = await inProcess(
    environment,
    ...['operator', 'set', 'broken', ...others, '--settings-file', file],
  );
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain(message);
});
