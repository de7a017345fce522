import { Type } from 'typebox';
import type { Static } from 'typebox';
import { orNull, text, textOrNull, time, timeOrNull } from './fields.ts';
import type { JobRow, Progress } from '../platform/jobs/job-store.ts';
import { wireOf } from './wire.ts';

/** Long work, as people see it while it goes on and afterwards. */
export const jobView = Type.Object({
  job: text({ title: 'Job' }),
  /** The action that began it. */
  name: text({ title: 'What' }),
  /** Failed: the work did, or a check found something. Interrupted: its process was killed or stopped. */
  state: Type.Enum(['running', 'done', 'failed', 'interrupted'], { title: 'State' }),
  progress: orNull(
    Type.Object({ done: Type.Integer(), of: orNull(Type.Integer()), what: text() }),
    {
      title: 'Progress',
      text: (now: Progress | null) => (now === null ? '' : progressText(now)),
    },
  ),
  started_at: time({ title: 'Started' }),
  started_by: text({ title: 'By' }),
  ended_at: timeOrNull({ title: 'Ended' }),
  /** Why there is no result. */
  error: textOrNull({ title: 'Error', isOptional: true }),
  /** The answer of the action. */
  result: orNull(Type.Object({}, { additionalProperties: true })),
});
export type JobView = Static<typeof jobView>;

export const viewOfJob = ({ jobId: job, result, ...row }: JobRow): JobView => ({
  ...{ job, ...wireOf(row) },
  result,
});

export const progressText = ({ done, of, what }: Progress): string =>
  of === null ? `${done} ${what}` : `${done} of ${of} ${what}`;
