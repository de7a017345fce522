import type { Queryable } from '../../platform/db/pool.ts';
import type { MonthFigures } from './monitor.ts';

/** Stores newly measured figures; they replace earlier figures of the same months. */
export async function storeMonths(
  db: Queryable,
  months: readonly MonthFigures[],
  now: Date,
): Promise<void> {
  await db.query(
    `insert into scorecard_months
       (month, kind, card, role, measured_at, people, stability_index, predicted, observed)
     select m.month, m.kind, m.card, m.role, $1, m.people, m.stability_index, m.predicted, m.observed
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::integer[],
       $7::double precision[], $8::double precision[], $9::double precision[])
       m (month, kind, card, role, people, stability_index, predicted, observed)
     on conflict (month, kind, card, role) do update set measured_at = excluded.measured_at,
       people = excluded.people, stability_index = excluded.stability_index,
       predicted = excluded.predicted, observed = excluded.observed`,
    [
      now,
      months.map(({ month }) => month),
      months.map(({ kind }) => kind),
      months.map(({ card }) => card),
      months.map(({ role }) => role),
      months.map(({ people }) => people),
      months.map((one) => one.stabilityIndex),
      months.map(({ predicted }) => predicted),
      months.map(({ observed }) => observed),
    ],
  );
}
