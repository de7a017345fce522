import { Type } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { Static } from 'typebox';
import type { WireTime } from '../../platform/base/clock.ts';
import { csvExportValue } from '../../platform/base/csv.ts';
import { encodeReference } from '../../platform/base/ids.ts';
import type { BatchProgress, RowResult } from '../bulk/batch.ts';
import type { BulkProcessor } from '../bulk/processor.ts';
import { vid } from '../../parties/http/fields.ts';
import { FileAnswer } from '../../platform/http/operation.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus, nullable, wireTimeText } from '../../platform/http/schemas.ts';
import { batchReference, resultFormat } from './fields.ts';

/** What the bulk operations work with. */
export interface BulkDeps extends Pick<Authenticators, 'byVendor'> {
  readonly bulkProcessor: BulkProcessor;
  readonly wireTime: WireTime;
}

export const progressSchema = Type.Object({
  status: Type.Integer({ description: '1: the batch was taken. Its rows may still be refused.' }),
  text: Type.String({ examples: ['Batch queued and pending processing'] }),
  batch_reference: Type.String(),
  batch_id: Type.String({ description: 'Ours; quote it when you ask for help.' }),
  batch_status: Type.String({
    description: '`PROCESSING` while rows wait for their decision, then `DONE`.',
    examples: ['DONE'],
  }),
  sha256: Type.String({ description: 'Of the file.' }),
  rows: Type.Integer({ description: 'Rows in the file.' }),
  accepted: Type.Integer({
    description: 'Rows accepted so far: queued for processing, as after a single create.',
  }),
  refused: Type.Integer({ description: 'Rows refused so far.' }),
  posted_time: wireTimeText('When the batch was saved.'),
});

/** A batch as answers show it. */
export function progressOf(
  progress: BatchProgress,
  wireTime: WireTime,
): Static<typeof progressSchema> {
  const isDone = progress.endedAt !== null;
  return {
    status: 1,
    text: isDone ? 'Batch processed' : 'Batch queued and pending processing',
    batch_reference: progress.batchReference,
    batch_id: progress.batchId,
    batch_status: isDone ? 'DONE' : 'PROCESSING',
    sha256: progress.fileSha256.toString('hex'),
    rows: progress.rowCount,
    accepted: progress.acceptedCount,
    refused: progress.refusedCount,
    posted_time: wireTime.format(progress.createdAt),
  };
}

const statusRequest = Type.Object({ vid, batch_reference: batchReference });
const statusResponse = Type.Object({ header_status: headerStatus, msg: progressSchema });

/** How far a batch is. */
export function bulkStatus(
  deps: BulkDeps,
  path: string,
): Operation<typeof statusRequest, typeof statusResponse, Vendor> {
  return {
    name: 'bulkStatus',
    method: 'GET',
    path,
    summary: 'Progress of a bulk create',
    description: 'How many rows of a batch are decided, and how.',
    signedBy: deps.byVendor,
    request: statusRequest,
    response: statusResponse,
    handle: async (request, vendor) => ({
      header_status: 200,
      msg: progressOf(
        await deps.bulkProcessor.progress(vendor.vendorId, request.batch_reference),
        deps.wireTime,
      ),
    }),
  };
}

const resultRequest = Type.Object({
  vid,
  batch_reference: batchReference,
  format: Type.Optional(resultFormat),
});
const rowSchema = Type.Object({
  row: Type.Integer({ description: 'From 1; the header of a CSV file is not counted.' }),
  merchant_reference: nullable(Type.String()),
  result: Type.String({
    description: '`ACCEPTED`, `REFUSED`, or `WAITING` for its decision.',
    examples: ['ACCEPTED'],
  }),
  ipay_reference: nullable(Type.String({ description: 'Of an accepted row.' })),
  posted_time: nullable(wireTimeText('When the transaction was saved.')),
  code: nullable(Type.String({ description: 'Of a refused row: the code of a single create.' })),
  text: nullable(Type.String({ description: 'Of a refused row, for people.' })),
  field: nullable(Type.String({ description: 'Of a refused row: the parameter at fault.' })),
});
const resultResponse = Type.Object({
  header_status: headerStatus,
  msg: progressSchema,
  data: Type.Array(rowSchema),
});
type ResultRow = Static<typeof rowSchema>;

/** What became of every row. */
export function bulkResult(
  deps: BulkDeps,
  path: string,
): Operation<typeof resultRequest, typeof resultResponse, Vendor> {
  return {
    name: 'bulkResult',
    method: 'GET',
    path,
    summary: 'Results of a bulk create',
    description:
      'What became of each row, in the order of the file: its `ipay_reference`, or the code a single create would have been refused with. With `format` `csv` or `jsonl` the rows come as a file (`text/csv`, `application/x-ndjson`) instead.',
    signedBy: deps.byVendor,
    request: resultRequest,
    response: resultResponse,
    handle: async (request, vendor) => {
      const { vendorId } = vendor;
      const { progress, rows } = await deps.bulkProcessor.results(
        vendorId,
        request.batch_reference,
      );
      const data = rows.map((row) => resultRowOf(row, vendorId, deps.wireTime));
      const name = `batch-${progress.batchId}`;
      if (request.format === 'csv') {
        return new FileAnswer(csvOf(data), 'text/csv; charset=utf-8', `${name}.csv`);
      }
      if (request.format === 'jsonl') {
        const lines = data.map((row) => `${JSON.stringify(row)}\n`).join('');
        return new FileAnswer(lines, 'application/x-ndjson', `${name}.jsonl`);
      }
      return { header_status: 200, msg: progressOf(progress, deps.wireTime), data };
    },
  };
}

const UNDECIDED = {
  ipay_reference: null,
  posted_time: null,
  code: null,
  text: null,
  field: null,
};

function resultRowOf(result: RowResult, vendorId: number, wireTime: WireTime): ResultRow {
  const { row, merchantReference: merchant_reference } = result;
  const own = { ...UNDECIDED, row, merchant_reference };
  switch (result.kind) {
    case 'accepted':
      return {
        ...own,
        result: 'ACCEPTED',
        ipay_reference: encodeReference(vendorId, result.paymentId),
        posted_time: wireTime.format(result.postedAt),
      };
    case 'refused': {
      const { code, text, field = null } = result;
      return { ...own, result: 'REFUSED', code, text, field };
    }
    case 'waiting':
      return { ...own, result: 'WAITING' };
  }
}

const COLUMNS = [
  'row',
  'merchant_reference',
  'result',
  'ipay_reference',
  'posted_time',
  'code',
  'text',
  'field',
] as const satisfies readonly (keyof ResultRow)[];

// Programs that need references byte for byte take `json` or `jsonl`: here formulas are neutralised.
function csvOf(rows: readonly ResultRow[]): string {
  const lines = rows.map((row) =>
    COLUMNS.map((column) => csvExportValue(String(row[column] ?? ''))).join(','),
  );
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}
