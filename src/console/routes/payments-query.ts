import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { VendorDirectory } from '../../parties/directory.ts';
import { PAYMENT_STATUSES } from '../../payments/create/payment.ts';
import type { PageCursor, PaymentQuery } from '../../payments/timeline/query.ts';
import { searchExactly, understandSearch } from '../../payments/timeline/understand.ts';
import type { Understood, UnderstoodSearch } from '../../payments/timeline/understand.ts';
import { parseIsoTime } from '../../platform/base/clock.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { ID_FORM } from '../../platform/base/ids.ts';
import { parseMoney } from '../../platform/base/money.ts';
import type { PaymentsAnswer } from '../answers.ts';
import type { Viewer } from '../route.ts';
import { invalidCursor } from '../../staff/pages.ts';
import { readEnd, readStart, time, untilNow } from './period.ts';

const filters = {
  status: Type.Optional(Type.Enum([...PAYMENT_STATUSES])),
  biller: Type.Optional(Type.String({ maxLength: 40 })),
  operator: Type.Optional(Type.String({ maxLength: 40 })),
  vid: Type.Optional(Type.String({ maxLength: 64 })),
  min: Type.Optional(Type.String({ maxLength: 16 })),
  max: Type.Optional(Type.String({ maxLength: 16 })),
  from: Type.Optional(time),
  to: Type.Optional(time),
};

/** The filters of the list, which may be in a URL. */
export const listQuery = Type.Object(
  { ...filters, cursor: Type.Optional(Type.String({ maxLength: 200 })) },
  { additionalProperties: false },
);
/** What may be personal data, and is therefore never in a URL, which proxies and browsers keep. */
const searchFields = {
  /** A reference, account, phone number, vendor, amount or day, or several of them. */
  search: Type.Optional(Type.String({ maxLength: 100 })),
  /** `text`: the search text is an account or a reference, whatever it looks like. */
  as: Type.Optional(Type.Enum(['text'])),
};
/** The filters of the list with a search text. */
export const searchBody = Type.Object(
  { ...filters, ...searchFields, cursor: Type.Optional(Type.String({ maxLength: 200 })) },
  { additionalProperties: false },
);
/** The same, with the format of an export and its columns, separated by commas. */
export const exportBody = Type.Object(
  {
    ...filters,
    ...searchFields,
    columns: Type.Optional(Type.String({ maxLength: 300 })),
    format: Type.Enum(['csv', 'xlsx']),
  },
  { additionalProperties: false },
);
type Asked = Omit<Static<typeof searchBody>, 'cursor'>;

export interface QueryContext {
  readonly viewer: Viewer;
  readonly directory: Pick<VendorDirectory, 'vendor'>;
  readonly clock: Clock;
  readonly wireTime: WireTime;
}

/** Without `from`, the list goes back to the beginning; without `to`, it begins now. */
const BEGINNING = new Date(0);
const END = new Date(8.64e15);

/** What was asked for. Throws: `invalid_field`, `not_found` for an unknown vendor. */
export function readQuery(
  asked: Asked,
  context: QueryContext,
): PaymentQuery & Pick<PaymentsAnswer, 'understood'> {
  const { wireTime, clock } = context;
  const search = readSearch(asked, context);
  const amount = search?.amountCents;
  const to = readEnd(asked.to, 'to', wireTime) ?? search?.period?.to ?? END;
  return {
    understood: search?.understood ?? [],
    term: search?.term,
    filter: {
      vendorId: vendorOf(asked.vid ?? search?.vid, context),
      status: asked.status,
      billerCode: asked.biller,
      operatorCode: asked.operator,
      minCents: asked.min === undefined ? amount : parseMoney(asked.min, 'min'),
      maxCents: asked.max === undefined ? amount : parseMoney(asked.max, 'max'),
    },
    from: readStart(asked.from, 'from', wireTime) ?? search?.period?.from ?? BEGINNING,
    to: untilNow(to, clock.now()),
  };
}

function readSearch(
  asked: Asked,
  { viewer, directory, clock, wireTime }: QueryContext,
): UnderstoodSearch | undefined {
  if (asked.search === undefined || asked.search.trim() === '') return undefined;
  if (asked.as === 'text') return searchExactly(asked.search);
  return understandSearch(asked.search, {
    // A vendor's people see nothing about other vendors.
    isVendor: (vid) => viewer.vendor === undefined && directory.vendor(vid) !== undefined,
    now: clock.now(),
    wireTime,
  });
}

const SHOWN_END = 3;

/**
 * What the audit log keeps of a search: the text, but only the last characters of a phone number or
 * an account, by which a person who knows it can recognise it.
 */
export function searchInLog(understood: readonly Understood[]): {
  readonly search?: readonly Understood[];
} {
  if (understood.length === 0) return {};
  return {
    search: understood.map((part) =>
      isPersonal(part) ? { ...part, value: `…${endOf(part.value)}` } : part,
    ),
  };
}

function isPersonal({ kind }: Understood): boolean {
  return kind === 'phone' || kind === 'text';
}

function endOf(value: string): string {
  // Whole characters: a rare one, such as an emoji, is two units of the string.
  const characters = Array.from(value);
  return characters.length > 2 * SHOWN_END ? characters.slice(-SHOWN_END).join('') : '';
}

/**
 * The vendor whose payments are shown: the viewer's own, otherwise the one asked for.
 * Throws: `not_found` for an unknown vendor.
 */
function vendorOf(
  vid: string | undefined,
  { viewer, directory }: QueryContext,
): number | undefined {
  if (viewer.vendor !== undefined) return viewer.vendor.vendorId;
  if (vid === undefined) return undefined;
  const found = directory.vendor(vid);
  if (found === undefined) throw new Refusal('not_found', { field: 'vid', text: 'Unknown vendor' });
  return found.vendorId;
}

export function writeCursor(cursor: PageCursor): string {
  const { kind } = cursor;
  return kind === 'found'
    ? cursor.beforeId
    : `${cursor.list.createdAt} ${cursor.list.paymentId} ${cursor.list.spanMs}`;
}

const LIST_CURSOR = new RegExp(String.raw`^(\S{19,30}Z) (${ID_FORM}) (\d{4,13})$`);
const FOUND_CURSOR = new RegExp(`^${ID_FORM}$`);

/** Throws: `invalid_field`. */
export function readCursor(cursor: string | undefined, term: unknown): PageCursor | undefined {
  if (cursor === undefined) return undefined;
  if (term !== undefined && FOUND_CURSOR.test(cursor)) return { kind: 'found', beforeId: cursor };
  const [, createdAt = '', paymentId = '', span] = LIST_CURSOR.exec(cursor) ?? [];
  if (term === undefined && parseIsoTime(createdAt) !== undefined) {
    return { kind: 'list', list: { createdAt, paymentId, spanMs: Number(span) } };
  }
  throw invalidCursor();
}
