import { pino } from 'pino';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listAudit } from '../../../src/parties/people/read-audit.ts';
import { createWireTime, systemClock } from '../../../src/platform/base/clock.ts';
import { PlainError } from '../../../src/platform/base/plain-error.ts';
import { systemTimers } from '../../../src/platform/base/timers.ts';
import { createPool } from '../../../src/platform/db/pool.ts';
import type { Pool } from '../../../src/platform/db/pool.ts';
import { createTasks } from '../../../src/platform/jobs/tasks.ts';
import { SCHEMA } from '../../../src/schema.ts';
import { action } from '../../../src/staff/definition.ts';
import type { AnyAction, AnyView } from '../../../src/staff/definition.ts';
import type { StaffDeps } from '../../../src/staff/deps.ts';
import { NOTHING } from '../../../src/staff/fields.ts';
import type { JobView } from '../../../src/staff/job-schema.ts';
import { JOBS } from '../../../src/staff/jobs.ts';
import { deleteOldJobs } from '../../../src/platform/jobs/job-store.ts';
import { perform } from '../../../src/staff/perform.ts';
import type { By } from '../../../src/staff/perform.ts';
import { ALL_OF_STAFF } from '../../../src/staff/viewer.ts';
import { createTestDatabase } from '../../support/cluster.ts';
import type { TestDatabase } from '../../support/cluster.ts';

let database: TestDatabase;
let pool: Pool;
let by: By;

const withTasks = (tasks = createTasks(systemTimers)): By => ({
  ...by,
  deps: { ...by.deps, background: { pool, tasks, log: pino({ level: 'silent' }) } },
});

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  const none = (): Promise<never> => Promise.reject(new Error('not needed'));
  by = {
    viewer: {
      ...{ personId: null, login: 'Asha', role: null, vendor: undefined, token: null },
      ...{ permissions: ALL_OF_STAFF, actor: { personId: null, name: 'Asha' } },
    },
    deps: {
      ...{ pool, clock: systemClock, wireTime: createWireTime('UTC'), timeZone: 'UTC' },
      ...{ publicUrl: 'https://pay.example.com', consoleUrl: 'https://pay.example.com/console' },
      ...{ masterKeys: none, ledgerMac: none, findLedgerMac: none, schema: SCHEMA },
      ...{
        proposals: none,
        catalogue: none,
        overview: none,
        activity: none,
        credit: none,
        create: none,
      },
    },
    ...{ channel: 'api', address: '192.0.2.1', requestId: 'one' },
  };
  by = withTasks();
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A job whose work the test ends. */
function held(name: `sample.${string}`) {
  const work = Promise.withResolvers<number>();
  const asked = Promise.withResolvers<StaffDeps>();
  const of = action(async () => undefined, {
    ...{ name, summary: 'Count.', route: 'POST /samples', permission: 'system.act' },
    ...{ input: NOTHING, isJob: true, output: Type.Object({ rows: Type.Integer() }) },
    failed: ({ rows }) => rows < 0,
    handle: async ({ deps }) => {
      asked.resolve(deps);
      return { result: { rows: await work.promise }, audit: { after: { counted: true } } };
    },
  });
  return { of, work, deps: asked.promise };
}

const viewNamed = (name: string): AnyView =>
  JOBS.definitions.find((of) => of.name === name) as AnyView;

const look = async (job: JobView, how: By = by): Promise<JobView> =>
  (await perform(viewNamed('job.show'), { job: job.job }, how)) as JobView;

const start = async (of: AnyAction, how: By = by): Promise<JobView> =>
  (await perform(of, {}, how)) as JobView;

const ended = async (job: JobView): Promise<JobView> =>
  await vi.waitFor(
    async () => {
      const found = await look(job);
      expect(found.state).not.toBe('running');
      return found;
    },
    { timeout: 10_000 },
  );

test('a job goes on after the answer, shows how far it has come, and has one entry in the audit log', async () => {
  const { of, work, deps } = held('sample.count');
  const job = await start(of);
  expect(job).toMatchObject({ name: 'sample.count', state: 'running', started_by: 'Asha' });
  const [open] = await listAudit(pool, { action: 'sample.count', limit: 9 });
  expect(open).toMatchObject({ result: null });
  (await deps).progress?.({ done: 3, of: 5, what: 'rows' });
  await vi.waitFor(
    async () => expect((await look(job)).progress).toEqual({ done: 3, of: 5, what: 'rows' }),
    { timeout: 10_000 },
  );
  work.resolve(5);
  expect(await ended(job)).toMatchObject({ state: 'done', result: { rows: 5 }, error: null });
  await vi.waitFor(async () => {
    const entries = await listAudit(pool, { action: 'sample.count', limit: 9 });
    expect(entries).toMatchObject([{ result: 'done', after: { job: job.job, counted: true } }]);
  });
  const { jobs } = (await perform(viewNamed('job.list'), { limit: 1 }, by)) as { jobs: JobView[] };
  expect(jobs).toMatchObject([{ job: job.job, state: 'done' }]);
  expect(jobs[0]).not.toHaveProperty('result');
});

