import { invoiceFile } from '../payments/invoices/file.ts';
import { StreamedAnswer } from '../platform/http/streamed-answer.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import {
  EXAMPLE_INVOICE,
  EXAMPLE_WHOLE,
  invoiceParams as params,
  invoiceWhole,
  requireOwnInvoice,
  wholeInvoice,
} from './invoice-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';

const of = { invoice: EXAMPLE_INVOICE.invoice };

export function getInvoice(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'getInvoice',
    method: 'GET',
    path: '/invoices/:invoice',
    summary: 'One invoice',
    description: 'An invoice or a credit note with both parties and its lines. It never changes.',
    params,
    response: wholeInvoice,
    refusals: { not_found: {} },
    example: { params: of, answer: EXAMPLE_WHOLE },
    handle: async ({ params: { invoice } }, { signer }) =>
      invoiceWhole(await requireOwnInvoice(deps.pool, signer.vendorId, invoice)),
  });
}

const FILES = {
  pdf: {
    name: 'exportInvoicePdf',
    response: 'application/pdf',
    description: 'The invoice for people, with the QR code of the control unit.',
    answer: '%PDF-1.7\r\n',
  },
  csv: {
    name: 'exportInvoiceCsv',
    response: 'text/csv',
    description: 'The invoice as a table: a row for each line, with the whole invoice in each.',
    answer: 'Number,Kind,Issued\r\nINV-000042,invoice,2026-12-01 03:01:00\r\n',
  },
} as const;

/** The invoice as a file. */
export function exportInvoice(deps: SelfServiceDeps, format: keyof typeof FILES): AnyResource {
  const { name, response, description, answer } = FILES[format];
  return resource(deps, {
    ...{ name, method: 'GET', path: `/invoices/:invoice/${format}`, description, params, response },
    summary: `Invoice as ${format.toUpperCase()}`,
    refusals: { not_found: {} },
    example: { params: of, answer },
    handle: async ({ params: { invoice } }, { signer }) => {
      const found = await requireOwnInvoice(deps.pool, signer.vendorId, invoice);
      const { name: fileName, type, body } = await invoiceFile(found, format, deps.wireTime);
      return new StreamedAnswer({ type, fileName, body });
    },
  });
}
