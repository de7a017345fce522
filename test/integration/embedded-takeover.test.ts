import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { findRunningEmbedded } from '../../src/platform/embedded/embedded.ts';
import { findPostgresPackage, findPrograms } from '../../src/platform/embedded/binaries.ts';
import { readPassword } from '../../src/platform/embedded/folder.ts';
import { identifyOurselves } from '../../src/platform/embedded/process.ts';
import { runServer } from '../../src/platform/embedded/server.ts';
import type { RunningServer } from '../../src/platform/embedded/server.ts';
import { inspectServer, makeWay, ownerArgs } from '../../src/platform/embedded/takeover.ts';
import { createLaunch, findServerUser } from '../../src/platform/embedded/user.ts';
import { isGone, query, run, setStatus, until, EmbeddedFixture } from './embedded-support.ts';

const fixture = new EmbeddedFixture();
const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => await server.stop()));
  await fixture.cleanUp();
});
afterAll(async () => await fixture.cleanUpAll());

const CREATE = 'create table if not exists kept (n int)';

/** A bare server on a used folder, with any command line. */
async function runBare(folder: string, args: readonly string[]): Promise<RunningServer> {
  const data = path.join(folder, 'data');
  const user = await findServerUser(data);
  const server = await runServer({
    data,
    password: await readPassword(data),
    program: path.join(
      await findPrograms(await findPostgresPackage(undefined), user),
      'bin/postgres',
    ),
    args: ['-c', 'unix_socket_directories=', ...args],
    launch: await createLaunch(user, folder),
    ownProcessGroup: false,
    log: () => undefined,
    stopGraceMs: 15_000,
  });
  servers.push(server);
  return server;
}

/** Writes a lock file as if the server `pid` had died without removing it. */
async function leaveLockFile(folder: string, pid: number | ''): Promise<void> {
  const data = path.join(folder, 'data');
  const file = path.join(data, 'postmaster.pid');
  const text = `${pid}\n${data}\n1700000000\n5432\n\n127.0.0.1\n  1234567    65538\nready   \n`;
  await writeFile(file, pid === '' ? '' : text);
  const { uid, gid } = await stat(data);
  await chown(file, uid, gid);
}

async function findKernelThread(): Promise<number | undefined> {
  const name = await readFile('/proc/2/comm', 'utf8').catch(() => '');
  return name.trim() === 'kthreadd' ? 2 : undefined;
}

async function expectServed(folder: string): Promise<void> {
  const { url } = await fixture.start(folder);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
}

