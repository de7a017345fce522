import { createPool } from '../../src/platform/db/pool.ts';
import { drive } from '../load/drive.ts';
import { createRequests } from '../load/requests.ts';
import { countPayments } from '../store.ts';
import { MAX_PER_SECOND } from './http.ts';
import { reconcile } from './suite.ts';
import type { Suite } from './suite.ts';

/** So many that the client never waits for a free connection. */
const CONNECTIONS = 256;
/** With few requests, a high percentile is chance. */
const MIN_SECONDS = 10;
const WARM_UPS = 3;

/** Latency with an open loop: requests are sent by the clock, at half of the server's maximum rate. */
export const halfLoadSuite: Suite = {
  name: 'half load',
  contestants: ['create at half load'],
  open: async (stage, options) => {
    const url = await stage.database('half_load');
    const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
    const server = await stage.start<{ port: number }>('server.ts', {
      DATABASE_URL: url,
      ROLES: 'api',
    });
    const load = { port: server.first.port, connections: CONNECTIONS, folder: stage.folder };
    const full = async (seconds: number): Promise<number> => {
      const requests = createRequests(stage.many, MAX_PER_SECOND * seconds);
      return (await drive({ ...load, requests, seconds })).rate;
    };
    const run = async (name: string) => {
      // Its maximum rate at this moment, because the load of the machine varies.
      const max = await full(options.seconds);
      const rate = max / 2;
      const seconds = Math.max(MIN_SECONDS, options.seconds);
      const requests = createRequests(stage.many, Math.ceil(rate * seconds) + 1);
      await stage.checkpoint();
      const before = await countPayments(pool);
      const { answered, p50Ms, p99Ms } = await drive({ ...load, requests, seconds, rate });
      reconcile(name, (await countPayments(pool)) - before, answered);
      return { contestant: name, value: p99Ms / p50Ms, unit: 'ratio', p50Ms, p99Ms } as const;
    };
    // The first runs in a new database have a longer tail.
    for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) await run('warm-up');
    return {
      run,
      close: async () => {
        await server.stop();
        await pool.end();
      },
    };
  },
};
