import type { Queryable } from '../../platform/db/pool.ts';
import type { SpanCursor } from '../../platform/db/search-by-time.ts';
import type { Outcome, PaymentStatus } from '../create/payment.ts';
import type { PaymentRow } from '../create/store.ts';

export interface ListedRow extends Omit<
  PaymentRow,
  'billerResponseTime' | 'billerReference' | 'message' | 'failureCode' | 'details'
> {
  vid: string;
  /** The time to the microsecond, in ISO 8601. */
  createdAtExactly: string;
  operatorCode: string | null;
}

/** Undefined: any. */
export interface ListFilter {
  readonly vendorId?: number | undefined;
  readonly status?: PaymentStatus | undefined;
  readonly billerCode?: string | undefined;
  readonly operatorCode?: string | undefined;
  /** In cents, both included. */
  readonly minCents?: bigint | undefined;
  readonly maxCents?: bigint | undefined;
}

/** Where the next page begins: after this payment. */
export interface ListCursor extends SpanCursor {
  readonly paymentId: string;
}

const SELECT = `select l.vendor_id as "vendorId", v.vid, l.payment_id as "paymentId",
    l.created_at as "createdAt",
    to_char(l.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAtExactly", l.settled_at as "settledAt", l.outcome,
    q.stage is not distinct from 'verify' as "underWay", l.biller_code as "billerCode",
    coalesce(l.operator_code, q.operator_code, b.operator_code) as "operatorCode", l.account, l.phone,
    l.amount_cents as "amountCents", l.fee_cents as "feeCents",
    l.merchant_reference as "merchantReference"`;

const QUEUE_ENTRY = `q.bucket = l.bucket and q.vendor_id = l.vendor_id
      and q.biller_code = l.biller_code and q.payment_id = l.payment_id`;

/**
 * Both ends of the span by themselves, because a block range index knows no rows of several columns. Payments
 * that another operator has settled are left out before they are joined.
 */
const MATCHES = `($4::text is null or p.biller_code = $4)
      and ($5::text is null or coalesce(p.operator_code, $5) = $5)
      and p.amount_cents between coalesce($6::bigint, 0) and coalesce($7::bigint, 9223372036854775807)
      and ($9::text is null or p.outcome is not distinct from nullif($9, 'open'))
      and p.created_at >= $1 and p.created_at <= $2 and (p.created_at, p.payment_id) < ($2::timestamptz, $3::uuid)`;

const newestFirst = (of: 'p' | 'l'): string =>
  `order by ${of}.created_at desc, ${of}.payment_id desc`;

/**
 * Settled and open payments of a span of time. The block range index finds the span. Only the payments of
 * the page are joined, unless the filter needs the queue.
 */
const OF_A_SPAN = `${SELECT}
  from (
      select * from payments p where ${MATCHES}
      ${newestFirst('p')} limit case when $5::text is null and $10::text is null then $8::integer end
    ) l
    join vendors v on v.vendor_id = l.vendor_id
    left join dispatch_queue q on ${QUEUE_ENTRY}
    left join billers b on b.biller_code = l.biller_code
  where ($5::text is null or coalesce(l.operator_code, q.operator_code, b.operator_code) = $5)
    and ($10::text is null or q.stage::text = $10)
  ${newestFirst('l')} limit $8`;

/** Query for one vendor, whose payments are all in one bucket. */
const OF_A_VENDOR = OF_A_SPAN.replace(
  `where ${MATCHES}`,
  `where p.bucket = bucket_of($11) and p.vendor_id = $11 and ${MATCHES}`,
);

export interface Span {
  /** Included. */
  readonly from: Date;
  /** Payments before this one. */
  readonly before: ListCursor;
}

/** Payments of the span that match, newest first. */
export async function listSpan(
  db: Queryable,
  filter: ListFilter,
  { from, before, limit }: Span & { readonly limit: number },
): Promise<ListedRow[]> {
  const { vendorId, status, billerCode, operatorCode, minCents, maxCents } = filter;
  const values = [
    from,
    before.createdAt,
    before.paymentId,
    billerCode ?? null,
    operatorCode ?? null,
    minCents ?? null,
    maxCents ?? null,
    limit,
    outcomeOf(status),
    stageOf(status),
  ];
  const found =
    vendorId === undefined
      ? await db.query<ListedRow>(OF_A_SPAN, values)
      : await db.query<ListedRow>(OF_A_VENDOR, [...values, vendorId]);
  return found.rows;
}

/** A state of open payments. */
type Stage = 'send' | 'verify';

/** Counts open payments in this state, of all vendors or of one, up to `limit`. */
export async function countOpen(
  db: Queryable,
  stage: Stage,
  { vendorId, limit }: { readonly vendorId: number | undefined; readonly limit: number },
): Promise<number> {
  const counted = await db.query<{ count: number }>(
    `select count(*)::integer as count from (
       select 1 from dispatch_queue q
       where q.stage = $1::dispatch_stage
         and ($2::integer is null or q.bucket = bucket_of($2) and q.vendor_id = $2)
       limit $3) o`,
    [stage, vendorId ?? null, limit],
  );
  return counted.rows[0]?.count ?? 0;
}

/**
 * Finds open payments by the queue, newest first: the sums hide the times from the planner, which would
 * take an index by time.
 */
export async function listOpen(
  db: Queryable,
  filter: ListFilter & { readonly stage: Stage },
  { from, before, limit, among }: Span & { readonly limit: number; readonly among: number },
): Promise<ListedRow[]> {
  const found = await db.query<ListedRow>(
    `${SELECT}
     from (
         select * from dispatch_queue q
         where q.stage = $1::dispatch_stage
           and ($2::integer is null or q.bucket = bucket_of($2) and q.vendor_id = $2)
         limit $3
       ) q
       join payments l
         on l.bucket = q.bucket and l.vendor_id = q.vendor_id and l.payment_id = q.payment_id
       join vendors v on v.vendor_id = l.vendor_id
       left join billers b on b.biller_code = l.biller_code
     where l.created_at + interval '0' >= $4
       and (l.created_at + interval '0', l.payment_id) < ($5::timestamptz, $6::uuid)
       and ($7::text is null or l.biller_code = $7)
       and ($8::text is null or coalesce(l.operator_code, q.operator_code, b.operator_code) = $8)
       and l.amount_cents between coalesce($9::bigint, 0) and coalesce($10::bigint, 9223372036854775807)
     ${newestFirst('l')} limit $11`,
    [
      filter.stage,
      filter.vendorId ?? null,
      among,
      from,
      before.createdAt,
      before.paymentId,
      filter.billerCode ?? null,
      filter.operatorCode ?? null,
      filter.minCents ?? null,
      filter.maxCents ?? null,
      limit,
    ],
  );
  return found.rows;
}

function outcomeOf(status: PaymentStatus | undefined): Outcome | 'open' | null {
  if (status === undefined) return null;
  if (status === 'SUCCESS') return 'success';
  return status === 'FAILED' ? 'failed' : 'open';
}

/** Null: payments of this status are not found in the queue alone. */
export function stageOf(status: PaymentStatus | undefined): Stage | null {
  if (status === 'QUEUED') return 'send';
  return status === 'PENDING' ? 'verify' : null;
}

/** No payment is older: when the first vendor was added. */
export async function readBeginning(db: Queryable): Promise<Date> {
  const read = await db.query<{ beginning: Date | null }>(
    'select min(created_at) as beginning from vendors',
  );
  return read.rows[0]?.beginning ?? new Date();
}
