import { UUID_BYTES, writeUuid } from '../base/uuid-bytes.ts';

// Arrays in PostgreSQL's binary format, which the driver sends unchanged (number of dimensions, whether
// there may be nulls, element type; length and lower bound; then each element after its length, which is
// -1 for null). Faster to build than a literal, in which the driver quotes every element, and the server
// need not parse text.

/** Bytes, or a text with one character per byte, which can be a map key. */
export type Bytes = Buffer | string;

/** Bytes as a map key. */
export function keyOf(bytes: Buffer): string {
  return bytes.toString('latin1');
}

/** Element types, by their OIDs in pg_type. */
const TYPES = {
  boolean: 16,
  bytea: 17,
  bigint: 20,
  smallint: 21,
  integer: 23,
  text: 25,
  timestamptz: 1184,
  uuid: 2950,
};

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

function startArray(type: keyof typeof TYPES, length: number, elementBytes: number): Buffer {
  const bytes = HEADER_BYTES + length * LENGTH_BYTES + elementBytes;
  const array = Buffer.allocUnsafe(bytes).fill(0, 0, HEADER_BYTES);
  array[3] = 1;
  array[7] = 1;
  writeNumber(array, TYPES[type], 8);
  writeNumber(array, length, 12);
  array[19] = 1;
  return array;
}

/** Faster than Buffer.writeInt32BE, which checks its arguments. Returns the position after it. */
function writeNumber(array: Buffer, value: number, at: number): number {
  array[at] = value >>> 24;
  array[at + 1] = value >>> 16;
  array[at + 2] = value >>> 8;
  array[at + 3] = value;
  return at + LENGTH_BYTES;
}

const NULL_LENGTH = -1;

/** @param values whole numbers from -32,768 to 32,767. */
export function smallintArray(values: readonly number[]): Buffer {
  const array = startArray('smallint', values.length, 2 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    if ((value << 16) >> 16 !== value)
      throw new RangeError(`${value} is not a 16-bit whole number`);
    at = writeNumber(array, 2, at);
    at = array.writeInt16BE(value, at);
  }
  return array;
}

/** @param values whole numbers from -2^31 to 2^31 - 1. */
export function integerArray(values: readonly (number | null)[]): Buffer {
  const array = startArray('integer', values.length, 4 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    if (value === null) {
      at = writeNumber(array, NULL_LENGTH, at);
      continue;
    }
    if ((value | 0) !== value) throw new RangeError(`${value} is not a 32-bit whole number`);
    at = writeNumber(array, 4, at);
    at = writeNumber(array, value, at);
  }
  return array.subarray(0, at);
}

export function bigintArray(values: readonly (bigint | null)[]): Buffer {
  const array = startArray('bigint', values.length, 8 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    if (value === null) {
      at = writeNumber(array, NULL_LENGTH, at);
      continue;
    }
    at = writeNumber(array, 8, at);
    at = array.writeBigInt64BE(value, at);
  }
  return array.subarray(0, at);
}

/** 2000-01-01, where PostgreSQL begins to count, in milliseconds since 1970. */
const FIRST_MS = Date.UTC(2000, 0, 1);
const TWO_TO_32 = 2 ** 32;

export function timestampArray(values: readonly Date[]): Buffer {
  const array = startArray('timestamptz', values.length, 8 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    const microseconds = (value.getTime() - FIRST_MS) * 1000;
    if (!Number.isSafeInteger(microseconds))
      throw new RangeError('a time is invalid or too far away');
    at = writeNumber(array, 8, at);
    at = writeNumber(array, Math.floor(microseconds / TWO_TO_32), at);
    at = writeNumber(array, microseconds, at);
  }
  return array;
}

/** @param values UUIDs as RFC 9562 writes them, in upper or lower case. Throws: `RangeError` for another text. */
export function uuidArray(values: readonly (string | null)[]): Buffer {
  const array = startArray('uuid', values.length, UUID_BYTES * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    if (value === null) {
      at = writeNumber(array, NULL_LENGTH, at);
      continue;
    }
    at = writeNumber(array, UUID_BYTES, at);
    at = writeUuid(array, value, at);
  }
  return array.subarray(0, at);
}

const MAX_BYTES_PER_UNIT = 3;
const LAST_ASCII = 127;

export function textArray(values: readonly (string | null)[]): Buffer {
  let maxBytes = 0;
  for (const value of values) maxBytes += value === null ? 0 : MAX_BYTES_PER_UNIT * value.length;
  const array = startArray('text', values.length, maxBytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    if (value === null) {
      at = writeNumber(array, NULL_LENGTH, at);
      continue;
    }
    const length = writeText(array, value, at + LENGTH_BYTES);
    at = writeNumber(array, length, at) + length;
  }
  return array.subarray(0, at);
}

/** As UTF-8. Most texts are short and ASCII; for these this is faster than a call to the platform. */
function writeText(array: Buffer, text: string, at: number): number {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > LAST_ASCII) return array.write(text, at);
    array[at + index] = unit;
  }
  return text.length;
}

export function byteaArray(values: readonly Bytes[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += value.length;
  const array = startArray('bytea', values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = writeNumber(array, value.length, at);
    at += typeof value === 'string' ? array.write(value, at, 'latin1') : value.copy(array, at);
  }
  return array;
}

/**
 * As a literal, for types that have no function here. Only for codes, dates and small numbers: nothing
 * that contains a comma, a quote, a brace or a space.
 */
export function plainArray(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}
