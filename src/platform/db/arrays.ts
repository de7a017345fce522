/** Bytes, or a text with one character per byte, which can be a map key. */
export type Bytes = Buffer | string;

/** Bytes as a map key. */
export function keyOf(bytes: Buffer): string {
  return bytes.toString('latin1');
}

const BYTEA_TYPE = 17;
const BIGINT_TYPE = 20;
const ARRAY_HEADER_BYTES = 20;
const BIGINT_BYTES = 8;

// Arrays in PostgreSQL's binary format, which the driver sends unchanged (number of dimensions,
// whether there are nulls, element type; length and lower bound; then each element after its
// length, which is -1 for null). Faster to build, and the server need not parse text.

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

/**
 * Only for codes, dates and small numbers: nothing that contains a comma, a quote, a brace or a
 * space.
 */
export function plainArray(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}
