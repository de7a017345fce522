import { Type } from 'typebox';
import type { VendorDirectory } from '../../parties/directory.ts';
import { listVendors } from '../../parties/store.ts';
import type { BillerCatalogue } from '../../payments/billers/catalogue.ts';
import type { Payments } from '../../payments/payments.ts';
import { findPayment } from '../../payments/timeline/find.ts';
import { queryPayments } from '../../payments/timeline/query.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { decodeReference } from '../../platform/base/ids.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { PaymentChoices, PaymentDetail, PaymentsAnswer } from '../answers.ts';
import { Download, route } from '../route.ts';
import type { AnyRoute, Viewer } from '../route.ts';
import { listedPayment } from './listed-payment.ts';
import { paymentDetail } from './payment-detail.ts';
import { exportPayments, readColumns } from './payments-export.ts';
import {
  exportQuery,
  listQuery,
  readCursor,
  readQuery,
  searchInLog,
  writeCursor,
} from './payments-query.ts';

const PAGE = 50;

export interface PaymentRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  readonly config: { readonly timeZone: string };
  readonly directory: Pick<VendorDirectory, 'vendor'>;
  readonly catalogue: Pick<BillerCatalogue, 'billers' | 'operators'>;
  readonly connectorOf: Payments['connectorOf'];
}

/** Lists, finds, exports and shows payments. */
export function paymentRoutes(options: PaymentRoutesOptions): AnyRoute[] {
  return [listRoute(options), exportRoute(options), choicesRoute(options), detailRoute(options)];
}

function listRoute(options: PaymentRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/payments',
    permission: 'payments.read',
    query: listQuery,
    handle: async ({ query: { cursor, ...asked } }, { viewer }): Promise<PaymentsAnswer> => {
      const { understood, ...query } = readQuery(asked, { ...options, viewer });
      const after = readCursor(cursor, query.term);
      const page = await queryPayments(options.pool, query, { after, limit: PAGE });
      return {
        understood,
        payments: page.payments.map(listedPayment),
        next: page.next === null ? null : writeCursor(page.next),
        searchedTo: page.searchedTo?.toISOString() ?? null,
      };
    },
  });
}

function exportRoute(options: PaymentRoutesOptions): AnyRoute {
  const { pool, wireTime, clock } = options;
  return route({
    method: 'GET',
    path: '/payments.csv',
    permission: 'payments.read',
    query: exportQuery,
    handle: async ({ query: { columns, ...asked } }, { viewer }) => {
      const { understood, ...query } = readQuery(asked, { ...options, viewer });
      const stamp = wireTime.format(clock.now()).replaceAll(':', '').replace(' ', '-');
      const { timeZone } = options.config;
      return new Download({
        name: `payments-${stamp}.csv`,
        type: 'text/csv; charset=utf-8',
        body: exportPayments(pool, query, { columns: readColumns(columns), wireTime, timeZone }),
        filter: { ...asked, columns, ...searchInLog(understood) },
      });
    },
  });
}

function choicesRoute({ pool, catalogue }: PaymentRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/payments/choices',
    permission: 'payments.read',
    handle: async (_input, { viewer }): Promise<PaymentChoices> => ({
      billers: catalogue.billers().map(({ billerCode, name }) => ({ code: billerCode, name })),
      operators: catalogue
        .operators()
        .map(({ operatorCode, name }) => ({ code: operatorCode, name })),
      vendors:
        viewer.vendor === undefined
          ? (await listVendors(pool)).map(({ vid, name }) => ({ code: vid, name }))
          : [],
    }),
  });
}

function detailRoute({ pool, connectorOf }: PaymentRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/payments/:reference',
    permission: 'payments.read',
    params: Type.Object({ reference: Type.String({ maxLength: 64 }) }),
    handle: async ({ params }, { viewer }): Promise<PaymentDetail> => {
      const payment = isVisible(params.reference, viewer)
        ? await findPayment(pool, params.reference)
        : undefined;
      if (payment === undefined) throw new Refusal('not_found');
      return paymentDetail(payment, { forStaff: viewer.vendor === undefined, connectorOf });
    },
  });
}

/** A vendor's people see no other vendor's payment. */
function isVisible(reference: string, { vendor }: Viewer): boolean {
  return (
    vendor === undefined || vendor.vendorId === decodeReference(reference.toUpperCase())?.vendorId
  );
}
