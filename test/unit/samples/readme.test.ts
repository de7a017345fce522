import { execFile, spawnSync } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inertOperations } from '../../../scripts/inert-api.ts';
import { readFields } from '../../../src/platform/http/wire/request.ts';
import { verify } from '../../../src/parties/signature.ts';
import { parametersOf } from '../../support/parameters.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const NAMES = parametersOf(
  'vid time currency account amount biller_name merchant_reference reference'.split(' '),
);
const PATHS = new Set([
  '/payments/v2/billing/fund',
  '/transaction/create',
  '/transaction/check/status',
]);
const ANSWERS = new Map(
  inertOperations()
    .filter(({ path: url }) => PATHS.has(url))
    .map(({ path: url, example }) => [url, example.answer]),
);

interface Call {
  readonly url: string;
  readonly params: Record<string, unknown>;
}

const calls: Call[] = [];
const key = createSecretKey(Buffer.from('demo-security-key'));

/** Stands in for the service, and answers only correctly signed requests. */
async function answer(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const reading = await readFields(
    {
      contentType: request.headers['content-type'],
      body: Buffer.concat(chunks),
      query: '',
    },
    NAMES,
  );
  const verified = verify(reading, () => ({ keys: [key] }));
  if (verified === undefined) return 'the signature does not hold';
  calls.push({ url: request.url ?? '', params: Object.fromEntries(verified.fields) });
  return JSON.stringify(ANSWERS.get(request.url ?? ''));
}

const server = createServer((request, response) => {
  answer(request).then(
    (body) => response.end(body),
    (error: unknown) => response.end(String(error)),
  );
});

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const has = (command: string, argument: string): boolean =>
  spawnSync(command, [argument], { stdio: 'ignore', timeout: 20_000 }).status === 0;

describe.skipIf(!has('openssl', 'version') || !has('curl', '--version'))(
  'the README’s first payment (skipped where openssl or curl is not found)',
  () => {
    test.each(['sh', 'bash'])('the first payment is signed and queried, in %s', async (shell) => {
      calls.length = 0;
      const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
      const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
      const script = blocks.find((code) => code.includes('/transaction/create')) ?? '';
      const { port } = server.address() as AddressInfo;
      // The test does not need to wait for the payment.
      const here = script.replace(/^sleep.*$/m, '');
      const { stdout } = await promisify(execFile)(shell, ['-c', here], {
        timeout: 30_000,
        env: { ...process.env, PORT: String(port) },
      });
      expect(calls.map(({ url }) => url)).toEqual([...ANSWERS.keys()]);
      const [fund, create, status] = calls;
      expect(Number(fund?.params['time'])).toBeGreaterThan(1_700_000_000);
      expect(create?.params).toMatchObject({ biller_name: 'kplc_prepaid', amount: '100.00' });
      expect(status?.params['reference']).toBe('00000081M7Y4NP8KEYWR8EDAAS5ZSBQV');
      expect(stdout).toContain('"transaction_status":"SUCCESS"');
    });
  },
);

test('the README shows how to run the tests, in one line', async () => {
  const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  expect(readme.split('\n')).toContain('npm ci && npm test');
});
