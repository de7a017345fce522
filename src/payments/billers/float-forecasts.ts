import type { Queryable } from '../../platform/db/pool.ts';
import { listFloats, readSpentHours } from './float-store.ts';
import type { FloatRow } from './float-store.ts';
import { hoursLeft } from './forecast.ts';

export interface FloatForecast extends FloatRow {
  /** In how many hours it reaches its stop limit; null: not within two weeks, or not known. */
  readonly hoursLeft: number | null;
}

/** Our floats with operators as they report them, and how long they last. */
export async function listFloatForecasts(db: Queryable, now: Date): Promise<FloatForecast[]> {
  const spent = await readSpentHours(db);
  return (await listFloats(db)).map((row) => ({
    ...row,
    hoursLeft:
      row.balanceCents === null
        ? null
        : hoursLeft(row.balanceCents, spent.get(row.operatorCode) ?? [], {
            now,
            floorCents: row.stopCents ?? 0n,
          }),
  }));
}
