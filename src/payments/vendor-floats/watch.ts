import type { Logger } from 'pino';
import { newId } from '../../platform/base/ids.ts';
import { moneyNumber } from '../../platform/base/money.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { hoursLeft } from '../billers/forecast.ts';
import type { SpentHour } from '../billers/forecast.ts';
import { announceEvent } from '../events/store.ts';
import { vendorFloatState } from './rule.ts';
import { lockWatched, readMoney, readVendorHours, saveSamples } from './store.ts';
import type { Sample, VendorMoney, WatchedFloat } from './store.ts';

/**
 * Checks every watched float once: records consumption, and sends the vendor an event when its float
 * becomes low, and when it has recovered. One process at a time; the event and the state are one
 * commit.
 */
export async function watchVendorFloats(deps: {
  readonly pool: Pool;
  readonly log: Logger;
}): Promise<void> {
  const { pool, log } = deps;
  const crossed = await databaseTransaction(pool, async (client) => {
    const watched = await lockWatched(client);
    const money = await readMoney(
      client,
      watched.map(({ vendorId }) => vendorId),
    );
    const read = watched.flatMap((float) => {
      const now = money.get(float.vendorId);
      return now === undefined ? [] : [{ float, now, sample: sampleOf(float, now) }];
    });
    const changed = read.filter(({ float, sample }) => hasChanged(float, sample));
    await saveSamples(
      client,
      changed.map(({ sample }) => sample),
    );
    // A float whose limit was removed has not recovered.
    const crossings = changed.filter(
      ({ float, sample }) => float.state !== sample.state && float.lowCents !== null,
    );
    const spent = await readVendorHours(
      client,
      crossings.map(({ float }) => float.vendorId),
    );
    for (const { float, now } of crossings) {
      await announce(client, { float, now, spent: spent.get(float.vendorId) ?? [] });
    }
    return crossings;
  });
  for (const { float, now, sample } of crossed) {
    const about = { vendorId: float.vendorId, floatCents: now.floatCents.toString() };
    log.info(
      about,
      sample.state === 'low' ? 'a vendor’s float is low' : 'a vendor’s float recovered',
    );
  }
}

function sampleOf(float: WatchedFloat, now: VendorMoney): Sample {
  const { vendorId, lowCents, paidOutCents } = float;
  const spentCents = now.paidOutCents - (paidOutCents ?? now.paidOutCents);
  return {
    vendorId,
    state: vendorFloatState(float.state, now.floatCents, lowCents),
    paidOutCents: now.paidOutCents,
    // A correction that returned more than was spent is no consumption.
    spentCents: spentCents < 0n ? 0n : spentCents,
  };
}

function hasChanged(float: WatchedFloat, sample: Sample): boolean {
  return float.state !== sample.state || float.paidOutCents !== sample.paidOutCents;
}

async function announce(
  db: Queryable,
  of: {
    readonly float: WatchedFloat;
    readonly now: VendorMoney;
    readonly spent: readonly SpentHour[];
  },
): Promise<void> {
  const { vendorId, state, lowCents } = of.float;
  const { floatCents } = of.now;
  const now = new Date();
  await announceEvent(db, {
    vendorId,
    eventId: newId(),
    // The state before.
    type: state === 'low' ? 'float.recovered' : 'float.low',
    details: {
      float: moneyNumber(floatCents),
      low: lowCents === null ? null : moneyNumber(lowCents),
      hours_left: hoursLeft(floatCents, of.spent, { now, floorCents: 0n }),
    },
  });
}
