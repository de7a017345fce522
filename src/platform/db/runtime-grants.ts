/** Privileges of the runtime role on a table. It may always read. */
export interface TableGrants {
  readonly insert?: true;
  /** Columns it may change. */
  readonly update?: readonly string[];
  /** The role may change every column except these. Used for settings that people edit. */
  readonly updateAllBut?: readonly string[];
  readonly delete?: true;
}

/** By the name of the table or view. */
export type RuntimeGrants = Readonly<Record<string, TableGrants>>;

export const READ_ONLY: TableGrants = {};
export const APPEND_ONLY: TableGrants = { insert: true };
