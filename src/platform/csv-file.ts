import { createReadStream } from 'node:fs';
import type { ReadStream } from 'node:fs';
import { csvLines } from './base/csv.ts';
import type { CsvLine, Delimiter } from './base/csv.ts';
import type { EncodingLabel } from './base/text-encoding.ts';

/** Bytes read at once. Small, so that database responses do not wait behind a long chunk. */
const CHUNK_BYTES = 32 * 1024;

/** The lines of a file, as `csvLines` returns them. */
export function readCsv(
  file: string,
  {
    encoding = 'utf-8',
    delimiter = ',',
  }: { readonly encoding?: EncodingLabel; readonly delimiter?: Delimiter } = {},
): AsyncGenerator<CsvLine> {
  const bytes = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  if (encoding === 'utf-8') {
    bytes.setEncoding('utf8');
    return csvLines(bytes as ReadStream & AsyncIterable<string>, delimiter);
  }
  return csvLines(
    {
      [Symbol.asyncIterator]: () => decoded(bytes, encoding),
      get bytesRead() {
        return bytes.bytesRead;
      },
    },
    delimiter,
  );
}

/** Other encodings than those that streams know. */
async function* decoded(bytes: ReadStream, encoding: EncodingLabel): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield decoder.decode(chunk as Buffer, { stream: true });
  yield decoder.decode();
}
