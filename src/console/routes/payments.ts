import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { VendorDirectory } from '../../parties/directory.ts';
import { listVendors } from '../../parties/store.ts';
import type { BillerCatalogue } from '../../payments/billers/catalogue.ts';
import type { Payments } from '../../payments/payments.ts';
import { refuseUnknown, requireNoneLost } from '../../payments/quarantine/unknown.ts';
import { findPayment } from '../../payments/timeline/find.ts';
import { findLostCases } from '../../payments/timeline/lost.ts';
import { listOpenProposals } from '../../payments/cases/case-proposals.ts';
import { queryPayments } from '../../payments/timeline/query.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { decodeReference } from '../../parties/reference.ts';
import { partsInTurn } from '../../platform/base/long-reads.ts';
import type { LongReads } from '../../platform/base/long-reads.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { PaymentChoices, PaymentDetail, PaymentsAnswer } from '../answers.ts';
import { Download, longReaderOf, readInVendorsTurn, route } from '../route.ts';
import type { AnyRoute, RouteContext, Viewer } from '../route.ts';
import { caseViewOf } from '../../staff/case-core.ts';
import { listedPayment } from './listed-payment.ts';
import { paymentDetail } from './payment-detail.ts';
import { paymentsTable, readColumns } from './payments-export.ts';
import { fileOf } from './table-file.ts';
import {
  exportBody,
  listQuery,
  readCursor,
  readQuery,
  searchBody,
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
  readonly witnessOf: Payments['witnessOf'];
  readonly reads: LongReads;
}

/** Lists, finds, exports and shows payments. */
export function paymentRoutes(options: PaymentRoutesOptions): AnyRoute[] {
  return [
    ...listRoutes(options),
    exportRoute(options),
    choicesRoute(options),
    detailRoute(options),
  ];
}

function listRoutes(options: PaymentRoutesOptions): AnyRoute[] {
  const answer = async (
    { cursor, ...asked }: Static<typeof searchBody>,
    context: RouteContext,
  ): Promise<PaymentsAnswer> => {
    const { viewer } = context;
    const { understood, ...query } = readQuery(asked, { ...options, viewer });
    const after = readCursor(cursor, query.term);
    const page = await readInVendorsTurn(
      options.reads,
      context,
      async () => await queryPayments(options.pool, query, { after, limit: PAGE }),
    );
    const { term, filter } = query;
    const lost =
      term !== undefined && after === undefined && viewer.vendor === undefined
        ? await findLostCases(options.pool, term, filter.vendorId)
        : [];
    const isFound = page.payments.length > 0 || page.next !== null || after !== undefined;
    // Staff see the cases.
    if (term !== undefined && !isFound && viewer.vendor !== undefined) {
      await requireNoneLost(options.pool, viewer.vendor.vendorId);
    }
    const caseIds = lost.map(({ caseId }) => caseId);
    const open = await listOpenProposals(options.pool, caseIds);
    return {
      understood,
      lost: lost.map((row) => caseViewOf(row, open)),
      payments: page.payments.map(listedPayment),
      next: page.next === null ? null : writeCursor(page.next),
      searchedTo: page.searchedTo?.toISOString() ?? null,
    };
  };
  return [
    route({
      method: 'GET',
      path: '/payments',
      permission: 'payments.read',
      query: listQuery,
      handle: async ({ query }, context) => await answer(query, context),
    }),
    route({
      method: 'POST',
      path: '/payments/search',
      permission: 'payments.read',
      isReading: true,
      body: searchBody,
      handle: async ({ body }, context) => await answer(body, context),
    }),
  ];
}

function exportRoute(options: PaymentRoutesOptions): AnyRoute {
  const { pool, wireTime, clock } = options;
  return route({
    method: 'POST',
    path: '/payments/export',
    permission: 'payments.read',
    isReading: true,
    body: exportBody,
    handle: async ({ body: { columns, format, ...asked } }, context) => {
      const { understood, ...query } = readQuery(asked, { ...options, viewer: context.viewer });
      const stamp = wireTime.format(clock.now()).replaceAll(':', '').replace(' ', '-');
      const { timeZone } = options.config;
      const table = await paymentsTable(pool, query, {
        ...{ columns: readColumns(columns), timeZone },
        read: partsInTurn(options.reads, longReaderOf(context)),
      });
      const { search: _, ...filter } = asked;
      return new Download({
        ...fileOf({ name: `payments-${stamp}`, table }, format, wireTime),
        filter: { ...filter, columns, format, ...searchInLog(understood) },
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

function detailRoute({ pool, witnessOf }: PaymentRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/payments/:reference',
    permission: 'payments.read',
    params: Type.Object({ reference: Type.String({ maxLength: 64 }) }),
    handle: async ({ params }, { viewer }): Promise<PaymentDetail> => {
      const payment = isVisible(params.reference, viewer)
        ? await findPayment(pool, params.reference)
        : undefined;
      if (payment === undefined) throw await refuseUnknown(pool, new Refusal('not_found'));
      return paymentDetail(payment, { forStaff: viewer.vendor === undefined, witnessOf });
    },
  });
}

/** A vendor's people see no other vendor's payment. */
function isVisible(reference: string, { vendor }: Viewer): boolean {
  return (
    vendor === undefined || vendor.vendorId === decodeReference(reference.toUpperCase())?.vendorId
  );
}
