import { csvLine } from '../platform/base/csv.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { FileAnswer } from '../platform/http/operation.ts';
import { parameter } from '../platform/http/parameter.ts';

/** Files that one process receives at once, of all kinds together. */
export const UPLOAD_LIMITS = {
  atOnce: LIMITS.bulkUploadsAtOnce,
  perSigner: LIMITS.bulkUploadsPerVendor,
  unproven: LIMITS.bulkUnprovenUploads,
  unprovenPerAddress: LIMITS.bulkUnprovenUploadsPerAddress,
};

export const sha256 = parameter(
  /^[0-9a-fA-F]{64}$/,
  '64 hexadecimal digits',
  'SHA-256 of the file’s bytes.',
);

export const resultFormat = parameter(
  /^(json|csv|jsonl)$/,
  'json, csv or jsonl',
  'Format of the response. Default: `json`.',
  { examples: ['csv'] },
);

/**
 * The results as a file; undefined: they were not asked for as one. Programs that need references byte
 * for byte use `json` or `jsonl`: in CSV, formulas are neutralised.
 */
export function resultFile<Row extends object>(
  format: string | undefined,
  name: string,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): FileAnswer | undefined {
  if (format === 'csv') {
    const lines = rows.map((row) => csvLine(columns.map((column) => String(row[column] ?? ''))));
    return new FileAnswer(
      csvLine(columns) + lines.join(''),
      'text/csv; charset=utf-8',
      `${name}.csv`,
    );
  }
  if (format === 'jsonl') {
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    return new FileAnswer(lines, 'application/x-ndjson', `${name}.jsonl`);
  }
  return undefined;
}
