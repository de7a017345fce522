import type { RowRefusal } from '../../batches/batch.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Biller } from '../billers/biller.ts';
import type { CreateRequest } from '../create/payment.ts';
import { findEarlier } from '../create/earlier-store.ts';
import type { NewPayment } from '../create/payment.ts';
import { newBatchId, planChunk, REUSED } from './batch.ts';
import type { BulkRow, ChunkPlan, RowVendor } from './batch.ts';

/** The result that a row of a file would have if it were submitted now. */
export type RowPreview = {
  /** From 1. */
  readonly row: number;
} & (
  | { readonly kind: 'created'; readonly payment: NewPayment }
  | { readonly kind: 'refused'; readonly refusal: RowRefusal }
  /** The payment was created earlier, so it would not be made again. */
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
    readonly vendor: RowVendor;
    readonly billerOf: (billerCode: string) => Biller | undefined;
  },
): Promise<RowPreview[]> {
  const plan = planChunk(rows, 1, { ...from, batchId: newBatchId() });
  const planned = [
    ...plan.creates.map(({ row, payment }): Planned => ({ row, request: payment, payment })),
    ...plan.refused,
  ].toSorted((a, b) => a.row - b.row);
  const readable = planned.flatMap(({ row, request }) => (request ? [{ row, request }] : []));
  const known = await findEarlier(
    db,
    from.vendor.vendorId,
    readable.map(({ request }) => request),
  );
  const earlier = new Map(known.map((one) => [readable[one.number - 1]?.row, one]));
  const firstRows = new Map<string, { readonly row: number; readonly request: CreateRequest }>();
  return planned.map((item): RowPreview => {
    const { row, request } = item;
    const first = earlier.get(row);
    if (first?.isSame === true) return { row, kind: 'repeated', paymentId: first.paymentId };
    if (first !== undefined) return { row, kind: 'refused', refusal: REUSED };
    const reference = request?.merchantReference ?? null;
    const same = reference === null ? undefined : firstRows.get(reference);
    if (same !== undefined && request !== undefined) {
      return isSameRequest(same.request, request)
        ? { row, kind: 'repeated_row', firstRow: same.row }
        : { row, kind: 'refused', refusal: REUSED };
    }
    if ('refusal' in item) return { row, kind: 'refused', refusal: item.refusal };
    if (reference !== null) firstRows.set(reference, { row, request: item.request });
    return { row, kind: 'created', payment: item.payment };
  });
}

type Planned =
  | { readonly row: number; readonly request: CreateRequest; readonly payment: NewPayment }
  | ChunkPlan['refused'][number];

function isSameRequest(one: CreateRequest, other: CreateRequest): boolean {
  return (
    one.billerCode === other.billerCode &&
    one.account === other.account &&
    one.phone === other.phone &&
    one.amountCents === other.amountCents
  );
}
