import { isUtf8 } from 'node:buffer';
import type { Fields } from '../../base/canonical.ts';
import { readCsvLine } from '../../base/csv.ts';
import { Refusal } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import { nextTurn } from '../../base/turns.ts';
import { FieldCollector } from './collector.ts';
import type { UploadedFile } from './file.ts';
import { readJson } from './json.ts';
import type { Parameters } from './parameters.ts';

/**
 * A file is read in slices of this much text, and this many rows; other requests are served in
 * between.
 */
const SLICE_CHARACTERS = 16 * 1024;
const SLICE_ROWS = 50;

/** Reads the fields of one row. An error that it throws concerns this row only. */
export type ReadFields = () => Fields;

/** The columns and the size that a file may have. */
export interface RowForm {
  /** The columns, with the rules of a single request for their values. */
  readonly columns: Parameters;
  /** Their names, in the order in which errors list them. */
  readonly names: readonly string[];
  /** Columns that a CSV header must have. */
  readonly required: readonly string[];
  readonly maxRows: number;
}

/**
 * The rows of an uploaded file: CSV with a header, or JSON lines.
 * @param readRow makes a row, of whatever kind, of its fields.
 * Rejects with: `invalid_file`, `payload_too_large` (too many rows).
 */
export async function readFileRows<Row>(
  file: UploadedFile,
  form: RowForm,
  readRow: (read: ReadFields) => Row,
): Promise<Row[]> {
  await nextTurn();
  if (!isUtf8(file.bytes)) throw invalid('The file is not valid UTF-8');
  const text = file.bytes.toString('utf8').replace(/^\ufeff/, '');
  const rows: Row[] = [];
  for await (const read of (file.form === 'csv' ? csvRows : jsonRows)(text, form)) {
    if (rows.length === form.maxRows) throw tooManyRows(form.maxRows);
    rows.push(readRow(read));
    if (rows.length % SLICE_ROWS === 0) await nextTurn();
  }
  if (rows.length === 0) throw invalid('The file has no rows');
  return rows;
}

async function* jsonRows(text: string, form: RowForm): AsyncGenerator<ReadFields> {
  let isFirst = true;
  for await (const slice of slicesOf(text)) {
    for (const line of slice.split(/\r?\n/)) {
      if (line.trim() === '') continue;
      // The content type is not signed with the file, so the bytes decide, before the reference is
      // used.
      if (isFirst && namesColumns(line, form)) {
        throw invalid('The file is CSV but came as JSON lines; send it as text/csv');
      }
      isFirst = false;
      yield () => readJson(requireShort(line), form.columns);
    }
  }
}

function namesColumns(line: string, { columns, names }: RowForm): boolean {
  const values = line.split(',', names.length + 1);
  return values.some((value) => columns.names.has(value.replaceAll('"', '').trim()));
}

async function* csvRows(text: string, form: RowForm): AsyncGenerator<ReadFields> {
  let names: readonly string[] | undefined;
  for await (const values of csvRecords(text, form)) {
    const known = names;
    if (known === undefined) names = headerOf(values(), form);
    else yield () => fieldsOf(known, values(), form.columns);
  }
  if (names === undefined) headerOf([], form);
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
  // A table has no other way to leave a value out than an empty cell.
  for (const [index, name] of names.entries()) {
    const value = values[index];
    collector.put(name, value === undefined || value === '' ? null : value);
  }
  return collector.fields;
}

/** Throws: `invalid_file`. */
function headerOf(values: readonly string[], form: RowForm): string[] {
  const names = values.map((name) => name.trim());
  for (const [index, name] of names.entries()) {
    if (!form.columns.names.has(name)) {
      throw invalid(
        `The header may name ${form.names.join(', ')}; column ${index + 1} is not one of them`,
      );
    }
    if (names.indexOf(name) !== index) throw invalid(`The header names ${name} twice`);
  }
  for (const name of form.required) {
    if (!names.includes(name)) throw invalid(`The header lacks ${name}`);
  }
  return names;
}

/** The values of each line. Rejects with: `invalid_file`. */
async function* csvRecords(text: string, form: RowForm): AsyncGenerator<() => readonly string[]> {
  let number = 0;
  for await (const slice of slicesOf(text)) {
    for (const line of slice.replace(/\r?\n$/, '').split(/\r?\n/)) {
      number += 1;
      if (line !== '') yield recordOf(line, number, form);
    }
  }
}

function recordOf(line: string, number: number, form: RowForm): () => readonly string[] {
  if (!line.includes('"') || line.length > LIMITS.bodyBytes) {
    // One value too many is as wrong as a million.
    return () => requireShort(line).split(',', form.names.length + 1);
  }
  const { values, problem } = readCsvLine(line);
  if (problem !== undefined) throw invalid(`Line ${number}: ${problem}`);
  return () => values;
}

/** The text in slices; each but the last ends with a line. */
async function* slicesOf(text: string): AsyncGenerator<string> {
  for (let from = 0; from < text.length; await nextTurn()) {
    const found = text.indexOf('\n', from + SLICE_CHARACTERS - 1);
    const to = found === -1 ? text.length : found + 1;
    yield text.slice(from, to);
    from = to;
  }
}

/** A row may be as long as the body of a single request. */
function requireShort(line: string): string {
  if (line.length <= LIMITS.bodyBytes) return line;
  throw new Refusal('payload_too_large', {
    text: `A row has at most ${LIMITS.bodyBytes} characters`,
  });
}

function tooManyRows(maxRows: number): Refusal {
  return new Refusal('payload_too_large', {
    field: 'file',
    text: `A file has at most ${maxRows} rows; send several files`,
  });
}

function invalid(text: string): Refusal {
  return new Refusal('invalid_file', { field: 'file', text });
}
