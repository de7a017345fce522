import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import type { VendorDirectory } from '../../parties/directory.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { BillerCatalogue } from '../../payments/billers/catalogue.ts';
import type { Batch, RowResult } from '../../batches/batch.ts';
import type { BatchResults } from '../../batches/batches.ts';
import { listBatches, readBatch } from '../../batches/read-batches.ts';
import type { AcceptedRow, BulkBatches, BulkRow } from '../../payments/bulk/batch.ts';
import { previewRows } from '../../payments/bulk/preview.ts';
import type { RowPreview } from '../../payments/bulk/preview.ts';
import type { BalanceReader } from '../../payments/ledger/balance-reader.ts';
import { BULK_COLUMNS, readRows } from '../../payments/operations/bulk-file.ts';
import { ofKnownBatch } from '../../payments/operations/bulk-progress.ts';
import { batchReference } from '../../payments/operations/fields.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { csvLine } from '../../platform/base/csv.ts';
import { encodeReference } from '../../parties/reference.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { partsInTurn } from '../../platform/base/long-reads.ts';
import type { LongReads } from '../../platform/base/long-reads.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { inTurns } from '../../platform/base/turns.ts';
import { SLICE_ROWS } from '../../platform/export/rows.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { UploadedFile } from '../../platform/http/wire/file.ts';
import { KnownNames } from '../../platform/http/wire/parameters.ts';
import type {
  BatchDetail,
  BatchView,
  BatchesAnswer,
  CheckedRow,
  FileChecked,
} from '../pay-answers.ts';
import { Audited, csvFile, longReaderOf, route } from '../route.ts';
import type { AnyRoute, RouteContext } from '../route.ts';
import { payingVendor } from './pay.ts';

export interface BulkRoutesOptions {
  readonly pool: Pool;
  readonly directory: Pick<VendorDirectory, 'vendorById'>;
  readonly catalogue: Pick<BillerCatalogue, 'biller'>;
  readonly balances: BalanceReader;
  readonly reads: LongReads;
  /** Undefined without the role `api`. */
  readonly bulkBatches: BulkBatches | undefined;
}

const MAX_LISTED = 50;
/** Right rows that a check shows. */
const MAX_RIGHT = 50;
/** Refused rows that a page shows; the file has all of them. */
const MAX_REFUSALS = 100;

const params = Type.Object({ reference: batchReference });
const content = Type.String({ maxLength: LIMITS.bulkFileBytes });

/** Files of payments: checked row by row first, then submitted as the API's are. */
export function bulkRoutes(options: BulkRoutesOptions): AnyRoute[] {
  return [
    listRoute(options),
    checkRoute(options),
    uploadRoute(options),
    detailRoute(options),
    resultsRoute(options),
  ];
}

function processorOf({ bulkBatches }: BulkRoutesOptions): BulkBatches {
  if (bulkBatches === undefined) throw new Refusal('unavailable');
  return bulkBatches;
}

function listRoute({ pool, ...options }: BulkRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/bulk',
    permission: 'payments.create',
    handle: async (_input, { viewer }): Promise<BatchesAnswer> => {
      const { vendorId } = payingVendor(viewer, options);
      return {
        batches: (await listBatches(pool, 'payments', vendorId, MAX_LISTED)).map(batchView),
      };
    },
  });
}

function batchView(progress: Batch): BatchView {
  return {
    reference: progress.batchReference,
    at: progress.createdAt.toISOString(),
    endedAt: progress.endedAt?.toISOString() ?? null,
    rows: progress.rowCount,
    accepted: progress.acceptedCount,
    refused: progress.refusedCount,
  };
}

// A file is no signed text, so no name in it can be taken for another one.
const columns = new KnownNames().columns(BULK_COLUMNS);

/** Throws: `payload_too_large`. */
function fileOf(text: string): UploadedFile {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > LIMITS.bulkFileBytes) {
    const most = `A file has at most ${LIMITS.bulkFileBytes} bytes`;
    throw new Refusal('payload_too_large', { field: 'content', text: most });
  }
  return { form: 'csv', bytes, sha256: createHash('sha256').update(bytes).digest() };
}

function checkRoute(options: BulkRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/bulk/check',
    permission: 'payments.create',
    action: 'bulk.check',
    bodyBytes: 2 * LIMITS.bulkFileBytes,
    body: Type.Object({ content }, { additionalProperties: false }),
    handle: async ({ body }, { viewer }) => {
      const vendor = payingVendor(viewer, options);
      const rows = await readRows(fileOf(body.content), columns);
      const checked = await checkRows(options, vendor, rows);
      const { right, wrong, repeated, total } = checked;
      return new Audited(checked, { after: { right, wrong, repeated, total } });
    },
  });
}

async function checkRows(
  { pool, catalogue, balances }: BulkRoutesOptions,
  vendor: Vendor,
  rows: readonly BulkRow[],
): Promise<FileChecked> {
  const { vendorId } = vendor;
  const floatCents = await balances.float(vendorId);
  const previews = await previewRows(pool, rows, { vendor, billerOf: catalogue.biller });
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
  const of = (...kinds: readonly RowPreview['kind'][]): CheckedRow[] =>
    previews
      .filter(({ kind }) => kinds.includes(kind))
      .map((preview) => checkedRow(rows[preview.row - 1], preview, vendorId));
  const wrong = of('refused');
  const repeated = of('repeated', 'repeated_row');
  return {
    rows: rows.length,
    right: payments.length,
    wrong: wrong.length,
    repeated: repeated.length,
    amount: formatMoney(amountCents),
    fee: formatMoney(feeCents),
    total: formatMoney(amountCents + feeCents),
    float: formatMoney(floatCents),
    isEnough: floatCents >= amountCents + feeCents,
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
    case 'repeated':
      return { ...row, repeats: { reference: encodeReference(vendorId, preview.paymentId) } };
    case 'repeated_row':
      return { ...row, repeats: { row: preview.firstRow } };
  }
}

