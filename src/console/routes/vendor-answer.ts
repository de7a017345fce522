import type { VendorRow } from '../../parties/store.ts';
import { readBalance } from '../../payments/ledger/store.ts';
import type { Biller } from '../../payments/billers/biller.ts';
import { readVolumes } from '../../payments/overview/activity-store.ts';
import type { VendorVolume } from '../../payments/overview/activity-store.ts';
import { formulaFields } from '../../payments/prices/describe.ts';
import { feePriceFor, inForce } from '../../payments/prices/price.ts';
import { readVendorFloats } from '../../payments/vendor-floats/read-floats.ts';
import type { VendorFloat } from '../../payments/vendor-floats/read-floats.ts';
import { startOfDay } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { VendorDetail, VendorPrice, VendorSettings, VendorView } from '../vendor-answers.ts';

interface Today {
  readonly pool: Pool;
  readonly now: Date;
  readonly wireTime: WireTime;
}

/** The vendors with their floats and what they paid today. */
export async function vendorViews(
  rows: readonly VendorRow[],
  { pool, now, wireTime }: Today,
): Promise<VendorView[]> {
  const vendorIds = rows.map(({ vendorId }) => vendorId);
  const floats = await readVendorFloats(pool, vendorIds, now);
  const volumes = await readVolumes(pool, vendorIds, startOfDay(now, wireTime));
  return rows.map((row) => viewOf(row, floats.get(row.vendorId), volumes.get(row.vendorId)));
}

function viewOf(
  { vid, name, status }: VendorRow,
  float: VendorFloat | undefined,
  volume: VendorVolume | undefined,
): VendorView {
  const low = float?.lowCents ?? null;
  return {
    vid,
    name,
    status,
    float: formatMoney(float?.floatCents ?? 0n),
    collected: formatMoney(float?.collectedCents ?? 0n),
    low: low === null ? null : formatMoney(low),
    floatState: float?.state ?? null,
    hoursLeft: float?.hoursLeft ?? null,
    today: {
      count: volume?.count ?? 0,
      failed: volume?.failedCount ?? 0,
      amount: formatMoney(volume?.amountCents ?? 0n),
    },
  };
}

/** One vendor, with its settings and prices. */
export async function vendorDetail(
  row: VendorRow,
  billers: readonly Biller[],
  today: Today,
): Promise<VendorDetail> {
  const { vendorId } = row;
  const float = (await readVendorFloats(today.pool, [vendorId], today.now)).get(vendorId);
  const volumes = await readVolumes(today.pool, [vendorId], startOfDay(today.now, today.wireTime));
  return {
    ...viewOf(row, float, volumes.get(vendorId)),
    createdAt: row.createdAt.toISOString(),
    reserved: formatMoney(await readBalance(today.pool, vendorId, 'reserved')),
    topUps: float?.topUps ?? [],
    settings: settingsOf(row),
    prices: pricesFor(vendorId, billers, today.now.getTime()),
  };
}

export function settingsOf(row: VendorRow): VendorSettings {
  const { name, sector, duplicateCheck, duplicateWindowSeconds, referenceRequired } = row;
  const { enquiryPolicy, statusText, signature } = row;
  return {
    name,
    sector,
    duplicateCheck,
    duplicateWindowSeconds,
    referenceRequired,
    enquiryPolicy,
    statusText,
    signature,
  };
}

/** Billers without a price cost nothing. */
function pricesFor(vendorId: number, billers: readonly Biller[], nowMs: number): VendorPrice[] {
  return billers.flatMap(({ billerCode, feePrices }) => {
    const price = feePriceFor(feePrices, vendorId, nowMs);
    if (price === undefined) return [];
    return {
      biller: billerCode,
      isOwn: inForce(feePrices.get(vendorId), nowMs) === price,
      since: price.validFrom.toISOString(),
      formula: formulaFields(price),
    };
  });
}
