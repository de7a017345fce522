/** Bytes, or the same as text of one character a byte: a map key. */
export type Bytes = Buffer | string;

/** Bytes as a map key. */
export function keyOf(bytes: Buffer): string {
  return bytes.toString('latin1');
}

const BYTEA_TYPE = 17;
const BIGINT_TYPE = 20;
const ARRAY_HEADER_BYTES = 20;
const BIGINT_BYTES = 8;

// Arrays in the binary form, which the driver sends as it is (number of dimensions, whether there
// are nulls, type of the elements; length and first subscript; then each element after its length,
// which is -1 for null): quicker to make, and nothing to decode.

function startArray(array: DataView, type: number, length: number): number {
  for (const [index, number] of [1, 1, type, length, 1].entries())
    array.setInt32(4 * index, number);
  return ARRAY_HEADER_BYTES;
}

export function byteaArray(values: readonly Bytes[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + 4 + value.length, ARRAY_HEADER_BYTES);
  const array = Buffer.allocUnsafeSlow(bytes);
  const view = new DataView(array.buffer);
  let at = startArray(view, BYTEA_TYPE, values.length);
  for (const value of values) {
    view.setInt32(at, value.length);
    at += 4;
    at += typeof value === 'string' ? array.write(value, at, 'latin1') : value.copy(array, at);
  }
  return array;
}

export function bigintArray(values: readonly (bigint | null)[]): Buffer {
  const array = Buffer.allocUnsafeSlow(ARRAY_HEADER_BYTES + values.length * (4 + BIGINT_BYTES));
  const view = new DataView(array.buffer);
  let at = startArray(view, BIGINT_TYPE, values.length);
  for (const value of values) {
    view.setInt32(at, value === null ? -1 : BIGINT_BYTES);
    at += 4;
    if (value === null) continue;
    view.setBigInt64(at, value);
    at += BIGINT_BYTES;
  }
  return array.subarray(0, at);
}

/** Codes, dates and small numbers only: nothing with a comma, a quote, a brace or a space in it. */
export function plainArray(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}
