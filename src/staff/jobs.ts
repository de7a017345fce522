import { Type } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import { idOf, inputOf } from './fields.ts';
import { jobView, viewOfJob } from './job-schema.ts';
import { BY_TIME, list } from './lists.ts';
import type { PageOf } from './lists.ts';

const core = async () => await import('../platform/jobs/job-store.ts');

const { result: _, ...listed } = jobView.properties;
const row = Type.Object(listed);
export type JobList = PageOf<'jobs', typeof row>;

export const JOBS: Noun = {
  command: 'job',
  summary: 'Long work that somebody began, such as a check of the ledger: how far it has come.',
  definitions: [
    list(core, BY_TIME, {
      name: 'job.list',
      summary: 'Jobs of the last 90 days that you may see, newest first.',
      route: 'GET /jobs',
      permission: 'home.read',
      isUsual: true,
      isWatched: true,
      page: 50,
      rows: 'jobs',
      row,
      empty: 'no jobs',
      read: async ({ core: { listJobs }, deps: { pool }, viewer: { permissions } }, page) =>
        await listJobs(pool, { permissions, ...page }),
      placeOf: ({ startedAt: at, jobId: id }) => ({ at, id }),
      show: (shown) =>
        shown.map((job) => {
          const { result: _result, ...rest } = viewOfJob(job);
          return rest;
        }),
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
        const found = await findJob(pool, input.job, permissions);
        if (found === undefined) throw new Refusal('not_found', { text: 'No such job' });
        return viewOfJob(found);
      },
    }),
  ],
};
