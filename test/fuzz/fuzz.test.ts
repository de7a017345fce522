import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Refusal } from '../../src/platform/base/errors.ts';
import { createRandom } from '../simulation/random.ts';
import { SEED } from '../seed.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { mutate } from './bytes.ts';
import { fuzz } from './campaign.ts';
import { isDocumented } from './parsers.ts';
import { exchangeBytes } from './wire.ts';

const AT_ONCE = 16;
const INPUTS = 3_000;

let database: TestDatabase;
let folder: string;
let operators: SimulatedOperators;
let running: InProcessService;
beforeAll(async () => {
  database = await createServiceDatabase();
  folder = await makeTemporaryFolder();
  operators = await startSimulatedOperators(path.join(folder, 'operators'));
  for (let index = 0; index < AT_ONCE; index += 1) {
    await mkdir(path.join(folder, String(index)));
  }
  running = await startInProcess(database.url, { operatorOrigin: operators.origin });
  await running.demo().fund();
});
afterAll(async () => {
  await running.stop();
  await operators.kill('SIGTERM');
  await database.drop();
  await removeFolder(folder);
});

test('every hostile input gets a response, and none is an internal error', async () => {
  const { inputs, statuses, crashes } = await fuzz({
    origin: running.origin,
    folder,
    inputs: INPUTS,
    firstSeed: SEED,
    atOnce: AT_ONCE,
  });
  expect(crashes, `first seed ${SEED}`).toEqual([]);
  expect(inputs).toBe(INPUTS);
  // Some inputs pass the signature check, and some are refused.
  for (const status of ['200', '400', '401', 'parsed', 'refused']) {
    expect(statuses[status], status).toBeGreaterThan(20);
  }
  // A genuine callback about a payment that was never made is an error that people must see.
  const fault = running
    .logged()
    .split('\n')
    .find((line) => /"level":"fatal"|could not be served/.test(line));
  expect(fault).toBeUndefined();
  expect((await running.demo().call('balance')).status).toBe(200);
}, 120_000);

describe('the fuzzer itself', () => {
  test('finds an answer of 500, and reports its seed', async () => {
    const broken = createServer((_request, response) => response.writeHead(500).end('oh'));
    broken.listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const { port } = broken.address() as AddressInfo;
    const { crashes } = await fuzz({
      origin: `http://127.0.0.1:${port}`,
      folder,
      inputs: 50,
      firstSeed: 1,
      atOnce: 1,
      maxCrashes: 3,
    });
    broken.closeAllConnections();
    broken.close();
    expect(crashes).toHaveLength(3);
    for (const { seed, what, input } of crashes) {
      expect(what).toMatch(/^answered 500/);
      expect(seed).toBeGreaterThan(0);
      expect(input).not.toBe('');
    }
  });

  test('makes the same input from the same seed', () => {
    const seed = Buffer.from('vid=demo&amount=5.00');
    const inputs = [7, 7, 8].map((number) => mutate(seed, createRandom(number)).toString('hex'));
    expect(inputs[0]).toBe(inputs[1]);
    expect(inputs[2]).not.toBe(inputs[0]);
  });

  test('distinguishes documented errors of a parser from others', () => {
    expect(isDocumented(new Refusal('malformed_request'))).toBe(true);
    expect(isDocumented(new TypeError('undefined is not a function'))).toBe(false);
  });

  test('reads the answer to broken framing', async () => {
    const port = Number(new URL(running.origin).port);
    const { statuses, hung } = await exchangeBytes(port, Buffer.from('GET / HTTP/1.1\r\nX'));
    expect({ statuses, hung }).toEqual({ statuses: [400], hung: false });
  });
});