describe('a lock file left behind is no obstacle', () => {
  test('when its process is gone', async () => {
    const folder = await fixture.usedFolder();
    const ended = spawn('true');
    await once(ended, 'exit');
    await leaveLockFile(folder, ended.pid ?? 0);
    await expectServed(folder);
  });

  test('when another program has its process number now, even of the same user', async () => {
    const folder = await fixture.usedFolder();
    const { uid, gid } = await stat(path.join(folder, 'data'));
    const other = spawn('sleep', ['1000'], { uid, gid });
    await once(other, 'spawn');
    await fixture.endLater(other.pid);
    await leaveLockFile(folder, other.pid ?? 0);
    expect(await findRunningEmbedded(folder)).toBeUndefined();
    await expectServed(folder);
    expect(await isGone(other.pid ?? 0)).toBe(false);
  });

  test('when the server of another folder has its process number now', async () => {
    const folder = await fixture.usedFolder();
    const other = await fixture.start(await fixture.usedFolder());
    await leaveLockFile(folder, other.pid);
    await expectServed(folder);
    expect(await query(other.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('when a thread of the kernel has its process number now', async ({ skip }) => {
    const folder = await fixture.usedFolder();
    const kernelThread = await findKernelThread();
    if (kernelThread === undefined) return skip('none is to be seen in a container');
    await leaveLockFile(folder, kernelThread);
    await expectServed(folder);
  });

  test('when it is empty', async () => {
    const folder = await fixture.usedFolder();
    await leaveLockFile(folder, '');
    await expectServed(folder);
  });
});

describe('a killed owner', () => {
  test.runIf(process.platform === 'linux')('takes its server along', async () => {
    const { starter, pid } = await fixture.startElsewhere(await fixture.usedFolder());
    starter.kill('SIGKILL');
    await until(async () => await isGone(pid));
  });

  test('the next start takes over from a killed owner, with all its data', async () => {
    const folder = await fixture.usedFolder();
    const { starter, url, pid } = await fixture.startElsewhere(folder);
    await query(url, `${CREATE}; insert into kept values (1)`);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    const database = await fixture.start(folder);
    expect(database.pid).not.toBe(pid);
    expect(await isGone(pid)).toBe(true);
    expect(await query(database.url, 'select n from kept')).toEqual([{ n: 1 }]);
  });

  test('the server that a killed owner left running is ended properly, not killed', async () => {
    const folder = await fixture.usedFolder();
    // The state after a kill where the kernel does not notify the server: its owner is not alive.
    const orphan = await runBare(folder, ownerArgs({ pid: process.pid, startedAt: '1' }));
    const reasons: string[] = [];
    orphan.onUnexpectedExit((reason) => reasons.push(reason));
    expect(await findRunningEmbedded(folder)).toBeUndefined();
    await expectServed(folder);
    expect(reasons).toEqual(['exit by code 0']);
    expect(fixture.log.join('\n')).toContain(`Ending the PostgreSQL server ${orphan.pid}`);
  });

  test('the next start waits for an owner that takes a moment to end', async () => {
    const folder = await fixture.usedFolder();
    const data = path.join(folder, 'data');
    const owner = spawn('sleep', ['1000']);
    await once(owner, 'spawn');
    const server = await runBare(folder, ownerArgs(await fixture.endLater(owner.pid)));
    const way = makeWay(data, () => undefined);
    // Takes as long as the inspection that began before it, so that that one still finds the owner.
    expect(await inspectServer(data)).toMatchObject({ kind: 'owned' });
    owner.kill('SIGKILL');
    await way;
    expect(await isGone(server.pid)).toBe(true);
  });

  test('killed with its whole process group loses nothing that was committed', async () => {
    const folder = await fixture.usedFolder();
    for (let round = 1; round <= 3; round += 1) {
      const { starter, url } = await fixture.startElsewhere(folder);
      await query(url, `${CREATE}; insert into kept values (${round})`);
      process.kill(-(starter.pid ?? 0), 'SIGKILL');
    }
    const { url } = await fixture.start(folder);
    expect(await query(url, 'select n from kept order by n')).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 3 },
    ]);
    expect(fixture.log.join('\n')).toContain('automatic recovery in progress');
  });

  test.runIf(process.platform === 'linux')(
    'and a session that computes on after its server was killed',
    async () => {
      const folder = await fixture.usedFolder();
      const first = await fixture.start(folder);
      const busy = query(first.url, 'do $$ begin loop perform 1; end loop; end $$').catch(() => []);
      let session = 0;
      await until(async () => {
        const rows = await query(
          first.url,
          `select pid from pg_stat_activity where state = 'active' and query like 'do %'`,
        );
        session = Number(rows[0]?.['pid'] ?? 0);
        return session > 0;
      });
      await fixture.endLater(session);
      process.kill(first.pid, 'SIGKILL');
      await until(async () => await isGone(first.pid));
      expect(await isGone(session)).toBe(false);
      await expectServed(folder);
      expect(await isGone(session)).toBe(true);
      await busy;
    },
  );
});

describe('a living server is left alone', () => {
  test('when its owner is alive; the message names it', async () => {
    const folder = await fixture.usedFolder();
    const { starter, url } = await fixture.startElsewhere(folder);
    await expect(fixture.start(folder)).rejects.toThrow(
      `Malipo is already running on ${folder} (process ${starter.pid}).\nStop it, or set DATA_DIR`,
    );
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('refuses to touch a server that a person started', async () => {
    const folder = await fixture.usedFolder();
    const server = await runBare(folder, []);
    await expect(fixture.start(folder)).rejects.toThrow(
      `a server that Malipo did not start (process ${server.pid})`,
    );
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('until it has stopped, when it is stopping', async () => {
    const folder = await fixture.usedFolder();
    const first = await fixture.start(folder);
    await setStatus(folder, 'stopping');
    const way = makeWay(path.join(folder, 'data'), () => undefined);
    await Promise.all([way, first.stop()]);
    await expectServed(folder);
  });

  test('exactly one of two starts at the same time succeeds', async () => {
    const folder = await fixture.usedFolder();
    for (let round = 0; round < 3; round += 1) {
      const results = await Promise.allSettled([fixture.start(folder), fixture.start(folder)]);
      const won = results.filter((result) => result.status === 'fulfilled');
      const lost = results.find((result) => result.status === 'rejected');
      expect(won).toHaveLength(1);
      expect(String(lost?.reason)).toContain(`already running on ${folder}`);
      await fixture.stopAll();
    }
  });
});

test('the owner is on the command line of the server itself', async () => {
  const { pid } = await fixture.start(await fixture.usedFolder());
  const { startedAt } = await identifyOurselves();
  const { stdout } = await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]);
  expect(stdout).toContain(`malipo.owner=${process.pid}-${startedAt}`);
  const options = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => stdout);
  expect(options).not.toMatch(/password/i);
});
