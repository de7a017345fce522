import type { Fields, Reading } from '../../base/canonical.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { Refusal } from '../../base/errors.ts';
import { FieldCollector, splitAtKnownNames } from './collector.ts';

/**
 * Reads `name=value&name=value`, the form of query strings and of
 * `application/x-www-form-urlencoded` (WHATWG URL §5, but strict: `%` must begin an escape, and the
 * bytes must be UTF-8). Empty pairs (`a=1&&b=2`, a final `&`) are skipped, as everybody does.
 *
 * Real senders also put the un-encoded signed text into the body, where `+`, `%` and `&` may be
 * meant as such. Hence the second, undecoded reading; see `Reading`.
 * Throws: `malformed_request` and what `FieldCollector` throws.
 */
export function readForm(text: string, names: ReadonlySet<string>): Reading {
  const raw = (): Fields | undefined => readUndecoded(text, names);
  try {
    const fields = readDecoded(text, names);
    return mayMeanItself(text) ? { fields, raw } : { fields };
  } catch (error) {
    if (!(error instanceof Refusal) || !UNDECODED_EXPLAINS.has(error.code)) throw error;
    const fields = raw();
    if (fields === undefined) throw error;
    return { fields, refusal: error };
  }
}

/** What goes wrong when an un-encoded `&`, `%` or `+` is decoded. */
const UNDECODED_EXPLAINS: ReadonlySet<ErrorCode> = new Set([
  'unknown_field',
  'malformed_request',
  'ambiguous_value',
]);

/** Whether decoding lost or changed anything: else the undecoded reading is the same one. */
function mayMeanItself(text: string): boolean {
  return text.includes('%') || text.includes('+') || text.includes('&&') || text.endsWith('&');
}

function readDecoded(text: string, names: ReadonlySet<string>): Fields {
  const collector = new FieldCollector(names);
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals === -1) throw pairWithoutValue(text);
    const name = decode(pair.slice(0, equals));
    collector.admitName(name);
    collector.put(name, decode(pair.slice(equals + 1), name));
  }
  return collector.fields;
}

function pairWithoutValue(text: string): Refusal {
  // Many tools call every body a form unless told otherwise.
  return new Refusal('malformed_request', {
    text: text.trimStart().startsWith('{')
      ? 'The body looks like JSON but came as a form; send it as application/json'
      : 'A parameter has no = after its name',
  });
}

function decode(text: string, field?: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    // Strict about hex digits and about UTF-8 (ECMA-262 §19.2.6.5), unlike URLSearchParams.
    return decodeURIComponent(spaced);
  } catch {
    const reason = 'has an escape that is not % and two hex digits of UTF-8';
    throw field === undefined
      ? new Refusal('malformed_request', { text: `A parameter name ${reason}` })
      : new Refusal('malformed_request', { field, text: `${field} ${reason}` });
  }
}

/** The pairs exactly as sent; undefined when they are no request of this operation. */
function readUndecoded(text: string, names: ReadonlySet<string>): Fields | undefined {
  const collector = new FieldCollector(names);
  try {
    for (const pair of splitAtKnownNames(text, names)) {
      const equals = pair.indexOf('=');
      if (equals === -1) return undefined;
      const name = pair.slice(0, equals);
      collector.admitName(name);
      collector.put(name, pair.slice(equals + 1));
    }
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
  return collector.fields;
}