function shownRow(read: BulkRow | undefined, row: number) {
  if (read === undefined || 'refusal' in read) {
    const merchantReference = read?.merchantReference ?? null;
    return { row, biller: null, account: null, amount: null, merchantReference };
  }
  const { billerCode: biller, account, amountCents, merchantReference } = read.request;
  return { row, biller, account, amount: formatMoney(amountCents), merchantReference };
}

function uploadRoute(options: BulkRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/bulk',
    permission: 'payments.create',
    action: 'bulk.upload',
    bodyBytes: 2 * LIMITS.bulkFileBytes,
    body: Type.Object(
      {
        reference: batchReference,
        content,
        /** The total that the check showed. Nothing is paid if it would be another. */
        total: Type.String({ maxLength: 20 }),
      },
      { additionalProperties: false },
    ),
    handle: async ({ body }, { viewer }) => {
      const vendor = payingVendor(viewer, options);
      const { vendorId } = vendor;
      const file = fileOf(body.content);
      const rows = await readRows(file, columns);
      const earlier = await readBatch(options.pool, {
        kind: 'payments',
        vendorId,
        batchReference: body.reference,
      });
      if (earlier === undefined) {
        requireShown(body.total, await checkRows(options, vendor, rows));
      }
      const progress = await processorOf(options).accept({
        vendorId,
        batchReference: body.reference,
        fileSha256: file.sha256,
        rows,
      });
      const after = { rows: progress.rowCount, sha256: file.sha256.toString('hex') };
      return new Audited(batchView(progress), { target: body.reference, after });
    },
  });
}

/** Prices and billers change, also between what a person sees and submits. Throws: `changed_meanwhile`. */
function requireShown(shown: string, { total }: FileChecked): void {
  if (shown === total) return;
  const text = `The total was ${shown}, and is ${total} now. Nothing was submitted: choose the file again, and check it`;
  throw new Refusal('changed_meanwhile', { text });
}

function detailRoute(options: BulkRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/bulk/:reference',
    permission: 'payments.create',
    params,
    handle: async (input, context): Promise<BatchDetail> => {
      const { progress, pages } = await resultsOf(input.params.reference, context, options);
      const refusals: BatchDetail['refusals'][number][] = [];
      for await (const page of pages) {
        for (const result of page) {
          if (result.kind !== 'refused') continue;
          const { row, reference: merchantReference, code, text, field = null } = result;
          refusals.push({ row, merchantReference, code, text, field });
        }
        if (refusals.length >= Math.min(MAX_REFUSALS, progress.refusedCount)) break;
      }
      return { ...batchView(progress), refusals: refusals.slice(0, MAX_REFUSALS) };
    },
  });
}

/** The results, read as the vendor's people take turns. Throws: `unknown_batch`, `quarantine`. */
async function resultsOf(
  reference: string,
  context: RouteContext,
  options: BulkRoutesOptions,
): Promise<BatchResults<AcceptedRow>> {
  const { vendorId } = payingVendor(context.viewer, options);
  const read = partsInTurn(options.reads, longReaderOf(context));
  const key = { vendorId, batchReference: reference };
  const results = processorOf(options).results(key, read);
  return await ofKnownBatch(options, results);
}

const CSV_COLUMNS: Readonly<
  Record<string, (result: RowResult<AcceptedRow>, vendorId: number) => string>
> = {
  row: ({ row }) => String(row),
  merchant_reference: ({ reference }) => reference ?? '',
  result: ({ kind }) => kind.toUpperCase(),
  reference: (result, vendorId) =>
    result.kind === 'accepted' ? encodeReference(vendorId, result.paymentId) : '',
  code: (result) => (result.kind === 'refused' ? result.code : ''),
  field: (result) => (result.kind === 'refused' ? (result.field ?? '') : ''),
  text: (result) => (result.kind === 'refused' ? result.text : ''),
};

function resultsRoute(options: BulkRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/bulk/:reference/results.csv',
    permission: 'payments.create',
    params,
    query: Type.Object(
      { only: Type.Optional(Type.Enum(['refused'])) },
      { additionalProperties: false },
    ),
    handle: async (input, context) => {
      const { vendorId } = payingVendor(context.viewer, options);
      const { progress, pages } = await resultsOf(input.params.reference, context, options);
      const lines = linesOf(pages, { vendorId, only: input.query.only });
      return csvFile(`batch-${progress.batchId}.csv`, lines);
    },
  });
}

async function* linesOf(
  pages: BatchResults<AcceptedRow>['pages'],
  { vendorId, only }: { readonly vendorId: number; readonly only: 'refused' | undefined },
): AsyncGenerator<string> {
  yield csvLine(Object.keys(CSV_COLUMNS));
  for await (const page of pages) {
    const wanted = only === undefined ? page : page.filter(({ kind }) => kind === only);
    for await (const results of inTurns(wanted, SLICE_ROWS)) {
      const cellsOf = (result: RowResult<AcceptedRow>): string[] =>
        Object.values(CSV_COLUMNS).map((cellOf) => cellOf(result, vendorId));
      yield results.map((result) => csvLine(cellsOf(result))).join('');
    }
  }
}
