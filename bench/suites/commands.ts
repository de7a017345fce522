import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { NODE_OPTIONS } from '../../scripts/node-options.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { startSession } from '../load/person.ts';
import { familyCpuSeconds } from '../machine.ts';
import type { Suite } from './suite.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const LOCAL = 'command in process';
const REMOTE = 'command over HTTP';
/** Views of the console, the command line and the staff API. */
const COMMANDS = [
  ['case', 'list'],
  ['vendor', 'list'],
  ['house', 'trial-balance'],
];
const TIMES = 4;

/** CPU of the process of a command: with the database and its keys, and with only a token. */
export const commandSuite: Suite = {
  name: 'commands',
  contestants: [LOCAL, REMOTE],
  open: async (stage) => {
    const { masterKeys } = stage;
    const databaseUrl = await stage.database('commands');
    const server = await stage.start<{ port: number }>('server.ts', { DATABASE_URL: databaseUrl });
    const pool = createPool({ url: databaseUrl, max: 1, name: 'bench commands' });
    const token = await startSession(pool, { masterKeys, login: 'admin' });
    await pool.end();
    const local = {
      DATABASE_URL: databaseUrl,
      MASTER_KEY: masterKeys.current.toString('base64'),
    };
    const url = `http://127.0.0.1:${server.first.port}`;
    const environmentOf = (contestant: string): Readonly<Record<string, string>> =>
      contestant === LOCAL ? local : { MALIPO_URL: url, MALIPO_TOKEN: token };
    // They fill the cache of compiled code.
    for (const contestant of [LOCAL, REMOTE]) await runAll(environmentOf(contestant));
    return {
      run: async (contestant) => {
        const before = familyCpuSeconds(process.pid);
        const own = process.cpuUsage();
        for (let time = 0; time < TIMES; time += 1) await runAll(environmentOf(contestant));
        const { user, system } = process.cpuUsage(own);
        const used = familyCpuSeconds(process.pid) - before - (user + system) / 1e6;
        return { contestant, value: used / (TIMES * COMMANDS.length), unit: 'seconds' };
      },
      close: async () => await server.stop(),
    };
  },
};

async function runAll(environment: Readonly<Record<string, string>>): Promise<void> {
  for (const command of COMMANDS) {
    const args = [...NODE_OPTIONS, 'src/cli/malipo.ts', ...command, '--json'];
    const env = { PATH: process.env['PATH'] ?? '', ...environment };
    const child = spawn(process.execPath, args, {
      ...{ cwd: ROOT, env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
  }
}
