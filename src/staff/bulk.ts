import { Type } from 'typebox';
import type { Batch, RowResult } from '../batches/batch.ts';
import type { BatchResults } from '../batches/batches.ts';
import type { VendorRow } from '../parties/read-vendors.ts';
import type { AcceptedRow, BulkBatches, BulkRow } from '../payments/bulk/batch.ts';
import { batchReference } from '../payments/operations/fields.ts';
import { Refusal } from '../platform/base/errors.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { batchDetail, batchView, fileChecked } from './bulk-schema.ts';
import type { BatchDetail, BatchView, FileChecked } from './bulk-schema.ts';
import { action, download, view } from './definition.ts';
import type { Asked, Noun } from './definition.ts';
import { requireFile, requirePayments } from './deps.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING } from './fields.ts';
import { BY_ID, list } from './lists.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../batches/read-batches.ts')),
  ...(await import('../payments/operations/bulk-progress.ts')),
  ...(await import('../payments/operations/bulk-result.ts')),
  ...(await import('../payments/operations/bulk-check.ts')),
  ...(await import('../parties/require-vendor.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

/** Refusals that a look at a file shows. */
const MAX_REFUSALS = 100;

const PAYS = { permission: 'payments.create', ownVendor: true } as const;
const reference = { ...batchReference, description: 'the reference of the file' };
const file = {
  name: 'file',
  description: 'the payments, as CSV',
  maxBytes: LIMITS.bulkFileBytes,
};

export const BULK: Noun = {
  command: 'bulk',
  summary: 'Files of payments: checked row by row first, then submitted as the API’s are.',
  definitions: [
    list(core, BY_ID, {
      ...PAYS,
      name: 'bulk.list',
      summary: 'Submitted files, newest first.',
      route: 'GET /bulk',
      page: 50,
      rows: 'batches',
      row: batchView,
      read: async ({ core: loaded, deps: { pool }, viewer }, page) => {
        const { vendorId } = await loaded.payingVendor(pool, viewer);
        return await loaded.listBatches(pool, { kind: 'payments', vendorId }, page);
      },
      placeOf: ({ batchId }) => batchId,
      show: (shown) => shown.map(viewOf),
    }),
    view(core, {
      ...PAYS,
      name: 'bulk.check',
      summary: 'What each row of a file would do. Nothing is paid.',
      route: 'POST /bulk/check',
      isNoted: true,
      file,
      input: NOTHING,
      output: fileChecked,
      handle: async ({ core: loaded, deps, viewer }) => {
        const vendor = await loaded.payingVendor(deps.pool, viewer);
        const { rows } = await loaded.readSentRows(requireFile(deps).path);
        return await checkedBy(loaded, { rows, vendor, deps });
      },
    }),
    action(core, {
      ...PAYS,
      name: 'bulk.upload',
      summary:
        'Submit a file that was checked. The same file with the same reference is paid once.',
      route: 'POST /bulk',
      file,
      input: inputOf({
        reference,
        total: fields.amount({
          description: 'the total that was shown: nothing is paid for another',
        }),
      }),
      output: batchView,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const vendor = await loaded.payingVendor(deps.pool, viewer);
        const { rows, sha256: fileSha256 } = await loaded.readSentRows(requireFile(deps).path);
        const key = { vendorId: vendor.vendorId, batchReference: input.reference };
        const batches = batchesOf(deps);
        const earlier = await loaded.readBatch(deps.pool, { ...key, kind: 'payments' });
        if (earlier === undefined) {
          requireShown(input.total, await checkedBy(loaded, { rows, vendor, deps }));
        }
        const progress = await batches.accept({ ...key, fileSha256, rows });
        const after = { rows: progress.rowCount, sha256: fileSha256.toString('hex') };
        return { result: viewOf(progress), audit: { target: input.reference, after } };
      },
    }),
    view(core, {
      ...PAYS,
      name: 'bulk.show',
      summary: 'A submitted file: how far it is, and which rows were refused.',
      route: 'GET /bulk/:reference',
      input: inputOf({ reference }),
      output: batchDetail,
      handle: async (asked) => {
        const { progress, slices } = await resultsOf(asked);
        const refusals: BatchDetail['refusals'] = [];
        for await (const slice of slices) {
          for (const result of slice) {
            if (result.kind !== 'refused' || refusals.length === MAX_REFUSALS) continue;
            const { row, reference: merchant_reference, code, text: says, field = null } = result;
            refusals.push({ row, merchant_reference, code, field, text: says });
          }
          if (refusals.length >= Math.min(MAX_REFUSALS, progress.refusedCount)) break;
        }
        return { ...viewOf(progress), refusals };
      },
    }),
    download(core, {
      ...PAYS,
      name: 'bulk.results',
      summary: 'The result of each row of a submitted file, as the API gives it.',
      route: 'GET /bulk/:reference/results.csv',
      input: inputOf({
        reference,
        only: Type.Optional(Type.Enum(['refused'], { description: 'only these rows' })),
      }),
      handle: async (asked) => {
        const { input, deps, core: loaded } = asked;
        const results = await resultsOf(asked);
        const slices = input.only === undefined ? results.slices : refusedOf(results.slices);
        const {
          body,
          type,
          fileName = '',
        } = loaded.bulkResultsAnswer({ ...results, slices }, { ...deps, format: 'csv' });
        return { name: fileName, type, body };
      },
    }),
  ],
};

async function checkedBy(
  { checkRows }: Core,
  { rows, vendor, deps }: { rows: readonly BulkRow[]; vendor: VendorRow; deps: StaffDeps },
): Promise<FileChecked> {
  const floatCents = await requirePayments(deps).balances.float(vendor.vendorId);
  const catalogue = await deps.catalogue();
  const billerOf = (code: string) => catalogue.biller(code);
  return wireOf(await checkRows(deps.pool, rows, { vendor, floatCents, billerOf }));
}

/** Throws: `unavailable`. */
function batchesOf(deps: StaffDeps): BulkBatches {
  const { bulkBatches } = requirePayments(deps);
  if (bulkBatches === undefined) throw new Refusal('unavailable');
  return bulkBatches;
}

const viewOf = ({ batchReference: named, rowCount: rows, ...batch }: Batch): BatchView =>
  fit(batchView, {
    ...{ ...wireOf(batch), reference: named, rows },
    ...{ accepted: batch.acceptedCount, refused: batch.refusedCount },
  });

/** Prices and billers change, also between what a person sees and submits. Throws: `changed_meanwhile`. */
function requireShown(shown: string, { total }: FileChecked): void {
  if (shown === total) return;
  const says = `The total was ${shown}, and is ${total} now. Nothing was submitted: choose the file again, and check it`;
  throw new Refusal('changed_meanwhile', { text: says });
}

/** The results, read as the vendor’s people take turns. Throws: `unknown_batch`, `quarantine`. */
async function resultsOf({
  core: loaded,
  input,
  deps,
  viewer,
  turns,
}: Asked<Core, { readonly reference: string }>): Promise<BatchResults<AcceptedRow>> {
  const { vendorId } = await loaded.payingVendor(deps.pool, viewer);
  const key = { vendorId, batchReference: input.reference };
  return await loaded.ofKnownBatch(deps, batchesOf(deps).results(key, turns.inTurn));
}

async function* refusedOf(
  slices: BatchResults<AcceptedRow>['slices'],
): AsyncGenerator<RowResult<AcceptedRow>[]> {
  for await (const slice of slices) yield slice.filter(({ kind }) => kind === 'refused');
}
