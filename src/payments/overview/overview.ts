import { startOfDay } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { listFloatForecasts } from '../billers/float-forecasts.ts';
import type { FloatForecast } from '../billers/float-forecasts.ts';
import { listBillerHealth } from '../billers/health.ts';
import type { BillerHealth } from '../billers/health.ts';
import { countOpenCases } from '../cases/read-cases.ts';
import { readQueueTotals } from '../dispatch/queue-totals-store.ts';
import type { QueueTotal } from '../dispatch/queue-totals-store.ts';
import { readBalance } from '../ledger/read-balances.ts';
import type { ActivityRow } from './read-activity.ts';
import { intervalsOf, sumActivity } from './activity.ts';
import type { ActivityInterval, ActivitySums } from './activity.ts';
import { lastHourSince } from './figures.ts';
import { RecentActivity } from './recent.ts';

/** Number of waiting payments, and the age of the oldest one. */
export interface Waiting {
  readonly count: number;
  readonly oldestSeconds: number;
}

export interface Overview {
  readonly at: Date;
  /** Midnight of the service's zone. */
  readonly todaySince: Date;
  readonly today: ActivitySums;
  readonly lastHourSince: Date;
  readonly lastHour: ActivitySums;
  /** The last hour by minute. */
  readonly minutes: readonly ActivityInterval[];
  /** Not sent yet. */
  readonly queued: Waiting;
  /** Sent, and the result is unknown. */
  readonly unknown: Waiting;
  /** The payments of the last 24 hours: by minute in the last hour, before it by quarter-hour. */
  readonly activity: readonly ActivityRow[];
  /** The vendor's float; null for all vendors. */
  readonly floatCents: bigint | null;
  /** Figures that concern no single vendor; undefined for a vendor. */
  readonly house: HouseOverview | undefined;
}

export interface HouseOverview {
  readonly floats: readonly FloatForecast[];
  readonly billers: readonly (BillerHealth & { readonly lastHour: ActivitySums })[];
  readonly cases: Waiting;
}

export interface OverviewReader {
  read(now: Date): Promise<Overview>;
}

/**
 * Reads the overview repeatedly: each reading is cheaper than the first, which counts the
 * payments of a whole day.
 * @param options.vendorId undefined: of all vendors.
 */
export function createOverviewReader(options: {
  readonly pool: Queryable;
  readonly wireTime: WireTime;
  readonly vendorId?: number | undefined;
}): OverviewReader {
  const { pool, wireTime, vendorId } = options;
  const recent = new RecentActivity(pool, vendorId);
  return {
    read: async (now) => {
      const rows = await recent.read(now);
      const totals = await readQueueTotals(pool, vendorId);
      const todaySince = startOfDay(now, wireTime);
      const hourSince = lastHourSince(now);
      const lastHour = rows.filter(({ begin }) => begin >= hourSince);
      return {
        at: now,
        todaySince,
        today: sumActivity(rows.filter(({ begin }) => begin >= todaySince)),
        lastHourSince: hourSince,
        lastHour: sumActivity(lastHour),
        minutes: intervalsOf(lastHour, { from: hourSince, to: now, minutes: 1 }),
        queued: waitingIn(totals, 'send'),
        unknown: waitingIn(totals, 'verify'),
        activity: rows,
        floatCents: vendorId === undefined ? null : await readBalance(pool, vendorId, 'float'),
        house: vendorId === undefined ? await readHouse(pool, lastHour, now) : undefined,
      };
    },
  };
}

async function readHouse(
  pool: Queryable,
  lastHour: readonly ActivityRow[],
  now: Date,
): Promise<HouseOverview> {
  const billers = await listBillerHealth(pool);
  const rows = Map.groupBy(lastHour, ({ billerCode }) => billerCode);
  return {
    floats: await listFloatForecasts(pool, now),
    billers: billers.map((health) => ({
      ...health,
      lastHour: sumActivity(rows.get(health.biller.billerCode) ?? []),
    })),
    cases: sumWaiting(await countOpenCases(pool)),
  };
}

function waitingIn(totals: readonly QueueTotal[], stage: QueueTotal['stage']): Waiting {
  return sumWaiting(totals.filter((total) => total.stage === stage));
}

function sumWaiting(parts: readonly Waiting[]): Waiting {
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    oldestSeconds: parts.reduce((oldest, part) => Math.max(oldest, part.oldestSeconds), 0),
  };
}
