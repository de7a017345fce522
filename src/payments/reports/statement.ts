import { NO_ID } from '../../platform/base/ids.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { searchForwards } from '../../platform/db/search-by-time.ts';
import { readHousePeriod, readVendorsPeriod } from '../house/store.ts';
import type { AccountPeriod, BookPeriod, HouseTransferRow } from '../house/store.ts';
import { isOwnTermsAccount, movementName } from '../ledger/account.ts';
import { findVendorTransfers, readCompleteUntil, readPairs } from '../ledger/sums.ts';
import { takeYourTime } from '../ledger/sums-store.ts';
import type { PairSum } from '../ledger/sums-store.ts';
import type { EntryCursor, EntryRow } from './ledger-entries-store.ts';
import {
  changeOf,
  floatAccount,
  floatChangeOf,
  foldOwnTerms,
  isOwnAccount,
} from './statement-accounts.ts';
import type { Balances, StatementOf } from './statement-accounts.ts';
import { listHousePeriod, listTransfersOfSpan } from './statement-store.ts';
import type { TransferFilter } from './statement-store.ts';
import { findSources, houseSourceOf } from './sources.ts';
import type { HouseSource, TransferSource } from './sources.ts';

/** The effect of one kind of movement in a period. */
export interface MovementSum {
  readonly movement: string;
  readonly count: number;
  readonly changeCents: bigint;
}

/** A statement without its lines. `to` is the end of what is complete. */
export interface StatementHead extends BookPeriod {
  /** It ends before the period that was asked for, because something may still be added to the rest. */
  readonly endsEarly: boolean;
  readonly openingCents: bigint;
  readonly closingCents: bigint;
  /** The part of the vendor's money that is its float; 0 in an operator's statement. */
  readonly openingFloatCents: bigint;
  readonly closingFloatCents: bigint;
  /** Each account, credits above zero. */
  readonly opening: Balances;
  readonly closing: Balances;
  /** Sum to closing less opening. */
  readonly movements: readonly MovementSum[];
  readonly count: number;
}

export interface StatementLine {
  readonly at: Date;
  /** Null: the transfer is in our own books. */
  readonly vendorId: number | null;
  readonly sourceId: string;
  readonly leg: number;
  readonly movement: string;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: bigint;
  /** Change of the statement's balance; 0: the money only moved between accounts of it. */
  readonly changeCents: bigint;
  /** After it. */
  readonly balanceCents: bigint;
  /** The vendor's float after it; 0 of an operator. */
  readonly floatCents: bigint;
  readonly source: TransferSource | HouseSource;
}

/** Where the next page begins, with what was there before it. */
export interface StatementCursor extends EntryCursor {
  readonly balanceCents: bigint;
  readonly floatCents: bigint;
}

export interface StatementPage {
  /** Oldest first. */
  readonly lines: readonly StatementLine[];
  /** Null: the period ends here. A page may end early when few transfers match. */
  readonly next: StatementCursor | null;
}

/**
 * Reads the balances before a period and at its end, and sums the movements between. Reads one
 * snapshot, up to the time before which nothing can be added any more: a movement that is committed
 * later has a later time, and so is on none of the pages.
 */
export async function readStatementHead(
  pool: Pool,
  of: StatementOf,
  asked: BookPeriod,
): Promise<StatementHead> {
  // Before the snapshot, so that what has ended by then is in it.
  const complete = await readCompleteUntil(pool);
  const to = new Date(Math.max(Number(asked.from), Math.min(Number(asked.to), Number(complete))));
  const period = { from: asked.from, to };
  return await snapshot(pool, async (client) => {
    await takeYourTime(client);
    const posted = await readPairs(client, period, filterOf(of));
    const accounts = await readAccounts(client, of, { ...period, posted });
    const [opening, closing] = [new Map<string, bigint>(), new Map<string, bigint>()];
    for (const { account, openingCents, creditCents, debitCents } of accounts) {
      opening.set(account, openingCents);
      closing.set(account, openingCents + creditCents - debitCents);
    }
    const movements = await readMovements(client, of, { ...period, posted });
    return {
      ...period,
      endsEarly: to < asked.to,
      openingCents: balanceOf(of, opening),
      closingCents: balanceOf(of, closing),
      openingFloatCents: opening.get('float') ?? 0n,
      closingFloatCents: closing.get('float') ?? 0n,
      opening: foldOwnTerms(of, opening),
      closing: foldOwnTerms(of, closing),
      movements,
      count: movements.reduce((sum, { count }) => sum + count, 0),
    };
  });
}

/** With what was posted to the statement's accounts in the period. */
interface PostedPeriod extends BookPeriod {
  readonly posted: readonly PairSum[];
}

async function readAccounts(
  db: Queryable,
  of: StatementOf,
  period: PostedPeriod,
): Promise<AccountPeriod[]> {
  const { posted } = period;
  if (of.kind === 'vendor') {
    const { vendorId } = of;
    return await readVendorsPeriod(db, period, { vendorId, account: null }, posted);
  }
  const vendors = await readVendorsPeriod(db, period, { vendorId: null, account: null }, posted);
  const accounts = [...(await readHousePeriod(db, period)), ...vendors];
  return accounts.filter(({ account }) => isOwnAccount(of, account));
}

function balanceOf(of: StatementOf, balances: Balances): bigint {
  const nowhere = '';
  let sum = 0n;
  for (const [account, amountCents] of balances) {
    sum += changeOf(of, { debitAccount: nowhere, creditAccount: account, amountCents });
  }
  return sum;
}

