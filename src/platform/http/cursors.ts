import { Refusal } from '../base/errors.ts';
import { decrypt, deriveKey, encrypt } from '../base/sealing.ts';
import type { MasterKeys } from '../base/sealing.ts';

/** The list that a cursor continues. */
export interface CursorOf {
  /** The operation, or the path of a page. */
  readonly list: string;
  /** Whose list it is, such as a `vid`. */
  readonly owner: string;
  /** Its parameters; `limit`, `cursor` and `wait` may change from page to page. */
  readonly query: Readonly<Record<string, unknown>>;
}

/** Writes and reads cursors. A position is what JSON can hold. */
export interface Cursors {
  write(of: CursorOf, position: unknown): string;
  /** Throws: `invalid_field` for a cursor that was altered, or continues another list. */
  read(of: CursorOf, cursor: string): unknown;
}

/**
 * Cursors are encrypted with a key that is derived from the master key. So they show nothing of what
 * they hold, nobody can alter or make one, and it is valid for its owner and its list alone.
 * They hold positions in an order that does not change, so rows that are added meanwhile neither repeat
 * nor hide others.
 * @param purpose such as `self-service cursors`.
 */
export function createCursors(masterKeys: MasterKeys, purpose: string): Cursors {
  // Later, because the contract is also generated without keys.
  let keys: readonly Buffer[] | undefined;
  const keysNow = (): readonly Buffer[] =>
    (keys ??= [masterKeys.current, masterKeys.previous]
      .filter((key) => key !== undefined)
      .map((key) => deriveKey(key, purpose)));
  return {
    write: (of, position) => {
      const [key] = keysNow();
      if (key === undefined) throw new Error('there is no master key');
      return encrypt(JSON.stringify(position), locationOf(of), key).toString('base64url');
    },
    read: (of, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url');
      for (const key of keysNow()) {
        const text = open(bytes, locationOf(of), key);
        if (text !== undefined) return JSON.parse(text) as unknown;
      }
      throw new Refusal('invalid_field', {
        field: 'cursor',
        text: 'cursor must be the next_cursor of a page with the same other parameters',
      });
    },
  };
}

function locationOf({ list, owner, query }: CursorOf): string {
  const { limit: _limit, cursor: _cursor, wait: _wait, ...filters } = query;
  const pairs = Object.entries(filters).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([list, owner, pairs]);
}

function open(bytes: Buffer, location: string, key: Buffer): string | undefined {
  try {
    return decrypt(bytes, location, key);
  } catch {
    return undefined;
  }
}
