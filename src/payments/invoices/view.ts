import { formatMoney } from '../../platform/base/money.ts';
import { contentOf, numberText, totalOf } from './invoice.ts';
import type { InvoiceRow, Series } from './invoice.ts';
import type { Invoice } from './read-invoices.ts';

const KINDS = { INV: 'invoice', CN: 'credit_note' } as const satisfies Record<Series, string>;

/** The data of the event `invoice.issued`. */
export function issuedEvent(row: InvoiceRow) {
  const { buyer, credits, payment, from, to } = contentOf(row);
  return {
    vid: buyer.vid,
    invoice: row.invoiceId,
    number: numberText(row),
    kind: KINDS[row.series],
    issued_at: row.issuedAt.toISOString(),
    ...{ credits, payment, from, to },
    net: formatMoney(row.netCents),
    excise: formatMoney(row.exciseCents),
    vat: formatMoney(row.vatCents),
    total: formatMoney(totalOf(row)),
  };
}

/** An invoice in a list. */
export function invoiceView(row: Invoice) {
  const state: 'waiting' | 'issued' = row.waits ? 'waiting' : 'issued';
  return {
    ...issuedEvent(row),
    ...{ state, control_number: row.controlNumber, qr_code: row.qrCode },
  };
}

/** An invoice with both parties and its lines. */
export function wholeInvoice(row: Invoice) {
  const { seller, buyer, currency, lines } = contentOf(row);
  return {
    ...invoiceView(row),
    ...{ seller: { ...seller }, buyer: { ...buyer }, currency },
    lines: lines.map((line) => ({ ...line })),
  };
}
