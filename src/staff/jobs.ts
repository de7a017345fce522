import { Type } from 'typebox';
import type { Static } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import { idOf, inputOf, next, paging } from './fields.ts';
import { jobView, viewOfJob } from './job-schema.ts';
import { pageByTime } from './pages.ts';

const core = async () => await import('./jobs-store.ts');

const { result: _, ...listed } = jobView.properties;
const list = Type.Object({ jobs: Type.Array(Type.Object(listed)), next });
export type JobList = Static<typeof list>;

export const JOBS: Noun = {
  command: 'job',
  summary: 'Long work that somebody began, such as a check of the ledger: how far it has come.',
  definitions: [
    view(core, {
      name: 'job.list',
      summary: 'Jobs of the last 90 days that you may see, newest first.',
      route: 'GET /jobs',
      permission: 'home.read',
      isUsual: true,
      isWatched: true,
      input: inputOf(paging(50)),
      output: list,
      rows: 'jobs',
      empty: 'no jobs',
      handle: async ({ core: { listJobs }, input, deps: { pool }, viewer: { permissions } }) => {
        const { shown, next: more } = await pageByTime(
          input,
          async (page) => await listJobs(pool, { permissions, ...page }),
          ({ startedAt: at, jobId: id }) => ({ at, id }),
        );
        const jobs = shown.map((row) => {
          const { result: _result, ...rest } = viewOfJob(row);
          return rest;
        });
        return { jobs, next: more };
      },
    }),
    view(core, {
      name: 'job.show',
      summary: 'How far a job has come, and its result or error.',
      route: 'GET /jobs/:job',
      permission: 'home.read',
      isWatched: true,
      input: inputOf({ job: idOf('job') }),
      output: jobView,
      handle: async ({ core: { findJob }, input, deps: { pool }, viewer: { permissions } }) => {
        const row = await findJob(pool, input.job, permissions);
        if (row === undefined) throw new Refusal('not_found', { text: 'No such job' });
        return viewOfJob(row);
      },
    }),
  ],
};
