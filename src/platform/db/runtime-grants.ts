/** What the runtime role may do with a table in addition to reading it. */
export interface TableGrants {
  readonly insert?: true;
  /** Columns it may change. */
  readonly update?: readonly string[];
  /** For settings that people edit: the role may change every column except these. */
  readonly updateAllBut?: readonly string[];
  readonly delete?: true;
}

/** By the name of the table or view. */
export type RuntimeGrants = Readonly<Record<string, TableGrants>>;

export const READ_ONLY: TableGrants = {};
export const APPEND_ONLY: TableGrants = { insert: true };
