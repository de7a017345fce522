import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { checkServer, checkTimeZone } from '../../src/platform/db/server-check.ts';
import { applySessionSettings, findWrongSettings } from '../../src/platform/db/session-settings.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

let database: TestDatabase;
let pool: Pool;
let owner: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  owner = createPool({ url: database.ownerUrl, max: 2, name: 'test' });
});
afterAll(async () => {
  await pool.end();
  await owner.end();
  await database.drop();
});

async function setting(of: Pool, name: string): Promise<string | undefined> {
  const read = await of.query<{ value: string }>('select current_setting($1) as value', [name]);
  return read.rows[0]?.value;
}

describe('a connection', () => {
  test('has what the service needs, although its role has other defaults', async () => {
    // The defaults are set by test/global-setup.ts.
    const plain = new Client({ connectionString: database.url });
    await plain.connect();
    const wrong = await plain.query(`select current_setting('jit') as jit,
      current_setting('synchronous_commit') as sync, current_setting('TimeZone') as zone`);
    expect(wrong.rows).toEqual([{ jit: 'on', sync: 'off', zone: 'Asia/Kathmandu' }]);
    await plain.end();

    expect(await findWrongSettings(pool)).toEqual([]);
    expect(await setting(pool, 'statement_timeout')).toBe('15s');
    expect(await setting(pool, 'plan_cache_mode')).toBe('force_custom_plan');
    const hot = createPool({ url: database.url, max: 1, name: 'test', byIndexOnly: true });
    expect(await findWrongSettings(hot)).toEqual([]);
    expect(await setting(hot, 'plan_cache_mode')).toBe('force_generic_plan');
    expect(await setting(hot, 'enable_seqscan')).toBe('off');
    await hot.end();
  });

  test.each(['serial', 'byIndexOnly'] as const)(
    'starts no parallel workers if it is %s',
    async (option) => {
      const workers = 'max_parallel_workers_per_gather';
      expect(await setting(pool, workers)).not.toBe('0');
      const serial = createPool({ url: database.url, max: 1, name: 'test', [option]: true });
      expect(await setting(serial, workers)).toBe('0');
      await serial.end();
    },
  );

  test('keeps no default of its role that would weaken it or slow it down', async () => {
    const hot = createPool({ url: database.url, max: 1, name: 'test', byIndexOnly: true });
    // The settings in test/global-setup.ts, not the service's own list: each must be overridden.
    const hostile = await owner.query<{ name: string; value: string }>(
      `select split_part(setting, '=', 1) as name, substr(setting, strpos(setting, '=') + 1) as value
       from pg_db_role_setting, unnest(setconfig) as setting
       where setrole = (select oid from pg_roles where rolname = $1)`,
      [new URL(database.url).username],
    );
    expect(hostile.rows).toContainEqual({ name: 'jit', value: 'on' });
    const kept = async (of: Pool): Promise<string[]> => {
      const values = await Promise.all(hostile.rows.map(({ name }) => setting(of, name)));
      return hostile.rows.flatMap(({ name, value }, index) =>
        values[index]?.toLowerCase() === value.toLowerCase() ? [name] : [],
      );
    };
    // With jit off its cost does not matter.
    expect(await kept(hot)).toEqual(['jit_above_cost']);
    expect(await kept(pool)).toEqual(['jit_above_cost', 'plan_cache_mode']);
    await hot.end();
  });

  test('compiles no plan, although the server would', async () => {
    const explain = `explain (analyze, format json) select count(*) from generate_series(1, 1000)`;
    const isCompiled = async (of: Pick<Client, 'query'> | Pool): Promise<boolean> => {
      const read = await of.query<{ 'QUERY PLAN': readonly { JIT?: unknown }[] }>(explain);
      return read.rows[0]?.['QUERY PLAN'][0]?.JIT !== undefined;
    };
    const plain = new Client({ connectionString: database.url });
    await plain.connect();
    // The embedded server has no compiler; run this with TEST_CLUSTER_URL on one that has (Debian's).
    const available = await plain.query<{ is: boolean }>('select pg_jit_available() as is');
    expect(await isCompiled(plain)).toBe(available.rows[0]?.is);
    await plain.end();
    const hot = createPool({ url: database.url, max: 1, name: 'test', byIndexOnly: true });
    for (const ours of [pool, hot, owner]) expect(await isCompiled(ours)).toBe(false);
    await hot.end();
  });

  test('turns the compiler off before the first statement that could be compiled', async () => {
    const sent: string[] = [];
    const query = ({ text }: { readonly text: string }): Promise<void> => {
      sent.push(text);
      return Promise.resolve();
    };
    await applySessionSettings({ query } as unknown as ClientBase, database.url, {
      statementTimeoutMs: 1,
      lockTimeoutMs: 1,
      idleInTransactionMs: 1,
      byIndexOnly: true,
      serial: false,
    });
    expect(sent[0]).toBe('set jit = off');
    expect(sent).toHaveLength(2);
  });

  test('keeps a stronger synchronous_commit', async () => {
    const url = new URL(database.url);
    url.searchParams.set('options', '-c synchronous_commit=remote_apply');
    const strong = createPool({ url: url.href, max: 1, name: 'test' });
    expect(await setting(strong, 'synchronous_commit')).toBe('remote_apply');
    expect(await findWrongSettings(strong)).toEqual([]);
    await strong.end();
  });

  test('sends no settings as startup parameters, which proxies refuse', async () => {
    const started = Promise.withResolvers<string>();
    const server = createServer((socket) => {
      socket.once('data', (bytes) => {
        started.resolve(bytes.toString('latin1'));
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const proxied = createPool({
      url: `postgres://user:x@127.0.0.1:${port}/db?sslmode=disable`,
      max: 1,
      name: 'test',
      byIndexOnly: true,
    });
    await expect(proxied.query('select 1')).rejects.toThrow(/terminated|ECONNRESET/);
    const names = (await started.promise).slice(8).split('\0');
    expect(names.filter((_, index) => index % 2 === 0 && _ !== '').toSorted()).toEqual(
      ['application_name', 'client_encoding', 'database', 'user'].toSorted(),
    );
    await proxied.end();
    server.close();
  });
});

describe('the server', () => {
  test('the server of the tests can be used; the log says that it may lose data', async () => {
    const off = await pool.query<{ name: string }>(
      `select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off'
       order by name`,
    );
    expect(await checkServer(pool, 50)).toEqual({
      refusals: [],
      warnings: off.rows.map(
        ({ name }) => `${name} is off: a crash of the machine can destroy the database`,
      ),
    });
  });

  test('the server is refused if no session setting could correct its configuration', async () => {
    const url = new URL(database.ownerUrl);
    url.searchParams.set(
      'options',
      '-c default_transaction_read_only=on -c session_replication_role=replica -c track_activities=off',
    );
    const unfit = createPool({ url: url.href, max: 2, name: 'test' });
    const { refusals, warnings } = await checkServer(unfit, 10_000);
    expect(refusals).toEqual([
      'it accepts no writes: database transactions are read-only',
      'session_replication_role is not origin: foreign keys and triggers are off',
      'track_activities is off: the start of database transactions cannot be seen',
    ]);
    expect(warnings.at(-1)).toMatch(
      /^it allows \d+ connections, and this process opens up to 10000/,
    );
    await unfit.end();
  });

  test('behind a pooler that is not in session mode is refused', async () => {
    const one = await owner.connect();
    // As with a pooler in transaction mode: both connections are the same connection of the server.
    const pooled = {
      query: one.query.bind(one),
      connect: async () => ({ query: one.query.bind(one), release: () => undefined }),
    } as unknown as Pool;
    expect((await checkServer(pooled, 1)).refusals).toEqual([
      expect.stringMatching(/^a pooler gives sessions to several connections in turn/),
    ]);
    // The pooler also shares settings.
    await one.query(`set synchronous_commit = off; set search_path = pg_catalog`);
    expect(await findWrongSettings(pooled)).toEqual([
      'setting synchronous_commit is off, not on',
      'setting search_path is pg_catalog, not public, pg_temp',
    ]);
    one.release(true);
  });
});

test('the server’s rules of a time zone are ours, or it is not used', async () => {
  const zones = createPool({ url: database.url, max: 1, name: 'zones' });
  for (const zone of ['Africa/Nairobi', 'America/New_York', 'Asia/Calcutta', 'Etc/GMT+3', 'UTC']) {
    expect(await checkTimeZone(zones, zone)).toBeUndefined();
  }
  // An abbreviation has no summer time in PostgreSQL.
  expect(await checkTimeZone(zones, 'CET')).toBe(
    'its rules of TIME_ZONE CET are not those of this process',
  );
  vi.spyOn(zones, 'query').mockRejectedValueOnce(Object.assign(new Error(), { code: '22023' }));
  expect(await checkTimeZone(zones, 'Asia/Calcutta')).toContain('does not know TIME_ZONE');
  await zones.end();
});
