const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/** The elements of a parameter that `src/platform/db/arrays.ts` made; null for a null. */
export function arrayElements(parameter: unknown): (Buffer | null)[] {
  if (!Buffer.isBuffer(parameter)) throw new Error('the parameter is not a binary array');
  const elements: (Buffer | null)[] = [];
  for (let at = HEADER_BYTES; at < parameter.length;) {
    const length = parameter.readInt32BE(at);
    at += LENGTH_BYTES;
    elements.push(length === -1 ? null : parameter.subarray(at, at + length));
    at += Math.max(length, 0);
  }
  return elements;
}

/** A UUID as it is written. */
export function uuidOf(element: Buffer | null): string {
  const hex = element?.toString('hex') ?? '';
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
