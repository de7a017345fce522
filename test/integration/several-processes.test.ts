import { createHash } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { changeBillerStatus } from '../../src/payments/billers/administer.ts';
import { SCHEMA } from '../../src/schema.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { changeVendor, rotateKey } from '../../src/parties/administer.ts';
import { MASTER_KEY, operatorsProgram, serviceProgram, addTestParties } from '../faults/fleet.ts';
import type { OperatorsProgram, Program, TestParties } from '../faults/fleet.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { PATHS, VendorClient, encode, send, signed } from '../support/vendor-client.ts';

// Two processes that serve the API, two that dispatch and one that runs the jobs, all without local
// state, started at once on an empty database.

const NAMES = ['api', 'api', 'dispatcher', 'dispatcher', 'jobs'] as const;
/** The first API process kills itself when it has committed this many chunks of bulk rows. */
const CHUNKS_BEFORE_DEATH = 2;

const SEALING = {
  masterKeys: { current: Buffer.from(MASTER_KEY, 'base64'), previous: undefined },
  certain: true,
};

let folder: string;
let database: TestDatabase;
let pool: Pool;
let operators: OperatorsProgram;
let programs: Program[] = [];
let parties: TestParties;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  database = await createTestDatabase({ migrated: false });
  operators = await operatorsProgram(path.join(folder, 'operators'));
  programs = await Promise.all(
    NAMES.map(async (roles, index) => {
      const name = `${roles}-${index}`;
      const env = { DATABASE_URL: database.ownerUrl };
      return await serviceProgram({ name, roles, folder: path.join(folder, name), env });
    }),
  );
  const crash = { CRASH_AT: `bulk:after-commit#${CHUNKS_BEFORE_DEATH}` };
  await operators.start({});
  await Promise.all(
    programs.map(async (program, index) => program.start(index === 0 ? crash : {})),
  );
  await until('all are ready', () => programs.every((program) => program.ready), 240_000);
  pool = createPool({ url: database.ownerUrl, max: 2, name: 'test' });
  parties = await addTestParties(pool, { operatorOrigin: operators.origin, vendorCount: 2 });
}, 300_000);

afterAll(async () => {
  for (const program of [...programs, operators]) {
    program.signal('SIGKILL');
    await program.untilEnded();
  }
  await pool.end();
  await database.drop();
  await removeFolder(folder);
});

/** A client of the vendor for each API process. */
function clientsOf(vid: string, key: string): readonly [VendorClient, VendorClient] {
  const [first, second] = programs.map((program) => new VendorClient(program.origin, { vid, key }));
  if (first === undefined || second === undefined) throw new Error('there are two APIs');
  return [first, second];
}

function vendor(index: 0 | 1): { readonly vid: string; readonly key: string } {
  const found = parties.vendors[index];
  if (found === undefined) throw new Error(`vendor ${index} was not added`);
  return found;
}

async function statusOfBiller(program: Program | undefined, billerCode: string): Promise<string> {
  const answer = await send(program?.origin ?? '', {
    method: 'GET',
    path: `${PATHS.billerStatus}?vid=x&biller_code=${billerCode}`,
  });
  return answer.status === 200 ? (answer.body.data as { status: string }).status : '';
}

async function fund(vid: string, clients: readonly [VendorClient, VendorClient]): Promise<void> {
  for (const client of clients) {
    await until('the vendor is known', async () => (await client.call('balance')).status === 200);
  }
  const { vid: collector, key } = parties.collector;
  const income = {
    collector,
    vid,
    reference: `income-${vid}`,
    amount: '1000000',
    currency: 'KES',
    paid_at: '2026-01-05 09:00:00',
  };
  const report = encode(PATHS.collect, signed(income, key), 'json');
  await until('the income is taken', async () => {
    return (await send(programs[0]?.origin ?? '', report)).status === 200;
  });
  expect(await clients[1].fund()).toBe(1_000_000);
}

test('processes that start at once on an empty database migrate it once', async () => {
  const applied = await pool.query<{ name: string }>('select name from schema_migrations');
  const known = SCHEMA.migrations.map((migration) => migration.name);
  expect(applied.rows.map((row) => row.name).toSorted()).toEqual(known.toSorted());
});

