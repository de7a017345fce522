import type { Vault } from './vault.ts';

/** Rows that a rotation rewrites in one commit. */
export const PAGE_ROWS = 500;

/** Key of the last row of a page. */
export type Position = readonly (string | number | bigint)[];

export interface Page {
  readonly changed: number;
  /** Undefined if there is no further page. */
  readonly last: Position | undefined;
}

/** The result of rewriting a page of rows. */
export function pageOf<Row>(
  rows: readonly Row[],
  changed: number,
  positionOf: (row: Row) => Position,
): Page {
  const last = rows.at(-1);
  const more = rows.length === PAGE_ROWS && last !== undefined;
  return { changed, last: more ? positionOf(last) : undefined };
}

/** Seals the text again under the current key. */
export function resealed(vault: Vault, sealed: Buffer, location: string): Buffer {
  return vault.seal(vault.unseal(sealed, location), location);
}
