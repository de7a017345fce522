import type { ErrorCode, Refusal } from '../platform/base/errors.ts';

export type KindName = 'payments' | 'enquiries';

/** A batch as its vendor names it. */
export interface BatchKey {
  readonly vendorId: number;
  readonly batchReference: string;
}

export interface NewBatch<Row> extends BatchKey {
  readonly fileSha256: Buffer;
  /** The product that every row of the file asks for, in a kind with several products. */
  readonly product?: string;
  /** The vendor's key that signed the file, if its rows are recorded under it. */
  readonly keyId?: string;
  readonly rows: readonly Row[];
}

/** A batch with its progress. */
export interface Batch extends BatchKey {
  readonly batchId: string;
  readonly product: string | null;
  readonly keyId: string | null;
  readonly fileSha256: Buffer;
  readonly rowCount: number;
  readonly acceptedCount: number;
  readonly refusedCount: number;
  readonly createdAt: Date;
  /** Null while rows are undecided. */
  readonly endedAt: Date | null;
}

/** Why a row was refused, with the code and text of a single request. */
export interface RowRefusal {
  readonly code: ErrorCode;
  readonly text: string;
  readonly field?: string;
}

/** The result of one row. */
export type RowResult<Accepted> = {
  /** From 1. */
  readonly row: number;
  /** The vendor's reference of the row, if it had a readable one. */
  readonly reference: string | null;
} & (
  | ({ readonly kind: 'accepted' } & Accepted)
  | ({ readonly kind: 'refused' } & RowRefusal)
  | { readonly kind: 'waiting' }
);

/** A refusal as it is stored with its row. */
export function rowRefusalOf({ code, message: text, field }: Refusal): RowRefusal {
  return field === undefined ? { code, text } : { code, text, field };
}
