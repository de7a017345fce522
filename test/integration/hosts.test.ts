import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { startEmbedded } from '../../src/platform/embedded/embedded.ts';
import type { EmbeddedDatabase } from '../../src/platform/embedded/embedded.ts';
import { locateData } from '../../src/platform/embedded/folder.ts';
import { findFreePort } from '../support/service-process.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

// DATABASE_URL with several hosts, of which one is the primary.

const run = promisify(execFile);

let folder: string;
let first: EmbeddedDatabase;
let second: EmbeddedDatabase;
let pool: Pool;

async function start(name: string, port: number): Promise<EmbeddedDatabase> {
  const settings = { shared_buffers: '16MB' };
  return await startEmbedded({
    folder: path.join(folder, name),
    log: () => undefined,
    choosePort: async () => port,
    settings,
  });
}

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  const [onePort, twoPort] = [await findFreePort(), await findFreePort()];
  first = await start('one', onePort);
  await first.stop();
  // Keeps the owner of the files.
  await run('cp', ['-a', path.join(folder, 'one'), path.join(folder, 'two')]);
  second = await start('two', twoPort);
  first = await start('one', onePort);
  const { username, password, pathname } = new URL(first.url);
  const hosts = `127.0.0.1:${onePort},127.0.0.1:${twoPort}`;
  const url = `postgresql://${username}:${password}@${hosts}${pathname}`;
  pool = createPool({ url, max: 1, name: 'test' });
}, 120_000);

afterAll(async () => {
  await pool.end();
  await Promise.all([first.stop(), second.stop()]);
  await removeFolder(folder);
});

/** Makes a server of these files a standby, or a primary. */
async function restart(
  server: EmbeddedDatabase,
  name: string,
  isStandby: boolean,
): Promise<EmbeddedDatabase> {
  const port = Number(new URL(server.url).port);
  await server.stop();
  const signals = path.join((await locateData(path.join(folder, name))) ?? '', 'standby.signal');
  if (isStandby) await writeFile(signals, '');
  else await rm(signals, { force: true });
  return await start(name, port);
}

async function portInUse(): Promise<string> {
  const read = await pool.query<{ port: string }>(
    `select current_setting('port') as port, pg_current_xact_id()`,
  );
  return read.rows[0]?.port ?? '';
}

test('the host that accepts writes is used, and after a failover the other one', async () => {
  pool.on('error', () => undefined);
  first = await restart(first, 'one', true);
  const [one, two] = [new URL(first.url).port, new URL(second.url).port];
  expect(await portInUse()).toBe(two);
  // The primary goes away, and the standby is promoted.
  await second.stop();
  await expect(portInUse()).rejects.toThrow(/ECONN|terminated/);
  await expect(portInUse()).rejects.toThrow(/none of the database hosts accepts writes/);
  first = await restart(first, 'one', false);
  await until('the other one is used', async () => {
    return (await portInUse().catch(() => '')) === one;
  });
  second = await start('two', Number(two));
}, 120_000);
