import type { Queryable } from '../../platform/db/pool.ts';

/** A lender's decision against the score of an enquiry. */
export interface Override {
  readonly vendorId: number;
  /** The enquiry in its vendor's chain. */
  readonly sequence: bigint;
  /** The lender's decision against the score. */
  readonly decision: 'approved' | 'declined';
  readonly reason: string;
  readonly decidedBy: string;
  readonly recordedAt: Date;
  readonly enquiredAt: Date;
  readonly card: string;
  readonly score: string;
}

/** A page of a vendor's overrides, newest first. @param page.after the page after this one. */
export async function listOverrides(
  db: Queryable,
  vendorId: number,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<(Override & { readonly overrideId: string })[]> {
  const read = await db.query<Override & { readonly overrideId: string }>(
    `select override_id as "overrideId", vendor_id as "vendorId", sequence, decision, reason, decided_by as "decidedBy",
       recorded_at as "recordedAt", enquired_at as "enquiredAt", card, score
     from score_overrides where bucket = bucket_of($1) and vendor_id = $1
       and ($3::uuid is null or (recorded_at, override_id) < ((select recorded_at from score_overrides
         where bucket = bucket_of($1) and vendor_id = $1 and override_id = $3), $3))
     order by recorded_at desc, override_id desc limit $2`,
    [vendorId, page.limit, page.after ?? null],
  );
  return read.rows;
}

/** Overrides by month of the enquiry and card. */
export interface OverrideCount {
  readonly month: string;
  readonly card: string;
  readonly decision: 'approved' | 'declined';
  readonly count: number;
}

export async function countOverrides(
  db: Queryable,
  from: Date,
  timeZone: string,
): Promise<OverrideCount[]> {
  const read = await db.query<OverrideCount>(
    `select to_char(enquired_at at time zone $2, 'YYYY-MM') as month, card, decision,
       count(*)::integer as count
     from score_overrides where enquired_at >= $1 group by 1, 2, 3`,
    [from, timeZone],
  );
  return read.rows;
}
