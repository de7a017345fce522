import { startOfNamedDay } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { DAY_MS, isoDay } from '../../platform/base/days.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { usageBy, usageOfDays } from './usage.ts';
import type { Usage } from './usage.ts';
import { countUsage } from './usage-store.ts';

/** Enquiries of today and the days before it: of each day, oldest first, and of each vendor. */
export async function readUsage(
  db: Queryable,
  asked: {
    readonly days: number;
    readonly now: Date;
    readonly timeZone: string;
    readonly wireTime: WireTime;
  },
): Promise<{ readonly days: readonly Usage[]; readonly vendors: readonly Usage[] }> {
  const { now, timeZone, wireTime } = asked;
  const today = Date.parse(`${wireTime.format(now).slice(0, 10)}T00:00:00Z`);
  const days = Array.from({ length: asked.days }, (_, index) =>
    isoDay(new Date(today - (asked.days - 1 - index) * DAY_MS)),
  );
  const from = startOfNamedDay(days[0] ?? '', wireTime) ?? now;
  const counts = await countUsage(db, { from, until: now, timeZone });
  return { days: usageOfDays(counts, days), vendors: usageBy(counts, 'vid') };
}
