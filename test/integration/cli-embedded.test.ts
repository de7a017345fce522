import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { withSession } from '../../src/cli/session.ts';
import { findRunningEmbedded } from '../../src/platform/embedded/embedded.ts';
import { SCHEMA } from '../../src/schema.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { inProcess, malipo, must, newMasterKey } from './cli-support.ts';
import { query, until, EmbeddedFixture } from './embedded-support.ts';

const fixture = new EmbeddedFixture();
afterAll(async () => {
  await fixture.cleanUpAll();
});

let made: Promise<string> | undefined;

/** A data folder with a migrated database, created by the program itself, once for this file. */
async function dataDir(): Promise<string> {
  made ??= (async () => {
    const folder = await fixture.folder();
    await must({ DATA_DIR: folder }, 'migrate');
    return folder;
  })();
  return await made;
}

describe('without a service', () => {
  it('creates no database for a mistyped DATA_DIR', async () => {
    const folder = path.join(await fixture.folder(), 'mistyped');
    const refused = await malipo({ DATA_DIR: folder }, 'vendor', 'list');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(`There is no database in ${folder}`);
    await expect(access(folder)).rejects.toThrow('ENOENT');
  });

  it('creates and migrates a database, starts it for a command and stops it afterwards', async () => {
    const folder = await fixture.folder();
    const environment = { DATA_DIR: folder, MASTER_KEY: newMasterKey() };
    const migrated = await malipo(environment, 'migrate', '--json');
    const names = [...SCHEMA.migrations, ...SCHEMA.functions].map(({ name }) => name);
    expect(migrated.json()).toEqual({ applied: names, role_problems: [] });
    const again = await inProcess(environment, 'migrate');
    expect(again.stdout).toBe('The database is at this version.\n');

    const add = ['vendor', 'add', 'shop', '--name', 'Shop', '--sector', 'bank'];
    expect((await malipo(environment, ...add)).exitCode).toBe(0);
    const listed = await malipo(environment, 'vendor', 'list');
    expect(listed.stdout).toContain('shop');
    expect(await findRunningEmbedded(path.join(folder, 'postgres'))).toBeUndefined();
  });

  it('runs several commands at once on one server', async () => {
    const environment = { DATA_DIR: await dataDir() };
    const all = await Promise.all(
      ['vendor', 'biller', 'prefix', 'operator'].map(
        async (name) => await malipo(environment, name, 'list'),
      ),
    );
    expect(all.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(
      Array.from({ length: 4 }, () => [0, '']),
    );
    const folder = path.join(environment.DATA_DIR, 'postgres');
    expect(await findRunningEmbedded(folder)).toBeUndefined();
  });

  it('stops the server that it started only when commands that share it have ended', async () => {
    const folder = await fixture.folder();
    const environment = { DATA_DIR: folder, MASTER_KEY: newMasterKey() };
    await must(environment, 'migrate');
    const server = path.join(folder, 'postgres');
    // What every command works in, with the database open until the test lets it go on.
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const held = async ({ promise }: (typeof gates)[0]): Promise<void> =>
      await withSession(environment, {}, async ({ pool }) => {
        await pool.query('select 1 as held');
        await promise;
      });
    const starter = held(gates[0]);
    await until(async () => (await findRunningEmbedded(server)) !== undefined);
    const guest = held(gates[1]);
    const url = (await findRunningEmbedded(server)) ?? '';
    const connected = async (statement: string): Promise<number> =>
      (
        await query(
          url,
          `select from pg_stat_activity
           where application_name = 'malipo command' and query like '%${statement}%'`,
        )
      ).length;
    await until(async () => (await connected('select 1 as held')) === 2);

    gates[0].resolve();
    // The process that started the server is done, and checks whether others use it.
    await until(async () => (await connected('pg_backend_pid()')) === 1);
    gates[1].resolve();
    await Promise.all([guest, starter]);
    expect(await findRunningEmbedded(server)).toBeUndefined();
  });
});

describe('during a running service', () => {
  it('uses the server of the service and leaves it running', async () => {
    const folder = await dataDir();
    const server = await fixture.start(path.join(folder, 'postgres'));
    const environment = { DATA_DIR: folder, MASTER_KEY: newMasterKey() };
    const added = await malipo(
      environment,
      'collector',
      'add',
      'till',
      '--name',
      'Till',
      '--all-vendors',
      '--json',
    );
    expect(added.exitCode).toBe(0);
    expect(await query(server.url, 'select collector from collectors')).toEqual([
      { collector: 'till' },
    ]);
    await server.stop();
  });

  it('takes the sandbox’s own master key', async () => {
    const folder = await fixture.folder();
    const environment = { DATA_DIR: folder };
    await must(environment, 'migrate');
    const server = await fixture.start(path.join(folder, 'postgres'));
    const add = ['vendor', 'add', 'shop', '--name', 'Shop', '--sector', 'bank'];
    const early = await inProcess(environment, ...add);
    expect(early.exitCode).toBe(1);
    expect(early.stderr).toContain('MASTER_KEY is not set');
    const key = newMasterKey();
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'master-key'), `${key}\n`);
    await must(environment, add);
    // With this key as MASTER_KEY the next key can be created; with another one it cannot.
    await must({ ...environment, MASTER_KEY: key }, 'vendor', 'rotate-key', 'shop');
    const other = { ...environment, MASTER_KEY: newMasterKey() };
    expect((await inProcess(other, 'vendor', 'rotate-key', 'shop')).exitCode).toBe(1);
    await server.stop();
  });
});

describe('a database that is not migrated', () => {
  it('a database that is not migrated is refused with a hint how to migrate', async () => {
    const database = await createTestDatabase();
    const environment = { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl };
    try {
      await query(
        database.ownerUrl,
        'delete from schema_migrations where name = (select max(name) from schema_migrations)',
      );
      const older = await malipo(environment, 'vendor', 'list');
      expect(older).toMatchObject({ exitCode: 1, stdout: '' });
      expect(older.stderr).toContain('of an older version than this program');
      expect(older.stderr).toContain('npm run -s malipo -- migrate');
      await query(database.ownerUrl, 'drop schema public cascade; create schema public');
      const empty = await inProcess(environment, 'ledger', 'check', '--json');
      expect(empty).toMatchObject({ exitCode: 1, stdout: '' });
      expect(empty.stderr).toContain('The database is empty.');
      expect(empty.stderr).toContain('npm run -s malipo -- migrate');
      const migrated = await must(environment, 'migrate');
      expect(migrated.stdout).toMatch(/^Applied platform\/0001_/);
      expect((await must(environment, 'vendor', 'list')).stdout).toBe('(no vendors)\n');
    } finally {
      await database.drop();
    }
  });
});

describe('an owner URL that names another database', () => {
  it.each([['migrate'], ['archive', 'run', '--before', '2020-01-01']])(
    '%s refuses an owner URL that names another database, and nothing is created there',
    async (...args) => {
      const [database, other] = [await createTestDatabase(), await createTestDatabase()];
      const environment = { DATABASE_URL: database.url, DATABASE_OWNER_URL: other.ownerUrl };
      try {
        await query(other.ownerUrl, 'drop schema public cascade; create schema public');
        const refused = await inProcess(environment, ...args);
        expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
        expect(refused.stderr).toMatch(
          /^error: DATABASE_OWNER_URL names another database than DATABASE_URL/,
        );
        expect(
          await query(other.ownerUrl, `select from pg_class where relname = 'vendors'`),
        ).toEqual([]);
      } finally {
        await database.drop();
        await other.drop();
      }
    },
  );
});
