import type { Fields } from '../../base/canonical.ts';
import { Refusal } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import { unknownField } from './unknown-field.ts';
import type { Parameters } from './parameters.ts';

const SHOWN_NAME_LENGTH = 64;

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
// C0, DEL and C1; the bidirectional controls; the byte order mark; the replacement character, which
// is what is left of bytes that some earlier program could not read; lone surrogates.
export const FORBIDDEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/u;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Collects the parameters of one request and enforces the rules of every body format: names belong
 * to the operation and occur once, and values are plain text without `&<known name>=`.
 */
export class FieldCollector {
  readonly #parameters: Parameters;
  readonly #fields = new Map<string, string | null>();

  constructor(parameters: Parameters) {
    this.#parameters = parameters;
  }

  get fields(): Fields {
    return this.#fields;
  }

  /**
   * False for a name that is ignored; its value is then not read at all.
   * Throws: `unknown_field`, `ambiguous_request` (a repeated name), `payload_too_large`.
   */
  admitName(name: string): boolean {
    const { names, ignoresUnknown } = this.#parameters;
    if (!names.has(name)) {
      if (ignoresUnknown) return false;
      throw refuseName(name);
    }
    if (this.#fields.has(name)) {
      throw new Refusal('ambiguous_request', {
        field: name,
        text: `${name} was sent more than once`,
      });
    }
    if (this.#fields.size === LIMITS.fieldCount) {
      throw new Refusal('payload_too_large', {
        text: `A request has at most ${LIMITS.fieldCount} parameters`,
      });
    }
    return true;
  }

  /**
   * @param name accepted by `admitName`.
   * Throws: `malformed_request`, `ambiguous_value`, `payload_too_large`.
   */
  put(name: string, value: string | null): void {
    if (value !== null) this.#checkValue(name, value);
    this.#fields.set(name, value);
  }

  #checkValue(field: string, value: string): void {
    if (value.length > LIMITS.valueLength) {
      throw new Refusal('payload_too_large', {
        field,
        text: `${field} is longer than ${LIMITS.valueLength} characters`,
      });
    }
    const { anyText, known } = this.#parameters;
    if (!PRINTABLE_ASCII.test(value) && FORBIDDEN.test(value) && !anyText.has(field)) {
      throw new Refusal('malformed_request', {
        field,
        text: `${field} contains a character that is never valid, such as a control character`,
      });
    }
    if (known.occurIn(value)) {
      throw new Refusal('ambiguous_value', {
        field,
        text: `${field} must not contain “&” followed by the name of a parameter and “=”`,
      });
    }
  }
}

function refuseName(name: string): Refusal {
  // Cut first, so that half a surrogate pair is stripped together with other unprintable
  // characters.
  const shown = name.slice(0, SHOWN_NAME_LENGTH).replaceAll(INVISIBLE, '');
  return shown === ''
    ? new Refusal('unknown_field', { text: 'A parameter has no readable name' })
    : unknownField(shown);
}
