import { DAY_MS } from '../base/days.ts';
import type { Queryable } from '../db/pool.ts';

/** How far long work has come, for people. */
export interface Progress {
  readonly done: number;
  /** Null: nobody knows. */
  readonly of: number | null;
  /** What is counted, such as `rows`. */
  readonly what: string;
}

export interface JobRow {
  jobId: string;
  /** The name of the action that began it. */
  name: string;
  startedAt: Date;
  startedBy: string;
  endedAt: Date | null;
  /** Interrupted: its process is gone, or was stopped. */
  state: 'running' | 'done' | 'failed' | 'interrupted';
  progress: Progress | null;
  result: object | null;
  error: string | null;
}

const COLUMNS = `job_id as "jobId", name, started_at as "startedAt", started_by as "startedBy",
  ended_at as "endedAt", progress, result, error,
  coalesce(outcome, case when leased_until < now() then 'interrupted' else 'running' end) as state`;

export interface NewJob extends Pick<JobRow, 'jobId' | 'name' | 'startedAt' | 'startedBy'> {
  readonly permission: string;
  readonly leaseMs: number;
}

/** False while one of its name is under way. One whose process is gone has ended. */
export async function insertJob(db: Queryable, job: NewJob): Promise<boolean> {
  const { jobId, name, permission, startedAt, startedBy, leaseMs } = job;
  await db.query(
    `update jobs set ended_at = now(), outcome = 'interrupted'
     where name = $1 and ended_at is null and leased_until < now()`,
    [name],
  );
  const inserted = await db.query(
    `insert into jobs (job_id, name, permission, started_at, started_by, leased_until)
     values ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond') on conflict do nothing`,
    [jobId, name, permission, startedAt, startedBy, leaseMs],
  );
  return inserted.rowCount === 1;
}

/** False: it has ended, because its process was thought to be gone. */
export async function renewJob(
  db: Queryable,
  { jobId, progress, leaseMs }: Pick<JobRow, 'jobId' | 'progress'> & { readonly leaseMs: number },
): Promise<boolean> {
  const renewed = await db.query(
    `update jobs set leased_until = now() + $3 * interval '1 millisecond', progress = $2
     where job_id = $1 and ended_at is null`,
    [jobId, progress === null ? null : JSON.stringify(progress), leaseMs],
  );
  return renewed.rowCount === 1;
}

export interface JobEnd {
  readonly outcome: 'done' | 'failed' | 'interrupted';
  readonly result?: object;
  readonly error?: string;
}

export async function endJob(
  db: Queryable,
  jobId: string,
  { outcome, result, error }: JobEnd,
): Promise<void> {
  await db.query(
    `update jobs set ended_at = now(), outcome = $2, result = $3, error = $4
     where job_id = $1 and ended_at is null`,
    [jobId, outcome, result === undefined ? null : JSON.stringify(result), error ?? null],
  );
}

/** The one of this name that is under way. */
export async function findRunningJob(db: Queryable, name: string): Promise<JobRow | undefined> {
  const found = await db.query<JobRow>(
    `select ${COLUMNS} from jobs where name = $1 and ended_at is null`,
    [name],
  );
  return found.rows[0];
}

/** Undefined also without the permission that it asks for. */
export async function findJob(
  db: Queryable,
  jobId: string,
  permissions: ReadonlySet<string>,
): Promise<JobRow | undefined> {
  const found = await db.query<JobRow>(
    `select ${COLUMNS} from jobs where job_id = $1 and permission = any ($2)`,
    [jobId, [...permissions]],
  );
  return found.rows[0];
}

/** Newest first. */
export async function listJobs(
  db: Queryable,
  {
    permissions,
    before,
    limit,
  }: {
    readonly permissions: ReadonlySet<string>;
    readonly before: { readonly at: Date; readonly id: string } | undefined;
    readonly limit: number;
  },
): Promise<JobRow[]> {
  const found = await db.query<JobRow>(
    `select ${COLUMNS} from jobs
     where permission = any ($1) and ($2::timestamptz is null or (started_at, job_id) < ($2, $3))
     order by started_at desc, job_id desc limit $4`,
    [[...permissions], before?.at ?? null, before?.id ?? null, limit],
  );
  return found.rows;
}

/** True of a standby, which keeps nothing. */
export async function isReadOnly(db: Queryable): Promise<boolean> {
  const read = await db.query<{ yes: boolean }>(
    `select current_setting('transaction_read_only')::boolean as yes`,
  );
  return read.rows[0]?.yes === true;
}

/** Days for which jobs are shown. The audit log keeps that they ran. */
const JOB_DAYS = 90;

export async function deleteOldJobs(db: Queryable, now: Date): Promise<void> {
  const before = new Date(now.getTime() - JOB_DAYS * DAY_MS);
  await db.query('delete from jobs where started_at < $1', [before]);
}
