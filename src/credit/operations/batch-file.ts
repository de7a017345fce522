import { Type } from 'typebox';
import { rowRefusalOf } from '../../batches/batch.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { createValidator } from '../../platform/http/validate.ts';
import type { UploadedFile } from '../../platform/http/wire/file.ts';
import type { Parameters } from '../../platform/http/wire/parameters.ts';
import { readFileRows } from '../../platform/http/wire/rows.ts';
import type { ReadFields } from '../../platform/http/wire/rows.ts';
import type { ScoreRow } from '../batches/batch.ts';
import {
  consentFields,
  dateOfBirth,
  documentFields,
  optionalName,
  requestReference,
} from './fields.ts';

/** A row: the parameters of a single enquiry without those that the whole file shares. */
const scoreRow = Type.Object({
  requestReference,
  name1: optionalName,
  name2: optionalName,
  name3: optionalName,
  name4: optionalName,
  ...documentFields,
  dateOfBirth,
  ...consentFields,
});

export const SCORE_COLUMNS: readonly string[] = Object.keys(scoreRow.properties);
const validateRow = createValidator(scoreRow);
const REFERENCE = /^[A-Za-z0-9]{1,64}$/;

/**
 * The rows of a file, each an enquiry or the reason why it is not one.
 * @param columns `SCORE_COLUMNS`, with the rules of a single enquiry for its values.
 * @param shared the parameters of every row's enquiry.
 * Rejects with: `invalid_file`, `payload_too_large` (too many rows).
 */
export async function readScoreRows(
  file: UploadedFile,
  columns: Parameters,
  shared: Readonly<Record<string, string>>,
): Promise<ScoreRow[]> {
  const form = { names: SCORE_COLUMNS, required: scoreRow.required, maxRows: LIMITS.scoreRows };
  return await readFileRows(file, { ...form, columns }, (read) => readRow(read, shared));
}

function readRow(read: ReadFields, shared: Readonly<Record<string, string>>): ScoreRow {
  let reference = '';
  try {
    const fields = read();
    reference = fields.get('requestReference') ?? '';
    const row = validateRow(fields);
    return { content: { ...row, ...shared }, requestReference: row.requestReference };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      refusal: rowRefusalOf(error),
      requestReference: REFERENCE.test(reference) ? reference : null,
    };
  }
}
