import type { VendorRow } from '../../parties/read-vendors.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { startOfDay } from '../../platform/base/clock.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Biller } from '../billers/biller.ts';
import { readVolumes } from '../overview/read-activity.ts';
import { formulaFields } from '../prices/describe.ts';
import { feePriceFor, inForce } from '../prices/price.ts';
import { readVendorFloats } from './read-floats.ts';

/** The vendors with their floats and what they paid today. */
export async function readVendorFigures(
  pool: Pool,
  rows: readonly VendorRow[],
  { clock, wireTime }: { readonly clock: Clock; readonly wireTime: WireTime },
) {
  const vendorIds = rows.map(({ vendorId }) => vendorId);
  const now = clock.now();
  const floats = await readVendorFloats(pool, vendorIds, now);
  const volumes = await readVolumes(pool, vendorIds, startOfDay(now, wireTime));
  return rows.map((row) => {
    const float = floats.get(row.vendorId);
    const volume = volumes.get(row.vendorId);
    return {
      ...row,
      floatCents: float?.floatCents ?? 0n,
      collectedCents: float?.collectedCents ?? 0n,
      lowCents: float?.lowCents ?? null,
      floatState: float?.state ?? null,
      hoursLeft: float?.hoursLeft ?? null,
      topUps: [...(float?.topUps ?? [])],
      today: {
        count: volume?.count ?? 0,
        failed: volume?.failedCount ?? 0,
        amountCents: volume?.amountCents ?? 0n,
      },
    };
  });
}

/** A vendor’s fees now. Billers without a price cost nothing. */
export function pricesFor(vendorId: number, billers: readonly Biller[], nowMs: number) {
  return billers.flatMap(({ billerCode, feePrices }) => {
    const price = feePriceFor(feePrices, vendorId, nowMs);
    if (price === undefined) return [];
    const isOwn = inForce(feePrices.get(vendorId), nowMs) === price;
    return { billerCode, isOwn, validFrom: price.validFrom, formula: formulaFields(price) };
  });
}
