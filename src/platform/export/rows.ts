import { inTurns } from '../base/turns.ts';

/** An amount in cents. */
type Amount = bigint;

/** A cell of a file. Null: empty. */
export type Cell = string | Amount | Date | null;

/** A table that is written to a file. */
export interface ExportTable {
  readonly titles: readonly string[];
  /** Some rows at a time. */
  readonly rows: AsyncIterable<readonly (readonly Cell[])[]>;
}

/** Written between two turns of the event loop: about a millisecond of work. */
export const SLICE_ROWS = 100;

/**
 * Read at once for a file. What the database has sent becomes rows in one turn of the event loop, so a longer page keeps
 * payments waiting.
 */
export const FILE_PAGE_ROWS = 200;

/** The rows of a table in slices, however many are read at a time. */
export async function* slicesOf({
  rows,
}: Pick<ExportTable, 'rows'>): AsyncGenerator<readonly (readonly Cell[])[]> {
  for await (const some of rows) yield* inTurns(some, SLICE_ROWS);
}
