import type { Clock } from '../../platform/base/clock.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { readActivity } from './read-activity.ts';
import type { ActivityRow } from './read-activity.ts';
import { intervalsOf, sumActivity } from './activity.ts';
import type { ActivityInterval, ActivitySums } from './activity.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Length of the intervals of a chart of a day. */
const CHART_MINUTES = 30;

/** The payments of all vendors since a time, at most a day and an hour ago, counted. */
export type ActivitySince = (from: Date) => Promise<readonly ActivityRow[]>;

/** Counts them at each call, for a process that shows them once. */
export function countedNow(db: Queryable, clock: Clock): ActivitySince {
  return async (from) => {
    const now = clock.now().getTime();
    const minutes = now - from.getTime() > 2 * HOUR_MS ? CHART_MINUTES : 1;
    // The clocks of other processes may be ahead.
    return await readActivity(db, { from, to: new Date(now + MINUTE_MS), minutes });
  };
}

/** The beginning of the last hour, which is a whole minute. */
export const lastHourSince = (now: Date): Date =>
  new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS - HOUR_MS);

/** The sums of the last hour of whatever a payment belongs to. */
export async function lastHourBy(
  activity: ActivitySince,
  now: Date,
  keyOf: (row: ActivityRow) => string | null,
): Promise<(key: string) => ActivitySums> {
  const rows = Map.groupBy(await activity(lastHourSince(now)), keyOf);
  return (key) => sumActivity(rows.get(key) ?? []);
}

/** The last 24 hours of these payments, by half-hour. */
export async function lastDayOf(
  activity: ActivitySince,
  now: Date,
  isShown: (row: ActivityRow) => boolean,
): Promise<ActivityInterval[]> {
  const stepMs = CHART_MINUTES * MINUTE_MS;
  const from = new Date(Math.floor((now.getTime() - 24 * HOUR_MS) / stepMs) * stepMs);
  const rows = (await activity(from)).filter(isShown);
  return intervalsOf(rows, { from, to: now, minutes: CHART_MINUTES });
}
