import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import type { CsvError, Info } from 'csv-parse';

/** Longest record that is read; more means that a quote was not closed. */
const MOST_RECORD_CHARACTERS = 32_768;

/** Read at once. Small, so that the database's answers are not kept waiting behind a long chunk. */
const CHUNK_BYTES = 32 * 1024;

export interface CsvLine {
  /** Line of the file the record ends on, the first being 1. */
  readonly line: number;
  /** Empty when the record could not be read. */
  readonly values: readonly string[];
  readonly problem?: string;
  /** Bytes of the file read so far. */
  readonly bytes: number;
}

/**
 * The records of a CSV file (RFC 4180, UTF-8, a byte order mark allowed), one by one, in constant
 * memory. A record that cannot be read comes with its problem, and reading goes on where it can.
 */
export async function* readCsv(file: string): AsyncGenerator<CsvLine> {
  const problems: CsvLine[] = [];
  // The parser counts a CR LF within a quoted value as two lines.
  let countedTwice = 0;
  let linesBefore = 0;
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MOST_RECORD_CHARACTERS,
    on_skip: (error: CsvError | undefined) => {
      const line = Number(error?.['lines'] ?? 0) - countedTwice;
      problems.push({ line, values: [], problem: describe(error), bytes: source.bytesRead });
    },
  });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: Info;
    }>) {
      if (info.lines - linesBefore > 1) {
        for (const value of record) countedTwice += value.split('\r\n').length - 1;
      }
      linesBefore = info.lines;
      const line = info.lines - countedTwice;
      // The parser reads ahead: what it could not read comes in its place, so that records count alike.
      while (problems[0] !== undefined && problems[0].line < line) yield* problems.splice(0, 1);
      yield { line, values: record, bytes: source.bytesRead };
    }
    yield* problems.splice(0);
  } finally {
    source.destroy();
  }
}

function describe(error: CsvError | undefined): string {
  switch (error?.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return 'a quote that opens a value must be closed';
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'a quote may only be around a whole value, and is doubled within it';
    default:
      return 'this is not a line of comma-separated values';
  }
}
