import type { ReadPart } from '../../platform/base/long-reads.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { FILE_PAGE_ROWS } from '../../platform/export/rows.ts';
import { statusOf } from '../create/payment.ts';
import type { ListCursor, ListedRow, ListFilter } from './list-store.ts';
import { beforeTime, listPayments } from './list.ts';
import { searchPayments } from './store.ts';
import type { PaymentRow } from './store.ts';
import { readTerm } from './term.ts';
import type { SearchTerm } from './term.ts';

/** Which payments to list: those of a period that match a filter, and a search term if there is one. */
export interface PaymentQuery {
  /** A text is read as everything that it may mean. */
  readonly term: string | SearchTerm | undefined;
  readonly filter: ListFilter;
  /** Created at or after this time. */
  readonly from: Date;
  /** Created before this time. */
  readonly to: Date;
}

/** Where the next page begins: in a list by time, or in what was found by a term. */
export type PageCursor =
  | { readonly kind: 'list'; readonly list: ListCursor }
  | { readonly kind: 'found'; readonly beforeId: string };

export type QueriedPayment = Omit<ListedRow, 'createdAtExactly'>;

export interface PaymentPage {
  /** Newest first. */
  readonly payments: readonly QueriedPayment[];
  /** Null: there are no older ones. A page may end early when few payments match. */
  readonly next: PageCursor | null;
  /** Everything created since then has been searched. */
  readonly searchedTo: Date | null;
}

/** One page, newest first. */
export async function queryPayments(
  pool: Pool,
  query: PaymentQuery,
  page: { readonly after: PageCursor | undefined; readonly limit: number },
): Promise<PaymentPage> {
  if (query.term !== undefined) return await pageOfFound(pool, { ...query, ...page }, query.term);
  const { filter, from, to } = query;
  const before = page.after?.kind === 'list' ? page.after.list : beforeTime(to);
  const { payments, next } = await listPayments(pool, filter, { from, before, limit: page.limit });
  return {
    payments,
    next: next === null ? null : { kind: 'list', list: next },
    searchedTo: next === null ? null : new Date(next.createdAt),
  };
}

/**
 * The pages of a whole list, for a file. It ends after `maxRows` payments.
 * @param read runs the reading of one page.
 */
export async function* allPages(
  pool: Pool,
  query: PaymentQuery,
  {
    maxRows,
    read = async (work) => await work(),
  }: { readonly maxRows: number; readonly read?: ReadPart },
): AsyncGenerator<PaymentPage> {
  let left = maxRows;
  let after: PageCursor | undefined;
  do {
    const page = { after, limit: Math.min(FILE_PAGE_ROWS, left) };
    const found = await read(async () => await queryPayments(pool, query, page));
    yield found;
    left -= found.payments.length;
    after = found.next ?? undefined;
  } while (after !== undefined && left > 0);
}

/** Matches of the term that are read at once, and how often, until a page is full. */
const CHUNK_ROWS = 200;
const MAX_CHUNKS = 5;

async function pageOfFound(
  pool: Pool,
  query: PaymentQuery & { readonly after: PageCursor | undefined; readonly limit: number },
  asked: string | SearchTerm,
): Promise<PaymentPage> {
  const { filter, from, to, limit } = query;
  const term = typeof asked === 'string' ? readTerm(asked) : asked;
  const matching: PaymentRow[] = [];
  let beforeId = query.after?.kind === 'found' ? query.after.beforeId : undefined;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    const { vendorId } = filter;
    const options = { limit: CHUNK_ROWS, from, to, vendorId, beforeId };
    const found = await searchPayments(pool, term, options);
    matching.push(...found.filter((row) => matches(row, filter)));
    const last = found.at(-1);
    if (matching.length > limit) {
      const payments = matching.slice(0, limit);
      return { payments, ...continuing(payments.at(-1)) };
    }
    if (last === undefined || found.length < CHUNK_ROWS) break;
    beforeId = last.paymentId;
    if (chunk === MAX_CHUNKS - 1) return { payments: matching, ...continuing(last) };
  }
  return { payments: matching, next: null, searchedTo: null };
}

function continuing(last: PaymentRow | undefined): Pick<PaymentPage, 'next' | 'searchedTo'> {
  if (last === undefined) return { next: null, searchedTo: null };
  return { next: { kind: 'found', beforeId: last.paymentId }, searchedTo: last.createdAt };
}

function matches(row: PaymentRow, filter: ListFilter): boolean {
  const { status, billerCode, operatorCode, minCents, maxCents } = filter;
  return (
    (status === undefined || statusOf(row.outcome, row.underWay) === status) &&
    (billerCode === undefined || row.billerCode === billerCode) &&
    (operatorCode === undefined || row.operatorCode === operatorCode) &&
    (minCents === undefined || row.amountCents >= minCents) &&
    (maxCents === undefined || row.amountCents <= maxCents)
  );
}
