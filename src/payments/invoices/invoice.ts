import { timeText } from '../../platform/base/proposal.ts';

/** Invoices and credit notes are numbered separately. */
export const SERIES = ['INV', 'CN'] as const;
export type Series = (typeof SERIES)[number];

export const INVOICE_FORMATS = ['pdf', 'csv', 'html', 'text'] as const;
export type InvoiceFormat = (typeof INVOICE_FORMATS)[number];

/** What a fee consists of, in cents. */
export interface FeeSums {
  /** The fee without its taxes. */
  readonly netCents: bigint;
  readonly exciseCents: bigint;
  readonly vatCents: bigint;
}

export const NO_FEES: FeeSums = { netCents: 0n, exciseCents: 0n, vatCents: 0n };

export function totalOf({ netCents, exciseCents, vatCents }: FeeSums): bigint {
  return netCents + exciseCents + vatCents;
}

/** One of the two parties, as it is printed. */
export interface PartyName {
  readonly legal_name: string;
  /** The number of the tax authority; null: not known. */
  readonly pin: string | null;
  readonly address: string;
}

/** Fees of one biller and one price. Amounts as decimal text. */
export interface InvoiceLine {
  readonly biller: string | null;
  /** Rates in per cent; null: the price is not known. */
  readonly excise_percent: string | null;
  readonly vat_percent: string | null;
  readonly payments: number;
  readonly net: string;
  readonly excise: string;
  readonly vat: string;
  readonly total: string;
}

/** Printed, and never changed. */
export interface InvoiceContent {
  readonly seller: PartyName;
  readonly buyer: PartyName & { readonly vid: string };
  readonly currency: 'KES';
  /** ISO 8601; `to` is not included. */
  readonly from: string;
  readonly to: string;
  /** Number of the invoice that a credit note is about; null: it is no credit note. */
  readonly credits: string | null;
  /** Reference of the only payment; null: a period. */
  readonly payment: string | null;
  /** Issued in a time when invoices wait for a control unit. */
  readonly needs_control: boolean;
  readonly lines: readonly InvoiceLine[];
}

/** A row of invoices. */
export interface InvoiceRow extends FeeSums {
  readonly invoiceId: string;
  readonly run: number;
  readonly series: Series;
  readonly number: bigint;
  readonly vendorId: number;
  readonly issuedAt: Date;
  /** Id of the invoice that a credit note is about. */
  readonly credits: string | null;
  readonly paymentId: string | null;
  /** `InvoiceContent` as JSON. */
  readonly content: string;
}

/** What the control unit of the tax authority said about an invoice. */
export interface ControlRow {
  readonly invoiceId: string;
  readonly controlNumber: string;
  /** The text of the QR code. */
  readonly qrCode: string;
  readonly deliveredAt: Date;
  readonly deliveredBy: string;
}

export interface RunRow {
  readonly run: number;
  readonly fromAt: Date;
  readonly toAt: Date;
  readonly runAt: Date;
}

/** As people write it: `INV-000042`. */
export function numberText({ series, number }: Pick<InvoiceRow, 'series' | 'number'>): string {
  return `${series}-${String(number).padStart(6, '0')}`;
}

export function contentOf({ content }: Pick<InvoiceRow, 'content'>): InvoiceContent {
  return JSON.parse(content) as InvoiceContent;
}

/** The text that the authentication code of an invoice covers. */
export function invoiceText(row: InvoiceRow): string {
  return JSON.stringify([
    'invoices',
    row.invoiceId,
    row.run,
    row.series,
    String(row.number),
    row.vendorId,
    timeText(row.issuedAt),
    row.credits,
    row.paymentId,
    String(row.netCents),
    String(row.exciseCents),
    String(row.vatCents),
    row.content,
  ]);
}

export function runText({ run, fromAt, toAt, runAt }: RunRow): string {
  return JSON.stringify(['invoice_runs', run, timeText(fromAt), timeText(toAt), timeText(runAt)]);
}

export function controlText(row: ControlRow): string {
  return JSON.stringify([
    'invoice_controls',
    row.invoiceId,
    row.controlNumber,
    row.qrCode,
    timeText(row.deliveredAt),
    row.deliveredBy,
  ]);
}
