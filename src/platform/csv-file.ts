import { createReadStream } from 'node:fs';
import type { ReadStream } from 'node:fs';
import { csvLines } from './base/csv.ts';
import type { CsvLine } from './base/csv.ts';

/** Bytes read at once. Small, so that database responses do not wait behind a long chunk. */
const CHUNK_BYTES = 32 * 1024;

/** Latin-1 fits every file, so it is the last resort for one that is not UTF-8. */
export type FileEncoding = 'utf8' | 'latin1';

/** The lines of a file, as `csvLines` returns them. */
export function readCsv(file: string, encoding: FileEncoding = 'utf8'): AsyncGenerator<CsvLine> {
  const chunks = createReadStream(file, { highWaterMark: CHUNK_BYTES, encoding });
  return csvLines(chunks as ReadStream & AsyncIterable<string>);
}