test('a change by one process is known to all others', async () => {
  const [biller = ''] = parties.billers;
  const apis = programs.slice(0, 2);
  for (const status of ['OFFLINE', 'ONLINE'] as const) {
    await changeBillerStatus(pool, biller, status);
    for (const api of apis) {
      await until(`${api.name} says ${status}`, async () => {
        return (await statusOfBiller(api, biller)) === status;
      });
    }
  }
  const { vid, key } = vendor(1);
  const signer = { holderKind: 'vendor', holder: vid } as const;
  const key2 = await rotateKey(pool, signer, { ...SEALING, overlapSeconds: 0 });
  for (const client of clientsOf(vid, key2)) {
    await until('the new key holds', async () => (await client.call('balance')).status === 200);
  }
  for (const client of clientsOf(vid, key)) {
    await until('the old one is over', async () => (await client.call('balance')).status === 401);
  }
  await changeVendor(pool, vid, { status: 'suspended' });
  for (const client of clientsOf(vid, key2)) {
    await until('it is suspended', async () => (await client.call('balance')).status === 403);
  }
});

test('every payment is accepted once and paid once, whichever process accepts it and whichever is killed', async () => {
  const { vid, key } = vendor(0);
  const clients = clientsOf(vid, key);
  await fund(vid, clients);
  const accepted = new Set<string>();

  // Each create is sent to both APIs at once, and must be one payment.
  const pairs = Array.from({ length: 60 }, async (_, index) => {
    const payment = {
      biller_name: parties.billers[index % parties.billers.length] ?? '',
      amount: '50',
      account: `07${String(index).padStart(4, '0')}9901`,
      merchant_reference: `single-${index}`,
    };
    const [first, second] = await Promise.all(
      clients.map(async (client) => await client.accepted(payment)),
    );
    expect(first).toBe(second);
    accepted.add(first ?? '');
  });
  await Promise.all(pairs);

  // A bulk file. The process that reads it is killed in the middle.
  const rows = LIMITS.bulkChunkRows * CHUNKS_BEFORE_DEATH + 40;
  const file = [
    'biller_name,account,amount',
    ...Array.from({ length: rows }, (_, row) => `tokens,08${String(row).padStart(6, '0')}9901,50`),
  ].join('\n');
  const batch = { vid, batch_reference: 'payroll' };
  const sha256 = createHash('sha256').update(file).digest('hex');
  const taken = await send(programs[0]?.origin ?? '', {
    method: 'POST',
    path: withQuery('/transaction/bulk', signed({ ...batch, sha256 }, key)),
    headers: { 'content-type': 'text/csv' },
    body: file,
  });
  expect(taken.status).toBe(200);
  expect((await programs[0]?.untilEnded())?.ending.signal).toBe('SIGKILL');

  const origin = programs[1]?.origin ?? '';
  const ask = async (what: string) =>
    await send(origin, {
      method: 'GET',
      path: withQuery(`/transaction/bulk/${what}`, signed(batch, key)),
    });
  await until('the other API continues', async () => {
    return (await ask('status')).body.msg['batch_status'] === 'DONE';
  });
  const results = (await ask('result')).body.data as readonly { ipay_reference: string | null }[];
  for (const { ipay_reference: reference } of results) accepted.add(reference ?? 'refused');
  expect(accepted.size).toBe(60 + rows);

  await until('all are paid', async () => (await truth()).size === accepted.size, 240_000);
  await until('all are settled', async () => {
    const open = await pool.query('select 1 from payments where outcome is null limit 1');
    return open.rowCount === 0;
  });
  const paid = await truth();
  expect(new Set(paid.keys())).toEqual(accepted);
  expect([...paid.values()].filter((times) => times !== 1)).toEqual([]);
  expect(await operators.repeated()).toEqual([]);
  // A process that is delayed after its claim records an attempt that was not sent.
  const attempts = await pool.query<{ max: number }>(
    `select max(sent)::integer as max from (
       select count(*) as sent from attempts where outcome is distinct from 'not_sent'
       group by vendor_id, payment_id) a`,
  );
  expect(attempts.rows[0]?.max).toBe(1);
  expect(await clients[1].balance()).toBe(1_000_000 - 50 * accepted.size);
  expect((await checkLedger(pool)).violations).toEqual([]);
}, 600_000);

function withQuery(url: string, params: Readonly<Record<string, string | null>>): string {
  return `${url}?${new URLSearchParams(params as Record<string, string>).toString()}`;
}

/** How often the operators paid each reference. */
async function truth(): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const { reference } of await operators.truth()) {
    times.set(reference, (times.get(reference) ?? 0) + 1);
  }
  return times;
}
