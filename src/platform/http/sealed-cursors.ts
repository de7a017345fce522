import { Refusal } from '../base/errors.ts';
import type { Cursors } from './cursors.ts';

type Values = Readonly<Record<string, unknown>>;

/** A list as a surface has it. */
interface List {
  readonly path: string;
  /** JSON schemas. */
  readonly query?: object | undefined;
  readonly body?: object | undefined;
}

/** Whoever may read on: the people of one vendor, or staff. */
interface Reader {
  readonly vendor: { readonly vid: string } | undefined;
}

/** A request before it is validated. */
export interface Asked {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

interface SealedCursors {
  /** The request with the position that its cursor holds. Throws: `invalid_field`. */
  open(asked: Asked, viewer: Reader): Asked;
  /** The answer with its `next` as a cursor. */
  seal(answer: unknown, asked: Asked, viewer: Reader): unknown;
}

const MAX_LENGTH = 1_000;

/**
 * The cursors of one list. A list reads on from a position, and in steps of a span that it found to be fast; whoever
 * could write both would make one request read a whole history. Each cursor is valid for the people of one vendor, or
 * staff, and with the same filters. The period may be left out, because the position is in it.
 */
export function sealedCursors(route: List, cursors: Cursors): SealedCursors | undefined {
  const part = hasCursor(route.query) ? 'query' : hasCursor(route.body) ? 'body' : undefined;
  if (part === undefined) return undefined;
  const listOf = (asked: Asked, { vendor }: Reader) => {
    const { from: _from, to: _to, ...filters } = asked[part] as Values;
    const query = { ...(asked.params as Values), ...filters };
    return { list: route.path, owner: vendor === undefined ? '' : vendor.vid, query };
  };
  return {
    open: (asked, viewer) => {
      const { cursor } = (asked[part] ?? {}) as Values;
      if (cursor === undefined) return asked;
      const isText = typeof cursor === 'string' && cursor.length <= MAX_LENGTH;
      if (!isText) throw new Refusal('invalid_field', { field: 'cursor' });
      const position = cursors.read(listOf(asked, viewer), cursor);
      return { ...asked, [part]: { ...(asked[part] as Values), cursor: position } };
    },
    seal: (answer, asked, viewer) => {
      const { next } = answer as Values;
      if (typeof next !== 'string') return answer;
      return { ...(answer as Values), next: cursors.write(listOf(asked, viewer), next) };
    },
  };
}

function hasCursor(schema: object | undefined): boolean {
  const { properties } = (schema ?? {}) as { readonly properties?: object };
  return properties !== undefined && 'cursor' in properties;
}
