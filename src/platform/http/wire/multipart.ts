import { MIMEType } from 'node:util';
import type { Fields } from '../../base/canonical.ts';
import { Refusal } from '../../base/errors.ts';
import { FieldCollector } from './collector.ts';
import type { Parameters } from './parameters.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Reads a buffered `multipart/form-data` body (RFC 7578) with the parser built into Node, which
 * refuses broken parts; a lenient one would drop them silently.
 * @param contentType the header as sent, with the boundary.
 * @param body valid UTF-8.
 * Rejects with: `malformed_request`, `nested_value` (a file) and what `FieldCollector` throws.
 */
export async function readMultipart(
  contentType: string,
  body: Buffer,
  parameters: Parameters,
): Promise<Fields> {
  // Some versions of the parser drop a byte order mark in front of a value; it must be refused.
  if (body.includes(BYTE_ORDER_MARK)) throw malformed();
  const collector = new FieldCollector(parameters);
  for (const [name, value] of await readParts(contentType, body)) {
    if (!collector.admitName(name)) continue;
    if (typeof value !== 'string') {
      throw new Refusal('nested_value', { field: name, text: `${name} must not be a file` });
    }
    collector.put(name, value);
  }
  return collector.fields;
}

/**
 * The parts of a `multipart/form-data` body, in order. A signature over the body does not cover the
 * boundary in the header, so the boundary must follow from the bytes alone.
 * Rejects with: `malformed_request`.
 */
export async function readParts(contentType: string, body: Buffer): Promise<FormData> {
  if (!isDelimitedBy(boundaryOf(contentType), body)) throw malformed();
  try {
    // Copied, because Response accepts no view that might share its memory.
    const bytes = new Uint8Array(body);
    return await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
  } catch (error) {
    throw malformed(error);
  }
}

/** Empty if there is no boundary. */
function boundaryOf(contentType: string): string {
  return new MIMEType(contentType).params.get('boundary') ?? '';
}

/**
 * True if the body begins with the delimiter, alone on its line, and ends with the first closing
 * delimiter. Then no other boundary delimits the same bytes: the first line is the delimiter.
 */
function isDelimitedBy(boundary: string, body: Buffer): boolean {
  const delimiter = `--${boundary}`;
  const closing = `\r\n${delimiter}--`;
  if (boundary === '' || body.indexOf(`${delimiter}\r\n`) !== 0) return false;
  const end = body.indexOf(closing);
  const rest = end === -1 ? undefined : body.subarray(end + Buffer.byteLength(closing));
  return rest?.length === 0 || rest?.toString('latin1') === '\r\n';
}

function malformed(cause?: unknown): Refusal {
  return new Refusal('malformed_request', {
    text: 'The body is not multipart/form-data with the announced boundary',
    cause,
  });
}
