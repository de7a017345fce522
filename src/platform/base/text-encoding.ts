import { isUtf8 } from 'node:buffer';

export type TextEncoding = 'UTF-8' | 'UTF-16' | 'Windows-1252';

/** Bytes that show whether a text without a byte order mark is UTF-16. */
const LOOKED_AT = 4_096;
/** The share of characters whose first, or second, byte is zero: all of English, and most of a table in any language. */
const MOSTLY = 0.4;

/**
 * The text of a file that does not say how it is written: by its byte order mark, or by what its bytes can be. Whatever is
 * neither UTF-16 nor UTF-8 is read as Windows-1252, which fits every file.
 */
export function decodeText(bytes: Buffer): {
  readonly text: string;
  readonly encoding: TextEncoding;
} {
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
