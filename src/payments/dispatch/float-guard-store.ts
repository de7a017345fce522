import type { Queryable } from '../../platform/db/pool.ts';

/**
 * An instruction sent shortly before a report may be missing in it. One that was sent earlier and has
 * no result was executed by then, or will probably not be.
 */
const LAG = `interval '2 minutes'`;

/** An older report says nothing about now; the operator may have been topped up since. */
const STALE = `interval '1 hour'`;

/**
 * Reads the distance of each float from its stop limit, in cents: as last reported, less what was
 * settled since, less what was sent lately and has no result. Floats whose report is old are left out.
 */
export async function readLeft(db: Queryable): Promise<Map<string, bigint>> {
  const reported = await db.query<{ operatorCode: string; cents: bigint; polledAt: Date }>(
    `select operator_code as "operatorCode", balance_cents - stop_cents as cents,
       polled_at as "polledAt"
     from operator_floats
     where stop_cents is not null and balance_cents is not null and polled_at > now() - ${STALE}`,
  );
  const left = new Map(reported.rows.map((row) => [row.operatorCode, row.cents]));
  if (left.size === 0) return left;
  const values = [
    reported.rows.map((row) => row.operatorCode),
    reported.rows.map((row) => row.polledAt),
    new Date(Math.min(...reported.rows.map((row) => row.polledAt.getTime()))),
  ];
  const used = await db.query<{ operatorCode: string; cents: bigint }>(
    `select o.code as "operatorCode", sum(f.amount_cents)::bigint as cents
     from unnest($1::text[], $2::timestamptz[]) as o (code, at)
       join transfers f on f.credit_account = 'operator:' || o.code and f.created_at >= o.at
     where f.created_at >= $3 group by o.code`,
    values,
  );
  const sent = await db.query<{ operatorCode: string; cents: bigint }>(
    `select o.code as "operatorCode", sum(t.amount_cents)::bigint as cents
     from unnest($1::text[], $2::timestamptz[]) as o (code, at)
       join dispatch_queue q on q.operator_code = o.code and q.sent_at >= o.at - ${LAG}
       join payments t using (bucket, vendor_id, payment_id)
     where q.stage = 'verify' and q.sent_at >= $3::timestamptz - ${LAG} group by o.code`,
    values,
  );
  for (const { operatorCode, cents } of [...used.rows, ...sent.rows]) {
    left.set(operatorCode, (left.get(operatorCode) ?? 0n) - cents);
  }
  return left;
}
