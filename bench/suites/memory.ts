import { createPool } from '../../src/platform/db/pool.ts';
import { drive } from '../load/drive.ts';
import { createRequests } from '../load/requests.ts';
import { residentBytes } from '../machine.ts';
import { median } from '../ratios.ts';
import { countPayments } from '../store.ts';
import { MAX_PER_SECOND } from './http.ts';
import { reconcile } from './suite.ts';
import type { Suite } from './suite.ts';

/** One stretch of load; the requests of the next one are signed in between. */
const STRETCH_SECONDS = 15;
const SAMPLE_MS = 500;

/** Resident memory of the server at full load, after the last minute against after the first. */
export const memorySuite: Suite = {
  name: 'memory',
  contestants: ['memory at full load'],
  open: async (stage, options) => {
    const url = await stage.database('memory');
    const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
    const server = await stage.start<{ port: number }>('server.ts', {
      DATABASE_URL: url,
      ROLES: 'api',
    });
    const { port } = server.first;
    /** The median during the stretch, because single samples vary with the garbage collector. */
    const stretch = async (): Promise<number> => {
      const requests = createRequests(stage.many, MAX_PER_SECOND * STRETCH_SECONDS);
      const before = await countPayments(pool);
      const samples: number[] = [];
      const sampling = setInterval(() => samples.push(residentBytes(server.pid)), SAMPLE_MS);
      const driven = await drive({
        port,
        requests,
        connections: 256,
        seconds: STRETCH_SECONDS,
        folder: stage.folder,
      });
      clearInterval(sampling);
      reconcile('memory', (await countPayments(pool)) - before, driven.answered);
      return median(samples);
    };
    return {
      once: true,
      run: async (name) => {
        const stretchesAMinute = 60 / STRETCH_SECONDS;
        const inMinutes: number[] = [];
        for (let index = 0; index < options.memoryMinutes * stretchesAMinute; index += 1) {
          inMinutes.push(await stretch());
        }
        // The last stretch of the first minute and the last of all.
        const after1 = inMinutes[stretchesAMinute - 1] ?? Number.NaN;
        return { contestant: name, value: (inMinutes.at(-1) ?? 0) / after1, unit: 'ratio' };
      },
      close: async () => {
        await server.stop();
        await pool.end();
      },
    };
  },
};
