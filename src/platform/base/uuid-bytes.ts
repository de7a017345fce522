export const UUID_BYTES = 16;
const UUID_LENGTH = 36;
const DASH = 45;

/** The value of each hexadecimal digit, by its character code; 255 for other characters. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCodePoint(code).toLowerCase());
  return digit === -1 ? 255 : digit;
});
const MAX_DIGIT = 15;

/**
 * Writes a UUID as bytes. Returns the position after it.
 * @param uuid as RFC 9562 writes it, in upper or lower case. Throws: `RangeError` for another text.
 */
export function writeUuid(bytes: Buffer, uuid: string, start: number): number {
  let at = start;
  let allBits = uuid.length === UUID_LENGTH ? 0 : MAX_DIGIT + 1;
  for (let index = 0; index < UUID_LENGTH; index += 2) {
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (uuid.charCodeAt(index) !== DASH) allBits = MAX_DIGIT + 1;
      index += 1;
    }
    const high = DIGITS[uuid.charCodeAt(index)] ?? 255;
    const low = DIGITS[uuid.charCodeAt(index + 1)] ?? 255;
    allBits |= high | low;
    bytes[at] = (high << 4) | low;
    at += 1;
  }
  if (allBits > MAX_DIGIT) throw new RangeError(`“${uuid}” is not a UUID`);
  return at;
}
