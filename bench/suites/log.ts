import { createPool } from '../../src/platform/db/pool.ts';
import { drive } from '../load/drive.ts';
import { createRequests } from '../load/requests.ts';
import { countPayments } from '../store.ts';
import { MAX_PER_SECOND } from './http.ts';
import { reconcile, runOf } from './suite.ts';
import type { Suite } from './suite.ts';

const CONNECTIONS = 256;
const LEVELS: Readonly<Record<string, string>> = {
  'create without log': 'warn',
  'create with log': 'info',
};

/** Measures the cost of the log at the level info: a line for each request and for each payment. */
export const logSuite: Suite = {
  name: 'log',
  contestants: Object.keys(LEVELS),
  open: async (stage, { seconds }) => {
    const url = await stage.database('log');
    const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
    const servers = new Map(
      await Promise.all(
        Object.entries(LEVELS).map(async ([name, level]) => {
          const environment = { DATABASE_URL: url, ROLES: 'api', BENCH_LOG_LEVEL: level };
          return [name, await stage.start<{ port: number }>('server.ts', environment)] as const;
        }),
      ),
    );
    const run = async (name: string, duration: number) => {
      const server = servers.get(name);
      if (server === undefined) throw new Error(`no contestant ${name}`);
      const requests = createRequests(stage.many, MAX_PER_SECOND * duration);
      await stage.checkpoint();
      const before = await countPayments(pool);
      const measured = await stage.measured(server, async () => {
        const { port } = server.first;
        const { folder } = stage;
        const driven = await drive({
          ...{ port, requests, folder },
          connections: CONNECTIONS,
          seconds: duration,
          sharesCoreOf: server.pid,
        });
        return { ...driven, events: driven.answered };
      });
      reconcile(name, (await countPayments(pool)) - before, measured.result.answered);
      return runOf(name, measured);
    };
    for (const name of servers.keys()) await run(name, 2);
    return {
      run: async (name) => await run(name, seconds),
      close: async () => {
        await Promise.all([...servers.values()].map(async (server) => await server.stop()));
        await pool.end();
      },
    };
  },
};
