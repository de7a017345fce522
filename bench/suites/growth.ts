import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { DirectAnswer, DirectQuestion } from '../children/direct.ts';
import type { Child } from '../stage.ts';
import { countPayments, insertHistory, settleDown, walPosition } from '../store.ts';
import { CALLERS, LANE_CONNECTIONS } from './direct.ts';
import { reconcile, runOf } from './suite.ts';
import type { Suite } from './suite.ts';

const GROWN = 'lanes 1000 on 5m rows';
const EMPTY = 'lanes 1000 on empty';
const WAL = 'WAL on 5m rows';
/**
 * The log is measured over this many creates. The first change of a page after a checkpoint is logged whole; a
 * service meets that once in fifteen minutes, and a few creates would count little else. A number of seconds
 * would make the figure depend on the speed of the machine.
 */
const WAL_CREATES = 600_000;

/** The effect of years of rows: the same creates on a full and on an empty database, in turns. */
export const growthSuite: Suite = {
  name: 'growth',
  contestants: [EMPTY, GROWN, WAL],
  open: async (stage, options) => {
    const databases = new Map<string, Database>();
    databases.set(EMPTY, openDatabase(await stage.database('young')));
    const grownUrl = await stage.database('grown');
    options.log(`growth: ${options.historyRows} rows are written`);
    await fill(grownUrl, options.historyRows);
    // In a copy, because its long runs leave a million payments in the queue.
    if (options.wanted.has(WAL))
      databases.set(WAL, openDatabase(await stage.copy('logged', 'grown')));
    databases.set(GROWN, openDatabase(grownUrl));
    const child = await stage.start('direct.ts', {});
    const vendorIds = stage.many.map(({ vendorId }) => vendorId);
    return {
      run: async (name) => {
        const database = databases.get(name);
        if (database === undefined) throw new Error(`no contestant ${name}`);
        const { url, pool } = database;
        const question: DirectQuestion = {
          contestant: 'lanes',
          url,
          vendorIds,
          callers: CALLERS,
          connections: LANE_CONNECTIONS,
          seconds: options.seconds,
        };
        const before = await countPayments(pool);
        // Otherwise the server would do the work that earlier runs left in this one.
        if (name === WAL) await settleDown(pool);
        // From here on the first change of each page is logged whole, as after any checkpoint.
        await stage.checkpoint();
        const walBefore = await walPosition(pool);
        const measured = await stage.measured(child, async () => {
          const answer = await createAtLeast(name === WAL ? WAL_CREATES : 1, question, child);
          return { ...answer, events: answer.creates };
        });
        const walBytes = Number((await walPosition(pool)) - walBefore);
        const { creates } = measured.result;
        reconcile(name, (await countPayments(pool)) - before, creates);
        if (name !== WAL) return runOf(name, measured);
        return { contestant: name, value: walBytes / creates, unit: 'bytes' };
      },
      close: async () => {
        await child.stop();
        await Promise.all([...databases.values()].map(({ pool }) => pool.end()));
      },
    };
  },
};

/** Asks again until there are this many creates. The rate is that of the last time. */
async function createAtLeast(
  count: number,
  question: DirectQuestion,
  child: Child<unknown>,
): Promise<DirectAnswer> {
  let creates = 0;
  for (;;) {
    const answer = await child.ask<DirectAnswer>(question);
    creates += answer.creates;
    if (creates >= count) return { ...answer, creates };
  }
}

interface Database {
  readonly url: string;
  readonly pool: Pool;
}

function openDatabase(url: string): Database {
  return { url, pool: createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 }) };
}

/** Nobody is connected to it afterwards. */
async function fill(url: string, rows: number): Promise<void> {
  const { pool } = openDatabase(url);
  try {
    await insertHistory(pool, rows);
    await settleDown(pool);
  } finally {
    await pool.end();
  }
}
