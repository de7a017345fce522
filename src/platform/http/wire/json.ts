import type { Fields } from '../../base/canonical.ts';
import { Refusal } from '../../base/errors.ts';
import { FieldCollector } from './collector.ts';
import type { Parameters } from './parameters.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

// RFC 8259 §6. Sticky: it matches at lastIndex or not at all.
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Neither a string nor a bracket: a number, a literal, a comma or a colon. */
const OTHER_TOKEN = /[,:]|[^\s"{}[\],:]+/y;

/**
 * Reads one flat JSON object (RFC 8259) in a single pass. Unlike JSON.parse it keeps numbers as
 * they were written, since `10` and `10.00` sign differently, and it notices names that come twice.
 * Throws: `malformed_request`, `nested_value` and what `FieldCollector` throws.
 */
export function readJson(text: string, parameters: Parameters): Fields {
  return new FlatObjectReader(text, parameters).read();
}

class FlatObjectReader {
  readonly #text: string;
  readonly #collector: FieldCollector;
  /** Strings that end before this position need no unescaping. */
  readonly #firstEscape: number;
  #position = 0;

  constructor(text: string, parameters: Parameters) {
    this.#text = text;
    this.#collector = new FieldCollector(parameters);
    const firstEscape = text.indexOf('\\');
    this.#firstEscape = firstEscape === -1 ? text.length : firstEscape;
  }

  read(): Fields {
    if (this.#next() !== OPEN_BRACE) throw malformed();
    this.#position += 1;
    if (this.#next() === CLOSE_BRACE) {
      this.#position += 1;
    } else {
      this.#readMembers();
    }
    if (!Number.isNaN(this.#next())) throw malformed();
    return this.#collector.fields;
  }

  #readMembers(): void {
    for (;;) {
      if (this.#next() !== QUOTE) throw malformed();
      const name = this.#readString();
      const isOurs = this.#collector.admitName(name);
      const field = isOurs ? name : undefined;
      if (this.#next() !== COLON) throw malformed(field);
      this.#position += 1;
      if (isOurs) this.#collector.put(name, this.#readValue(name));
      else this.#skipValue();
      const delimiter = this.#next();
      this.#position += 1;
      if (delimiter === CLOSE_BRACE) return;
      if (delimiter !== COMMA) throw malformed(field);
    }
  }

  /** Skips white space; the code of the character that follows, NaN at the end. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#position += 1;
    }
  }

  #readValue(field: string): string | null {
    const code = this.#next();
    if (code === QUOTE) return this.#readString(field);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) throw nested(field);
    if (this.#text.startsWith('null', this.#position)) {
      this.#position += 4;
      return null;
    }
    if (this.#text.startsWith('true', this.#position)) throw nested(field);
    if (this.#text.startsWith('false', this.#position)) throw nested(field);
    NUMBER.lastIndex = this.#position;
    if (!NUMBER.test(this.#text)) throw malformed(field);
    const start = this.#position;
    this.#position = NUMBER.lastIndex;
    return this.#text.slice(start, this.#position);
  }

  /** Skips the value of an ignored name. It need not be flat, only valid JSON. */
  #skipValue(): void {
    this.#next();
    const start = this.#position;
    let depth = 0;
    do {
      const code = this.#next();
      if (code === QUOTE) {
        this.#readString();
      } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        depth += 1;
        this.#position += 1;
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        depth -= 1;
        this.#position += 1;
      } else {
        OTHER_TOKEN.lastIndex = this.#position;
        if (!OTHER_TOKEN.test(this.#text)) throw malformed();
        this.#position = OTHER_TOKEN.lastIndex;
      }
    } while (depth > 0);
    try {
      JSON.parse(this.#text.slice(start, this.#position));
    } catch {
      throw malformed();
    }
  }

  /** From the opening quote to the character after the closing one. */
  #readString(field?: string): string {
    const open = this.#position;
    const close = this.#text.indexOf('"', open + 1);
    if (close === -1) throw malformed(field);
    if (close < this.#firstEscape) {
      this.#position = close + 1;
      // Raw control characters are refused with every other forbidden character of the value.
      return this.#text.slice(open + 1, close);
    }
    return this.#readEscapedString(open, field);
  }

  #readEscapedString(open: number, field?: string): string {
    let close = open + 1;
    while (close < this.#text.length) {
      const code = this.#text.charCodeAt(close);
      if (code === QUOTE) break;
      close += code === BACKSLASH ? 2 : 1;
    }
    this.#position = close + 1;
    try {
      return JSON.parse(this.#text.slice(open, close + 1)) as string;
    } catch {
      throw malformed(field);
    }
  }
}

function malformed(field?: string): Refusal {
  const text = 'The body is not one JSON object';
  return new Refusal('malformed_request', field === undefined ? { text } : { field, text });
}

function nested(field: string): Refusal {
  return new Refusal('nested_value', { field, text: `${field} must be a string or a number` });
}
