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
