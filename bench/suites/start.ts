import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { NODE_OPTIONS } from '../../scripts/node-options.ts';
import { cpuSeconds } from '../machine.ts';
import type { Suite } from './suite.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const START_MS = 60_000;
const LOOK_MS = 20;

/** `npm run serve` with all roles on a migrated database: CPU of the process until it is ready. */
export const startSuite: Suite = {
  name: 'start',
  contestants: ['start'],
  open: async (stage) => {
    const environment = {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: await stage.emptyDatabase('started'),
      DATA_DIR: path.join(stage.folder, 'started'),
      MASTER_KEY: randomBytes(32).toString('base64'),
      PORT: '0',
      SHUTDOWN_DELAY_MS: '0',
    };
    // Migrates, and fills the cache of compiled code.
    await startOnce(environment);
    return {
      run: async (contestant) => {
        const value = await startOnce(environment);
        return { contestant, value, unit: 'seconds' };
      },
      close: async () => undefined,
    };
  },
};

/** Starts it, waits until it is ready, and stops it. Returns the CPU seconds until then. */
async function startOnce(env: Readonly<Record<string, string>>): Promise<number> {
  const child = spawn(process.execPath, [...NODE_OPTIONS, 'src/main.ts', 'serve'], {
    ...{ cwd: ROOT, env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    await untilReady(await addressOf(child));
    return cpuSeconds(child.pid ?? 0);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** From its log, which is read to its end. */
async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('its output is not read');
  const found = Promise.withResolvers<string>();
  createInterface(child.stdout)
    .on('line', (line) => {
      const { msg, address } = JSON.parse(line) as { readonly [name: string]: string };
      if (msg === 'serving' && address !== undefined) found.resolve(address);
    })
    .once('close', () => found.reject(new Error('the service ended before it was ready')));
  return await found.promise;
}

async function untilReady(address: string): Promise<void> {
  const endsAt = performance.now() + START_MS;
  while (!(await fetch(new URL('/health/ready', address))).ok) {
    if (performance.now() > endsAt) throw new Error('the service was not ready in time');
    await delay(LOOK_MS);
  }
}
