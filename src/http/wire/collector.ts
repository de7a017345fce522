import type { Fields } from '../../base/canonical.ts';
import { HASH_FIELD } from '../../base/canonical.ts';
import { Refusal } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';

const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
const SHOWN_NAME_LENGTH = 64;

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
// C0, DEL and C1; the bidirectional controls; the byte order mark; the replacement character, which
// is what is left of bytes that some earlier program could not read; lone surrogates.
const FORBIDDEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/u;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** `&name=` of any of an operation's names: what no value may contain, and where raw forms split. */
interface Separators {
  readonly inValue: RegExp;
  readonly betweenPairs: RegExp;
}

const separatorsByNames = new WeakMap<ReadonlySet<string>, Separators>();

function separatorsOf(names: ReadonlySet<string>): Separators {
  const known = separatorsByNames.get(names);
  if (known !== undefined) return known;
  for (const name of names) {
    // With other characters in names the signed text would no longer be unambiguous.
    if (!PARAMETER_NAME.test(name)) throw new TypeError(`“${name}” cannot be a parameter name`);
  }
  const alternatives = [...names].join('|');
  const separators = {
    inValue: new RegExp(`&(?:${HASH_FIELD}|${alternatives})=`),
    betweenPairs: new RegExp(`&(?=(?:${alternatives})=)`),
  };
  separatorsByNames.set(names, separators);
  return separators;
}

/** Un-encoded `name=value` pairs; a `&` which no known name follows belongs to the value. */
export function splitAtKnownNames(text: string, names: ReadonlySet<string>): string[] {
  return text.split(separatorsOf(names).betweenPairs);
}

/**
 * Takes the parameters of one request one by one and holds what is true for every body form: names
 * are the operation's own and come once, values are plain text.
 *
 * The signed text joins `name=value` without encoding, so a value with `&amount=` in it could make
 * two requests share one signature. Names without `&` or `=` and values without `&<known name>=`
 * make the text unambiguous: a separator is exactly an occurrence of `&<known name>=`.
 */
export class FieldCollector {
  readonly #names: ReadonlySet<string>;
  readonly #separators: Separators;
  readonly #fields = new Map<string, string | null>();

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
    this.#separators = separatorsOf(names);
  }

  get fields(): Fields {
    return this.#fields;
  }

  /** Throws: `unknown_field`, `ambiguous_request` (a second time), `payload_too_large`. */
  admitName(name: string): void {
    if (!this.#names.has(name)) throw unknownField(name);
    if (this.#fields.has(name)) {
      throw new Refusal('ambiguous_request', { field: name, text: `${name} came more than once` });
    }
    if (this.#fields.size === LIMITS.fieldCount) {
      throw new Refusal('payload_too_large', {
        text: `A request has at most ${LIMITS.fieldCount} parameters`,
      });
    }
  }

  /**
   * @param name one that `admitName` let through.
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
    if (!PRINTABLE_ASCII.test(value) && FORBIDDEN.test(value)) {
      throw new Refusal('malformed_request', {
        field,
        text: `${field} contains a character that is never valid, such as a control character`,
      });
    }
    if (value.includes('&') && this.#separators.inValue.test(value)) {
      throw new Refusal('ambiguous_value', { field });
    }
  }
}

function unknownField(name: string): Refusal {
  // Cut first: a halved surrogate pair is then stripped with what else cannot be shown.
  const shown = name.slice(0, SHOWN_NAME_LENGTH).replaceAll(INVISIBLE, '');
  return shown === ''
    ? new Refusal('unknown_field', { text: 'A parameter has no readable name' })
    : new Refusal('unknown_field', { field: shown });
}
