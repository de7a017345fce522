import { findVendor, listVendors } from '../../parties/read-vendors.ts';
import { parseIsoTime } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { ID_FORM } from '../../platform/base/ids.ts';
import { parseMoney } from '../../platform/base/money.ts';
import { readEnd, readStart, untilNow } from '../../platform/base/period.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { PaymentStatus } from '../create/payment.ts';
import type { PageCursor, PaymentQuery } from './query.ts';
import { searchExactly, understandSearch } from './understand.ts';
import type { Understood, UnderstoodSearch } from './understand.ts';

/** The filters of a list of payments, as people write them. */
export interface AskedPayments {
  readonly status?: PaymentStatus | undefined;
  readonly biller?: string | undefined;
  readonly operator?: string | undefined;
  readonly vid?: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  /** A day, or an instant in ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** A reference, account, phone number, vendor, amount or day, or several of them. */
  readonly search?: string | undefined;
  /** `text`: the search text is an account or a reference, whatever it looks like. */
  readonly as?: 'text' | undefined;
}

export interface AskingFor {
  /** Undefined: payments of all vendors. */
  readonly vendorId: number | undefined;
  readonly now: Date;
  readonly wireTime: WireTime;
}

/** Without `from`, the list goes back to the beginning; without `to`, it begins now. */
const BEGINNING = new Date(0);
const END = new Date(8.64e15);

/** Throws: `invalid_field`, `not_found` for an unknown vendor. */
export async function readAsked(
  db: Queryable,
  asked: AskedPayments,
  by: AskingFor,
): Promise<PaymentQuery & { readonly understood: readonly Understood[] }> {
  const { wireTime, now } = by;
  const from = readStart(asked.from, 'from', wireTime);
  const to = readEnd(asked.to, 'to', wireTime);
  if (from !== undefined && to !== undefined && from >= to) {
    throw new Refusal('invalid_field', { field: 'to', text: 'to must not be before from' });
  }
  const search = await readSearch(db, asked, by);
  const amount = search?.amountCents;
  return {
    understood: search?.understood ?? [],
    term: search?.term,
    filter: {
      vendorId: by.vendorId ?? (await vendorOf(db, asked.vid ?? search?.vid)),
      status: asked.status,
      billerCode: asked.biller?.toLowerCase(),
      operatorCode: asked.operator?.toLowerCase(),
      minCents: asked.min === undefined ? amount : parseMoney(asked.min, 'min'),
      maxCents: asked.max === undefined ? amount : parseMoney(asked.max, 'max'),
    },
    from: from ?? search?.period?.from ?? BEGINNING,
    to: untilNow(to ?? search?.period?.to ?? END, now),
  };
}

async function readSearch(
  db: Queryable,
  { search = '', as }: AskedPayments,
  { vendorId, ...context }: AskingFor,
): Promise<UnderstoodSearch | undefined> {
  if (search.trim() === '') return undefined;
  if (as === 'text') return searchExactly(search);
  const vendors = new Set<string>();
  // A vendor's people see nothing about other vendors.
  for (const word of vendorId === undefined ? new Set(search.trim().split(/\s+/)) : []) {
    if ((await findVendor(db, word)) !== undefined) vendors.add(word);
  }
  return understandSearch(search, { ...context, isVendor: (vid) => vendors.has(vid) });
}

/** Throws: `not_found`. */
async function vendorOf(db: Queryable, vid: string | undefined): Promise<number | undefined> {
  if (vid === undefined) return undefined;
  const found = await findVendor(db, vid);
  if (found === undefined) throw new Refusal('not_found', { field: 'vid', text: 'Unknown vendor' });
  return found.vendorId;
}

/** A value of a filter, and its name for people. */
interface Choice {
  readonly code: string;
  readonly name: string;
}

/** The values by which lists of payments can be filtered. @param vendorId as in `AskingFor`. */
export async function readChoices(
  db: Queryable,
  catalogue: Pick<BillerCatalogue, 'billers' | 'operators'>,
  vendorId: number | undefined,
): Promise<Record<'billers' | 'operators' | 'vendors', Choice[]>> {
  const vendors = vendorId === undefined ? await listVendors(db) : [];
  return {
    billers: catalogue.billers().map(({ billerCode: code, name }) => ({ code, name })),
    operators: catalogue.operators().map(({ operatorCode: code, name }) => ({ code, name })),
    vendors: vendors.map(({ vid: code, name }) => ({ code, name })),
  };
}

/** The position where the next page begins, as text. */
export function writePosition({ next }: { readonly next: PageCursor | null }): string | null {
  if (next === null) return null;
  if (next.kind === 'found') return next.beforeId;
  const { createdAt, paymentId, spanMs } = next.list;
  return `${createdAt} ${paymentId} ${spanMs}`;
}

const LIST_POSITION = new RegExp(String.raw`^(\S{19,30}Z) (${ID_FORM}) (\d{4,13})$`);
const FOUND_POSITION = new RegExp(`^${ID_FORM}$`);

/** Throws: `invalid_field`. */
export function readPosition(
  text: string | undefined,
  { term }: Pick<PaymentQuery, 'term'>,
): PageCursor | undefined {
  if (text === undefined) return undefined;
  if (term !== undefined && FOUND_POSITION.test(text)) return { kind: 'found', beforeId: text };
  const [, createdAt = '', paymentId = '', span] = LIST_POSITION.exec(text) ?? [];
  if (term === undefined && parseIsoTime(createdAt) !== undefined) {
    return { kind: 'list', list: { createdAt, paymentId, spanMs: Number(span) } };
  }
  throw new Refusal('invalid_field', { field: 'cursor', text: 'cursor is not valid' });
}
