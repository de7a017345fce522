import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fastify } from 'fastify';
import { pino } from 'pino';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { migrate, refuseDamage } from '../../src/platform/db/migrate.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Pool, Queryable } from '../../src/platform/db/pool.ts';
import { addHealthRoutes } from '../../src/platform/http/health.ts';
import { createReadiness } from '../../src/platform/http/readiness.ts';
import { SCHEMA } from '../../src/schema.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import { findFreePort } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { inProcess, must, newMasterKey } from './cli-support.ts';

// How a database is migrated to this version, whatever happens meanwhile, and what it enforces afterwards.

const NAMES = [...SCHEMA.migrations, ...SCHEMA.functions].map(({ name }) => name);

const fixture = new SandboxFixture();
const databases: TestDatabase[] = [];
const pools: Pool[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map(async (pool) => await pool.end()));
  await Promise.all(databases.splice(0).map(async (database) => await database.drop()));
});
afterAll(async () => {
  await fixture.cleanUp();
  await Promise.all(folders.map(async (folder) => await removeFolder(folder)));
});

/** As the owner; the service is started as the runtime role. */
async function migrated(): Promise<{ url: string; runtimeUrl: string; pool: Pool }> {
  const database = await createTestDatabase();
  databases.push(database);
  return { url: database.ownerUrl, runtimeUrl: database.url, pool: open(database.ownerUrl) };
}

function open(url: string): Pool {
  const pool = createPool({ url, max: 2, name: 'test' });
  pools.push(pool);
  return pool;
}

/** A database without anything in it. */
async function empty(): Promise<{ url: string; pool: Pool }> {
  const made = await migrated();
  await made.pool.query('drop schema public cascade; create schema public');
  return made;
}

test('two processes that start at once apply every migration once', async () => {
  const { url } = await empty();
  const applied = await Promise.all([migrate(open(url), SCHEMA), migrate(open(url), SCHEMA)]);
  expect(applied.flat().toSorted()).toEqual(NAMES.toSorted());
});

test('a database of this version is looked at once, not once for each migration', async () => {
  const { pool } = await migrated();
  let uses = 0;
  pool.on('acquire', () => (uses += 1));
  expect(await migrate(pool, SCHEMA)).toEqual([]);
  expect(uses).toBeLessThan(6);
});

test('an older release that starts while a newer one migrates is refused if it does not work with the migration', async () => {
  const { url, pool } = await migrated();
  const newer = {
    ...SCHEMA,
    release: SCHEMA.release + 1,
    migrations: [
      ...SCHEMA.migrations,
      {
        name: 'credit/9999_later.sql',
        sql: 'select pg_advisory_xact_lock(42)',
        checksum: 'later',
        oldestRelease: SCHEMA.release + 1,
      },
    ],
  };
  const migrating = await databaseTransaction(pool, async (holder) => {
    await holder.query('select pg_advisory_xact_lock(42)');
    const begun = migrate(open(url), newer);
    begun.catch(() => undefined);
    await until('the newer release migrates', () => hasLockWaiters(holder, 1));
    const refused = expect(migrate(open(url), SCHEMA)).rejects.toThrow('made by another version');
    await until('the older release waits for it', () => hasLockWaiters(holder, 2));
    return { begun, refused };
  });
  await migrating.begun;
  await migrating.refused;
});

async function hasLockWaiters(db: Queryable, count: number): Promise<boolean> {
  const { rows } = await db.query<{ waiting: bigint }>(
    `select count(*) as waiting from pg_locks l join pg_database d on d.oid = l.database
     where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`,
  );
  return rows[0]?.waiting === BigInt(count);
}

test('a record of definitions that was dropped does not keep a process from starting', async () => {
  const { pool } = await migrated();
  await pool.query('drop table schema_objects');
  expect(await migrate(pool, SCHEMA)).toEqual([]);
  await refuseDamage(pool);
});

