import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { FORECAST_DAYS } from '../billers/forecast.ts';
import type { SpentHour } from '../billers/forecast.ts';
import { isIncomeSql, isVendorsMoneySql } from '../ledger/account.ts';

export interface WatchedFloat {
  vendorId: number;
  lowCents: bigint | null;
  state: 'enough' | 'low';
  /** Total cost of its payments when that was last read; null: never read. */
  paidOutCents: bigint | null;
  setBy: string;
  changedAt: Date;
}

const WATCHED = `select vendor_id as "vendorId", low_cents as "lowCents", state,
    paid_out_cents as "paidOutCents", set_by as "setBy", changed_at as "changedAt"
  from vendor_floats`;

export async function listWatched(db: Queryable): Promise<WatchedFloat[]> {
  return (await db.query<WatchedFloat>(`${WATCHED} order by vendor_id`)).rows;
}

/** Locks the floats that no other process is checking until the caller's database transaction ends. */
export async function lockWatched(db: Queryable): Promise<WatchedFloat[]> {
  const locked = await db.query<WatchedFloat>(
    `${WATCHED} order by vendor_id for update skip locked`,
  );
  return locked.rows;
}

/** Watches the vendor's float; `lowCents` undefined: as it was. */
export async function putWatched(
  db: Queryable,
  row: {
    readonly vendorId: number;
    readonly lowCents: bigint | null | undefined;
    readonly by: string;
  },
): Promise<void> {
  await db.query(
    `insert into vendor_floats (vendor_id, low_cents, set_by, changed_at) values ($1, $2, $3, now())
     on conflict (vendor_id) do update set
       low_cents = case when $4 then excluded.low_cents else vendor_floats.low_cents end,
       set_by = excluded.set_by, changed_at = excluded.changed_at`,
    [row.vendorId, row.lowCents ?? null, row.by, row.lowCents !== undefined],
  );
}

export interface VendorMoney {
  readonly vendorId: number;
  readonly floatCents: bigint;
  readonly collectedCents: bigint;
  /** All that its payments ever cost, with fees. A payout is no payment. */
  readonly paidOutCents: bigint;
}

/** By vendor id. */
export async function readMoney(
  db: Queryable,
  vendorIds: readonly number[],
): Promise<Map<number, VendorMoney>> {
  const money = new Map<number, VendorMoney>();
  const wanted = vendorIds.map((vendorId) => ({ vendorId }));
  for (const { bucket, items } of await groupByBucket(db, wanted)) {
    const read = await db.query<VendorMoney>(
      // All accounts sum to zero, so what payments cost is what is missing in these.
      `select vendor_id as "vendorId",
         coalesce(sum(balance_cents) filter (where account = 'float'), 0)::bigint as "floatCents",
         coalesce(sum(balance_cents) filter (where account = 'collected'), 0)::bigint
           as "collectedCents",
         coalesce(-sum(balance_cents) filter (where account in ('opening', 'exposure', 'written_off', 'reversals')
           or ${isIncomeSql('account')} or ${isVendorsMoneySql('account')}), 0)::bigint as "paidOutCents"
       from accounts where bucket = $1 and vendor_id = any ($2) group by vendor_id`,
      [bucket, items.map(({ vendorId }) => vendorId)],
    );
    for (const row of read.rows) money.set(row.vendorId, row);
  }
  return money;
}

/** One reading of a watched float. */
export interface Sample {
  readonly vendorId: number;
  readonly state: 'enough' | 'low';
  readonly paidOutCents: bigint;
  /** Since the sample before. */
  readonly spentCents: bigint;
}

export async function saveSamples(db: Queryable, samples: readonly Sample[]): Promise<void> {
  if (samples.length === 0) return;
  const vendorIds = samples.map((row) => row.vendorId);
  await db.query(
    `update vendor_floats v set state = u.state, paid_out_cents = u.paid_out
     from unnest($1::integer[], $2::text[], $3::bigint[]) as u (vendor_id, state, paid_out)
     where v.vendor_id = u.vendor_id`,
    [vendorIds, samples.map((row) => row.state), samples.map((row) => row.paidOutCents)],
  );
  await db.query(
    `insert into vendor_float_hours (vendor_id, hour, spent_cents)
     select u.vendor_id, date_trunc('hour', now()), u.spent
     from unnest($1::integer[], $2::bigint[]) as u (vendor_id, spent)
     on conflict (vendor_id, hour) do update set
       spent_cents = vendor_float_hours.spent_cents + excluded.spent_cents`,
    [vendorIds, samples.map((row) => row.spentCents)],
  );
  await db.query(
    `delete from vendor_float_hours
     where vendor_id = any ($1) and hour < now() - $2 * interval '1 day'`,
    [vendorIds, FORECAST_DAYS],
  );
}

/** Reads the amount spent in each recorded hour, by vendor id. */
export async function readVendorHours(
  db: Queryable,
  vendorIds: readonly number[],
): Promise<ReadonlyMap<number, SpentHour[]>> {
  const read = await db.query<SpentHour & { vendorId: number }>(
    `select vendor_id as "vendorId", hour, spent_cents as "spentCents" from vendor_float_hours
     where vendor_id = any ($1) order by vendor_id, hour`,
    [vendorIds],
  );
  return Map.groupBy(read.rows, ({ vendorId }) => vendorId);
}

/** Watched floats in each state. */
export async function countWatched(
  db: Queryable,
): Promise<{ state: 'enough' | 'low'; count: number }[]> {
  const counted = await db.query<{ state: 'enough' | 'low'; count: number }>(
    'select state, count(*)::integer as count from vendor_floats group by state',
  );
  return counted.rows;
}
