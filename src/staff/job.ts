import type { Logger } from 'pino';
import type { Static, TObject } from 'typebox';
import type { Channel } from '../parties/people/audit-entry.ts';
import { audited } from '../parties/people/audited.ts';
import type { ActionRules, Done, Noted } from '../parties/people/audited.ts';
import { ERRORS, Refusal } from '../platform/base/errors.ts';
import { newId } from '../platform/base/ids.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import type { Pool } from '../platform/db/pool.ts';
import { findJob, findRunningJob, insertJob, isReadOnly } from '../platform/jobs/job-store.ts';
import type { Progress } from '../platform/jobs/job-store.ts';
import { Job, LEASE_MS } from '../platform/jobs/job.ts';
import type { AnyAction } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import type { Background } from './forms.ts';
import { viewOfJob } from './job-schema.ts';
import type { JobView } from './job-schema.ts';
import type { Viewer } from './viewer.ts';

/** Who begins a job, where. */
interface Beginner {
  readonly viewer: Viewer;
  readonly deps: StaffDeps;
  readonly channel: Channel;
}

type Work = (deps: StaffDeps) => Promise<Done<object>>;

/**
 * Begins the work of an action that is a job, unless it is under way. A command waits for its result; elsewhere the
 * answer is the job, which goes on. Its entry in the audit log ends when it does.
 * Throws: `changed_meanwhile` while it is under way, and what `audited` throws.
 */
export async function asJob(
  of: AnyAction,
  noted: Noted & ActionRules,
  by: Beginner,
  work: Work,
): Promise<object> {
  const { deps, viewer, channel } = by;
  if (channel === 'command') {
    // A standby keeps nothing, and checks can be run on one.
    if (await isReadOnly(deps.pool)) return (await work(deps)).answer;
    const here = { pool: deps.pool, signal: new AbortController().signal, log: undefined };
    return await begin({ of, noted, by, work, here, onBegun: () => {} });
  }
  const { background } = deps;
  if (background === undefined) throw new Error('this process works on no jobs');
  const { pool, tasks, log } = background;
  const begun = Promise.withResolvers<string>();
  const onBegun = begun.resolve;
  tasks.start(
    async (signal) => {
      // Why it failed is in its row.
      await begin({ of, noted, by, work, here: { pool, signal, log }, onBegun }).catch(
        begun.reject,
      );
    },
    () => {},
  );
  const row = await findJob(pool, await begun.promise, viewer.permissions);
  if (row === undefined) throw new Refusal('outcome_unknown');
  return viewOfJob(row) satisfies JobView;
}

interface Begun {
  readonly of: AnyAction;
  readonly noted: Noted & ActionRules;
  readonly by: Beginner;
  readonly work: Work;
  readonly here: Pick<Background, 'pool'> & {
    readonly log: Logger | undefined;
    readonly signal: AbortSignal;
  };
  readonly onBegun: (jobId: string) => void;
}

async function begin({ of, noted, by, work, here, onBegun }: Begun): Promise<object> {
  const { pool, signal, log } = here;
  const deps = { ...by.deps, pool };
  return await audited(noted, deps, async () => {
    const jobId = newId();
    const { name, permission } = of;
    const about = { jobId, name, permission, startedBy: by.viewer.login, leaseMs: LEASE_MS };
    if (!(await insertJob(pool, { ...about, startedAt: deps.clock.now() }))) {
      throw await underWay(pool, name);
    }
    onBegun(jobId);
    const job = new Job(pool, jobId, signal);
    const progress = (now: Progress): void => {
      job.report(now);
      by.deps.progress?.(now);
    };
    try {
      const { answer, change } = await work({ ...deps, progress });
      const outcome = of.failed?.(answer as Static<TObject>) === true ? 'failed' : 'done';
      await job.end({ outcome, result: answer });
      return { answer, change: { ...change, after: { job: jobId, ...(change?.after as object) } } };
    } catch (error) {
      const isOurs = error instanceof Refusal || error instanceof PlainError;
      if (!isOurs && !job.isStopped) log?.error({ err: error, job: name }, 'a job failed');
      const says = isOurs ? error.message : ERRORS.internal_error.text;
      await job.end(
        job.isStopped ? { outcome: 'interrupted' } : { outcome: 'failed', error: says },
      );
      throw error;
    }
  });
}

/** Says which one is under way. */
async function underWay(pool: Pool, name: string): Promise<Refusal> {
  const running = await findRunningJob(pool, name);
  const which = running === undefined ? '' : ` (job ${running.jobId}, by ${running.startedBy})`;
  const text = `It is under way already${which}. Look at it, or wait until it has ended`;
  return new Refusal('changed_meanwhile', { text });
}
