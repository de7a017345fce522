import { createPool } from '../../src/platform/db/pool.ts';
import type { DispatchAnswer, DispatchQuestion } from '../children/dispatch.ts';
import { DISPATCH_WORKERS } from '../ratios.ts';
import { countSettled } from '../store.ts';
import { reconcile, runOf } from './suite.ts';
import type { Suite } from './suite.ts';

/** Jobs for each second of a run; all are created before the measurement begins. */
const JOBS_PER_SECOND = 10_000;

type Contestant = Pick<DispatchQuestion, 'contestant' | 'workers'>;

const CONTESTANTS: Readonly<Record<string, Contestant>> = {
  ...Object.fromEntries(
    DISPATCH_WORKERS.flatMap((workers) => [
      [`dispatch by 500, ${workers} at once`, { contestant: 'ours', workers }],
      [`pg-boss by 500, ${workers} at once`, { contestant: 'pg-boss', workers }],
    ]),
  ),
  'pg-boss with one output for all, 2 at once': { contestant: 'pg-boss-one-output', workers: 2 },
  'graphile-worker': { contestant: 'graphile', workers: 24 },
};

/** Bookkeeping of dispatched work: claiming it and recording its end, without the calls in between. */
export const dispatchSuite: Suite = {
  name: 'dispatch',
  contestants: Object.keys(CONTESTANTS),
  open: async (stage, options) => {
    const url = await stage.database('dispatch');
    const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
    const child = await stage.start('dispatch.ts', {});
    const run = async (name: string, jobs: number) => {
      const contestant = CONTESTANTS[name];
      if (contestant === undefined) throw new Error(`no contestant ${name}`);
      const vendorIds = stage.many.map(({ vendorId }) => vendorId);
      const question: DispatchQuestion = { ...contestant, url, jobs, vendorIds };
      await child.ask({ ...question, prepare: true });
      await stage.checkpoint();
      const before = await countSettled(pool);
      const measured = await stage.measured(child, async () => {
        const answer = await child.ask<DispatchAnswer>(question);
        return { ...answer, events: answer.jobs };
      });
      if (contestant.contestant === 'ours') {
        reconcile(name, (await countSettled(pool)) - before, jobs);
      }
      return runOf(name, measured);
    };
    const warmedUp = Object.keys(CONTESTANTS).filter((name) => name.endsWith(', 2 at once'));
    for (const name of warmedUp) await run(name, JOBS_PER_SECOND);
    return {
      run: (name) => run(name, JOBS_PER_SECOND * options.seconds),
      close: async () => {
        await child.stop();
        await pool.end();
      },
    };
  },
};
