import { readFile } from 'node:fs/promises';
import { encodeReference } from '../parties/reference.ts';
import type { VendorRow } from '../parties/read-vendors.ts';
import type { BulkRow } from '../payments/bulk/batch.ts';
import { previewRows } from '../payments/bulk/preview.ts';
import type { RowPreview } from '../payments/bulk/preview.ts';
import { BULK_COLUMNS, readRows } from '../payments/operations/bulk-file.ts';
import { formatMoney } from '../platform/base/money.ts';
import { uploadedFile } from '../platform/http/wire/file.ts';
import { KnownNames } from '../platform/http/wire/parameters.ts';
import type { CheckedRow, FileChecked } from './bulk-schema.ts';
import { requireFile, requirePayments } from './deps.ts';
import type { StaffDeps } from './deps.ts';

/** Right rows that a check shows. */
const MAX_RIGHT = 50;

// A file is no signed text, so no name in it can be taken for another one.
const columns = new KnownNames().columns(BULK_COLUMNS);

/** The rows of the file that was sent. Throws: `invalid_file`, `payload_too_large`. */
export async function sentRows(
  deps: StaffDeps,
): Promise<{ readonly rows: readonly BulkRow[]; readonly sha256: Buffer }> {
  const file = uploadedFile('csv', await readFile(requireFile(deps).path));
  return { rows: await readRows(file, columns), sha256: file.sha256 };
}

/** The effect that each row would have now. */
export async function checkRows(
  rows: readonly BulkRow[],
  vendor: VendorRow,
  deps: StaffDeps,
): Promise<FileChecked> {
  const { vendorId } = vendor;
  const floatCents = await requirePayments(deps).balances.float(vendorId);
  const catalogue = await deps.catalogue();
  const billerOf = (code: string) => catalogue.biller(code);
  const paying = { ...vendor, suspended: false };
  const previews = await previewRows(deps.pool, rows, { vendor: paying, billerOf });
  return checkedFile(rows, previews, { vendorId, floatCents });
}

function checkedFile(
  rows: readonly BulkRow[],
  previews: readonly RowPreview[],
  { vendorId, floatCents }: { readonly vendorId: number; readonly floatCents: bigint },
): FileChecked {
  const payments = previews.flatMap((row) => (row.kind === 'created' ? row.payment : []));
  const amountCents = payments.reduce((sum, payment) => sum + payment.amountCents, 0n);
  const feeCents = payments.reduce((sum, payment) => sum + payment.feeCents, 0n);
  const totalCents = amountCents + feeCents;
  const of = (...kinds: readonly RowPreview['kind'][]): CheckedRow[] =>
    previews
      .filter(({ kind }) => kinds.includes(kind))
      .map((preview) => checkedRow(rows[preview.row - 1], preview, vendorId));
  const wrong = of('refused');
  const repeated = of('repeated', 'repeated_row');
  return {
    ...{ rows: rows.length, right: payments.length },
    ...{ wrong: wrong.length, repeated: repeated.length },
    ...{ amount: formatMoney(amountCents), fee: formatMoney(feeCents) },
    ...{ total: formatMoney(totalCents), float: formatMoney(floatCents) },
    is_enough: floatCents >= totalCents,
    shown: [...wrong, ...repeated, ...of('created').slice(0, MAX_RIGHT)],
  };
}

function checkedRow(read: BulkRow | undefined, preview: RowPreview, vendorId: number): CheckedRow {
  const row = { ...shownRow(read, preview.row), fee: null, problem: null, repeats: null };
  switch (preview.kind) {
    case 'created':
      return { ...row, fee: formatMoney(preview.payment.feeCents) };
    case 'refused': {
      const { code, text, field = null } = preview.refusal;
      return { ...row, problem: { code, text, field } };
    }
    case 'repeated': {
      const reference = encodeReference(vendorId, preview.paymentId);
      return { ...row, repeats: { reference, row: null } };
    }
    case 'repeated_row':
      return { ...row, repeats: { reference: null, row: preview.firstRow } };
  }
}

function shownRow(read: BulkRow | undefined, row: number) {
  if (read === undefined || 'refusal' in read) {
    const merchant_reference = read?.merchantReference ?? null;
    return { row, biller: null, account: null, amount: null, merchant_reference };
  }
  const { billerCode: biller, account, amountCents, merchantReference } = read.request;
  const amount = formatMoney(amountCents);
  return { row, biller, account, amount, merchant_reference: merchantReference };
}
