// Requests and responses below `/v1` as this client has them: names in camelCase, cents as integers, times
// as dates.

/** Whatever they contain belongs to somebody else. */
const OPAQUE: ReadonlySet<string> = new Set(['payload', 'details', 'parameters']);
/** Times whose name does not end with `_at`. */
const TIMES: ReadonlySet<string> = new Set([
  'at',
  'from',
  'to',
  'valid_until',
  'failing_since',
  'searched_to',
  'biller_response_time',
]);

/** Throws a RangeError for an amount or a time that is not one. */
export function fromWire(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => fromWire(each, name));
  if (typeof value === 'object' && value !== null) {
    return OPAQUE.has(name) ? value : renamed(value, camelOf, fromWire);
  }
  if (typeof value !== 'string') return value;
  if (name.endsWith('_cents')) return centsIn(value);
  return name.endsWith('_at') || TIMES.has(name) ? instantIn(value) : value;
}

/** Undefined and null are left out. */
export function toWire(request: object): Record<string, unknown> {
  const sent = Object.entries(request).filter(([, value]) => value !== undefined && value !== null);
  return renamed(Object.fromEntries(sent), snakeOf, (value) =>
    value instanceof Date ? value.toISOString() : value,
  );
}

/** Writes a request as parameters of a query string. */
export function toQuery(request: object): Record<string, string> {
  return renamed(toWire(request), String, String);
}

function renamed<Value>(
  record: object,
  nameOf: (name: string) => string,
  valueOf: (value: unknown, name: string) => Value,
): Record<string, Value> {
  const pairs = Object.entries(record).map(
    ([name, value]) => [nameOf(name), valueOf(value, name)] as const,
  );
  return Object.fromEntries(pairs);
}

function camelOf(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function centsIn(text: string): number {
  const cents = /^-?\d{1,18}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(cents)) throw new RangeError(`Not an amount in cents: ${text}`);
  return cents;
}

function instantIn(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new RangeError(`Not a time: ${text}`);
  return time;
}
