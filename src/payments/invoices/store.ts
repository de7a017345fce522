import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { queryByBucket } from '../ledger/in-bucket.ts';
import type { FeeMovement } from './draft.ts';
import { controlText, invoiceText, runText } from './invoice.ts';
import type { ControlRow, FeeSums, InvoiceRow, RunRow, Series } from './invoice.ts';

const RUN_LOCK = 7_305_008;

/** Numbers are given out one run after another: the others wait until the caller's database transaction ends. */
export async function lockRuns(db: Queryable): Promise<void> {
  await db.query('select pg_advisory_xact_lock($1)', [RUN_LOCK]);
}

/** A party of invoices. */
export interface PartyRow {
  readonly legalName: string;
  readonly pin: string | null;
  readonly address: string;
}

export interface InvoicingTerms extends PartyRow {
  readonly version: number;
  readonly pin: string;
  readonly startsAt: Date;
  readonly per: 'month' | 'payment';
  readonly needsControl: boolean;
}

/** The terms in force; undefined: the company does not invoice with this service. */
export async function findTerms(db: Queryable): Promise<InvoicingTerms | undefined> {
  const found = await db.query<InvoicingTerms>(
    `select version, starts_at as "startsAt", per, needs_control as "needsControl", legal_name as "legalName",
       pin, address
     from invoicing_terms order by version desc limit 1`,
  );
  return found.rows[0];
}

export async function insertTerms(
  db: Queryable,
  terms: InvoicingTerms & { readonly setBy: string },
): Promise<void> {
  await db.query(
    `insert into invoicing_terms (version, set_at, set_by, starts_at, per, needs_control, legal_name, pin, address)
     values ($1, now(), $2, $3, $4, $5, $6, $7, $8)`,
    [
      terms.version,
      terms.setBy,
      terms.startsAt,
      terms.per,
      terms.needsControl,
      terms.legalName,
      terms.pin,
      terms.address,
    ],
  );
}

export interface VendorName extends PartyRow {
  readonly vendorId: number;
  readonly version: number;
}

/** How invoices name vendors, of those that have a row. */
export async function listVendorNames(db: Queryable): Promise<VendorName[]> {
  const found = await db.query<VendorName>(
    `select distinct on (vendor_id) vendor_id as "vendorId", version,
       legal_name as "legalName", pin, address
     from invoice_names order by vendor_id, version desc`,
  );
  return found.rows;
}

export async function insertVendorName(
  db: Queryable,
  name: VendorName & { readonly setBy: string },
): Promise<void> {
  await db.query(
    `insert into invoice_names (vendor_id, version, set_at, set_by, legal_name, pin, address)
     values ($1, $2, now(), $3, $4, $5, $6)`,
    [name.vendorId, name.version, name.setBy, name.legalName, name.pin, name.address],
  );
}

export async function findLastRun(db: Queryable): Promise<RunRow | undefined> {
  const found = await db.query<RunRow>(
    `select run, from_at as "fromAt", to_at as "toAt", run_at as "runAt"
     from invoice_runs order by run desc limit 1`,
  );
  return found.rows[0];
}

export async function insertRun(db: Queryable, mac: Mac, row: RunRow): Promise<void> {
  await db.query(
    'insert into invoice_runs (run, from_at, to_at, run_at, mac) values ($1, $2, $3, $4, $5)',
    [row.run, row.fromAt, row.toAt, row.runAt, mac.sign(runText(row))],
  );
}

/** The last number of a series; 0: there is none. */
export async function lastNumber(db: Queryable, series: Series): Promise<bigint> {
  const found = await db.query<{ number: bigint }>(
    'select number from invoices where series = $1 order by number desc limit 1',
    [series],
  );
  return found.rows[0]?.number ?? 0n;
}

export async function insertInvoice(db: Queryable, mac: Mac, row: InvoiceRow): Promise<void> {
  await db.query(
    `insert into invoices (invoice_id, run, series, number, vendor_id, issued_at, credits, payment_id,
       net_cents, excise_cents, vat_cents, content, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      row.invoiceId,
      row.run,
      row.series,
      row.number,
      row.vendorId,
      row.issuedAt,
      row.credits,
      row.paymentId,
      row.netCents,
      row.exciseCents,
      row.vatCents,
      row.content,
      mac.sign(invoiceText(row)),
    ],
  );
}

/** Returns false if the control unit was heard about the invoice before. */
export async function insertControl(db: Queryable, mac: Mac, row: ControlRow): Promise<boolean> {
  const inserted = await db.query(
    `insert into invoice_controls (invoice_id, control_number, qr_code, delivered_at, delivered_by, mac)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [
      row.invoiceId,
      row.controlNumber,
      row.qrCode,
      row.deliveredAt,
      row.deliveredBy,
      mac.sign(controlText(row)),
    ],
  );
  return inserted.rowCount === 1;
}

