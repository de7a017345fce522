import { isAscii, isUtf8 } from 'node:buffer';

export type TextEncoding = 'UTF-8' | 'UTF-16' | 'Windows-1252';

export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** The names of encodings that `TextDecoder` knows. */
export type EncodingLabel = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

export const ENCODING_NAMES: Readonly<Record<EncodingLabel, TextEncoding>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
};

/** Bytes that show whether a text without a byte order mark is UTF-16. */
const LOOKED_AT = 4_096;
/** The share of characters whose first, or second, byte is zero: all of English, and most of a table in any language. */
const MOSTLY = 0.4;

/**
 * The text of a file that does not say how it is written: by its byte order mark, or by what its bytes can be. Whatever is
 * neither UTF-16 nor UTF-8 is read as Windows-1252, which fits every file.
 */
export function decodeText(bytes: Buffer): DecodedText {
  const wide = wideEncodingOf(bytes);
  if (wide !== undefined) return { text: new TextDecoder(wide).decode(bytes), encoding: 'UTF-16' };
  // The decoders remove a byte order mark.
  if (isUtf8(bytes)) return { text: new TextDecoder().decode(bytes), encoding: 'UTF-8' };
  return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' };
}

function wideEncodingOf(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, LOOKED_AT);
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = zeros.map((count) => count / Math.max(1, sample.length / 2));
  if (odd >= MOSTLY && even < MOSTLY / 4) return 'utf-16le';
  return even >= MOSTLY && odd < MOSTLY / 4 ? 'utf-16be' : undefined;
}

/**
 * Finds the encoding of a file that arrives in chunks, as `decodeText` does. But a file with both lines in UTF-8 and lines
 * that are not is damaged UTF-8: read as Windows-1252, its right lines would be wrong ones.
 */
export class EncodingScan {
  #wide: EncodingLabel | undefined;
  #isBegun = false;
  /** The beginning of a line, whose end is still to come. */
  #rest: Buffer = Buffer.alloc(0);
  /** Lines with characters beyond ASCII: in UTF-8, and not. */
  #isUtf8 = false;
  #isBroken = false;

  push(chunk: Buffer): void {
    if (!this.#isBegun) this.#wide = wideEncodingOf(chunk);
    this.#isBegun = true;
    if (this.#wide !== undefined) return;
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1;
    this.#look(bytes.subarray(0, end));
    this.#rest = bytes.subarray(end);
  }

  /** The encoding, once all of the file was pushed. */
  end(): EncodingLabel {
    this.#look(this.#rest);
    if (this.#wide !== undefined) return this.#wide;
    return this.#isBroken && !this.#isUtf8 ? 'windows-1252' : 'utf-8';
  }

  #look(lines: Buffer): void {
    if (isAscii(lines)) return;
    if (isUtf8(lines)) {
      this.#isUtf8 = true;
      return;
    }
    for (let at = 0; at < lines.length;) {
      const found = lines.indexOf(0x0a, at);
      const end = found < 0 ? lines.length : found + 1;
      const line = lines.subarray(at, end);
      if (!isUtf8(line)) this.#isBroken = true;
      else if (!isAscii(line)) this.#isUtf8 = true;
      at = end;
    }
  }
}
