import { Type } from 'typebox';
import type { Static } from 'typebox';
import { PAYMENT_STATUSES, statusOf } from '../../payments/create/payment.ts';
import { findPayment, findPayments } from '../../payments/timeline/find.ts';
import { beforeTime, listPayments } from '../../payments/timeline/list.ts';
import type { ListCursor, ListedRow, ListFilter } from '../../payments/timeline/list-store.ts';
import type { VendorDirectory } from '../../parties/directory.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { decodeReference, encodeReference } from '../../platform/base/ids.ts';
import { formatMoney, parseMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { ListedPayment, PaymentDetail, PaymentsAnswer } from '../answers.ts';
import { route } from '../route.ts';
import type { AnyRoute, Viewer } from '../route.ts';
import { paymentDetail } from './payment-detail.ts';
import { instant, readInstant } from './period.ts';

const PAGE = 50;
/** Without `from`, the list goes back to the beginning. */
const BEGINNING = new Date(0);

const query = Type.Object(
  {
    /** A reference, account, phone number or merchant reference. */
    search: Type.Optional(Type.String({ maxLength: 100 })),
    status: Type.Optional(Type.Enum([...PAYMENT_STATUSES])),
    biller: Type.Optional(Type.String({ maxLength: 40 })),
    operator: Type.Optional(Type.String({ maxLength: 40 })),
    vid: Type.Optional(Type.String({ maxLength: 64 })),
    min: Type.Optional(Type.String({ maxLength: 16 })),
    max: Type.Optional(Type.String({ maxLength: 16 })),
    from: Type.Optional(instant),
    to: Type.Optional(instant),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: false },
);

export interface PaymentRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly directory: Pick<VendorDirectory, 'vendor'>;
}

/** Lists, finds and shows payments. */
export function paymentRoutes(options: PaymentRoutesOptions): AnyRoute[] {
  const { pool, clock } = options;
  return [
    route({
      method: 'GET',
      path: '/payments',
      permission: 'payments.read',
      query,
      handle: async ({ query: asked }, { viewer }): Promise<PaymentsAnswer> => {
        const vendorId = vendorOf(asked.vid, viewer, options);
        if (asked.search !== undefined && asked.search.trim() !== '') {
          return await search(pool, asked.search, { asked, vendorId });
        }
        const page = await listPayments(
          pool,
          { ...filterOf(asked), vendorId },
          {
            from: readInstant(asked.from, 'from') ?? BEGINNING,
            before: readCursor(asked) ?? beforeTime(readInstant(asked.to, 'to') ?? later(clock)),
            limit: PAGE,
          },
        );
        return {
          payments: page.payments.map(listed),
          next: page.next === null ? null : writeCursor(page.next),
          searchedTo: page.next?.createdAt ?? null,
        };
      },
    }),
    route({
      method: 'GET',
      path: '/payments/:reference',
      permission: 'payments.read',
      params: Type.Object({ reference: Type.String({ maxLength: 64 }) }),
      handle: async ({ params }, { viewer }): Promise<PaymentDetail> => {
        const location = decodeReference(params.reference.toUpperCase());
        const isOwn = viewer.vendor === undefined || viewer.vendor.vendorId === location?.vendorId;
        const payment = isOwn ? await findPayment(pool, params.reference) : undefined;
        if (payment === undefined) throw new Refusal('not_found');
        return paymentDetail(payment, { forStaff: viewer.vendor === undefined });
      },
    }),
  ];
}

/**
 * The vendor whose payments are shown: the viewer's own, otherwise the one asked for.
 * Throws: `not_found` for an unknown vendor.
 */
function vendorOf(
  vid: string | undefined,
  { vendor }: Viewer,
  { directory }: PaymentRoutesOptions,
): number | undefined {
  if (vendor !== undefined) return vendor.vendorId;
  if (vid === undefined) return undefined;
  const found = directory.vendor(vid);
  if (found === undefined) throw new Refusal('not_found', { field: 'vid', text: 'Unknown vendor' });
  return found.vendorId;
}

function filterOf(asked: Static<typeof query>): ListFilter {
  return {
    status: asked.status,
    billerCode: asked.biller,
    operatorCode: asked.operator,
    minCents: asked.min === undefined ? undefined : parseMoney(asked.min, 'min'),
    maxCents: asked.max === undefined ? undefined : parseMoney(asked.max, 'max'),
  };
}

/** The clocks of other processes may be ahead. */
function later(clock: Clock): Date {
  return new Date(clock.now().getTime() + 60_000);
}

async function search(
  pool: Pool,
  text: string,
  of: { readonly asked: Static<typeof query>; readonly vendorId: number | undefined },
): Promise<PaymentsAnswer> {
  const { payments } = await findPayments(pool, text, {
    limit: PAGE,
    from: readInstant(of.asked.from, 'from'),
    to: readInstant(of.asked.to, 'to'),
    vendorId: of.vendorId,
  });
  return {
    payments: payments.map(({ reference, status, payment }) => ({
      ...listed(payment),
      reference,
      status,
    })),
    next: null,
    searchedTo: null,
  };
}

function listed(row: Omit<ListedRow, 'createdAtExactly'>): ListedPayment {
  return {
    reference: encodeReference(row.vendorId, row.paymentId),
    vid: row.vid,
    status: statusOf(row.outcome, row.underWay),
    biller: row.billerCode,
    operator: row.operatorCode,
    account: row.account,
    phone: row.phone,
    amount: formatMoney(row.amountCents),
    fee: formatMoney(row.feeCents),
    merchantReference: row.merchantReference,
    createdAt: row.createdAt.toISOString(),
    settledAt: row.settledAt?.toISOString() ?? null,
  };
}

function writeCursor({ createdAt, paymentId, spanMs }: ListCursor): string {
  return Buffer.from(`${createdAt} ${paymentId} ${spanMs}`).toString('base64url');
}

/** Throws: `invalid_field`. */
function readCursor({ cursor }: Static<typeof query>): ListCursor | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, createdAt, paymentId, span] =
    /^(\S{19,30}Z) ([0-9a-f-]{36}) (\d{5,13})$/.exec(text) ?? [];
  if (createdAt === undefined || paymentId === undefined) {
    throw new Refusal('invalid_field', { field: 'cursor', text: 'cursor is not valid' });
  }
  readInstant(createdAt, 'cursor');
  return { createdAt, paymentId, spanMs: Number(span) };
}