test('a process that is killed during a statement leaves nothing half done, and its locks are released', async () => {
  const { url, pool } = await empty();
  const folder = await makeTemporaryFolder();
  folders.push(folder);
  const migrations = SCHEMA.migrations.map((migration, index) =>
    index === 1 ? { ...migration, sql: `${migration.sql}\nselect pg_sleep(600);\n` } : migration,
  );
  const file = path.join(folder, 'schema.json');
  await writeFile(file, JSON.stringify({ ...SCHEMA, migrations }));

  const program = path.join(import.meta.dirname, 'migrator.ts');
  const migrator = fork(program, [url, file], { stdio: 'ignore', execArgv: [] });
  const gone = once(migrator, 'exit');
  await until('it sleeps in the second', async () => {
    const found = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    );
    return found.rowCount === 1;
  });
  migrator.kill('SIGKILL');
  await gone;
  // The next process waits until the server notices the end, not until the statement ends.
  expect(await migrate(pool, SCHEMA)).toEqual(NAMES.slice(1));
});

describe('a schema that no longer enforces what it has to', () => {
  test.each([
    [
      'a dropped constraint',
      'alter table accounts drop constraint accounts_never_negative',
      'constraint accounts_never_negative of accounts is missing',
    ],
    [
      'a dropped index',
      'drop index payments_by_reference',
      'index payments_by_reference of payments is missing',
    ],
    [
      'a weaker constraint',
      `alter table payments drop constraint payments_outcome_check,
         add constraint payments_outcome_check check (true)`,
      'constraint payments_outcome_check of payments is changed',
    ],
    [
      'an index whose making failed',
      `update pg_index set indisvalid = false where indexrelid = 'payments_by_reference'::regclass`,
      'index payments_by_reference of payments is not valid',
    ],
    [
      'an added constraint that calls a function',
      'alter table payments add constraint spy check (random() >= 0)',
      'constraint spy of payments was added',
    ],
    [
      'an added function of the owner',
      `create function spy() returns void language sql security definer as 'select'`,
      'function spy() was added',
    ],
    [
      'an added default',
      `alter table payments alter message set default random()::text`,
      'default message of payments was added',
    ],
    [
      'a changed default',
      `alter table dispatch_queue alter stage set default 'verify'`,
      'default stage of dispatch_queue is changed',
    ],
    [
      'an added index of an expression',
      'create index spy on payments (lower(account))',
      'index spy of payments was added',
    ],
    [
      'an added child table',
      'create table spy () inherits (payments)',
      'child table spy of payments was added',
    ],
    [
      'an added trigger',
      `create trigger spy before update on payments
         for each row execute function suppress_redundant_updates_trigger()`,
      'trigger spy of payments was added',
    ],
    [
      'an added rule',
      'create rule spy as on insert to transfers do also select 1',
      'rule spy of transfers was added',
    ],
    [
      'row security',
      'alter table payments enable row level security',
      'row security payments of payments was added',
    ],
    [
      'an added policy',
      'create policy spy on payments using (random() >= 0)',
      'policy spy of payments was added',
    ],
    [
      'a changed view',
      `create or replace view attempts as select bucket, vendor_id, biller_code, payment_id, attempt_number,
         sent_at, settled_at as ended_at, attempt_outcome as outcome, operator_handle, note,
         operator_code, route_reason, null::integer as operator_version
         from (select *, null::text as note from payments where false) t`,
      'view _RETURN of attempts is changed',
    ],
  ])('%s', async (_what, damage, told) => {
    const { url, pool } = await migrated();
    await refuseDamage(pool);
    await pool.query(damage);
    await expect(refuseDamage(pool)).rejects.toThrow(told);
    // Without a further migration, which would record the damage as the intended state.
    await pool.query(`delete from schema_migrations where name like 'credit/0001%'`);
    await expect(migrate(pool, SCHEMA)).rejects.toThrow(told);
    const accepted = await must({ DATABASE_URL: url }, 'migrate', '--accept-schema', '--json');
    expect(accepted.json()).toEqual({ accepted: [told] });
    await refuseDamage(pool);
  });
  test('harmless additions are accepted, but `ledger check` still names them', async () => {
    const { pool } = await migrated();
    await pool.query('create index added on payments (account)');
    await pool.query(`create function added() returns void language sql as 'select'`);
    await refuseDamage(pool);
    const { violations } = await checkLedger(pool);
    expect(violations.map(({ detail }) => detail)).toEqual([
      'function added() was added',
      'index added of payments was added',
    ]);
  });

  test('keeps the service from starting, and a running one from being ready', async () => {
    const { runtimeUrl, pool } = await migrated();
    const app = fastify();
    const log = pino({ level: 'silent' });
    addHealthRoutes(
      app,
      createReadiness({ pool, schema: SCHEMA, log, reuseMs: 0, deadlineMs: 60_000 }),
    );
    const ready = async () => await app.inject('/health/ready');
    expect((await ready()).json()).toEqual({ status: 'ready' });
    await pool.query('drop index payments_by_reference');
    const missing = 'index payments_by_reference of payments is missing';
    expect(await ready()).toMatchObject({ statusCode: 503 });
    expect((await ready()).json()).toEqual({ status: 'not_ready', missing });
    await app.close();

    const port = String(await findFreePort());
    const service = fixture.launch('serve', {
      DATABASE_URL: runtimeUrl,
      MASTER_KEY: newMasterKey(),
      PORT: port,
    });
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    expect(service.stderr).toContain(missing);
  });
});