/** SQL: the fee accounts, and what a transfer f adds to each. */
const IS_FEE = `(f.debit_account in ('fees', 'excise', 'vat') or f.credit_account in ('fees', 'excise', 'vat'))`;
const changeOf = (account: string): string =>
  `sum(case when f.credit_account = '${account}' then f.amount_cents
       when f.debit_account = '${account}' then -f.amount_cents else 0 end)::bigint`;

/** The fees that each source moved from $1 on and before $2, with the payment that it is about. */
const MOVED = `select m.*, c.correction_id is not null as is_correction, coalesce(c.payment_id, m.source_id) as payment_id
  from (
    select f.bucket, f.vendor_id, f.source_id, ${changeOf('fees')} as net_cents,
      ${changeOf('excise')} as excise_cents, ${changeOf('vat')} as vat_cents
    from transfers f
    where f.created_at >= $1 and f.created_at < $2 and ${IS_FEE}
    group by f.bucket, f.vendor_id, f.source_id
  ) m left join corrections c
    on c.bucket = m.bucket and c.vendor_id = m.vendor_id and c.correction_id = m.source_id`;

/** When the fee of the payment of m was charged: fees that were charged before invoicing began are not invoiced. */
const CHARGED = `select min(f.created_at) as first_at, max(f.created_at) filter (where f.created_at < $1) as last_at
    from transfers f
    where m.is_correction and f.bucket = m.bucket and f.vendor_id = m.vendor_id
      and f.credit_account in ('fees', 'excise', 'vat')
      and (f.source_id = m.payment_id or f.source_id in (
        select x.correction_id from corrections x where x.bucket = m.bucket and x.vendor_id = m.vendor_id
          and x.payment_id = m.payment_id))`;

const MOVEMENTS = `select m.vendor_id as "vendorId",
    case when $4 or m.is_correction then m.payment_id end as "paymentId", p.biller_code as "billerCode",
    p.fee_price as "feePrice",
    sum(case when m.net_cents + m.excise_cents + m.vat_cents < 0 then -1 else 1 end)::integer as payments,
    max(h.last_at) as "chargedAt", sum(m.net_cents)::bigint as "netCents",
    sum(m.excise_cents)::bigint as "exciseCents", sum(m.vat_cents)::bigint as "vatCents"
  from (${MOVED}) m
    left join lateral (
      select t.biller_code, t.fee_price from payments t
      where t.bucket = m.bucket and t.vendor_id = m.vendor_id and t.payment_id = m.payment_id
      union all
      select a.biller_code, a.fee_price from archived_payments a
      where a.bucket = m.bucket and a.vendor_id = m.vendor_id and a.payment_id = m.payment_id
      limit 1
    ) p on true
    left join lateral (${CHARGED}) h on true
  where coalesce(h.first_at >= $3, true)
  group by 1, 2, 3, 4`;

export interface MovedFees extends Omit<FeeMovement, 'invoiced'> {
  /** The latest charge before the period. */
  readonly chargedAt: Date | null;
}

interface Period {
  readonly from: Date;
  readonly to: Date;
  readonly startsAt: Date;
}

/** Fees that were charged and returned in a period: of corrected payments one by one, of others by price. */
export async function readMovedFees(
  db: Queryable,
  { from, to, startsAt }: Period,
  isPerPayment: boolean,
): Promise<MovedFees[]> {
  return await queryByBucket<MovedFees>(db, MOVEMENTS, [from, to, startsAt, isPerPayment]);
}

const LEDGER_SUMS = `select m.vendor_id as "vendorId", sum(m.net_cents)::bigint as "netCents",
    sum(m.excise_cents)::bigint as "exciseCents", sum(m.vat_cents)::bigint as "vatCents"
  from (${MOVED}) m left join lateral (${CHARGED}) h on true
  where coalesce(h.first_at >= $3, true)
  group by m.vendor_id`;

/** The fees that the ledger has from one instant to another, by vendor, less those charged before invoicing began. */
export async function readLedgerFees(
  db: Queryable,
  { from, to, startsAt }: Period,
): Promise<(FeeSums & { readonly vendorId: number })[]> {
  return await queryByBucket(db, LEDGER_SUMS, [from, to, startsAt]);
}

/** The invoice that has a charge of a payment; undefined: none. */
export async function findInvoiceOf(
  db: Queryable,
  of: { readonly vendorId: number; readonly paymentId: string | null; readonly at: Date },
): Promise<Pick<InvoiceRow, 'invoiceId' | 'series' | 'number'> | undefined> {
  const found = await db.query<Pick<InvoiceRow, 'invoiceId' | 'series' | 'number'>>(
    `select i.invoice_id as "invoiceId", i.series, i.number
     from invoice_runs r join invoices i on i.run = r.run and i.vendor_id = $1
     where r.from_at <= $2 and r.to_at > $2 and i.series = 'INV'
       and (i.payment_id is null or i.payment_id = $3)`,
    [of.vendorId, of.at, of.paymentId],
  );
  return found.rows[0];
}
