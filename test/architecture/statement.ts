/** The kind of a column's JavaScript value, as far as `pg` and TypeScript can agree on it. */
export type ColumnKind =
  | 'any'
  | 'array'
  | 'bigint'
  | 'boolean'
  | 'Buffer'
  | 'Date'
  | 'null'
  | 'number'
  | 'object'
  | 'string'
  | 'undefined';

/** The properties of a row type, and what each may be. */
export type RowType = Readonly<Record<string, readonly ColumnKind[]>>;

/** A statement of the source. */
export interface Statement {
  /** Such as `src/payments/create/store.ts:53`. */
  readonly at: string;
  readonly text: string;
  /** Prepared once for each connection, which keeps its plan. */
  readonly isNamed: boolean;
  /** Null: the caller expects no rows, or any. */
  readonly row: RowType | null;
}

export interface Extracted {
  readonly statements: Statement[];
  /** Statements whose text is only known at run time. */
  readonly dynamic: { readonly at: string; readonly expression: string }[];
}
