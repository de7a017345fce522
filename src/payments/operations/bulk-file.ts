import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Fields } from '../../platform/base/canonical.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { parseMoney } from '../../platform/base/money.ts';
import { rowRefusalOf } from '../bulk/batch.ts';
import type { BulkRow } from '../bulk/batch.ts';
import type { UploadedFile } from '../../platform/http/wire/file.ts';
import { readFileRows } from '../../platform/http/wire/rows.ts';
import type { ReadFields } from '../../platform/http/wire/rows.ts';
import type { Parameters } from '../../platform/http/wire/parameters.ts';
import { createValidator } from '../../platform/http/validate.ts';
import {
  MERCHANT_REFERENCE,
  account,
  amount,
  billerCode,
  merchantReference,
  phone,
} from './fields.ts';

/** A row: the parameters of a single create without signer and signature. */
const bulkRow = Type.Object({
  biller_name: billerCode,
  amount,
  account,
  phone: Type.Optional(phone),
  merchant_reference: Type.Optional(merchantReference),
});

export const BULK_COLUMNS: readonly string[] = Object.keys(bulkRow.properties);
const validateRow = createValidator(bulkRow);

/**
 * The rows of a file, each a request or the reason why it is not one.
 * @param columns `BULK_COLUMNS`, with the rules of a single create for its values.
 * Rejects with: `invalid_file`, `payload_too_large` (too many rows).
 */
export async function readRows(file: UploadedFile, columns: Parameters): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const read of readFileRows(file, {
    columns,
    names: BULK_COLUMNS,
    required: bulkRow.required,
    maxRows: LIMITS.bulkRows,
  })) {
    rows.push(readRow(read));
  }
  return rows;
}

/** Reads and checks one row; what a single create would refuse becomes the row's own refusal. */
function readRow(read: ReadFields): BulkRow {
  let fields: Fields | undefined;
  try {
    fields = read();
    return { request: requestOf(validateRow(fields)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refusal: rowRefusalOf(error), merchantReference: readableReference(fields) };
  }
}

function requestOf(row: Static<typeof bulkRow>) {
  return {
    billerCode: row.biller_name,
    account: row.account,
    phone: row.phone ?? null,
    amountCents: parseMoney(row.amount),
    merchantReference: row.merchant_reference ?? null,
  };
}

/** The reference of a refused row, so that its sender finds it; only if it is itself valid. */
function readableReference(fields: Fields | undefined): string | null {
  const reference = fields?.get('merchant_reference') ?? '';
  return MERCHANT_REFERENCE.test(reference) ? reference : null;
}
