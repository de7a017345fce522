import { openJournal } from '../operators/journal.ts';
import type { Journal } from '../operators/journal.ts';

type Key = string | number;
type Entry =
  | { readonly kind: 'put'; readonly table: string; readonly key: Key; readonly row: unknown }
  | { readonly kind: 'dropped'; readonly table: string; readonly key: Key };

/** Rows of one kind, in the order in which they were first put. */
export interface Table<Row> {
  readonly size: number;
  get(key: Key): Row | undefined;
  /** Written down before it returns. A row that was changed is put again. */
  put(key: Key, row: Row): void;
  drop(key: Key): void;
  rows(): Row[];
  entries(): [Key, Row][];
}

/** The state of an emulator. With a file, it is written down and survives a kill. */
export class Memory {
  readonly #tables = new Map<string, Map<Key, unknown>>();
  readonly #journal: Journal | undefined;

  /** @param file of the journal; without one, everything ends with the process. */
  constructor(file?: string) {
    this.#journal =
      file === undefined ? undefined : openJournal(file, (entry) => this.#apply(entry as Entry));
  }

  table<Row>(name: string): Table<Row> {
    const rows = this.#rowsOf(name) as Map<Key, Row>;
    return {
      get size() {
        return rows.size;
      },
      get: (key) => rows.get(key),
      put: (key, row) => this.#record({ kind: 'put', table: name, key, row }),
      drop: (key) => this.#record({ kind: 'dropped', table: name, key }),
      rows: () => [...rows.values()],
      entries: () => [...rows.entries()],
    };
  }

  #record(entry: Entry): void {
    this.#journal?.append(entry);
    this.#apply(entry);
  }

  #apply(entry: Entry): void {
    const rows = this.#rowsOf(entry.table);
    if (entry.kind === 'put') rows.set(entry.key, entry.row);
    else rows.delete(entry.key);
  }

  #rowsOf(table: string): Map<Key, unknown> {
    const known = this.#tables.get(table);
    if (known !== undefined) return known;
    const made = new Map<Key, unknown>();
    this.#tables.set(table, made);
    return made;
  }
}
