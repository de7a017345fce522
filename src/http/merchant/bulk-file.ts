import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { MIMEType } from 'node:util';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Fields } from '../../base/canonical.ts';
import { Refusal } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import { parseMoney } from '../../base/money.ts';
import { rowRefusalOf } from '../../bulk/batch.ts';
import type { BulkRow } from '../../bulk/batch.ts';
import { FieldCollector } from '../wire/collector.ts';
import { readJson } from '../wire/json.ts';
import { readParts } from '../wire/multipart.ts';
import type { Parameters } from '../wire/parameters.ts';
import {
  MERCHANT_REFERENCE,
  account,
  amount,
  billerCode,
  merchantReference,
  phone,
} from './fields.ts';
import { createValidator } from './operation.ts';

/** A row: what a single create takes, without who sends and signs it. */
const bulkRow = Type.Object({
  biller_name: billerCode,
  amount,
  account,
  phone: Type.Optional(phone),
  merchant_reference: Type.Optional(merchantReference),
});

export const BULK_COLUMNS: readonly string[] = Object.keys(bulkRow.properties);
const validateRow = createValidator(bulkRow);

type FileForm = 'csv' | 'lines';

const FORMS: ReadonlyMap<string, FileForm | 'multipart'> = new Map([
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'lines'],
  ['application/jsonl', 'lines'],
  ['multipart/form-data', 'multipart'],
]);
const FORM_OF_ENDING: ReadonlyMap<string, FileForm> = new Map([
  ['csv', 'csv'],
  ['jsonl', 'lines'],
  ['ndjson', 'lines'],
]);

/** A file as it arrived. */
export interface BulkFile {
  readonly form: FileForm;
  readonly bytes: Buffer;
  readonly sha256: Buffer;
}

/**
 * Takes the file from a body: the body itself, or the one part `file` of a multipart body.
 * Rejects with: `unsupported_media_type`, `malformed_request`, `missing_field`, `unknown_field`.
 */
export async function takeFile(contentType: string | undefined, body: Buffer): Promise<BulkFile> {
  const form = formOf(contentType ?? '');
  if (form === undefined) throw unsupported();
  if (form !== 'multipart') return fileOf(form, body);
  const part = await onlyPart(contentType ?? '', body);
  const ending = part.name.split('.').at(-1)?.toLowerCase() ?? '';
  const partForm = formOf(part.type) ?? FORM_OF_ENDING.get(ending);
  if (partForm === undefined || partForm === 'multipart') throw unsupported();
  return fileOf(partForm, Buffer.from(await part.arrayBuffer()));
}

function fileOf(form: FileForm, bytes: Buffer): BulkFile {
  return { form, bytes, sha256: createHash('sha256').update(bytes).digest() };
}

function formOf(contentType: string): FileForm | 'multipart' | undefined {
  try {
    return FORMS.get(new MIMEType(contentType).essence);
  } catch {
    return undefined;
  }
}

function unsupported(): Refusal {
  return new Refusal('unsupported_media_type', {
    text: 'Send the file as text/csv, as application/x-ndjson, or as the part `file` of multipart/form-data with a name that ends in .csv, .jsonl or .ndjson',
  });
}

async function onlyPart(contentType: string, body: Buffer): Promise<File> {
  const parts = [...(await readParts(contentType, body))];
  const [name, file] = parts[0] ?? [];
  if (name !== undefined && name !== 'file') throw new Refusal('unknown_field', { field: name });
  if (parts.length > 1) {
    throw new Refusal('malformed_request', { text: 'The body has more parts than `file`' });
  }
  if (file === undefined || typeof file === 'string') {
    throw new Refusal('missing_field', { field: 'file', text: 'The part `file` must be a file' });
  }
  return file;
}

/**
 * The rows of a file, each a request or the reason why it is none.
 * @param columns `BULK_COLUMNS`, with the rules that a single create has for its values.
 * Throws: `invalid_file`, `payload_too_large` (too many rows).
 */
export function readRows(file: BulkFile, columns: Parameters): BulkRow[] {
  if (!isUtf8(file.bytes)) throw invalid('The file is not valid UTF-8');
  const text = file.bytes.toString('utf8').replace(/^\ufeff/, '');
  const rows = file.form === 'csv' ? readCsvRows(text, columns) : readJsonLines(text, columns);
  if (rows.length === 0) throw invalid('The file has no rows');
  return rows;
}

function readJsonLines(text: string, columns: Parameters): BulkRow[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  requireRowCount(lines.length);
  return lines.map((line) => readRow(() => readJson(line, columns)));
}

function readCsvRows(text: string, columns: Parameters): BulkRow[] {
  const [header = [], ...records] = parseCsv(text);
  const names = header.map((name) => name.trim());
  for (const [index, name] of names.entries()) {
    if (!columns.names.has(name)) {
      throw invalid(
        `The header may name ${BULK_COLUMNS.join(', ')}; column ${index + 1} is none of them`,
      );
    }
    if (names.indexOf(name) !== index) throw invalid(`The header names ${name} twice`);
  }
  for (const name of bulkRow.required ?? []) {
    if (!names.includes(name)) throw invalid(`The header lacks ${name}`);
  }
  requireRowCount(records.length);
  return records.map((values) =>
    readRow(() => {
      if (values.length !== names.length) {
        throw new Refusal('malformed_request', {
          text: `The row has ${values.length} values, the header ${names.length}`,
        });
      }
      const collector = new FieldCollector(columns);
      for (const [index, name] of names.entries()) collector.put(name, values[index] ?? null);
      return collector.fields;
    }),
  );
}

function parseCsv(text: string): string[][] {
  // Without quotes every line is a record and every comma ends a value, which is read several times as fast.
  if (!text.includes('"')) {
    const lines = text.split(/\r?\n/).filter((line) => line !== '');
    return lines.map((line) => line.split(','));
  }
  try {
    return parse(text, {
      relax_column_count: true,
      skip_empty_lines: true,
      // The header is one more, and one too many is what is refused.
      to: LIMITS.bulkRows + 2,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = Number((error as { lines?: unknown }).lines ?? 0);
    throw invalid(
      `Line ${line} is not comma-separated values: a quote may only be around a whole value, is doubled within it, and must be closed`,
    );
  }
}

function requireRowCount(count: number): void {
  if (count <= LIMITS.bulkRows) return;
  throw new Refusal('payload_too_large', {
    field: 'file',
    text: `A file has at most ${LIMITS.bulkRows} rows; send several`,
  });
}

function invalid(text: string): Refusal {
  return new Refusal('invalid_file', { field: 'file', text });
}

/** One row's reading and checks; what a single create would refuse is the row's own refusal. */
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

/** Of a refused row, so that its sender finds it; only when it is a good one itself. */
function readableReference(fields: Fields | undefined): string | null {
  const reference = fields?.get('merchant_reference') ?? '';
  return MERCHANT_REFERENCE.test(reference) ? reference : null;
}
