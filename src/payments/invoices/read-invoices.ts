import type { Queryable } from '../../platform/db/pool.ts';
import type { InvoiceRow } from './invoice.ts';

/** An invoice with what the control unit said about it; null: nothing yet. */
export interface Invoice extends InvoiceRow {
  readonly controlNumber: string | null;
  readonly qrCode: string | null;
  readonly controlledAt: Date | null;
  /** The vendor does not get it yet, because the control unit has not been heard. */
  readonly waits: boolean;
}

const WAITS = `(c.invoice_id is null and (i.content::jsonb ->> 'needs_control')::boolean)`;

const INVOICES = `select i.invoice_id as "invoiceId", i.run, i.series, i.number, i.vendor_id as "vendorId",
    i.issued_at as "issuedAt", i.credits, i.payment_id as "paymentId", i.net_cents as "netCents",
    i.excise_cents as "exciseCents", i.vat_cents as "vatCents", i.content,
    c.control_number as "controlNumber", c.qr_code as "qrCode", c.delivered_at as "controlledAt",
    ${WAITS} as waits
  from invoices i left join invoice_controls c on c.invoice_id = i.invoice_id`;

/** @param of.vendorId only of this vendor, and only if it does not wait. */
export async function findInvoice(
  db: Queryable,
  of: { readonly invoiceId: string; readonly vendorId?: number | undefined },
): Promise<Invoice | undefined> {
  const found = await db.query<Invoice>(
    `${INVOICES} where i.invoice_id = $1 and ($2::integer is null or i.vendor_id = $2 and not ${WAITS})`,
    [of.invoiceId, of.vendorId ?? null],
  );
  return found.rows[0];
}

export interface InvoiceFilter {
  readonly vendorId: number | null;
  /** issued: the vendor has it. waiting: for the control unit. */
  readonly state: 'issued' | 'waiting' | 'all';
  readonly before: { readonly at: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listInvoices(db: Queryable, filter: InvoiceFilter): Promise<Invoice[]> {
  const { vendorId, state, before, limit } = filter;
  const listed = await db.query<Invoice>(
    `${INVOICES}
     where ($1::integer is null or i.vendor_id = $1)
       and ($2 = 'all' or ${WAITS} = ($2 = 'waiting'))
       and ($3::timestamptz is null or (i.issued_at, i.invoice_id) < ($3, $4::uuid))
     order by i.issued_at desc, i.invoice_id desc limit $5`,
    [vendorId, state, before?.at ?? null, before?.id ?? null, limit],
  );
  return listed.rows;
}
