import { Type } from 'typebox';
import type { Static } from 'typebox';
import { contentOf, numberText, totalOf } from '../payments/invoices/invoice.ts';
import { findInvoice } from '../payments/invoices/read-invoices.ts';
import type { Invoice } from '../payments/invoices/read-invoices.ts';
import { Refusal } from '../platform/base/errors.ts';
import { parseMoney } from '../platform/base/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { nullable } from '../platform/http/schemas.ts';
import { cents, instant } from './schemas.ts';

export const invoiceFields = {
  invoice: Type.String({ description: 'Identifies the invoice.' }),
  number: Type.String({
    description: 'Its number: without gaps in each of the series `INV` and `CN`.',
    examples: ['INV-000042'],
  }),
  kind: Type.String({
    description: '`invoice`, or `credit_note` for fees that you got back.',
    examples: ['invoice'],
  }),
  issued_at: instant('When it was issued.'),
  from: instant('It has the fees since then.'),
  to: instant('It has the fees before then.'),
  credits: nullable(
    Type.String({ description: 'Number of the invoice that a credit note names.' }),
  ),
  payment: nullable(
    Type.String({ description: 'Reference of the only payment; null: those of a period.' }),
  ),
  net_cents: cents('Fees without taxes.'),
  excise_cents: cents('Excise duty on the fees.'),
  vat_cents: cents('VAT on the fees with their excise duty.'),
  total_cents: cents('What you paid, or got back.'),
  control_number: nullable(
    Type.String({ description: 'Number from the control unit of the tax authority.' }),
  ),
  qr_code: nullable(Type.String({ description: 'Text of the QR code from the control unit.' })),
};
const row = Type.Object(invoiceFields);

const party = Type.Object({
  legal_name: Type.String(),
  pin: nullable(Type.String({ description: 'Number of the tax authority.' })),
  address: Type.String(),
});

export const wholeInvoice = Type.Object({
  ...invoiceFields,
  currency: Type.String({ examples: ['KES'] }),
  seller: party,
  buyer: party,
  lines: Type.Array(
    Type.Object({
      biller: nullable(Type.String({ description: 'Code of the biller.' })),
      payments: Type.Integer({ description: 'Number of payments.' }),
      excise_percent: nullable(Type.String({ examples: ['0'] })),
      vat_percent: nullable(Type.String({ examples: ['16'] })),
      net_cents: cents('Fees without taxes.'),
      excise_cents: cents('Excise duty on the fees.'),
      vat_cents: cents('VAT on the fees with their excise duty.'),
      total_cents: cents('The whole line.'),
    }),
    { description: 'A line for each biller and price.' },
  ),
});

export function invoiceRow(invoice: Invoice): Static<typeof row> {
  const { from, to, credits, payment } = contentOf(invoice);
  return {
    invoice: invoice.invoiceId,
    number: numberText(invoice),
    kind: invoice.series === 'CN' ? 'credit_note' : 'invoice',
    issued_at: invoice.issuedAt.toISOString(),
    ...{ from, to, credits, payment },
    net_cents: String(invoice.netCents),
    excise_cents: String(invoice.exciseCents),
    vat_cents: String(invoice.vatCents),
    total_cents: String(totalOf(invoice)),
    control_number: invoice.controlNumber,
    qr_code: invoice.qrCode,
  };
}

const inCents = (amount: string): string => String(parseMoney(amount));

export function invoiceWhole(invoice: Invoice): Static<typeof wholeInvoice> {
  const { currency, seller, buyer, lines } = contentOf(invoice);
  const { vid: _, ...name } = buyer;
  return {
    ...invoiceRow(invoice),
    ...{ currency, seller: { ...seller }, buyer: name },
    lines: lines.map(({ net, excise, vat, total, ...line }) => ({
      ...line,
      net_cents: inCents(net),
      excise_cents: inCents(excise),
      vat_cents: inCents(vat),
      total_cents: inCents(total),
    })),
  };
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const invoiceParams = Type.Object({ invoice: Type.String({ description: 'Its id.' }) });

/** An invoice of the vendor. Throws: `not_found`. */
export async function requireOwnInvoice(
  db: Queryable,
  vendorId: number,
  invoiceId: string,
): Promise<Invoice> {
  const found = ID.test(invoiceId) ? await findInvoice(db, { invoiceId, vendorId }) : undefined;
  if (found === undefined) throw new Refusal('not_found', { field: 'invoice' });
  return found;
}

export const EXAMPLE_INVOICE: Static<typeof row> = {
  invoice: '019e0b0c-7d53-7b4c-9c84-6f2f4f8a1c11',
  number: 'INV-000042',
  kind: 'invoice',
  issued_at: '2026-12-01T00:01:00.000Z',
  from: '2026-10-31T21:00:00.000Z',
  to: '2026-11-30T21:00:00.000Z',
  ...{ credits: null, payment: null },
  net_cents: '100000',
  excise_cents: '0',
  vat_cents: '16000',
  total_cents: '116000',
  control_number: 'KRACU0100000001/42',
  qr_code: 'https://etims.example/verify?invoice=42',
};

export const EXAMPLE_WHOLE: Static<typeof wholeInvoice> = {
  ...EXAMPLE_INVOICE,
  currency: 'KES',
  seller: { legal_name: 'Malipo Ltd', pin: 'P051234567X', address: 'Nairobi' },
  buyer: { legal_name: 'Duka Ltd', pin: 'P000000001A', address: 'Kisumu' },
  lines: [
    {
      ...{ biller: 'kplc_prepaid', payments: 200, excise_percent: '0', vat_percent: '16' },
      ...{ net_cents: '100000', excise_cents: '0', vat_cents: '16000', total_cents: '116000' },
    },
  ],
};