test('a job is never under way twice, and the refusal names the one that is', async () => {
  const { of, work } = held('sample.once');
  const job = await start(of);
  for (const how of [by, { ...by, channel: 'command' as const }]) {
    await expect(perform(of, {}, how)).rejects.toMatchObject({
      ...{ code: 'changed_meanwhile', message: expect.stringContaining(job.job) },
    });
  }
  work.resolve(1);
  await ended(job);
  expect((await start(of)).job).not.toBe(job.job);
});

test('a job whose process was killed is interrupted, and can be begun again', async () => {
  const killed = held('sample.kill');
  const job = await start(killed.of);
  await database.asOwner(
    `update jobs set leased_until = now() - interval '1 second' where job_id = '${job.job}'`,
  );
  expect(await look(job)).toMatchObject({ state: 'interrupted', ended_at: null });
  const next = held('sample.kill');
  const again = await start(next.of);
  expect(await look(job)).toMatchObject({ state: 'interrupted', ended_at: expect.any(String) });
  // It lives after all: it stops where it tells how far it has come, and changes nothing of the other.
  const { progress } = await killed.deps;
  await vi.waitFor(() => expect(() => progress?.({ done: 1, of: null, what: 'rows' })).toThrow(), {
    timeout: 10_000,
  });
  killed.work.resolve(1);
  next.work.resolve(2);
  expect(await ended(again)).toMatchObject({ state: 'done', result: { rows: 2 } });
  expect(await look(job)).toMatchObject({ state: 'interrupted', result: null });
});

test('a stop of the service interrupts its jobs', async () => {
  const tasks = createTasks(systemTimers);
  const { of, work, deps } = held('sample.stop');
  const job = await start(of, withTasks(tasks));
  const { progress } = await deps;
  const stopped = tasks.finish(0);
  await vi.waitFor(() => expect(tasks.cutOff).toBe(true));
  try {
    progress?.({ done: 1, of: null, what: 'rows' });
  } catch (error) {
    work.reject(error);
  }
  await stopped;
  expect(await look(job)).toMatchObject({ state: 'interrupted', result: null, error: null });
});

test('a job that fails says why, unless the reason is for the log only', async () => {
  for (const [error, says] of [
    [new PlainError('The file is gone.'), 'The file is gone.'],
    [new Error('password=x'), expect.not.stringContaining('password')],
  ] as const) {
    const { of, work } = held('sample.fail');
    const job = await start(of);
    work.reject(error);
    expect(await ended(job)).toMatchObject({ state: 'failed', result: null, error: says });
  }
});

test('a check that finds something has failed, with its result', async () => {
  const { of, work } = held('sample.find');
  const job = await start(of);
  work.resolve(-1);
  expect(await ended(job)).toMatchObject({ state: 'failed', result: { rows: -1 }, error: null });
});

test('a command waits for the result, and leaves nothing in a database that is read only', async () => {
  const command = { ...by, channel: 'command' as const };
  const { of, work } = held('sample.wait');
  work.resolve(7);
  expect(await perform(of, {}, command)).toEqual({ rows: 7 });
  expect(await listAudit(pool, { action: 'sample.wait', limit: 9 })).toHaveLength(1);
  const url = new URL(database.url);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const standby = createPool({ url: url.href, max: 1, name: 'test' });
  try {
    const there = { ...command, deps: { ...command.deps, pool: standby } };
    expect(await perform(of, {}, there)).toEqual({ rows: 7 });
  } finally {
    await standby.end();
  }
  expect(await listAudit(pool, { action: 'sample.wait', limit: 9 })).toHaveLength(1);
});

test('a job is shown only to those who may begin it', async () => {
  const { of, work } = held('sample.see');
  const job = await start(of);
  work.resolve(1);
  await ended(job);
  const viewer = { ...by.viewer, permissions: new Set(['home.read'] as const) };
  const support = { ...by, viewer };
  await expect(look(job, support)).rejects.toMatchObject({ code: 'not_found' });
  expect(await perform(viewNamed('job.list'), {}, support)).toEqual({ jobs: [], next: null });
});

test('jobs are kept for 90 days', async () => {
  const { of, work } = held('sample.old');
  const job = await start(of);
  work.resolve(1);
  const { started_at: startedAt } = await ended(job);
  const days = (count: number) => new Date(Date.parse(startedAt) + count * 86_400_000);
  await deleteOldJobs(pool, days(89));
  expect(await look(job)).toMatchObject({ state: 'done' });
  await deleteOldJobs(pool, days(91));
  await expect(look(job)).rejects.toMatchObject({ code: 'not_found' });
});
