import { formatMoney } from '../../platform/base/money.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { controlText, invoiceText, NO_FEES, numberText, runText, SERIES } from './invoice.ts';
import type { ControlRow, FeeSums, InvoiceRow, RunRow } from './invoice.ts';
import { readLedgerFees } from './store.ts';

type WithMac<Row> = Row & { readonly mac: Buffer };

/** `ledger check` of invoices: numbers, sums, and authentication codes. */
export const INVOICES_CHECKED = {
  name: 'invoices_intact',
  says: 'Invoices and credit notes are as the service issued them, numbered without gaps; their sums are the fees, the excise duty and the VAT in the ledger.',
  find: async (db: Queryable, mac: Mac): Promise<readonly string[]> => [
    ...(await findGaps(db)),
    ...(await findAltered(db, mac)),
    ...(await findDifferences(db)),
  ],
} as const;

async function findGaps(db: Queryable): Promise<string[]> {
  const found: string[] = [];
  for (const series of SERIES) {
    const gaps = await db.query<{ number: bigint; before: bigint }>(
      `select number, before from (
         select number, coalesce(lag(number) over (order by number), 0) as before
         from invoices where series = $1
       ) n where number <> before + 1 order by number limit 100`,
      [series],
    );
    for (const { number, before } of gaps.rows) {
      found.push(`the number before ${numberText({ series, number })} is ${before}`);
    }
  }
  return found;
}

const RUNS =
  'select run, from_at as "fromAt", to_at as "toAt", run_at as "runAt", mac from invoice_runs order by run';
const CONTROLS = `select invoice_id as "invoiceId", control_number as "controlNumber", qr_code as "qrCode",
    delivered_at as "deliveredAt", delivered_by as "deliveredBy", mac
  from invoice_controls`;
const PAGE_ROWS = 5_000;

async function findAltered(db: Queryable, mac: Mac): Promise<string[]> {
  const found: string[] = [];
  const runs = (await db.query<WithMac<RunRow>>(RUNS)).rows;
  for (const [index, row] of runs.entries()) {
    if (!mac.verify(runText(row), row.mac)) found.push(`run ${row.run} of invoices was altered`);
    const before = runs[index - 1];
    const follows =
      row.run === index + 1 && (before === undefined || Number(before.toAt) === Number(row.fromAt));
    if (!follows)
      found.push(`run ${row.run} of invoices does not begin where the one before ended`);
  }
  const hasRun = new Set(runs.map(({ run }) => run));
  for await (const row of allInvoices(db)) {
    if (!mac.verify(invoiceText(row), row.mac)) found.push(`${numberText(row)} was altered`);
    if (!hasRun.has(row.run)) found.push(`${numberText(row)} is of no run`);
  }
  for (const row of (await db.query<WithMac<ControlRow>>(CONTROLS)).rows) {
    if (!mac.verify(controlText(row), row.mac)) {
      found.push(`the control unit number of invoice ${row.invoiceId} was altered`);
    }
  }
  return found;
}

async function* allInvoices(db: Queryable): AsyncGenerator<WithMac<InvoiceRow>> {
  for (const series of SERIES) {
    for (let after = 0n; ;) {
      const page: readonly WithMac<InvoiceRow>[] = (
        await db.query<WithMac<InvoiceRow>>(
          `select invoice_id as "invoiceId", run, series, number, vendor_id as "vendorId",
             issued_at as "issuedAt", credits, payment_id as "paymentId", net_cents as "netCents",
             excise_cents as "exciseCents", vat_cents as "vatCents", content, mac
           from invoices where series = $1 and number > $2 order by number limit $3`,
          [series, after, PAGE_ROWS],
        )
      ).rows;
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_ROWS) break;
      after = last.number;
    }
  }
}

/** Vendors whose invoices, less their credit notes, are not what the ledger has from the first run to the last. */
async function findDifferences(db: Queryable): Promise<string[]> {
  const bounds = await db.query<{ from: Date | null; to: Date | null }>(
    'select min(from_at) as "from", max(to_at) as "to" from invoice_runs',
  );
  const { from = null, to = null } = bounds.rows[0] ?? {};
  if (from === null || to === null) return [];
  const invoiced = await db.query<FeeSums & { vendorId: number }>(
    `select vendor_id as "vendorId", sum(s.sign * net_cents)::bigint as "netCents",
       sum(s.sign * excise_cents)::bigint as "exciseCents", sum(s.sign * vat_cents)::bigint as "vatCents"
     from invoices cross join lateral (select case when series = 'CN' then -1 else 1 end as sign) s
     group by vendor_id`,
  );
  const posted = await readLedgerFees(db, { from, to, startsAt: from });
  const ofInvoices = new Map(invoiced.rows.map((row) => [row.vendorId, row]));
  const ofLedger = new Map(posted.map((row) => [row.vendorId, row]));
  const vendors = [...new Set([...ofInvoices.keys(), ...ofLedger.keys()])];
  return vendors.flatMap((vendorId) => {
    const [one, other] = [textOf(ofInvoices.get(vendorId)), textOf(ofLedger.get(vendorId))];
    if (one === other) return [];
    return [`vendor ${vendorId}: its invoices have ${one}, the ledger ${other}`];
  });
}

function textOf({ netCents, exciseCents, vatCents }: FeeSums = NO_FEES): string {
  return `fees ${formatMoney(netCents)}, excise duty ${formatMoney(exciseCents)}, VAT ${formatMoney(vatCents)}`;
}
