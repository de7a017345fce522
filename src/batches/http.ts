import type { Vendor } from '../parties/vendor.ts';
import { csvLine } from '../platform/base/csv.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { vendorReaderName } from '../platform/base/long-reads.ts';
import type { LongReads } from '../platform/base/long-reads.ts';
import { mapInTurns } from '../platform/base/turns.ts';
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

/** Between two turns of the event loop: about a millisecond of work. */
const SLICE_ROWS = 100;

/** The deps of an operation that returns the results of a file. */
export interface ResultsDeps {
  /** Everything of a file is read and written at once, so it takes a turn of its vendor. */
  readonly longReads: LongReads;
}

/** Runs the reading and writing of results when the vendor’s turn comes. */
export async function resultsInTurn<Result>(
  { longReads }: ResultsDeps,
  { vid }: Pick<Vendor, 'vid'>,
  read: () => Promise<Result>,
): Promise<Result> {
  return await longReads({ name: vendorReaderName(vid), isClosed: () => false }, read);
}

/** The rows of an answer with the results. */
export async function resultRows<Result, Row>(
  results: readonly Result[],
  rowOf: (result: Result) => Row,
): Promise<Row[]> {
  return await mapInTurns(results, SLICE_ROWS, rowOf);
}

/**
 * The results as a file; undefined: they were not asked for as one. Programs that need references byte
 * for byte use `json` or `jsonl`: in CSV, formulas are neutralised.
 */
export async function resultFile<Row extends object>(
  format: string | undefined,
  name: string,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): Promise<FileAnswer | undefined> {
  if (format === 'csv') {
    const lines = await mapInTurns(rows, SLICE_ROWS, (row) =>
      csvLine(columns.map((column) => String(row[column] ?? ''))),
    );
    return new FileAnswer(
      csvLine(columns) + lines.join(''),
      'text/csv; charset=utf-8',
      `${name}.csv`,
    );
  }
  if (format === 'jsonl') {
    const lines = await mapInTurns(rows, SLICE_ROWS, (row) => `${JSON.stringify(row)}\n`);
    return new FileAnswer(lines.join(''), 'application/x-ndjson', `${name}.jsonl`);
  }
  return undefined;
}
