import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Pool as HttpPool } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { holdFloats } from '../support/held-floats.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { PATHS, encode, send, signed } from '../support/vendor-client.ts';
import type { VendorClient, WireBody } from '../support/vendor-client.ts';
import { fundedVendor, serviceProgram, addTestParties } from './fleet.ts';
import type { Program } from './fleet.ts';

// The whole program under more load than it accepts, of all kinds at once, with the default limits.

/** The limit that docs/operating/production.md recommends. */
const MAX_MEMORY_MIB = 1024;
/** More than a lane and its queue can hold. */
const CREATES = 9_600;
const SLOW_BODIES = 400;
const IDLE_CONNECTIONS = 1_000;

let database: TestDatabase;
let folder: string;
let pool: Pool;
let service: Program;
let vendor: VendorClient;
let releaseFloats: (() => Promise<void>) | undefined;
const sockets: Socket[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  const parties = await addTestParties(pool, {
    operatorOrigin: 'http://127.0.0.1:9',
    vendorCount: 1,
  });
  service = await serviceProgram({
    name: 'api',
    roles: 'api',
    folder,
    env: { DATABASE_URL: database.url, FUND_WINDOW_SECONDS: '0', LANE_CONNECTIONS: '1' },
  });
  await service.start();
  await until('it is ready', () => service.ready, 60_000);
  vendor = await fundedVendor(service, parties, '10000000.00');
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  service.signal('SIGKILL');
  await service.untilEnded();
  await releaseFloats?.();
  await pool.end();
  await database.drop();
  await removeFolder(folder);
});

/** Opens a connection that sends this text and then nothing. */
function openConnection(text: string): void {
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write(text);
}

/** Opens all connections of the pool. */
async function connectAll(http: HttpPool): Promise<void> {
  const get = async (): Promise<void> => {
    const answer = await http.request({ method: 'GET', path: '/nothing' });
    await answer.body.dump();
  };
  await Promise.all(
    Array.from({ length: CREATES }, async () => await get().catch(() => undefined)),
  );
}

/** The peak memory of the process, proc(5). */
async function peakMemoryMib(): Promise<number> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

interface Answered {
  readonly status: number;
  readonly retryAfter: unknown;
  readonly code: string | undefined;
  readonly reference: string | undefined;
}

async function createOver(http: HttpPool, number: number): Promise<Answered> {
  const params = {
    vid: vendor.vid,
    biller_name: 'tokens',
    account: String(70_000_000_000 + number),
    amount: '60',
    merchant_reference: `flood ${number}`,
  };
  const { method, path, headers, body } = encode(
    PATHS.create,
    signed(params, vendor.key),
    'urlencoded',
  );
  const answer = await http.request({
    method,
    path,
    headers: { ...headers },
    body: body ?? null,
  });
  const { msg, error } = (await answer.body.json()) as WireBody;
  return {
    status: answer.statusCode,
    retryAfter: answer.headers['retry-after'],
    code: error?.[0]?.code,
    reference: answer.statusCode === 200 ? String(msg['ipay_reference']) : undefined,
  };
}

test('a flood of creates, connections and slow bodies: memory is bounded, excess is refused, and nothing accepted is lost', async () => {
  const slow = `POST ${PATHS.create} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 16000\r\n\r\n{"vid":"`;
  for (let opened = 0; opened < IDLE_CONNECTIONS; opened += 1) openConnection('');
  for (let opened = 0; opened < SLOW_BODIES; opened += 1) openConnection(slow);

  // Requests on one connection would be answered one at a time.
  const http = new HttpPool(service.origin, { connections: CREATES, headersTimeout: 240_000 });
  await connectAll(http);
  // Creates queue up.
  releaseFloats = await holdFloats(pool);
  // A create waits for at most 8 s, in which a slow machine could not send enough of them to fill the queue.
  // So all are sent while the process is stopped.
  service.signal('SIGSTOP');
  let [ended, refused] = [0, 0];
  const answers = Array.from({ length: CREATES }, async (_, number) => {
    const answer = await createOver(http, number).catch(() => undefined);
    ended += 1;
    if (answer?.status === 503) refused += 1;
    return { name: `flood ${number}`, answer };
  });
  await until('all are sent', () => http.stats.running + ended === CREATES);
  service.signal('SIGCONT');
  // As `overloaded` by a full queue. A machine too slow to fill it within 8 s refuses the first ones.
  await until('some are refused while the others wait', () => refused > 0, 90_000);
  expect((await send(service.origin, { method: 'GET', path: '/health/live' })).status).toBe(200);
  await releaseFloats();

  const received = await Promise.all(answers);
  const accepted = new Map<string, string | undefined>();
  // The system may cut connections in such a flood. These clients have to repeat their requests.
  const unanswered = new Set<string>();
  for (const { name, answer } of received) {
    if (answer === undefined) unanswered.add(name);
    else if (answer.status === 200) accepted.set(name, answer.reference);
    else {
      expect(answer.status).toBe(503);
      expect(answer.retryAfter).toMatch(/^[1-9]\d*$/);
      // The answer does not say that it may have been accepted.
      expect(answer.code).not.toBe('outcome_unknown');
    }
  }
  expect(accepted.size).toBeGreaterThan(1_000);
  expect(new Set(accepted.values()).size).toBe(accepted.size);
  const stored = await pool.query<{ name: string }>(
    'select merchant_reference as name from payments',
  );
  const names = new Set(stored.rows.map(({ name }) => name));
  expect([...accepted.keys()].filter((name) => !names.has(name))).toEqual([]);
  expect([...names].filter((name) => !accepted.has(name) && !unanswered.has(name))).toEqual([]);
  expect(names.size).toBe(stored.rows.length);
  expect(await vendor.balance()).toBe(10_000_000 - 60 * names.size);
  expect((await checkLedger(pool)).violations).toEqual([]);
  expect(await peakMemoryMib()).toBeLessThan(MAX_MEMORY_MIB);
  await http.destroy();
}, 400_000);
