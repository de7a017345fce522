import type { Queryable } from '../../platform/db/pool.ts';
import { readConsumed } from '../house/store.ts';
import type { FloatFacts } from './bridge.ts';

/** An operator's own clock and cache may be behind by this much. */
const REPORT_LAG = `interval '2 minutes'`;

/** Our float with an operator in our books, with each part. In cents. */
export interface BookedFloat {
  readonly openingCents: bigint;
  readonly toppedUpCents: bigint;
  readonly chargesCents: bigint;
  readonly consumedCents: bigint;
}

/** Sums our books of the float before an instant; null: until now. */
export async function readBookedFloat(
  db: Queryable,
  operatorCode: string,
  before: Date | null,
): Promise<BookedFloat> {
  const read = await db.query<Omit<BookedFloat, 'consumedCents'>>(
    `select coalesce(sum(cents) filter (where other = 'opening'), 0)::bigint as "openingCents",
       coalesce(sum(cents) filter (where other <> 'opening' and other not like 'operator-charges:%'),
         0)::bigint as "toppedUpCents",
       coalesce(-sum(cents) filter (where other like 'operator-charges:%'), 0)::bigint as "chargesCents"
     from (
       select credit_account as other, amount_cents as cents, moved_at from house_transfers
       where debit_account = 'operator-float:' || $1
       union all
       select debit_account, -amount_cents, moved_at from house_transfers
       where credit_account = 'operator-float:' || $1
     ) s where moved_at < coalesce($2::timestamptz, 'infinity')`,
    [operatorCode, before],
  );
  const booked = read.rows[0] ?? { openingCents: 0n, toppedUpCents: 0n, chargesCents: 0n };
  return { ...booked, consumedCents: await readConsumed(db, operatorCode, before) };
}

/** The balance of the float in our books. */
export function bookedCents(booked: BookedFloat): bigint {
  return booked.openingCents + booked.toppedUpCents - booked.chargesCents - booked.consumedCents;
}

/** Facts about a balance that the operator reported, except what is booked. */
export async function readFloatFacts(
  db: Queryable,
  operatorCode: string,
  reportedAt: Date,
): Promise<Pick<FloatFacts, 'inFlightCents' | 'settledSinceCents' | 'risenCents'>> {
  const inFlight = await db.query<{ cents: bigint }>(
    `select coalesce(sum(t.amount_cents
         + coalesce(share_of(t.amount_cents, p.cost_cents, p.cost_bps), 0)
         - case when p.commission_netted
             then least(share_of(t.amount_cents, p.commission_cents, p.commission_bps), t.amount_cents)
             else 0 end), 0)::bigint as cents
     from dispatch_queue q join payments t using (bucket, vendor_id, payment_id)
       left join operator_prices p on p.version = q.operator_price
     where q.stage = 'verify' and q.operator_code = $1 and q.sent_at < $2`,
    [operatorCode, reportedAt],
  );
  const settled = await db.query<{ cents: bigint }>(
    `select coalesce(sum(case when credit_account = 'operator:' || $1 then amount_cents
         else -amount_cents end), 0)::bigint as cents
     from transfers
     where created_at >= $2::timestamptz - ${REPORT_LAG}
       and (credit_account = 'operator:' || $1 and debit_account <> 'commission:' || $1
         or debit_account = 'operator:' || $1 and credit_account = 'commission:' || $1)`,
    [operatorCode, reportedAt],
  );
  const risen = await db.query<{ cents: bigint }>(
    `select coalesce(sum(h.added_cents), 0)::bigint as cents from operator_float_hours h
     where h.operator_code = $1 and h.hour + interval '1 hour' > coalesce(
       (select max(period_end) from operator_statements s where s.operator = $1), '-infinity')`,
    [operatorCode],
  );
  return {
    inFlightCents: inFlight.rows[0]?.cents ?? 0n,
    settledSinceCents: settled.rows[0]?.cents ?? 0n,
    risenCents: risen.rows[0]?.cents ?? 0n,
  };
}

export interface LastStatement {
  readonly statementId: string;
  readonly periodEnd: Date;
  readonly closingCents: bigint;
}

/** The latest statement of the operator that ends with a balance. */
export async function findLastStatement(
  db: Queryable,
  operatorCode: string,
  until: Date | null = null,
): Promise<LastStatement | undefined> {
  const found = await db.query<LastStatement>(
    `select statement_id as "statementId", period_end as "periodEnd",
       closing_cents as "closingCents"
     from operator_statements where operator = $1 and closing_cents is not null
       and period_end <= coalesce($2::timestamptz, 'infinity')
     order by period_end desc, imported_at desc limit 1`,
    [operatorCode, until],
  );
  return found.rows[0];
}
