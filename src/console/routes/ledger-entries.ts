import { readVids } from '../../parties/store.ts';
import type { Books } from '../../payments/house/account.ts';
import { listHouseTransfers } from '../../payments/house/store.ts';
import type { BookPeriod, HouseTransferRow } from '../../payments/house/store.ts';
import { listLedgerEntries } from '../../payments/reports/ledger-entries.ts';
import type { LedgerEntry } from '../../payments/reports/ledger-entries.ts';
import { houseSourceOf } from '../../payments/reports/sources.ts';
import type { EntryCursor } from '../../payments/reports/ledger-entries-store.ts';
import { parseIsoTime } from '../../platform/base/clock.ts';
import { ID_FORM } from '../../platform/base/ids.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { AccountAnswer, LedgerEntryView } from '../finance-answers.ts';
import { invalidCursor, pageOf, readTimeCursor, timeCursor } from '../../staff/pages.ts';

const PAGE = 50;

/** One page of the transfers of an account, newest first. Throws: `invalid_field`. */
export async function listAccountEntries(
  pool: Pool,
  of: { readonly books: Books; readonly account: string; readonly vendorId: number | null },
  page: BookPeriod & { readonly cursor: string | undefined },
): Promise<Pick<AccountAnswer, 'entries' | 'next'>> {
  if (of.books === 'house') return await listHouseEntries(pool, of.account, page);
  const after = page.cursor === undefined ? undefined : readCursorText(page.cursor);
  const { entries, next } = await listLedgerEntries(pool, of, { ...page, after, limit: PAGE });
  const vids = await readVids(pool);
  return {
    entries: entries.map((entry) => entryView(entry, vids.get(entry.vendorId) ?? null)),
    next: next === null ? null : cursorText(next),
  };
}

function entryView(entry: LedgerEntry, vid: string | null): LedgerEntryView {
  return {
    id: `${entry.vendorId} ${entry.sourceId} ${entry.leg}`,
    at: entry.createdAtExactly,
    movedAt: null,
    vid,
    movement: entry.movement,
    debitAccount: entry.debitAccount,
    creditAccount: entry.creditAccount,
    amount: formatMoney(entry.amountCents),
    source: entry.source,
  };
}

async function listHouseEntries(
  pool: Pool,
  account: string,
  { from, to, cursor }: BookPeriod & { readonly cursor: string | undefined },
): Promise<Pick<AccountAnswer, 'entries' | 'next'>> {
  const rows = await listHouseTransfers(pool, {
    account,
    period: { from, to },
    before: cursor === undefined ? null : readHouseCursor(cursor),
    limit: PAGE + 1,
  });
  const { shown, next } = pageOf(rows, PAGE, ({ postedAt, transferId }) =>
    timeCursor(postedAt, transferId),
  );
  return { entries: shown.map(houseEntryView), next };
}

function houseEntryView(row: HouseTransferRow): LedgerEntryView {
  return {
    id: row.transferId,
    at: row.postedAt.toISOString(),
    movedAt: row.movedAt.toISOString(),
    vid: null,
    movement: row.source.replace('_', ' '),
    debitAccount: row.debitAccount,
    creditAccount: row.creditAccount,
    amount: formatMoney(row.amountCents),
    source: houseSourceOf(row),
  };
}

const CURSOR = new RegExp(String.raw`^(\S{19,30}Z) (\d{1,9}) (${ID_FORM}) (\d) (\d{4,13})$`);

export function cursorText({ createdAt, vendorId, sourceId, leg, spanMs }: EntryCursor): string {
  return [createdAt, vendorId, sourceId, leg, spanMs].join(' ');
}

/** Throws: `invalid_field`. */
export function readCursorText(text: string): EntryCursor {
  const [, createdAt = '', vendorId, sourceId = '', leg, span] = CURSOR.exec(text) ?? [];
  if (parseIsoTime(createdAt) === undefined) throw invalidCursor();
  const numbers = { vendorId: Number(vendorId), leg: Number(leg), spanMs: Number(span) };
  return { createdAt, sourceId, ...numbers };
}

/** Throws: `invalid_field`. */
function readHouseCursor(cursor: string): { postedAt: Date; transferId: string } {
  const { at: postedAt, id: transferId } = readTimeCursor(cursor);
  return { postedAt, transferId };
}
