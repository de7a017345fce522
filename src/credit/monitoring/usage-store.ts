import type { Queryable } from '../../platform/db/pool.ts';
import type { EnquiryOutcome } from '../enquiries/record.ts';

/** Number of a vendor's enquiries with one outcome on one day. */
export interface UsageCount {
  readonly vid: string;
  /** `YYYY-MM-DD` in the service's time zone. */
  readonly day: string;
  readonly outcome: EnquiryOutcome;
  readonly count: number;
}

/** Enquiries of a period by vendor, day and outcome. */
export async function countUsage(
  db: Queryable,
  period: { readonly from: Date; readonly until: Date; readonly timeZone: string },
): Promise<UsageCount[]> {
  const read = await db.query<UsageCount>(
    `select v.vid, to_char(e.enquired_at at time zone $3, 'YYYY-MM-DD') as day, e.outcome,
       count(*)::integer as count
     from vendors v
     join enquiries e on e.bucket = bucket_of(v.vendor_id) and e.vendor_id = v.vendor_id
     where e.enquired_at >= $1 and e.enquired_at < $2
     group by 1, 2, 3 order by 1, 2, 3`,
    [period.from, period.until, period.timeZone],
  );
  return read.rows;
}
