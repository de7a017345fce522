import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { allPages } from '../payments/timeline/query.ts';
import type { PaymentPage } from '../payments/timeline/query.ts';
import { csvLine } from '../platform/base/csv.ts';
import { partsInTurn } from '../platform/base/long-reads.ts';
import { inTurns } from '../platform/base/turns.ts';
import { SLICE_ROWS } from '../platform/export/rows.ts';
import { StreamedAnswer } from '../platform/http/streamed-answer.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { paymentFilter, readPaymentQuery } from './payment-filter.ts';
import { EXAMPLE_PAYMENT, paymentFields, paymentView } from './payment-view.ts';
import { readerOf, resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { searchLost } from './search-lost.ts';

/** The columns are the fields of a payment in the list. */
const COLUMNS = Object.keys(paymentFields) as readonly (keyof typeof EXAMPLE_PAYMENT)[];

export function exportPayments(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'exportPayments',
    method: 'GET',
    path: '/payments.csv',
    summary: 'Payments as CSV',
    description:
      'The whole list as a file, sent while it is read, newest first. The columns are the fields of the list. A text that a spreadsheet would run as a formula begins with an apostrophe. If the file is incomplete, the connection is closed without the last chunk.',
    query: Type.Object(paymentFilter),
    response: 'text/csv',
    refusals: { quarantine: { field: 'reference' } },
    example: {
      query: { status: 'SUCCESS' },
      answer: csvLine(COLUMNS) + lineOf(EXAMPLE_PAYMENT),
    },
    handle: async ({ query }, context) => {
      const { signer } = context;
      const wanted = readPaymentQuery(query, signer, deps);
      const pages = allPages(deps.pool, wanted, {
        maxRows: Number.POSITIVE_INFINITY,
        read: partsInTurn(deps.longReads, readerOf(context)),
      });
      // Read before the answer begins, because it may be refused.
      const first = await pages.next();
      const isFound = first.done !== true && first.value.payments.length > 0;
      const lost = isFound ? [] : await searchLost(deps.pool, wanted, signer);
      const body = Readable.from(linesOf({ first, pages, lost }));
      return new StreamedAnswer({
        type: 'text/csv; charset=utf-8',
        fileName: 'payments.csv',
        body,
      });
    },
  });
}

async function* linesOf({
  first,
  pages,
  lost,
}: {
  readonly first: IteratorResult<PaymentPage>;
  readonly pages: AsyncIterable<PaymentPage>;
  readonly lost: readonly (typeof EXAMPLE_PAYMENT)[];
}): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  if (first.done !== true) yield* linesOfPage(first.value);
  yield lost.map(lineOf).join('');
  for await (const page of pages) yield* linesOfPage(page);
}

async function* linesOfPage({ payments }: PaymentPage): AsyncGenerator<string> {
  for await (const rows of inTurns(payments, SLICE_ROWS)) {
    yield rows.map((row) => lineOf(paymentView(row))).join('');
  }
}

function lineOf(payment: typeof EXAMPLE_PAYMENT): string {
  return csvLine(COLUMNS, (column) => payment[column] ?? '');
}
