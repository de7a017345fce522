import { once } from 'node:events';
import { readFile, readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { findRunningEmbedded, startEmbedded } from '../../src/platform/embedded/embedded.ts';
import {
  isGone,
  query,
  run,
  setStatus,
  setting,
  until,
  EmbeddedFixture,
} from './embedded-support.ts';

const fixture = new EmbeddedFixture();
afterEach(async () => await fixture.cleanUp());
afterAll(async () => await fixture.cleanUpAll());

async function processGroup(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[2]);
}

describe('starting and stopping', () => {
  test('creates the database at the first start and keeps committed data', async () => {
    const folder = path.join(await fixture.folder(), 'not', 'there', 'postgres');
    const first = await fixture.start(folder);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(await isGone(first.pid)).toBe(true);
    const second = await fixture.start(folder);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(second.url).toMatch(/^postgres:\/\/malipo:[\w-]{43}@127\.0\.0\.1:\d+\/malipo/);
    expect(await readdir(folder)).toEqual(['data', 'in-use']);
  });

  test('uses UTF-8 and an order of texts that no system locale changes', async () => {
    const { url } = await fixture.start(await fixture.usedFolder());
    expect(
      await query(
        url,
        `select pg_encoding_to_char(encoding) as encoding, datlocprovider as provider,
           datlocale as locale from pg_database where datname = current_database()`,
      ),
    ).toEqual([{ encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' }]);
  });

  test('the database is durable, and reachable only from this machine and with the password', async () => {
    const folder = await fixture.usedFolder();
    const { url } = await fixture.start(folder);
    for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      expect([name, await setting(url, name)]).toEqual([name, 'on']);
    }
    expect(await setting(url, 'listen_addresses')).toBe('127.0.0.1');
    expect(await setting(url, 'unix_socket_directories')).toBe('');
    const password = await stat(path.join(folder, 'data', 'malipo.password'));
    expect(password.mode & 0o777).toBe(0o600);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/);
  });

  test('takes settings, but none that endangers the data or opens the server', async () => {
    const folder = await fixture.usedFolder();
    const { url } = await fixture.start(folder, { settings: { work_mem: '7MB' } });
    expect(await setting(url, 'work_mem')).toBe('7MB');
    for (const name of ['fsync', 'Synchronous_Commit', 'full_page_writes', 'listen_addresses']) {
      const options = { folder, settings: { [name]: 'off' }, log: () => undefined };
      await expect(startEmbedded(options)).rejects.toThrow(`${name} of the embedded database`);
    }
  });

  test('passes on the log of the server', async () => {
    const { url } = await fixture.start(await fixture.usedFolder());
    await query(url, 'do $$ begin raise warning $w$a line for the log$w$; end $$');
    await until(() => fixture.log.some((line) => line.includes('a line for the log')));
  });

  test('reports an unexpected end, and not an expected one', async () => {
    const reasons: string[] = [];
    const stopped = await fixture.start(await fixture.usedFolder());
    stopped.onUnexpectedExit((reason) => reasons.push(`stopped: ${reason}`));
    await Promise.all([stopped.stop(), stopped.stop()]);
    await stopped.stop();
    const killed = await fixture.start(await fixture.usedFolder());
    killed.onUnexpectedExit((reason) => reasons.push(`killed: ${reason}`));
    process.kill(killed.pid, 'SIGKILL');
    await until(() => reasons.length > 0);
    await killed.stop();
    expect(reasons).toEqual(['killed: exit by SIGKILL']);
  });

  test('stops even if clients are connected and busy', async () => {
    const database = await fixture.start(await fixture.usedFolder());
    const busy = query(database.url, 'select pg_sleep(1000)').catch(
      (error: Error) => error.message,
    );
    await until(async () => {
      const rows = await query(
        database.url,
        `select 1 from pg_stat_activity where wait_event = 'PgSleep'`,
      );
      return rows.length === 1;
    });
    await database.stop();
    expect(await busy).toMatch(/terminat/);
  });
});

test('stops a server that hangs', async () => {
  const database = await fixture.start(await fixture.usedFolder(), { stopGraceMs: 50 });
  process.kill(database.pid, 'SIGSTOP');
  await database.stop();
  expect(await isGone(database.pid)).toBe(true);
});

describe.runIf(process.platform === 'linux')('the server process', () => {
  test('the server process is in our process group', async () => {
    const { pid } = await fixture.start(await fixture.usedFolder());
    expect(await processGroup(pid)).toBe(await processGroup(process.pid));
  });

  test('has a process group of its own on request', async () => {
    const { pid } = await fixture.start(await fixture.usedFolder(), { ownProcessGroup: true });
    expect(await processGroup(pid)).toBe(pid);
  });

  test('does not run as root', async () => {
    const { pid } = await fixture.start(await fixture.usedFolder());
    const { stdout } = await run('ps', ['-o', 'uid=', '-p', String(pid)]);
    expect(Number(stdout)).not.toBe(0);
  });
});

test('chooses another port when the chosen one turns out to be taken', async () => {
  const occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  const taken = (occupant.address() as AddressInfo).port;
  const asked: number[] = [];
  const choosePort = async (): Promise<number> => {
    asked.push(asked.length);
    if (asked.length < 3) return taken;
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    return port;
  };
  try {
    const { url } = await fixture.start(await fixture.usedFolder(), { choosePort });
    expect(new URL(url).port).not.toBe(String(taken));
    expect(asked).toHaveLength(3);
  } finally {
    occupant.close();
  }
});

describe('finding the server of a running service', () => {
  test('gives its URL while it runs, nothing before and after', async () => {
    const folder = await fixture.usedFolder();
    expect(await findRunningEmbedded(`${folder}-missing`)).toBeUndefined();
    expect(await findRunningEmbedded(folder)).toBeUndefined();
    const { starter, url } = await fixture.startElsewhere(folder);
    const found = await findRunningEmbedded(folder);
    expect(found).toBe(url);
    expect(await query(found ?? '', 'select 1 as one')).toEqual([{ one: 1 }]);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    expect(await findRunningEmbedded(folder)).toBeUndefined();
  });

  test('waits for one that is starting', async () => {
    const folder = await fixture.usedFolder();
    const starting = fixture.start(folder);
    let found: string | undefined;
    await until(async () => (found = await findRunningEmbedded(folder)) !== undefined);
    expect(found).toBe((await starting).url);
  });

  test('waits for the end of one that is stopping', async () => {
    const folder = await fixture.usedFolder();
    const database = await fixture.start(folder);
    await setStatus(folder, 'stopping');
    const found = findRunningEmbedded(folder);
    await database.stop();
    expect(await found).toBeUndefined();
  });
});
