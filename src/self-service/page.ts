import type { SelfServiceDeps } from './resource.ts';
import type { CursorOf } from '../platform/http/cursors.ts';
import type { LongReader } from '../platform/base/long-reads.ts';
import { limitOf } from './schemas.ts';

interface AskedPage extends CursorOf {
  readonly query: Readonly<Record<string, string | undefined>>;
}

/**
 * One page of a list whose rows are found after a position. The lists of a vendor are read in turns, because a filter
 * that matches few rows may read many.
 * @param list.read rows after the position, in order: at most `count`.
 */
export async function readPage<Row, Position, Item>(
  { cursors, longReads }: Pick<SelfServiceDeps, 'cursors' | 'longReads'>,
  of: AskedPage & { readonly reader: LongReader },
  list: {
    readonly read: (after: Position | undefined, count: number) => Promise<readonly Row[]>;
    readonly positionOf: (row: Row) => Position;
    readonly view: (row: Row) => Item;
  },
): Promise<{ readonly items: Item[]; readonly next_cursor: string | null }> {
  const limit = limitOf(of.query);
  const { cursor } = of.query;
  const after = cursor === undefined ? undefined : (cursors.read(of, cursor) as Position);
  const found = await longReads(of.reader, async () => await list.read(after, limit + 1));
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(list.view),
    next_cursor: last === undefined ? null : cursors.write(of, list.positionOf(last)),
  };
}
