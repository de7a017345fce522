import { Readable } from 'node:stream';
import type { Vendor } from '../parties/vendor.ts';
import { csvLine } from '../platform/base/csv.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { partsInTurn, vendorReaderName } from '../platform/base/long-reads.ts';
import type { LongReads, ReadPart } from '../platform/base/long-reads.ts';
import { parameter } from '../platform/http/parameter.ts';
import { StreamedAnswer } from '../platform/http/streamed-answer.ts';

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

/** The deps of an operation that returns the results of a file. */
export interface ResultsDeps {
  /** Each page of results takes a turn of its vendor. */
  readonly longReads: LongReads;
}

/** Runs the reading of a page of results when the vendor’s turn comes. Only the first one may be refused. */
export function resultsInTurn({ longReads }: ResultsDeps, { vid }: Pick<Vendor, 'vid'>): ReadPart {
  return partsInTurn(longReads, { name: vendorReaderName(vid), isClosed: () => false });
}

/** The results as they are sent: in JSON after the members of `head`, or as a file. */
interface Answered<Row> {
  readonly format: string | undefined;
  /** The file's name without its ending. */
  readonly name: string;
  readonly head: object;
  /** The members of a row, in their order; a row may have others, which are not sent. */
  readonly columns: Columns<Row>;
}

type Columns<Row> = (keyof Row & string)[];

/**
 * The answer with the results, which is sent while they are read. Programs that need references byte for byte use
 * `json` or `jsonl`: in CSV, formulas are neutralised.
 */
export function resultsAnswer<Result, Row extends object>(
  slices: AsyncIterable<readonly Result[]>,
  rowOf: (result: Result) => Row,
  { format, name, head, columns }: Answered<Row>,
): StreamedAnswer {
  const rows = rowsOf(slices, rowOf);
  switch (format) {
    case 'csv': {
      const body = Readable.from(csvOf(rows, columns));
      return new StreamedAnswer({ type: 'text/csv; charset=utf-8', body, fileName: `${name}.csv` });
    }
    case 'jsonl': {
      const body = Readable.from(jsonLinesOf(rows, columns));
      return new StreamedAnswer({ type: 'application/x-ndjson', body, fileName: `${name}.jsonl` });
    }
    default:
      return new StreamedAnswer({
        type: 'application/json; charset=utf-8',
        body: Readable.from(jsonOf(head, rows, columns)),
      });
  }
}

type Slices<Row> = AsyncIterable<readonly Row[]>;

async function* rowsOf<Result, Row>(
  slices: AsyncIterable<readonly Result[]>,
  rowOf: (result: Result) => Row,
): AsyncGenerator<readonly Row[]> {
  for await (const results of slices) yield results.map(rowOf);
}

async function* csvOf<Row>(slices: Slices<Row>, columns: Columns<Row>): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const rows of slices) {
    yield rows.map((row) => csvLine(columns, (column) => String(row[column] ?? ''))).join('');
  }
}

async function* jsonLinesOf<Row>(
  slices: Slices<Row>,
  columns: Columns<Row>,
): AsyncGenerator<string> {
  for await (const rows of slices) {
    yield rows.map((row) => `${JSON.stringify(row, columns)}\n`).join('');
  }
}

async function* jsonOf<Row>(
  head: object,
  slices: Slices<Row>,
  columns: Columns<Row>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"data":[`;
  let separator = '';
  for await (const rows of slices) {
    yield separator + rows.map((row) => JSON.stringify(row, columns)).join(',');
    separator = ',';
  }
  yield ']}';
}
