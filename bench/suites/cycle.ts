import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startOperators } from '../../sandbox/operators-process.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { drive } from '../load/drive.ts';
import { createRequests } from '../load/requests.ts';
import {
  countQueued,
  countSettled,
  countPayments,
  databaseTime,
  moveOperators,
  settlingSeconds,
} from '../store.ts';
import { MAX_PER_SECOND } from './http.ts';
import { reconcile, runOf } from './suite.ts';
import type { Suite } from './suite.ts';

const ALONE = 'create alone';
const CYCLE = 'cycle';
const CONNECTIONS = 256;
const SETTLED_WITHIN_MS = 300_000;
const LOOK_MS = 50;

/**
 * The whole way of a payment: created over HTTP, sent to the simulated operators in their process,
 * answered, settled. Its rate counts from the first create to the last settlement.
 */
export const cycleSuite: Suite = {
  name: 'cycle',
  contestants: [ALONE, CYCLE],
  open: async (stage, options) => {
    const urls = {
      [ALONE]: await stage.database('created'),
      [CYCLE]: await stage.database('cycled'),
    };
    const open = (url: string) =>
      createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
    const pools = { [ALONE]: open(urls[ALONE]), [CYCLE]: open(urls[CYCLE]) };
    const operators = await startOperators({
      port: 0,
      folder: path.join(stage.folder, 'operators'),
      providersCallBack: undefined,
      onUnexpectedExit: () => options.log('the simulated operators ended'),
    });
    await moveOperators(pools[CYCLE], operators.origin);
    const start = (url: string, ROLES: string) =>
      stage.start<{ port: number }>('server.ts', { DATABASE_URL: url, ROLES });
    const servers = {
      [ALONE]: await start(urls[ALONE], 'api'),
      [CYCLE]: await start(urls[CYCLE], 'api,dispatcher'),
    };
    const run = async (name: string, seconds: number) => {
      if (name !== ALONE && name !== CYCLE) throw new Error(`no contestant ${name}`);
      const pool = pools[name];
      const requests = createRequests(stage.many, MAX_PER_SECOND * seconds);
      await stage.checkpoint();
      const before = await countPayments(pool);
      const settledBefore = await countSettled(pool);
      const startedAt = await databaseTime(pool);
      const measured = await stage.measured(servers[name], async () => {
        const driven = await drive({
          port: servers[name].first.port,
          requests,
          connections: CONNECTIONS,
          seconds,
          folder: stage.folder,
        });
        if (name === ALONE) return { rate: driven.rate, events: driven.answered };
        await drained(pool);
        const tookSeconds = await settlingSeconds(pool, startedAt);
        return { rate: driven.answered / tookSeconds, events: driven.answered };
      });
      const { events } = measured.result;
      reconcile(name, (await countPayments(pool)) - before, events);
      if (name === CYCLE) reconcile(name, (await countSettled(pool)) - settledBefore, events);
      return runOf(name, measured);
    };
    await run(ALONE, 2);
    await run(CYCLE, 2);
    return {
      run: (name) => run(name, options.seconds),
      close: async () => {
        await Promise.all(Object.values(servers).map((server) => server.stop()));
        await operators.stop();
        await Promise.all(Object.values(pools).map((pool) => pool.end()));
      },
    };
  },
};

async function drained(pool: Parameters<typeof countQueued>[0]): Promise<void> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  while ((await countQueued(pool)) > 0) {
    if (performance.now() > deadline) throw new Error('not every payment was settled in time');
    await delay(LOOK_MS);
  }
}
