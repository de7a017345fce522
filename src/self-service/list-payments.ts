import { Type } from 'typebox';
import { queryPayments } from '../payments/timeline/query.ts';
import type { PageCursor } from '../payments/timeline/query.ts';
import { nullable } from '../platform/http/schemas.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { NOT_FOUND_TEXT, paymentFilter, readPaymentQuery } from './payment-filter.ts';
import { EXAMPLE_PAYMENT, paymentFields, paymentView } from './payment-view.ts';
import { readerOf, resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { searchLost } from './search-lost.ts';
import { instant, limitOf, pageOf, paging } from './schemas.ts';

const query = Type.Object({ ...paymentFilter, ...paging });
const response = Type.Object({
  ...pageOf(Type.Object(paymentFields)),
  searched_to: nullable(
    instant(
      'All payments accepted since this time have been searched; null: the whole period has been.',
    ),
  ),
});

const NAME = 'listPayments';

export function listPayments(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: NAME,
    method: 'GET',
    path: '/payments',
    summary: 'List payments',
    description: `Your payments, newest first. Archived payments are found only by \`reference\`, \`merchant_reference\` and \`account\`. ${NOT_FOUND_TEXT}`,
    query,
    response,
    refusals: { quarantine: { field: 'reference' } },
    example: {
      query: { limit: '2' },
      answer: { items: [EXAMPLE_PAYMENT], next_cursor: null, searched_to: null },
    },
    handle: async (asked, context) => {
      const { signer } = context;
      const wanted = readPaymentQuery(asked.query, signer, deps);
      const list = { list: NAME, owner: signer.vid, query: asked.query };
      const { cursor } = asked.query;
      const after =
        cursor === undefined ? undefined : (deps.cursors.read(list, cursor) as PageCursor);
      const limit = limitOf(asked.query);
      const page = await deps.longReads(
        readerOf(context),
        async () => await queryPayments(deps.pool, wanted, { after, limit }),
      );
      const isFound = page.payments.length > 0 || page.next !== null || after !== undefined;
      return {
        items: isFound
          ? page.payments.map(paymentView)
          : await searchLost(deps.pool, wanted, signer),
        next_cursor: page.next === null ? null : deps.cursors.write(list, page.next),
        searched_to: page.searchedTo?.toISOString() ?? null,
      };
    },
  });
}
