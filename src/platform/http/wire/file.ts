import { createHash } from 'node:crypto';
import { MIMEType } from 'node:util';
import { Refusal } from '../../base/errors.ts';
import { readParts } from './multipart.ts';

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

/** An uploaded file. */
export interface UploadedFile {
  readonly form: FileForm;
  readonly bytes: Buffer;
  readonly sha256: Buffer;
}

/**
 * Takes the file from a body: the body itself, or the one part `file` of a multipart body.
 * Rejects with: `unsupported_media_type`, `malformed_request`, `missing_field`, `unknown_field`.
 */
export async function takeFile(
  contentType: string | undefined,
  body: Buffer,
): Promise<UploadedFile> {
  const form = formOf(contentType ?? '');
  if (form === undefined) throw unsupported();
  if (form !== 'multipart') return uploadedFile(form, body);
  const part = await onlyPart(contentType ?? '', body);
  const ending = part.name.split('.').at(-1)?.toLowerCase() ?? '';
  const partForm = formOf(part.type) ?? FORM_OF_ENDING.get(ending);
  if (partForm === undefined || partForm === 'multipart') throw unsupported();
  return uploadedFile(partForm, Buffer.from(await part.arrayBuffer()));
}

export function uploadedFile(form: FileForm, bytes: Buffer): UploadedFile {
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
  // Thousands of parts would take long to read and then be refused anyway.
  if (hasSeveralParts(contentType, body)) throw severalParts();
  const parts = [...(await readParts(contentType, body))];
  const [name, file] = parts[0] ?? [];
  if (name !== undefined && name !== 'file') throw new Refusal('unknown_field', { field: name });
  if (parts.length > 1) throw severalParts();
  if (file === undefined || typeof file === 'string') {
    throw new Refusal('missing_field', { field: 'file', text: 'The part `file` must be a file' });
  }
  return file;
}

function severalParts(): Refusal {
  return new Refusal('malformed_request', { text: 'The body must have no part other than `file`' });
}

/** Counts delimiters: a body with one part contains exactly two. */
function hasSeveralParts(contentType: string, body: Buffer): boolean {
  const boundary = new MIMEType(contentType).params.get('boundary') ?? '';
  if (boundary === '') return false;
  const delimiter = `--${boundary}`;
  let count = 0;
  for (let at = body.indexOf(delimiter); at !== -1 && count <= 2; count += 1) {
    at = body.indexOf(delimiter, at + delimiter.length);
  }
  return count > 2;
}
