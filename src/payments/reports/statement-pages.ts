import { readVids } from '../../parties/read-vendors.ts';
import { parseIsoTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { BookPeriod } from '../house/store.ts';
import { cursorText, readCursorText } from './ledger-entries.ts';
import { firstCursor, readStatementHead, readStatementPage } from './statement.ts';
import type { StatementCursor, StatementHead, StatementLine } from './statement.ts';
import type { StatementOf } from './statement-accounts.ts';

/** A page of an account statement. */
export interface StatementPart {
  /** Null: this is not the first page. */
  readonly head: StatementHead | null;
  readonly lines: readonly StatementLine[];
  /** The end of the statement. */
  readonly to: Date;
  /** What is there after the last line of the page. */
  readonly after: Pick<StatementLine, 'balanceCents' | 'floatCents'>;
  /** Of the vendors in the lines; empty if all are of one vendor. */
  readonly vids: ReadonlyMap<number, string>;
  /** The cursor of the next page; null: the statement ends here. */
  readonly next: string | null;
}

/** @param page its cursor, or the period of the first page. Throws: `invalid_field`. */
export async function readStatementPart(
  pool: Pool,
  of: StatementOf,
  page: (BookPeriod | { readonly cursor: string }) & { readonly limit: number },
): Promise<StatementPart> {
  const head = 'cursor' in page ? null : await readStatementHead(pool, of, page);
  const { after, to } = 'cursor' in page ? readCursor(page.cursor) : beginOf(head as StatementHead);
  const { lines, next } = await readStatementPage(pool, of, { after, to, limit: page.limit });
  return {
    ...{ head, lines, to, after: lines.at(-1) ?? after },
    vids: of.kind === 'operator' ? await readVids(pool) : new Map(),
    next: next && writeCursor(next, to),
  };
}

const beginOf = (head: StatementHead) => ({ after: firstCursor(head), to: head.to });

/** With the end of the period, and what was there: the next page goes on from it. */
function writeCursor(cursor: StatementCursor, to: Date): string {
  const { balanceCents, floatCents } = cursor;
  return [to.toISOString(), balanceCents, floatCents, cursorText(cursor)].join(' ');
}

/** Throws: `invalid_field`. */
function readCursor(cursor: string): { readonly after: StatementCursor; readonly to: Date } {
  const [, end = '', balance = '', float = '', entry = ''] =
    /^(\S{24}) (-?\d{1,18}) (-?\d{1,18}) (.*)$/.exec(cursor) ?? [];
  const to = parseIsoTime(end);
  if (to === undefined) {
    throw new Refusal('invalid_field', { field: 'cursor', text: 'cursor is not valid' });
  }
  const sums = { balanceCents: BigInt(balance), floatCents: BigInt(float) };
  return { to, after: { ...readCursorText(entry), ...sums } };
}
