import { parseIsoTime } from '../platform/base/clock.ts';
import { Refusal } from '../platform/base/errors.ts';
import { ID_FORM } from '../platform/base/ids.ts';

/**
 * The rows of a page, and the cursor of the next one, from a list read with one row more. The mounts seal cursors where
 * they leave the service.
 */
export function pageOf<Row>(
  found: readonly Row[],
  size: number,
  cursorOf: (last: Row) => string,
): { readonly shown: readonly Row[]; readonly next: string | null } {
  const shown = found.slice(0, size);
  const last = found.length > size ? shown.at(-1) : undefined;
  return { shown, next: last === undefined ? null : cursorOf(last) };
}

export function invalidCursor(): Refusal {
  return new Refusal('invalid_field', { field: 'cursor', text: 'cursor is not valid' });
}

/** The cursor of a list by id. Throws: `invalid_field`. */
export function idCursor(cursor: string): string {
  if (!ID.test(cursor)) throw invalidCursor();
  return cursor;
}

const ID = new RegExp(`^${ID_FORM}$`);
const TIME_CURSOR = new RegExp(String.raw`^(\S{19,30}Z) (${ID_FORM})$`);

/** The cursor of a list by time. */
export function timeCursor(at: Date, id: string): string {
  return `${at.toISOString()} ${id}`;
}

/** Throws: `invalid_field`. */
export function readTimeCursor(cursor: string): { readonly at: Date; readonly id: string } {
  const [, time = '', id = ''] = TIME_CURSOR.exec(cursor) ?? [];
  const at = parseIsoTime(time);
  if (at === undefined) throw invalidCursor();
  return { at, id };
}

/** A page of a list by time, newest first. @param read rows before a position. Throws: `invalid_field`. */
export async function pageByTime<Row>(
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
  read: (page: {
    readonly before: { readonly at: Date; readonly id: string } | undefined;
    readonly limit: number;
  }) => Promise<readonly Row[]>,
  placeOf: (row: Row) => { readonly at: Date; readonly id: string },
): Promise<{ readonly shown: readonly Row[]; readonly next: string | null }> {
  const before = cursor === undefined ? undefined : readTimeCursor(cursor);
  const found = await read({ before, limit: limit + 1 });
  return pageOf(found, limit, (row) => {
    const { at, id } = placeOf(row);
    return timeCursor(at, id);
  });
}

/** Where what people propose stands in its list. */
export const proposedPlace = ({
  row: { proposedAt: at, proposalId: id },
}: {
  readonly row: { readonly proposedAt: Date; readonly proposalId: string };
}) => ({ at, id });
