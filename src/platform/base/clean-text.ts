// Cleans texts of operators for the database, the log and the screen.

const REFERENCE_LENGTH = 200;
const NAME_LENGTH = 200;
const MESSAGE_LENGTH = 500;
/** A message for people: control and bidirectional characters become spaces, at most 500 UTF-16 code units. */
export function cleanMessage(text: string): string {
  return cleanText(text, MESSAGE_LENGTH);
}

/**
 * The name of an account holder, at most 200 UTF-16 code units; null if nothing is left after
 * cleaning.
 */
export function cleanName(text: string | undefined): string | null {
  const name = cleanText(text ?? '', NAME_LENGTH).trim();
  return name === '' ? null : name;
}

/** An operator's reference, to be stored even if it is not one of ours; ours need no cleaning. */
export function cleanReference(text: string): string {
  return cleanText(text, REFERENCE_LENGTH);
}

/** Control characters, and characters that change the text direction. */
const UNFIT = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text of any length. To search in it: what is looked for may be cut off in a shortened one. */
export function cleanWhole(text: string): string {
  return text.toWellFormed().replaceAll(UNFIT, ' ');
}

function cleanText(text: string, length: number): string {
  const wellFormed = cleanWhole(text);
  // Truncating inside a surrogate pair would leave its first half.
  return wellFormed.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const anyUtf8 = new TextDecoder('utf-8');

/** The text of valid UTF-8 bytes; undefined otherwise. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decoders write this character in place of bytes that are not UTF-8. */
export const UNDECODED = '\uFFFD';

/**
 * The text of what others send, to be read but not to check a signature of: without a byte order mark, and with
 * `UNDECODED` in place of bytes that are not UTF-8. A value with it equals none of ours.
 */
export function decodeText(bytes: Buffer): string {
  return anyUtf8.decode(bytes);
}
