import { Type } from 'typebox';
import { listInvoices as readInvoices } from '../payments/invoices/read-invoices.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { EXAMPLE_INVOICE, invoiceFields, invoiceRow } from './invoice-view.ts';
import { readPage } from './page.ts';
import { readerOf, resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { pageOf, paging } from './schemas.ts';

const NAME = 'listInvoices';

export function listInvoices(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: NAME,
    method: 'GET',
    path: '/invoices',
    summary: 'List invoices',
    description:
      'The invoices for your fees, and the credit notes for those that you got back, newest first. The event `invoice.issued` announces each.',
    query: Type.Object(paging),
    response: Type.Object(pageOf(Type.Object(invoiceFields))),
    refusals: {},
    example: { query: { limit: '2' }, answer: { items: [EXAMPLE_INVOICE], next_cursor: null } },
    handle: async ({ query }, context) => {
      const { vid, vendorId } = context.signer;
      const of = { list: NAME, owner: vid, query, reader: readerOf(context) };
      return await readPage(deps, of, {
        read: async (after: { readonly at: string; readonly id: string } | undefined, limit) =>
          await readInvoices(deps.pool, {
            ...{ vendorId, state: 'issued', limit },
            before: after && { at: new Date(after.at), id: after.id },
          }),
        positionOf: ({ issuedAt, invoiceId: id }) => ({ at: issuedAt.toISOString(), id }),
        view: invoiceRow,
      });
    },
  });
}
