import { isAscii, isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';

import type { Reading } from '../../base/canonical.ts';
import { Refusal } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import { readForm } from './form.ts';
import { readJson } from './json.ts';
import { readMultipart } from './multipart.ts';
import type { Parameters } from './parameters.ts';

/** An HTTP request, reduced to the places where parameters can be. */
export interface WireRequest {
  /** The header as sent. */
  readonly contentType: string | undefined;
  readonly body: Buffer | undefined;
  /** The text after `?`, not decoded, as Node's HTTP parser returns it: one character per byte. */
  readonly query: string;
}

type BodyForm = 'json' | 'form' | 'multipart';

// The headers nearly every sender uses; anything else is parsed.
const COMMON_CONTENT_TYPES: ReadonlyMap<string, BodyForm> = new Map([
  ['application/json', 'json'],
  ['application/json; charset=utf-8', 'json'],
  ['application/x-www-form-urlencoded', 'form'],
  ['application/x-www-form-urlencoded; charset=utf-8', 'form'],
]);

const BODY_FORMS: ReadonlyMap<string, BodyForm> = new Map([
  ['application/json', 'json'],
  ['application/x-www-form-urlencoded', 'form'],
  ['multipart/form-data', 'multipart'],
]);

/**
 * One flat reading of a request's parameters, from the query string or from the body. Only a multipart
 * body takes time: a promise for every request would cost more than reading most of them.
 *
 * Throws or rejects with: `malformed_request`, `ambiguous_request`, `nested_value`,
 * `unknown_field`, `ambiguous_value`, `payload_too_large`, `unsupported_media_type`.
 */
export function readFields(
  request: WireRequest,
  parameters: Parameters,
): Reading | Promise<Reading> {
  const { body, query } = request;
  if (body === undefined || body.length === 0) return readForm(queryText(query), parameters);
  if (query !== '') throw new Refusal('ambiguous_request');
  if (body.length > LIMITS.bodyBytes) {
    throw new Refusal('payload_too_large', {
      text: `A body has at most ${LIMITS.bodyBytes} bytes`,
    });
  }
  const contentType = request.contentType ?? '';
  const form = COMMON_CONTENT_TYPES.get(contentType) ?? bodyForm(contentType, body);
  if (!isUtf8(body)) {
    throw new Refusal('malformed_request', { text: 'The body is not valid UTF-8' });
  }
  if (form === 'json') return { fields: readJson(body.toString('utf8'), parameters) };
  if (form === 'form') return readForm(body.toString('utf8'), parameters);
  return readMultipart(contentType, body, parameters).then((fields) => ({ fields }));
}

function bodyForm(contentType: string, body: Buffer): BodyForm {
  let parsed: MIMEType;
  try {
    parsed = new MIMEType(contentType);
  } catch (error) {
    throw new Refusal('unsupported_media_type', { cause: error });
  }
  const form = BODY_FORMS.get(parsed.essence);
  if (form === undefined) throw new Refusal('unsupported_media_type');
  const charset = parsed.params.get('charset') ?? 'utf-8';
  // Some libraries set one of these by default; for ASCII the text is the same as in UTF-8.
  const isSubset = /^(?:iso-8859-1|us-ascii)$/i.test(charset) && isAscii(body);
  if (!isSubset && !/^utf-?8$/i.test(charset)) {
    throw new Refusal('unsupported_media_type', {
      text: 'Only the character set UTF-8 is supported',
    });
  }
  return form;
}

function queryText(query: string): string {
  if (query.length > LIMITS.queryBytes) {
    throw new Refusal('payload_too_large', {
      text: `A query string has at most ${LIMITS.queryBytes} bytes`,
    });
  }
  if (/^\p{ASCII}*$/u.test(query)) return query;
  const bytes = Buffer.from(query, 'latin1');
  if (bytes.toString('latin1') !== query || !isUtf8(bytes)) {
    throw new Refusal('malformed_request', { text: 'The query string is not valid UTF-8' });
  }
  return bytes.toString('utf8');
}
