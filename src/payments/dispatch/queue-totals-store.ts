import type { Queryable } from '../../platform/db/pool.ts';
import type { Stage } from './store.ts';

/** A biller's open payments in one stage. */
export interface QueueTotal {
  readonly billerCode: string;
  readonly stage: Stage;
  readonly count: number;
  /** Age of the oldest payment. */
  readonly oldestSeconds: number;
}

/**
 * Only the oldest payment of each group is looked up: ids are in the order of their creation.
 * @param vendorId undefined: of all vendors.
 */
export async function readQueueTotals(db: Queryable, vendorId?: number): Promise<QueueTotal[]> {
  const read = await db.query<QueueTotal>(
    `with totals as (
       select bucket, vendor_id, biller_code, stage, count(*) as count, min(payment_id::text)::uuid as payment_id
       from dispatch_queue
       where $1::integer is null or (bucket = bucket_of($1) and vendor_id = $1)
       group by bucket, vendor_id, biller_code, stage
     )
     select q.biller_code as "billerCode", q.stage, sum(q.count)::integer as count,
       extract(epoch from now() - min(t.created_at))::float8 as "oldestSeconds"
     from totals q join payments t using (bucket, vendor_id, payment_id)
     group by q.biller_code, q.stage`,
    [vendorId ?? null],
  );
  return read.rows;
}

/** The versions of operators that have instructions in progress. */
export async function listInstructedVersions(
  db: Queryable,
): Promise<{ readonly operatorCode: string; readonly operatorVersion: number }[]> {
  const read = await db.query<{ operatorCode: string; operatorVersion: number }>(
    `select operator_code as "operatorCode", operator_version as "operatorVersion" from dispatch_queue
     where stage = 'verify' and operator_code is not null and operator_version is not null
     group by operator_code, operator_version`,
  );
  return read.rows;
}

/** Counts payments that wait for each operator's report. */
export async function countInstructions(
  db: Queryable,
): Promise<{ readonly operatorCode: string; readonly count: number }[]> {
  const read = await db.query<{ operatorCode: string; count: number }>(
    `select operator_code as "operatorCode", count(*)::integer as count from dispatch_queue
     where stage = 'verify' and operator_code is not null group by operator_code`,
  );
  return read.rows;
}

/** Counts payments that wait for the report of one operator, by vendor. */
export async function countInstructionsOf(
  db: Queryable,
  operatorCode: string,
): Promise<{ readonly vendorId: number; readonly count: number }[]> {
  const read = await db.query<{ vendorId: number; count: number }>(
    `select vendor_id as "vendorId", count(*)::integer as count from dispatch_queue
     where stage = 'verify' and operator_code = $1 group by vendor_id order by vendor_id`,
    [operatorCode],
  );
  return read.rows;
}
