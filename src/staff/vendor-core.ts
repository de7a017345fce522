import type { VendorRow } from '../parties/read-vendors.ts';
import type { Biller } from '../payments/billers/biller.ts';
import { readBalance } from '../payments/ledger/read-balances.ts';
import { readVolumes } from '../payments/overview/read-activity.ts';
import { formulaFields } from '../payments/prices/describe.ts';
import { feePriceFor, inForce } from '../payments/prices/price.ts';
import { readVendorFloats } from '../payments/vendor-floats/read-floats.ts';
import { startOfDay } from '../platform/base/clock.ts';
import { formatMoney, moneyOf } from '../platform/base/money.ts';
import type { StaffDeps } from './deps.ts';
import type { VendorPrice, VendorRowView, VendorView } from './vendor-view.ts';
import { fit, wireOf } from './wire.ts';
import { rowView } from './vendor-view.ts';

/** The vendors with their floats and what they paid today. */
export async function vendorRows(
  rows: readonly VendorRow[],
  { pool, clock, wireTime }: StaffDeps,
): Promise<VendorRowView[]> {
  const vendorIds = rows.map(({ vendorId }) => vendorId);
  const now = clock.now();
  const floats = await readVendorFloats(pool, vendorIds, now);
  const volumes = await readVolumes(pool, vendorIds, startOfDay(now, wireTime));
  return rows.map((row) => {
    const float = floats.get(row.vendorId);
    const volume = volumes.get(row.vendorId);
    return fit(rowView, {
      ...wireOf(row),
      float: formatMoney(float?.floatCents ?? 0n),
      collected: formatMoney(float?.collectedCents ?? 0n),
      low: moneyOf(float?.lowCents ?? null),
      float_state: float?.state ?? null,
      hours_left: float?.hoursLeft ?? null,
      top_ups: [...(float?.topUps ?? [])],
      today: {
        count: volume?.count ?? 0,
        failed: volume?.failedCount ?? 0,
        amount: formatMoney(volume?.amountCents ?? 0n),
      },
    });
  });
}

/** One vendor, with its prices. */
export async function oneVendor(row: VendorRow, deps: StaffDeps): Promise<VendorView> {
  const [view] = await vendorRows([row], deps);
  if (view === undefined) throw new Error('a row has no view');
  const { vendorId } = row;
  const billers = (await deps.catalogue()).billers();
  return {
    ...view,
    reserved: formatMoney(await readBalance(deps.pool, vendorId, 'reserved')),
    prices: pricesFor(vendorId, billers, deps.clock.now().getTime()),
  };
}

/** Billers without a price cost nothing. */
function pricesFor(vendorId: number, billers: readonly Biller[], nowMs: number): VendorPrice[] {
  return billers.flatMap(({ billerCode, feePrices }) => {
    const price = feePriceFor(feePrices, vendorId, nowMs);
    if (price === undefined) return [];
    return {
      biller: billerCode,
      is_own: inForce(feePrices.get(vendorId), nowMs) === price,
      valid_from: price.validFrom.toISOString(),
      formula: formulaFields(price),
    };
  });
}
