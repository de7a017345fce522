import { integerArray, textArray, uuidArray } from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { byBucket } from '../../parties/by-bucket-store.ts';
import type { PaymentRow } from './store.ts';

/** The content of a status answer. */
export type StatusRow = Pick<
  PaymentRow,
  | 'paymentId'
  | 'createdAt'
  | 'billerResponseTime'
  | 'outcome'
  | 'billerCode'
  | 'account'
  | 'amountCents'
  | 'merchantReference'
  | 'billerReference'
  | 'message'
  | 'failureCode'
  | 'details'
  | 'underWay'
> & {
  /** True: the operator has said that more details follow. Absent: not known. */
  readonly detailsPending?: boolean;
};

const readStatusesBy = (
  column: 'payment_id' | 'merchant_reference',
): string => `select w.number::integer, t.payment_id as "paymentId", t.created_at as "createdAt",
    t.biller_response_time as "billerResponseTime", t.outcome, t.biller_code as "billerCode",
    t.account, t.amount_cents as "amountCents", t.merchant_reference as "merchantReference",
    t.biller_reference as "billerReference", t.message, t.failure_code as "failureCode",
    nullif(coalesce(t.details, '{}') || coalesce(d.details, '{}'), '{}') as details,
    d.payment_id is not null and d.ended_at is null as "detailsPending",
    q.payment_id is not null as "underWay"
  from (
      select * from unnest($2::integer[], $3::${column === 'payment_id' ? 'uuid' : 'text'}[])
        with ordinality as u (vendor_id, ${column}, number)
      limit cardinality($2)
    ) w
    join payments t on t.bucket = $1 and t.vendor_id = w.vendor_id and t.${column} = w.${column}
    left join dispatch_queue q on q.bucket = $1 and q.vendor_id = t.vendor_id
      and q.biller_code = t.biller_code and q.stage = 'verify' and q.payment_id = t.payment_id
    left join late_details d on d.bucket = $1 and d.vendor_id = t.vendor_id
      and d.payment_id = t.payment_id and t.outcome = 'success'`;

const READ_STATUSES = {
  paymentId: { name: 'read_statuses', text: readStatusesBy('payment_id') },
  merchantReference: {
    name: 'read_statuses_by_reference',
    text: readStatusesBy('merchant_reference'),
  },
};

/** A vendor identifies its payment by our id or by its own reference. */
export type StatusKey = { readonly vendorId: number } & (
  | { readonly paymentId: string }
  | { readonly merchantReference: string }
);

/**
 * The current state of each of these payments, in order; undefined if the vendor has no such
 * payment.
 */
export async function readStatuses(
  db: Queryable,
  wanted: readonly StatusKey[],
): Promise<(StatusRow | undefined)[]> {
  return await byBucket(
    db,
    wanted,
    async (bucket, keys) => await readStatusesInBucket(db, bucket, keys),
  );
}

async function readStatusesInBucket(
  db: Queryable,
  bucket: number,
  wanted: readonly StatusKey[],
): Promise<(StatusRow | undefined)[]> {
  const rows = Array.from<StatusRow | undefined>({ length: wanted.length });
  const keys = { paymentId: emptyKeys(), merchantReference: emptyKeys() };
  for (const [index, key] of wanted.entries()) {
    const isById = 'paymentId' in key;
    const { vendorIds, values, indexes } = keys[isById ? 'paymentId' : 'merchantReference'];
    vendorIds.push(key.vendorId);
    values.push(isById ? key.paymentId : key.merchantReference);
    indexes.push(index);
  }
  for (const by of ['paymentId', 'merchantReference'] as const) {
    const { vendorIds, values, indexes } = keys[by];
    if (indexes.length === 0) continue;
    const read = await db.query<StatusRow & { number: number }>({
      ...READ_STATUSES[by],
      values: [
        bucket,
        integerArray(vendorIds),
        by === 'paymentId' ? uuidArray(values) : textArray(values),
      ],
    });
    for (const row of read.rows) rows[indexes[row.number - 1] ?? -1] = row;
  }
  return rows;
}

function emptyKeys(): { vendorIds: number[]; values: string[]; indexes: number[] } {
  return { vendorIds: [], values: [], indexes: [] };
}
