import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  const emulator = new VtpassEmulator({ webhookUrl: () => '', deliverAfterMs: 1 });
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
    protocols: { name: string; proofOfNonExecution: string[] }[];
  };
  expect(protocols.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['http-json', 'daraja-b2b', 'jambopay', 'dt-one', 'http']),
  );
  for (const { proofOfNonExecution } of protocols) expect(proofOfNonExecution).not.toEqual([]);
  const daraja = await must(environment, 'operator', 'protocols', 'daraja-b2b');
  expect(daraja.stdout).toContain('What proves that nothing was executed:');
});

test('an operator by configuration is added, given its secret, and tested without paying', async () => {
  const others = ['--name', 'VTpass', '--connector', 'http', '--base-url', baseUrl];
  await must(environment, 'operator', 'set', 'vtpass', ...others, '--settings-file', CONFIG);
  const generated = await inProcess(environment, 'operator', 'set-key', 'vtpass');
  expect(generated.exitCode).not.toBe(0);
  expect(generated.stderr).toContain('comes from the operator');
  const before = await inProcess(environment, 'operator', 'test', 'vtpass');
  expect(before.stderr).toContain('has no key yet');
  const secret = '{"api_key":"a","secret_key":"s"}';
  await must(environment, 'operator', 'set-key', 'vtpass', '--key', secret);
  const about = ['--biller', 'kplc_prepaid', '--account', '1111111111111'];
  const { stdout } = await must(environment, 'operator', 'test', 'vtpass', ...about, '--json');
  const { findings } = JSON.parse(stdout) as {
    findings: { isEstablished: boolean; detail: string }[];
  };
  expect(findings.map(({ isEstablished, detail }) => [isEstablished, detail])).toEqual([
    [true, '1000000.00'],
    [true, 'not found'],
    [true, 'valid, TEST CUSTOMER'],
    [false, 'only a payment shows whether they arrive'],
  ]);
});

test.each([
  ['{"handle":"$now("}', 'settings'],
  ['[]', 'must be a JSON object'],
  ['{', 'JSON'],
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
