import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Fields } from '../../platform/base/canonical.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { parseMoney } from '../../platform/base/money.ts';
import { nextTurn } from '../../platform/base/turns.ts';
import { rowRefusalOf } from '../bulk/batch.ts';
import type { BulkRow } from '../bulk/batch.ts';
import { FieldCollector } from '../../platform/http/wire/collector.ts';
import { readJson } from '../../platform/http/wire/json.ts';
import type { UploadedFile } from '../../platform/http/wire/file.ts';
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
 * A file is read in slices of this much text, and this many rows; other requests are served in
 * between.
 */
const SLICE_CHARACTERS = 16 * 1024;
const SLICE_ROWS = 50;

/**
 * The rows of a file, each a request or the reason why it is not one.
 * @param columns `BULK_COLUMNS`, with the rules of a single create for its values.
 * Rejects with: `invalid_file`, `payload_too_large` (too many rows).
 */
export async function readRows(file: UploadedFile, columns: Parameters): Promise<BulkRow[]> {
  await nextTurn();
  if (!isUtf8(file.bytes)) throw invalid('The file is not valid UTF-8');
  const text = file.bytes.toString('utf8').replace(/^\ufeff/, '');
  const rows: BulkRow[] = [];
  for await (const read of (file.form === 'csv' ? csvRows : jsonRows)(text, columns)) {
    if (rows.length === LIMITS.bulkRows) throw tooManyRows();
    rows.push(readRow(read));
    if (rows.length % SLICE_ROWS === 0) await nextTurn();
  }
  if (rows.length === 0) throw invalid('The file has no rows');
  return rows;
}

/** How a row's fields are read; errors that it throws concern this row only. */
type ReadFields = () => Fields;

async function* jsonRows(text: string, columns: Parameters): AsyncGenerator<ReadFields> {
  let isFirst = true;
  for await (const slice of slicesOf(text, '\n')) {
    for (const line of slice.split(/\r?\n/)) {
      if (line.trim() === '') continue;
      // The content type is not signed with the file, so the bytes decide, before the reference is
      // used.
      if (isFirst && namesColumns(line, columns)) {
        throw invalid('The file is CSV but came as JSON lines; send it as text/csv');
      }
      isFirst = false;
      yield () => readJson(requireShort(line), columns);
    }
  }
}

function namesColumns(line: string, columns: Parameters): boolean {
  const values = line.split(',', BULK_COLUMNS.length + 1);
  return values.some((value) => columns.names.has(value.replaceAll('"', '').trim()));
}

async function* csvRows(text: string, columns: Parameters): AsyncGenerator<ReadFields> {
  let names: readonly string[] | undefined;
  for await (const values of csvRecords(text)) {
    const known = names;
    if (known === undefined) names = headerOf(values(), columns);
    else yield () => fieldsOf(known, values(), columns);
  }
  if (names === undefined) headerOf([], columns);
}

function fieldsOf(
  names: readonly string[],
  values: readonly string[],
  columns: Parameters,
): Fields {
  if (values.length !== names.length) {
    const count = values.length > names.length ? 'more' : 'fewer';
    throw new Refusal('malformed_request', { text: `The row has ${count} values than the header` });
  }
  const collector = new FieldCollector(columns);
  for (const [index, name] of names.entries()) collector.put(name, values[index] ?? null);
  return collector.fields;
}

/** Throws: `invalid_file`. */
function headerOf(values: readonly string[], columns: Parameters): string[] {
  const names = values.map((name) => name.trim());
  for (const [index, name] of names.entries()) {
    if (!columns.names.has(name)) {
      throw invalid(
        `The header may name ${BULK_COLUMNS.join(', ')}; column ${index + 1} is not one of them`,
      );
    }
    if (names.indexOf(name) !== index) throw invalid(`The header names ${name} twice`);
  }
  for (const name of bulkRow.required ?? []) {
    if (!names.includes(name)) throw invalid(`The header lacks ${name}`);
  }
  return names;
}

/** The values of each record. Rejects with: `invalid_file`. */
async function* csvRecords(text: string): AsyncGenerator<() => readonly string[]> {
  // Without quotes every line is a record and every comma ends a value, which can be read several
  // times as fast.
  if (!text.includes('"')) {
    for await (const slice of slicesOf(text, '\n')) {
      for (const line of slice.split(/\r?\n/)) {
        // One value too many is as wrong as a million.
        if (line !== '') yield () => requireShort(line).split(',', BULK_COLUMNS.length + 1);
      }
    }
    return;
  }
  const parser = parse({ relax_column_count: true, skip_empty_lines: true });
  try {
    for await (const values of Readable.from(slicesOf(text)).pipe(parser)) {
      yield () => values as string[];
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = Number((error as { lines?: unknown }).lines ?? 0);
    throw invalid(
      `Line ${line} is not comma-separated values: a quote may only be around a whole value, is doubled within it, and must be closed`,
    );
  }
}

/** The text in slices; if an `end` is given, each slice but the last ends with it. */
async function* slicesOf(text: string, end = ''): AsyncGenerator<string> {
  for (let from = 0; from < text.length; await nextTurn()) {
    const found = text.indexOf(end, from + SLICE_CHARACTERS - end.length);
    const to = found === -1 ? text.length : found + end.length;
    yield text.slice(from, to);
    from = to;
  }
}

/** A row may be as long as the body of a single create. */
function requireShort(line: string): string {
  if (line.length <= LIMITS.bodyBytes) return line;
  throw new Refusal('payload_too_large', {
    text: `A row has at most ${LIMITS.bodyBytes} characters`,
  });
}

function tooManyRows(): Refusal {
  return new Refusal('payload_too_large', {
    field: 'file',
    text: `A file has at most ${LIMITS.bulkRows} rows; send several`,
  });
}

function invalid(text: string): Refusal {
  return new Refusal('invalid_file', { field: 'file', text });
}

/** Reads and checks one row; what a single create would refuse becomes the row's own refusal. */
function readRow(read: () => Fields): BulkRow {
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
