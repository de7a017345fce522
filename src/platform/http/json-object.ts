import { FORBIDDEN } from './wire/collector.ts';
import { isUtf8 } from 'node:buffer';
import type { Static, TObject, TSchema } from 'typebox';
import { compiled } from '../base/compiled.ts';
import { Refusal } from '../base/errors.ts';
import { JsonProblem, readJson } from '../base/json.ts';
import { problemText } from '../base/problem-text.ts';
import { unknownField } from './wire/unknown-field.ts';

/** One violation of a schema. */
export interface SchemaProblem {
  readonly kind: 'missing' | 'unknown' | 'invalid';
  /** The member of the object at fault; undefined: the value as a whole. */
  readonly field: string | undefined;
  /** Completes a sentence that begins with the field. */
  readonly text: string;
}

/** Returns the first problem of a value; undefined if it fits. */
export function createProblemFinder(
  schema: TSchema,
): (value: unknown) => SchemaProblem | undefined {
  const check = compiled(schema);
  return (value) => {
    if (check.fits(value)) return undefined;
    const errors = check.problems(value);
    // An unknown member comes twice: first as one that no schema allows.
    const error = errors.find(({ keyword }) => keyword !== 'boolean') ?? errors[0];
    const named = namedIn(error?.params);
    const at = error?.instancePath.split('/')[1];
    const text = error === undefined ? 'is not valid' : problemText(error, schema);
    if (at !== undefined) return { kind: 'invalid', field: at, text };
    if (error?.keyword === 'required') return { kind: 'missing', field: named, text };
    const isUnknown = error?.keyword === 'additionalProperties';
    return { kind: isUnknown ? 'unknown' : 'invalid', field: named, text };
  };
}

/** The member that an error about the whole object is about: one that is missing, or unknown. */
function namedIn(params: object | undefined): string | undefined {
  const [names] = Object.values(params ?? {}) as unknown[];
  return Array.isArray(names) && typeof names[0] === 'string' ? names[0] : undefined;
}

/**
 * Reads a body that is one JSON object, of a schema without additional properties.
 * Throws: `unsupported_media_type`, `malformed_request`, `ambiguous_request`, `missing_field`,
 * `unknown_field`, `invalid_field`, each naming the first field at fault.
 */
export function createJsonReader<Body extends TObject>(
  schema: Body,
): (contentType: string | undefined, body: Buffer | undefined) => Static<Body> {
  const problemOf = createProblemFinder(schema);
  return (contentType, body) => {
    const value = parse(contentType, body);
    const problem = problemOf(value);
    if (problem === undefined) {
      refuseControls(value);
      return value as Static<Body>;
    }
    throw refusalOf(problem);
  };
}

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

function parse(contentType: string | undefined, body: Buffer | undefined): Record<string, unknown> {
  // Without a body every field is missing, which is what is wrong with it.
  if (body === undefined || body.length === 0) return {};
  if (contentType === undefined || !JSON_TYPE.test(contentType)) {
    throw new Refusal('unsupported_media_type', { text: 'Send the body as application/json' });
  }
  const value = readJsonBody(body, 'The body is not one JSON object');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('malformed_request', { text: 'The body is not one JSON object' });
  }
  return value as Record<string, unknown>;
}

const SHOWN_NAME_LENGTH = 64;

/** Throws: `ambiguous_request` naming a repeated name, `malformed_request` with the text. */
export function readJsonBody(body: Buffer, text: string): unknown {
  if (!isUtf8(body)) throw new Refusal('malformed_request', { text });
  try {
    return readJson(body.toString('utf8'));
  } catch (cause) {
    if (cause instanceof JsonProblem && cause.repeated !== undefined) {
      const field = cause.repeated.slice(0, SHOWN_NAME_LENGTH).toWellFormed();
      throw new Refusal('ambiguous_request', { field, text: `${field} was sent more than once` });
    }
    throw new Refusal('malformed_request', { text, cause });
  }
}

/** Throws: `malformed_request`. */
function refuseControls(value: Readonly<Record<string, unknown>>): void {
  for (const [field, own] of Object.entries(value)) {
    if ([own].flat().some((text) => typeof text === 'string' && FORBIDDEN.test(text))) {
      throw new Refusal('malformed_request', {
        field,
        text: `${field} contains a character that is never valid, such as a control character`,
      });
    }
  }
}

function refusalOf({ kind, field, text }: SchemaProblem): Refusal {
  const named = field === undefined ? {} : { field: field.slice(0, SHOWN_NAME_LENGTH) };
  if (kind === 'missing') {
    return new Refusal('missing_field', { ...named, text: `${field ?? 'A field'} is required` });
  }
  if (kind === 'unknown') return unknownField(named.field ?? '');
  return new Refusal('invalid_field', { ...named, text: `${field ?? 'The body'} ${text}` });
}