describe('a database of another version', () => {
  test.each([
    [
      'a migration that is not known',
      `update schema_migrations set name = 'credit/9999_later.sql'`,
    ],
    ['a migration that was rewritten', `update schema_migrations set checksum = 'another'`],
  ])(
    'the start refuses a database that %s migrated, in plain words, and leaves it as it is',
    async (_what, change) => {
      const { url, runtimeUrl, pool } = await migrated();
      await pool.query(
        `${change} where name = (select max(name) from schema_migrations where name like 'credit/%')`,
      );
      const told = /made by another version of Malipo than this program \(\d[^]*migration credit\//;
      const refused = await inProcess({ DATABASE_URL: url }, 'migrate');
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr).toMatch(told);
      const service = fixture.launch('serve', {
        DATABASE_URL: runtimeUrl,
        DATABASE_OWNER_URL: url,
        MASTER_KEY: newMasterKey(),
        PORT: String(await findFreePort()),
      });
      expect(await service.ended()).toEqual({ code: 1, signal: null });
      for (const { stderr } of [refused, service]) {
        expect(stderr).toMatch(told);
        expect(stderr).not.toMatch(/^ {4}at /m);
      }
    },
  );
});

test('a start without a free connection says what to do, and is in the log', async () => {
  const { pool, runtimeUrl } = await migrated();
  const database = new URL(runtimeUrl).pathname.slice(1);
  await pool.query(`alter database ${database} connection limit 0`);
  const service = fixture.launch('serve', {
    DATABASE_URL: runtimeUrl,
    MASTER_KEY: newMasterKey(),
    PORT: String(await findFreePort()),
  });
  expect(await service.ended()).toEqual({ code: 1, signal: null });
  const told = `/${database} cannot be used: the database accepts no more connections (`;
  expect(service.stderr).toContain(told);
  expect(service.stderr).not.toMatch(/^ {4}at /m);
  const lines = service.stdout.trim().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '') as { level: string; msg: string; err: Error };
  expect(last).toMatchObject({ level: 'fatal', msg: 'the start failed' });
  expect(last.err.message).toContain(told);
});

test('a readiness check that fails is reported with its reason', async () => {
  const lines: string[] = [];
  const closed = createPool({ url: 'postgresql://127.0.0.1:9/none', max: 1, name: 'nowhere' });
  const app = fastify();
  const log = pino({}, { write: (line: string) => lines.push(line) });
  addHealthRoutes(app, createReadiness({ pool: closed, schema: SCHEMA, log }));
  const answer = await app.inject('/health/ready');
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toEqual({ status: 'not_ready', missing: 'the database cannot be reached' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('ECONNREFUSED');
  await app.close();
  await closed.end();
});
