import { readFile } from 'node:fs/promises';
import { encodeReference } from '../../parties/reference.ts';
import type { VendorRow } from '../../parties/read-vendors.ts';
import { uploadedFile } from '../../platform/http/wire/file.ts';
import { KnownNames } from '../../platform/http/wire/parameters.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Biller } from '../billers/biller.ts';
import type { BulkRow } from '../bulk/batch.ts';
import { previewRows } from '../bulk/preview.ts';
import type { RowPreview } from '../bulk/preview.ts';
import { BULK_COLUMNS, readRows } from './bulk-file.ts';

/** Right rows that a check shows. */
const MAX_RIGHT = 50;

// A file is no signed text, so no name in it can be taken for another one.
const columns = new KnownNames().columns(BULK_COLUMNS);

/** The rows of a file that was sent. Throws: `invalid_file`, `payload_too_large`. */
export async function readSentRows(
  path: string,
): Promise<{ readonly rows: readonly BulkRow[]; readonly sha256: Buffer }> {
  const file = uploadedFile('csv', await readFile(path));
  return { rows: await readRows(file, columns), sha256: file.sha256 };
}

interface Paying {
  readonly vendor: VendorRow;
  readonly floatCents: bigint;
  readonly billerOf: (billerCode: string) => Biller | undefined;
}

/** The effect that each row would have now. */
export async function checkRows(
  db: Queryable,
  rows: readonly BulkRow[],
  { vendor, floatCents, billerOf }: Paying,
) {
  const { vendorId } = vendor;
  const paying = { ...vendor, suspended: false };
  const previews = await previewRows(db, rows, { vendor: paying, billerOf });
  const payments = previews.flatMap((row) => (row.kind === 'created' ? row.payment : []));
  const amountCents = payments.reduce((sum, payment) => sum + payment.amountCents, 0n);
  const feeCents = payments.reduce((sum, payment) => sum + payment.feeCents, 0n);
  const totalCents = amountCents + feeCents;
  const of = (...kinds: readonly RowPreview['kind'][]) =>
    previews
      .filter(({ kind }) => kinds.includes(kind))
      .map((preview) => checkedRow(rows[preview.row - 1], preview, vendorId));
  const wrong = of('refused');
  const repeated = of('repeated', 'repeated_row');
  return {
    ...{ rows: rows.length, right: payments.length },
    ...{ wrong: wrong.length, repeated: repeated.length },
    ...{ amountCents, feeCents, totalCents, floatCents },
    isEnough: floatCents >= totalCents,
    shown: [...wrong, ...repeated, ...of('created').slice(0, MAX_RIGHT)],
  };
}

function checkedRow(read: BulkRow | undefined, preview: RowPreview, vendorId: number) {
  const row = { ...shownRow(read, preview.row), feeCents: null, problem: null, repeats: null };
  switch (preview.kind) {
    case 'created':
      return { ...row, feeCents: preview.payment.feeCents };
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
    const merchantReference = read?.merchantReference ?? null;
    return { row, billerCode: null, account: null, amountCents: null, merchantReference };
  }
  const { billerCode, account, amountCents, merchantReference } = read.request;
  return { row, billerCode, account, amountCents, merchantReference };
}
