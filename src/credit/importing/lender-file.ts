import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import type { Delimiter } from '../../platform/base/csv.ts';
import { findTable } from '../../platform/base/tables.ts';
import type { FoundTable } from '../../platform/base/tables.ts';
import { ENCODING_NAMES, EncodingScan } from '../../platform/base/text-encoding.ts';
import type { EncodingLabel } from '../../platform/base/text-encoding.ts';
import { isZip } from '../../platform/base/zip.ts';
import { readCsv } from '../../platform/csv-file.ts';
import { ImportError } from './error.ts';
import { matchTitles } from './template.ts';
import type { Column, TemplateName } from './template.ts';

/** Where the titles are looked for: 50 lines of the widest template. */
const HEAD_BYTES = 128 * 1024;
/** An Excel file is read as a whole. A larger one is saved as CSV, which is read line by line. */
const MAX_SHEET_BYTES = 64 * 1024 * 1024;

export interface LenderRow {
  readonly line: number;
  /** One for each title of the file. */
  readonly values: readonly string[];
  /** Places of the cells that an Excel file has as numbers. */
  readonly numbers?: ReadonlySet<number>;
  readonly problem?: string;
  /** Bytes of the file read so far. */
  readonly bytes: number;
}

/** A lender's file whose titles were found. */
export interface LenderFile {
  readonly fileHash: Buffer;
  readonly totalBytes: number;
  /** Delimiter and encoding of the file in words: “values separated by semicolons, UTF-8”. */
  readonly form: string;
  /** The line of the titles. */
  readonly titleLine: number;
  readonly places: ReadonlyMap<Column, number>;
  readonly columnCount: number;
  /** The records below the titles, as often as they are asked for. Rows without any value are left out. */
  readonly rows: () => AsyncIterable<LenderRow>;
}

interface Scanned {
  readonly fileHash: Buffer;
  readonly totalBytes: number;
  readonly encoding: EncodingLabel;
}

/**
 * Finds out how a lender's file is written: as CSV, with its delimiter and encoding, or as an Excel file, and in which
 * order its columns are.
 * Throws: `ImportError` if it cannot be read, or its titles are not the template's.
 */
export async function openLenderFile(file: string, template: TemplateName): Promise<LenderFile> {
  const scanned = await scanFile(file);
  if (scanned.totalBytes === 0) throw new ImportError('The file is empty.');
  const head = await readHead(file);
  const sheet = isZip(head) ? await readSheet(file, scanned.totalBytes) : undefined;
  const decoded = {
    text: decodeHead(head, scanned.encoding),
    encoding: ENCODING_NAMES[scanned.encoding],
  };
  const found = await findTable(
    sheet ?? head,
    (titles) => matchTitles(titles, template),
    `there is none of the columns of the ${template} template`,
    decoded,
  );
  if ('problem' in found) {
    throw new ImportError(
      `The titles are not those of the ${template} template: line ${found.line}: ${found.problem}.`,
      { field: 'file' },
    );
  }
  const columnCount = found.titles.findLastIndex((title) => title !== '') + 1;
  const { delimiter, line: titleLine, places, form } = found;
  const rows =
    delimiter === undefined
      ? () => sheetRows(found, scanned.totalBytes)
      : () =>
          csvRows(file, {
            encoding: scanned.encoding,
            delimiter,
            lastTitleLine: lastLineOf(found),
          });
  const { fileHash, totalBytes } = scanned;
  return {
    ...{ fileHash, totalBytes, form, titleLine, places, columnCount },
    rows: () => fitted(rows(), { columnCount, titleCount: found.titles.length }),
  };
}

/** The digest of a file. Throws: `ImportError` if it cannot be read. */
export async function hashFile(file: string): Promise<Buffer> {
  return (await scanFile(file)).fileHash;
}

async function scanFile(file: string): Promise<Scanned> {
  try {
    const { size } = await stat(file);
    const hash = createHash('sha256');
    const scan = new EncodingScan();
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
      hash.update(chunk as Buffer);
      scan.push(chunk as Buffer);
    }
    return { fileHash: hash.digest(), totalBytes: size, encoding: scan.end() };
  } catch (error) {
    throw new ImportError(`The file cannot be read: ${(error as NodeJS.ErrnoException).code}.`, {
      cause: error,
    });
  }
}

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function readSheet(file: string, totalBytes: number): Promise<Buffer> {
  if (totalBytes > MAX_SHEET_BYTES) {
    throw new ImportError('An Excel file may have at most 64 MB. Save it as CSV.', {
      field: 'file',
    });
  }
  return await readFile(file);
}

/** The end may be half of a character. */
function decodeHead(head: Buffer, encoding: EncodingLabel): string {
  return new TextDecoder(encoding).decode(head, { stream: true });
}

/** A title in quotes may have line breaks. */
function lastLineOf({ line, titles }: FoundTable<Column>): number {
  return line + titles.join('').split('\n').length - 1;
}

async function* csvRows(
  file: string,
  how: {
    readonly encoding: EncodingLabel;
    readonly delimiter: Delimiter;
    readonly lastTitleLine: number;
  },
): AsyncGenerator<LenderRow> {
  for await (const row of readCsv(file, how)) {
    if (row.line > how.lastTitleLine) yield row;
  }
}

async function* sheetRows(
  { rows }: FoundTable<Column>,
  totalBytes: number,
): AsyncGenerator<LenderRow> {
  for (const [index, row] of rows.entries()) {
    yield { ...row, bytes: Math.floor((totalBytes * (index + 1)) / rows.length) };
  }
}

/** A sheet leaves out empty cells at the end of a row, or has some more. In CSV, all lines have as many as the titles. */
async function* fitted(
  rows: AsyncIterable<LenderRow>,
  { columnCount, titleCount }: { readonly columnCount: number; readonly titleCount: number },
): AsyncGenerator<LenderRow> {
  for await (const row of rows) {
    const { values, problem, numbers } = row;
    if (problem !== undefined) yield row;
    else if (values.some((value) => value !== '')) {
      const mayDiffer =
        values.length !== columnCount && (numbers !== undefined || values.length === titleCount);
      yield mayDiffer ? { ...row, values: fit(values, columnCount) } : row;
    }
  }
}

function fit(values: readonly string[], columnCount: number): readonly string[] {
  if (values.length > columnCount) {
    const isEmpty = values.slice(columnCount).every((value) => value.trim() === '');
    return isEmpty ? values.slice(0, columnCount) : values;
  }
  return [...values, ...Array.from({ length: columnCount - values.length }, () => '')];
}
