import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { Biller } from '../billers/biller.ts';
import { isSameRequest } from '../create/decide.ts';
import type { CreateRequest } from '../create/decide.ts';
import { findEarlier } from '../create/earlier-store.ts';
import type { NewPayment } from '../create/payment.ts';
import { newBatchId, planChunk, rowRefusalOf } from './batch.ts';
import type { BulkRow, RowRefusal } from './batch.ts';

/** What would happen to a row of a file if it were submitted now. */
export type RowPreview = {
  /** From 1. */
  readonly row: number;
} & (
  | { readonly kind: 'created'; readonly payment: NewPayment }
  | { readonly kind: 'refused'; readonly refusal: RowRefusal }
  /** The same payment was created earlier: it would not be paid again. */
  | { readonly kind: 'repeated'; readonly paymentId: string }
  /** An earlier row of the file is the same payment. */
  | { readonly kind: 'repeated_row'; readonly firstRow: number }
);

/**
 * Plans the rows of a file and looks up their references, as when they are decided. What depends on
 * the float, or on equal payments of the last seconds, shows only then.
 */
export async function previewRows(
  db: Queryable,
  rows: readonly BulkRow[],
  from: {
    readonly vendor: Vendor;
    readonly billerOf: (billerCode: string) => Biller | undefined;
  },
): Promise<RowPreview[]> {
  const plan = planChunk(rows, 1, { ...from, batchId: newBatchId() });
  const requests = [
    ...plan.creates.map(({ row, payment }) => ({ row, request: payment })),
    ...plan.refused.flatMap(({ row, request }) => (request === undefined ? [] : { row, request })),
  ];
  const known = await findEarlier(
    db,
    from.vendor.vendorId,
    requests.map(({ request }) => request),
  );
  const earlier = new Map(known.map((one) => [requests[one.number - 1]?.row, one]));
  const refused = plan.refused.map(({ row, refusal }): RowPreview => {
    const first = earlier.get(row);
    if (first?.isSame === true) return { row, kind: 'repeated', paymentId: first.paymentId };
    return { row, kind: 'refused', refusal };
  });
  const firstRows = new Map<string, { readonly row: number; readonly request: CreateRequest }>();
  const created = plan.creates.map(({ row, payment }): RowPreview => {
    const first = earlier.get(row);
    if (first?.isSame === true) return { row, kind: 'repeated', paymentId: first.paymentId };
    if (first !== undefined) return { row, kind: 'refused', refusal: REUSED };
    const { merchantReference } = payment;
    if (merchantReference === null) return { row, kind: 'created', payment };
    const same = firstRows.get(merchantReference);
    if (same === undefined) {
      firstRows.set(merchantReference, { row, request: payment });
      return { row, kind: 'created', payment };
    }
    return isSameRequest(same.request, payment)
      ? { row, kind: 'repeated_row', firstRow: same.row }
      : { row, kind: 'refused', refusal: REUSED };
  });
  return [...refused, ...created].toSorted((a, b) => a.row - b.row);
}

const REUSED = rowRefusalOf(new Refusal('reference_reused', { field: 'merchant_reference' }));