async function readMovements(
  db: Queryable,
  of: StatementOf,
  period: PostedPeriod,
): Promise<MovementSum[]> {
  const { posted } = period;
  const pairs = filterOf(of).withOwnTerms ? posted : posted.filter((pair) => !isOfOwnTerms(pair));
  const sums = [
    ...(await readHouse(db, of, period)).map((row) => ({
      movement: houseMovement(row),
      count: 1,
      changeCents: changeOf(of, row),
    })),
    ...pairs.map((pair) => ({
      movement: movementName(pair.debitAccount, pair.creditAccount),
      count: pair.count,
      changeCents: changeOf(of, pair),
    })),
  ];
  const byName = new Map<string, MovementSum>();
  for (const sum of sums) {
    const { count = 0, changeCents = 0n } = byName.get(sum.movement) ?? {};
    const total = { count: sum.count + count, changeCents: sum.changeCents + changeCents };
    byName.set(sum.movement, { movement: sum.movement, ...total });
  }
  return [...byName.values()];
}

const isOfOwnTerms = ({ debitAccount, creditAccount }: PairSum): boolean =>
  isOwnTermsAccount(debitAccount) || isOwnTermsAccount(creditAccount);

function filterOf(of: StatementOf): TransferFilter {
  if (of.kind === 'vendor') {
    return { vendorId: of.vendorId, accounts: null, withOwnTerms: of.withOwnTerms };
  }
  const accounts = [`operator:${of.operatorCode}`, `receivable:${of.operatorCode}`];
  return { vendorId: null, accounts, withOwnTerms: true };
}

async function readHouse(
  db: Queryable,
  of: StatementOf,
  period: BookPeriod,
): Promise<HouseTransferRow[]> {
  if (of.kind === 'vendor') return [];
  return await listHousePeriod(db, floatAccount(of.operatorCode), period);
}

const houseMovement = ({ source }: HouseTransferRow): string => source.replace('_', ' ');

/** The first span that is searched: a busy vendor has about a page of transfers in it. */
const BUSY_PAGE_MS = 60_000;

function cursorAt(time: Date, spanMs = BUSY_PAGE_MS): EntryCursor {
  return { createdAt: time.toISOString(), vendorId: 0, sourceId: NO_ID, leg: 0, spanMs };
}

/** Before the first line. */
export function firstCursor(head: StatementHead): StatementCursor {
  const { from, openingCents: balanceCents, openingFloatCents: floatCents } = head;
  return { ...cursorAt(from), balanceCents, floatCents };
}

interface PageRequest {
  readonly after: StatementCursor;
  readonly to: Date;
  readonly limit: number;
}

/** Some lines of a statement, oldest first; none if there are no further ones. */
export async function readStatementPage(
  pool: Pool,
  of: StatementOf,
  request: PageRequest,
): Promise<StatementPage> {
  let page = await searchPage(pool, of, request);
  while (page.lines.length === 0 && page.next !== null) {
    page = await searchPage(pool, of, { ...request, after: page.next });
  }
  return page;
}

/** Reads one page, or stops early because the search takes long, perhaps with nothing found. */
async function searchPage(
  pool: Pool,
  of: StatementOf,
  { after, to, limit }: PageRequest,
): Promise<StatementPage> {
  const { rows, next } = await searchForwards<EntryRow, EntryCursor>({
    end: to,
    from: after,
    limit,
    readSpan: (edge, from, count) =>
      listTransfersOfSpan(pool, filterOf(of), { from, to: edge, limit: count }),
    after: ({ createdAtExactly: createdAt, vendorId, sourceId, leg }, spanMs) => ({
      ...{ createdAt, vendorId, sourceId, leg, spanMs },
    }),
    at: cursorAt,
    skip: of.kind === 'vendor' ? (from) => findVendorTransfers(pool, of.vendorId, from) : undefined,
  });
  const sources = await findSources(pool, rows);
  const found = rows.flatMap((row, index): Unsummed[] => {
    const source = sources[index];
    if (source === undefined) return [];
    const movement = movementName(row.debitAccount, row.creditAccount);
    return [{ ...row, at: row.createdAt, movement, source }];
  });
  const window = { from: firstOfHouse(after), to: next === null ? to : firstOfHouse(next) };
  const house = (await readHouse(pool, of, window)).map(houseLine);
  const lines = running(of, after, [...found, ...house].toSorted(byTime));
  const { balanceCents, floatCents } = lines.at(-1) ?? after;
  return { lines, next: next && { ...next, balanceCents, floatCents } };
}

type Unsummed = Omit<StatementLine, 'changeCents' | 'balanceCents' | 'floatCents'>;

const byTime = (one: Unsummed, other: Unsummed): number => Number(one.at) - Number(other.at);

/** The first millisecond whose transfers of the house, which have whole ones, follow the cursor. */
function firstOfHouse({ createdAt, sourceId }: EntryCursor): Date {
  return new Date(Date.parse(createdAt) + (sourceId === NO_ID ? 0 : 1));
}

function houseLine(row: HouseTransferRow): Unsummed {
  const { debitAccount, creditAccount, amountCents } = row;
  return {
    at: row.movedAt,
    vendorId: null,
    sourceId: row.transferId,
    leg: 1,
    movement: houseMovement(row),
    ...{ debitAccount, creditAccount, amountCents },
    source: houseSourceOf(row),
  };
}

/** Adds up the lines, in their order. */
function running(
  of: StatementOf,
  before: Pick<StatementCursor, 'balanceCents' | 'floatCents'>,
  lines: readonly Unsummed[],
): StatementLine[] {
  let { balanceCents, floatCents } = before;
  return lines.map((line) => {
    const changeCents = changeOf(of, line);
    balanceCents += changeCents;
    floatCents += floatChangeOf(of, line);
    return { ...line, changeCents, balanceCents, floatCents };
  });
}
