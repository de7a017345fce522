import { rowRefusalOf } from '../../batches/batch.ts';
import type { RowRefusal } from '../../batches/batch.ts';
import type { Batches } from '../../batches/batches.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Biller } from '../billers/biller.ts';
import { normaliseRequest, planPayment } from '../create/create-rules.ts';
import type { LostLookup, PayingVendor } from '../create/create-rules.ts';
import type { CreateRequest } from '../create/payment.ts';
import type { NewPayment } from '../create/payment.ts';
import type { Vendor } from '../../parties/vendor.ts';

/** One row of a file, as read: a request, or why it is not one. */
export type BulkRow =
  | { readonly request: CreateRequest }
  | { readonly refusal: RowRefusal; readonly merchantReference: string | null };

/** A payment that a row made, or that it repeats. */
export interface AcceptedRow {
  readonly paymentId: string;
  readonly postedAt: Date;
  /** True if the payment existed before: the row is its repeat. */
  readonly replayed: boolean;
}

/** Files of payments. */
export type BulkBatches = Batches<BulkRow, AcceptedRow>;

const ROW_DIGITS = 4;

/** A new time-ordered id whose last four hexadecimal digits are free for a row's number. */
export function newBatchId(): string {
  return `${newId().slice(0, -ROW_DIGITS)}${'0'.repeat(ROW_DIGITS)}`;
}

/**
 * The payment id of a row. It is derived from batch and row alone, so that deciding the same row
 * again gives the same payment.
 */
export function paymentIdOf(batchId: string, row: number): string {
  return batchId.slice(0, -ROW_DIGITS) + row.toString(16).padStart(ROW_DIGITS, '0');
}

/** True for the payment of a row of the batch that comes after this row. */
export function isOfLaterRow(paymentId: string, batchId: string, row: number): boolean {
  return (
    paymentId > paymentIdOf(batchId, row) && paymentId.startsWith(batchId.slice(0, -ROW_DIGITS))
  );
}

/** The row's reference stands for another payment. */
export const REUSED = rowRefusalOf(
  new Refusal('reference_reused', { field: 'merchant_reference' }),
);

/** The settings of a vendor by which its rows are planned. */
export type RowVendor = PayingVendor & Pick<Vendor, 'suspended'>;

/** The result for a chunk of rows from the rules that need no database. */
export interface ChunkPlan {
  readonly creates: readonly { readonly row: number; readonly payment: NewPayment }[];
  readonly refused: readonly {
    readonly row: number;
    readonly refusal: RowRefusal;
    /** Kept, because an earlier answer to the same request takes precedence over the refusal. */
    readonly request: CreateRequest | undefined;
  }[];
}

/**
 * Plans the rows of one chunk, each like a single create.
 * @param firstRow number of the first of them in the file, from 1.
 * @param from.vendor undefined if the vendor may no longer create.
 * @param from.mayBeLost a restore may have lost the payments of these rows: it is not known that a row was
 * never accepted.
 */
export function planChunk(
  rows: readonly BulkRow[],
  firstRow: number,
  from: {
    readonly batchId: string;
    readonly vendor: RowVendor | undefined;
    readonly billerOf: (billerCode: string) => Biller | undefined;
    readonly mayBeLost?: boolean;
    readonly lostOf?: LostLookup | undefined;
  },
): ChunkPlan {
  const creates: { row: number; payment: NewPayment }[] = [];
  const refused: ChunkPlan['refused'][number][] = [];
  for (const [index, item] of rows.entries()) {
    const row = firstRow + index;
    if ('refusal' in item) {
      refused.push({ row, refusal: item.refusal, request: undefined });
      continue;
    }
    const biller = from.billerOf(item.request.billerCode);
    const request = normaliseRequest(item.request, biller);
    try {
      if (from.vendor === undefined || from.vendor.suspended) {
        throw new Refusal('vendor_suspended', { field: 'vid' });
      }
      const planned = planPayment(request, from.vendor, biller, { lostOf: from.lostOf });
      if (from.mayBeLost === true) throw new Refusal('quarantine');
      creates.push({
        row,
        payment: { ...planned, paymentId: paymentIdOf(from.batchId, row) },
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const isLost = from.mayBeLost === true && error.code === 'biller_offline';
      const refusal = rowRefusalOf(isLost ? new Refusal('quarantine') : error);
      refused.push({ row, refusal, request });
    }
  }
  return { creates, refused };
}

type StoredRow =
  | readonly [
      billerCode: string,
      account: string,
      phone: string | null,
      amountCents: string,
      merchantReference: string | null,
    ]
  | { readonly refusal: RowRefusal; readonly reference: string | null };

/** Encodes rows to be stored: one JSON text in each line. */
export function encodeRows(rows: readonly BulkRow[]): Buffer {
  const stored = rows.map((row): StoredRow => {
    if ('refusal' in row) return { refusal: row.refusal, reference: row.merchantReference };
    const { billerCode, account, phone, amountCents, merchantReference } = row.request;
    return [billerCode, account, phone, amountCents.toString(), merchantReference];
  });
  return Buffer.from(stored.map((row) => JSON.stringify(row)).join('\n'));
}

/** The reverse of `encodeRows`, row by row, because a whole file takes long. */
export function* decodeRows(content: Buffer): Generator<BulkRow> {
  for (let from = 0; from < content.length;) {
    const found = content.indexOf('\n', from);
    const end = found === -1 ? content.length : found;
    yield rowOf(JSON.parse(content.toString('utf8', from, end)) as StoredRow);
    from = end + 1;
  }
}

function rowOf(stored: StoredRow): BulkRow {
  if ('refusal' in stored) {
    return { refusal: stored.refusal, merchantReference: stored.reference };
  }
  const [billerCode, account, phone, amountCents, merchantReference] = stored;
  return {
    request: { billerCode, account, phone, amountCents: BigInt(amountCents), merchantReference },
  };
}

/** The vendor's reference of a row, if it had a readable one. */
export function merchantReferenceOf(row: BulkRow): string | null {
  return 'refusal' in row ? row.merchantReference : row.request.merchantReference;
}
