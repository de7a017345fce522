import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { checkServer } from '../../src/platform/db/server-check.ts';
import { findWriteObstacle } from '../../src/platform/db/write-check.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { PATH, isInstalled } from '../support/installed.ts';
import { findFreePort, startService } from '../support/service-process.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

// A real PgBouncer between the service and PostgreSQL, where one is installed.

const NOBODY = 65_534;

let database: TestDatabase;
let folder: string;
let bouncer: ChildProcess | undefined;
let openPool: Pool | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  await chmod(folder, 0o755);
});
beforeEach((context) => {
  if (!isInstalled('pgbouncer')) context.skip('PgBouncer is not installed');
});
afterEach(async () => {
  await openPool?.end();
  openPool = undefined;
  bouncer?.kill('SIGKILL');
});
afterAll(async () => {
  await database.drop();
  await removeFolder(folder);
});

/** Starts PgBouncer, and returns a URL and a pool that lead through it. */
async function connect(settings: string): Promise<{ readonly url: string; readonly pool: Pool }> {
  const { hostname, port, pathname, username, password } = new URL(database.url);
  const own = await findFreePort();
  const file = path.join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
     pooled = host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}
     [pgbouncer]
     listen_addr = 127.0.0.1
     listen_port = ${own}
     unix_socket_dir =
     auth_type = any
     ${settings}`.replaceAll(/^ +/gm, ''),
    { mode: 0o644 },
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  bouncer = spawn('pgbouncer', ['-q', file], { stdio: 'ignore', env: { PATH }, ...user });
  const url = `postgresql://any@127.0.0.1:${own}/pooled`;
  const through = createPool({ url, max: 3, name: 'test' });
  openPool = through;
  await once(bouncer, 'spawn');
  await until('it answers', async () => (await through.query('select 1')).rowCount === 1);
  return { url, pool: through };
}

const POOLER = 'a pooler gives sessions to several connections in turn';
const REFUSED = expect.stringContaining(POOLER);

test('in session mode it is as good as PostgreSQL itself', async () => {
  const { pool } = await connect('pool_mode = session');
  expect((await checkServer(pool, 3)).refusals).toEqual([]);
  expect(await databaseTransaction(pool, findWriteObstacle)).toBeUndefined();
});

test.each(['', 'server_round_robin = 1'])(
  'in transaction mode it is refused at the start (%s)',
  async (settings) => {
    const { pool } = await connect(`pool_mode = transaction\n${settings}`);
    expect((await checkServer(pool, 3)).refusals).toContainEqual(REFUSED);
  },
);

test('the program does not start, and says why', async () => {
  const { url } = await connect('pool_mode = transaction');
  const service = startService('serve', {
    DATABASE_URL: url,
    PORT: String(await findFreePort()),
    DATA_DIR: folder,
    MASTER_KEY: randomBytes(32).toString('base64'),
  });
  expect(await service.ended()).toEqual({ code: 1, signal: null });
  expect(service.stderr).toContain(POOLER);
});

test('in transaction mode a process that runs is not ready', async () => {
  const { pool } = await connect('pool_mode = transaction');
  const [one, other] = [await pool.connect(), await pool.connect()];
  other.release();
  // Released last, it is used next; the other one set its settings later, in the same session.
  one.release();
  expect(await databaseTransaction(pool, findWriteObstacle)).toMatch(
    /^a database session of its own/,
  );
});
