import type { Pool } from '../../platform/db/pool.ts';
import { hoursLeft } from '../billers/forecast.ts';
import type { TopUpKind } from './rule.ts';
import { listActiveRules } from './read-rules.ts';
import { listWatched, readMoney, readVendorHours } from './store.ts';

/** A vendor's money, its limit and how long it lasts. */
export interface VendorFloat {
  readonly floatCents: bigint;
  readonly collectedCents: bigint;
  /** The limit for the event `float.low`; null: no event. */
  readonly lowCents: bigint | null;
  /** Null: nobody watches the float. */
  readonly state: 'enough' | 'low' | null;
  /** Null: not within two weeks, or not known. */
  readonly hoursLeft: number | null;
  /** Rules that top the float up automatically. */
  readonly topUps: readonly TopUpKind[];
}

/** By vendor id; every vendor asked for is in it. */
export async function readVendorFloats(
  pool: Pool,
  vendorIds: readonly number[],
  now: Date,
): Promise<ReadonlyMap<number, VendorFloat>> {
  const money = await readMoney(pool, vendorIds);
  const spent = await readVendorHours(pool, vendorIds);
  const watched = new Map((await listWatched(pool)).map((row) => [row.vendorId, row]));
  const rules = Map.groupBy(await listActiveRules(pool), ({ vendorId }) => vendorId);
  return new Map(
    vendorIds.map((vendorId) => {
      const { floatCents = 0n, collectedCents = 0n } = money.get(vendorId) ?? {};
      const float = watched.get(vendorId);
      const left = hoursLeft(floatCents, spent.get(vendorId) ?? [], { now, floorCents: 0n });
      return [
        vendorId,
        {
          floatCents,
          collectedCents,
          lowCents: float?.lowCents ?? null,
          state: float?.state ?? null,
          hoursLeft: float === undefined ? null : left,
          topUps: (rules.get(vendorId) ?? []).map(({ kind }) => kind),
        },
      ];
    }),
  );
}
