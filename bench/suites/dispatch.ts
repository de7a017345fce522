import { createPool } from '../../src/db/pool.ts';
import type { DispatchAnswer, DispatchQuestion } from '../children/dispatch.ts';
import { countSettled } from '../store.ts';
import { reconcile, runOf } from './suite.ts';
import type { Suite } from './suite.ts';

const OURS = 'dispatch by 500';

/** How many jobs a second of a run's length is worth: all are made before the time begins. */
const JOBS_PER_SECOND = 10_000;

/** Bookkeeping of work that is sent out: taking it and writing its end down, nothing in between. */
export const dispatchSuite: Suite = {
  name: 'dispatch',
  contestants: [OURS, 'pg-boss by 500', 'graphile-worker by 500'],
  open: async (stage, options) => {
    const url = await stage.database('dispatch');
    const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
    const child = await stage.start('dispatch.ts', {});
    const run = async (name: string, jobs: number) => {
      const question: DispatchQuestion = {
        contestant: name === OURS ? 'ours' : name.startsWith('pg-boss') ? 'pg-boss' : 'graphile',
        url,
        jobs,
        vendorId: stage.hot[0]?.vendorId ?? 0,
      };
      await child.ask({ ...question, prepare: true });
      await stage.checkpoint();
      const before = await countSettled(pool);
      const measured = await stage.measured(child, async () => {
        const answer = await child.ask<DispatchAnswer>(question);
        return { ...answer, events: answer.jobs };
      });
      if (name === OURS) reconcile(name, (await countSettled(pool)) - before, jobs);
      return runOf(name, measured);
    };
    for (const name of [OURS, 'pg-boss by 500']) await run(name, JOBS_PER_SECOND);
    return {
      run: (name) => run(name, JOBS_PER_SECOND * options.seconds),
      close: async () => {
        await child.stop();
        await pool.end();
      },
    };
  },
};
