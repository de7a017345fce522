import { rowRefusalOf } from '../../batches/batch.ts';
import type { Fields } from '../../platform/base/canonical.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { BulkRow } from '../bulk/batch.ts';
import type { UploadedFile } from '../../platform/http/wire/file.ts';
import { readFileRows } from '../../platform/http/wire/rows.ts';
import type { ReadFields } from '../../platform/http/wire/rows.ts';
import type { Parameters } from '../../platform/http/wire/parameters.ts';
import { REQUIRED_FIELDS, paymentFields, readCreateRequest } from './create-request.ts';
import { MERCHANT_REFERENCE } from '../create/payment.ts';

/** A row has the parameters of a single create without signer and signature. */
export const BULK_COLUMNS: readonly string[] = Object.keys(paymentFields);

/**
 * The rows of a file, each a request or the reason why it is not one.
 * @param columns `BULK_COLUMNS`, with the rules of a single create for its values.
 * Rejects with: `invalid_file`, `payload_too_large` (too many rows).
 */
export async function readRows(file: UploadedFile, columns: Parameters): Promise<BulkRow[]> {
  const form = { names: BULK_COLUMNS, required: REQUIRED_FIELDS, maxRows: LIMITS.bulkRows };
  return await readFileRows(file, { ...form, columns }, readRow);
}

/** Reads and checks one row; what a single create would refuse becomes the row's own refusal. */
function readRow(read: ReadFields): BulkRow {
  let fields: Fields | undefined;
  try {
    fields = read();
    return { request: readCreateRequest(fields) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refusal: rowRefusalOf(error), merchantReference: readableReference(fields) };
  }
}

/** The reference of a refused row, so that its sender finds it; only if it is itself valid. */
function readableReference(fields: Fields | undefined): string | null {
  const reference = fields?.get('merchant_reference') ?? '';
  return MERCHANT_REFERENCE.test(reference) ? reference : null;
}
