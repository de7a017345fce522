import type { Fields, Reading } from '../../base/canonical.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { Refusal } from '../../base/errors.ts';
import { FieldCollector } from './collector.ts';
import type { Parameters } from './parameters.ts';

/**
 * Reads `name=value&name=value`, the form of query strings and of
 * `application/x-www-form-urlencoded` (WHATWG URL §5, but strict: `%` must begin an escape, and the
 * bytes must be UTF-8). Empty pairs (`a=1&&b=2`, a final `&`) are skipped, as everybody does.
 *
 * Real senders also put the un-encoded signed text into the body, where `+`, `%` and `&` may be
 * meant literally. So there is also an undecoded reading; see `Reading`. Without a signature nothing
 * could decide between the two, and only the decoded one is returned.
 * Throws: `malformed_request` and what `FieldCollector` throws.
 */
export function readForm(text: string, parameters: Parameters): Reading {
  if (parameters.ignoresUnknown) return { fields: readDecoded(text, parameters) };
  let fields: Fields;
  try {
    fields = readDecoded(text, parameters);
  } catch (error) {
    return readUndecodedAfter(error, text, parameters);
  }
  return mayMeanItself(text)
    ? { fields, raw: () => unlessRefused(() => readUndecoded(text, parameters)) }
    : { fields };
}

/** If the body cannot be decoded: the undecoded reading, unless it does not explain why. */
function readUndecodedAfter(error: unknown, text: string, parameters: Parameters): Reading {
  // Unknown and repeated names stay unknown and repeated without decoding.
  const mayExplain = isRefused(error, 'malformed_request') || isRefused(error, 'ambiguous_value');
  if (!mayExplain) throw error;
  try {
    return { fields: readUndecoded(text, parameters), refusal: error };
  } catch (undecoded) {
    throw isRefused(undecoded, 'unknown_field') ? undecoded : error;
  }
}

/** If decoding changes nothing, the undecoded reading would be identical. */
function mayMeanItself(text: string): boolean {
  return text.includes('%') || text.includes('+') || text.includes('&&') || text.endsWith('&');
}

function readDecoded(text: string, parameters: Parameters): Fields {
  const pairs = text.split('&').filter((pair) => pair !== '');
  return readPairs(pairs, parameters, decode);
}

/**
 * The pairs exactly as sent. Any text between `&` and `=` is a name, known or not, so that no added
 * parameter can become part of another one's value. Only a `&` that is not followed by a `name=`
 * belongs to the value, as in `Moi & Sons`.
 */
function readUndecoded(text: string, parameters: Parameters): Fields {
  return readPairs(text.split(/&(?=[^&]*=)/), parameters, (value) => value);
}

function readPairs(
  pairs: readonly string[],
  parameters: Parameters,
  decodeText: (text: string, field?: string) => string,
): Fields {
  const collector = new FieldCollector(parameters);
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals === -1) {
      if (parameters.ignoresUnknown && !parameters.names.has(decodeText(pair))) continue;
      throw pairWithoutValue(pair);
    }
    const name = decodeText(pair.slice(0, equals));
    if (!collector.admitName(name)) continue;
    collector.put(name, decodeText(pair.slice(equals + 1), name));
  }
  return collector.fields;
}

function pairWithoutValue(pair: string): Refusal {
  // Many tools label every body as a form by default.
  return new Refusal('malformed_request', {
    text: pair.trimStart().startsWith('{')
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

function isRefused(error: unknown, code: ErrorCode): error is Refusal {
  return error instanceof Refusal && error.code === code;
}

function unlessRefused(read: () => Fields): Fields | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
