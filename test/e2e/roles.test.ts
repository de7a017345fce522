import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { inProcess } from '../integration/cli-support.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import { findFreePort } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';

const MASTER_KEY = randomBytes(32).toString('base64');
const fixture = new SandboxFixture();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await fixture.cleanUp();
  await database.drop();
});

async function serve(
  env: Readonly<Record<string, string>>,
): Promise<{ readonly process: ServiceProcess; readonly origin: string }> {
  const port = String(await findFreePort());
  const DATA_DIR = await fixture.folder();
  const process = fixture.launch('serve', { PORT: port, DATA_DIR, MASTER_KEY, ...env });
  const origin = `http://127.0.0.1:${port}`;
  await until('it is ready or gone', async () => {
    if (process.ending !== undefined) return true;
    return (await send(origin, { method: 'GET', path: '/health/ready' })).status === 200;
  });
  return { process, origin };
}

/** Statements of the cluster's superuser, one by one. */
async function asSuperuser(...statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: inject('clusterUrl') });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) {
      rows = (await client.query<Record<string, unknown>>(statement)).rows;
    }
    return rows;
  } finally {
    await client.end();
  }
}

test('production works as the runtime role, without a warning', async () => {
  const { process } = await serve({
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    REQUIRE_RUNTIME_ROLE: 'true',
  });
  expect(process.ending).toBeUndefined();
  expect(process.stdout).not.toContain('append-only');
});

test('production warns of one role for everything, and refuses it if configured', async () => {
  const { process } = await serve({ DATABASE_URL: database.ownerUrl });
  expect(process.ending).toBeUndefined();
  expect(process.stdout).toContain('one database role is used for everything');
  const strict = await serve({ DATABASE_URL: database.ownerUrl, REQUIRE_RUNTIME_ROLE: 'true' });
  expect(strict.process.ending).toEqual({ code: 1, signal: null });
  expect(strict.process.stderr).toContain('not restricted as the runtime role must be');
  expect(strict.process.stderr).toContain('deploy/roles.sql');
});

test('a runtime role that is more than that is refused', async () => {
  const name = `more_${randomBytes(5).toString('hex')}`;
  await asSuperuser(`create role ${name} login password 'x' createrole`);
  const url = new URL(database.url);
  url.username = name;
  url.password = 'x';
  const { process } = await serve({
    DATABASE_URL: url.href,
    DATABASE_OWNER_URL: database.ownerUrl,
  });
  expect(process.ending).toEqual({ code: 1, signal: null });
  expect(process.stderr).toContain('it may create roles');
  await database.asOwner(`drop owned by ${name}`);
  await asSuperuser(`drop role ${name}`);
});

test('an owner of another database is refused, and creates nothing in it', async () => {
  const other = await createTestDatabase();
  try {
    await other.asOwner('drop schema public cascade; create schema public');
    const { process } = await serve({
      DATABASE_URL: database.url,
      DATABASE_OWNER_URL: other.ownerUrl,
    });
    expect(process.ending).toEqual({ code: 1, signal: null });
    expect(process.stderr).toMatch(/^DATABASE_OWNER_URL names another database than DATABASE_URL/);
    expect(process.stderr).not.toMatch(/^ {4}at /m);
    const made = await other.asOwner(`select from pg_class where relname = 'schema_migrations'`);
    expect(made.rowCount).toBe(0);
  } finally {
    await other.drop();
  }
});

test.each(['DATABASE_URL', 'DATABASE_OWNER_URL'])(
  'a wrong password in %s is refused, and the variable is named, by the service and by commands',
  async (variable) => {
    const urls = { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl };
    const url = new URL(variable === 'DATABASE_URL' ? database.url : database.ownerUrl);
    url.password = 'not-the-password';
    const env = { ...urls, [variable]: url.href };
    const { process } = await serve(env);
    expect(process.ending).toEqual({ code: 1, signal: null });
    const command = await inProcess(env, 'migrate');
    expect(command).toMatchObject({ exitCode: 1, stdout: '' });
    for (const { stderr } of [process, command]) {
      expect(stderr).toMatch(
        new RegExp(`password authentication failed [^]*\\. Correct ${variable}\\.\\n$`),
      );
      expect(stderr).not.toContain('not-the-password');
      expect(stderr).not.toMatch(/^ {4}at /m);
    }
  },
);

test('a server that cannot be used is refused in plain words', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const { process } = await serve({ DATABASE_URL: url.href });
  expect(process.ending).toEqual({ code: 1, signal: null });
  expect(process.stderr).toMatch(/^The database server cannot be used: [^]*it accepts no writes/);
});

test.each([
  ['may create roles', 'createrole', true],
  ['may not create roles', 'nocreaterole', false],
])(
  'sandboxes continue if their role owns the database and %s',
  async (_what, attribute, creates) => {
    const name = `box_${randomBytes(5).toString('hex')}`;
    await asSuperuser(
      `create role ${name} login password 'x' ${attribute}`,
      `create database ${name} owner ${name}`,
    );
    const url = new URL(inject('clusterUrl'));
    url.username = name;
    url.password = 'x';
    url.pathname = `/${name}`;
    try {
      const sandbox = await fixture.start({ env: { DATABASE_URL: url.href } });
      const ready = await send(sandbox.origin, { method: 'GET', path: '/health/ready' });
      expect(ready.status).toBe(200);
      const users = await asSuperuser(
        `select distinct usename::text as name from pg_stat_activity
       where datname = '${name}' and backend_type = 'client backend'`,
      );
      expect(users.map((row) => row['name'])).toEqual([creates ? `${name}_runtime` : name]);
      expect(sandbox.process.stderr.includes('no runtime role could be created')).toBe(!creates);
      expect(sandbox.process.stderr.includes('one database role is used')).toBe(!creates);
      // The next start finds the role again.
      await sandbox.kill();
      const again = await fixture.start({
        dataDir: sandbox.dataDir,
        env: { DATABASE_URL: url.href },
      });
      await again.kill();
    } finally {
      await asSuperuser(
        `drop database ${name} with (force)`,
        `drop role if exists ${name}_runtime`,
      );
      await asSuperuser(`drop role ${name}`);
    }
  },
);
