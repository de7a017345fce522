import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Outcome } from '../create/payment.ts';

/** The number of payments with the same properties. */
export interface ActivityRow {
  /** The beginning of the interval in which they were created. */
  begin: Date;
  billerCode: string;
  /** Null while the outcome is unknown. */
  operatorCode: string | null;
  outcome: Outcome | null;
  /** Step of the time to the final state, see `LATENCY_STEP`; null while the outcome is unknown. */
  latencyStep: number | null;
  count: number;
}

/** The times of one step differ by at most this factor. Step 0 begins at one second. */
export const LATENCY_STEP = 1.1;
const STEPS_PER_E = 1 / Math.log(LATENCY_STEP);

const ACTIVITY = `select date_bin($3 * interval '1 minute', created_at, 'epoch') as "begin",
    biller_code as "billerCode", operator_code as "operatorCode", outcome,
    case when settled_at is not null then
      floor(ln(greatest(extract(epoch from settled_at - created_at)::float8, 0.001)) * ${STEPS_PER_E})::integer
    end as "latencyStep",
    count(*)::integer as count
  from payments
  where created_at >= $1 and created_at < $2`;

const BY_LIKENESS = 'group by 1, 2, 3, 4, 5';

const OF_A_VENDOR = `${ACTIVITY} and bucket = bucket_of($4) and vendor_id = $4 ${BY_LIKENESS}`;
const OF_ALL = `${ACTIVITY} ${BY_LIKENESS}`;

export interface ActivitySpan {
  /** Included. */
  readonly from: Date;
  /** Not included. */
  readonly to: Date;
  /** Length of one interval. */
  readonly minutes: number;
  /** Undefined: of all vendors. */
  readonly vendorId?: number | undefined;
}

export async function readActivity(db: Queryable, span: ActivitySpan): Promise<ActivityRow[]> {
  const values = [span.from, span.to, span.minutes];
  const read =
    span.vendorId === undefined
      ? await db.query<ActivityRow>(OF_ALL, values)
      : await db.query<ActivityRow>(OF_A_VENDOR, [...values, span.vendorId]);
  return read.rows;
}

/** A vendor's payments since a time. */
export interface VendorVolume {
  vendorId: number;
  count: number;
  failedCount: number;
  /** Sum of the payments that have not failed. */
  amountCents: bigint;
}

/** By vendor id, without vendors that have none. */
export async function readVolumes(
  db: Queryable,
  vendorIds: readonly number[],
  since: Date,
): Promise<ReadonlyMap<number, VendorVolume>> {
  const volumes = new Map<number, VendorVolume>();
  const wanted = vendorIds.map((vendorId) => ({ vendorId }));
  for (const { bucket, items } of await groupByBucket(db, wanted)) {
    const read = await db.query<VendorVolume>(
      `select vendor_id as "vendorId", count(*)::integer as count,
         (count(*) filter (where outcome = 'failed'))::integer as "failedCount",
         coalesce(sum(amount_cents) filter (where outcome is distinct from 'failed'), 0)::bigint
           as "amountCents"
       from payments where bucket = $1 and vendor_id = any ($2) and created_at >= $3
       group by vendor_id`,
      [bucket, items.map(({ vendorId }) => vendorId), since],
    );
    for (const row of read.rows) volumes.set(row.vendorId, row);
  }
  return volumes;
}
