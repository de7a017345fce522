import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { RowResult } from '../../batches/batch.ts';
import type { BatchResults } from '../../batches/batches.ts';
import { resultFormat, resultsAnswer, resultsInTurn } from '../../batches/http.ts';
import { vid } from '../../parties/http/fields.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { encodeReference } from '../../parties/reference.ts';
import type { Operation } from '../../platform/http/operation.ts';
import type { StreamedAnswer } from '../../platform/http/streamed-answer.ts';
import { headerStatus, nullable, wireTimeText } from '../../platform/http/schemas.ts';
import type { AcceptedRow } from '../bulk/batch.ts';
import { EXAMPLE_BATCH, ofKnownBatch, progressOf, progressSchema } from './bulk-progress.ts';
import type { BulkDeps } from './bulk-progress.ts';
import { batchReference } from './fields.ts';

const request = Type.Object({
  vid,
  batch_reference: batchReference,
  format: Type.Optional(resultFormat),
});
const rowSchema = Type.Object({
  row: Type.Integer({
    description: 'Number of the row, from 1; the header of a CSV file is not counted.',
  }),
  merchant_reference: nullable(Type.String()),
  result: Type.String({
    description: '`ACCEPTED`, `REFUSED`, or `WAITING` for its decision.',
    examples: ['ACCEPTED'],
  }),
  ipay_reference: nullable(
    Type.String({ description: 'The reference of the payment; null unless the row was accepted.' }),
  ),
  posted_time: nullable(wireTimeText('When the transaction was saved.')),
  code: nullable(
    Type.String({
      description:
        'The error code that a single create would have returned; null unless the row was refused.',
    }),
  ),
  text: nullable(Type.String({ description: 'The text of the error, for people.' })),
  field: nullable(Type.String({ description: 'The parameter that caused the error.' })),
  replayed: nullable(
    Type.Boolean({
      description:
        'True: the payment existed before this file, with the same `merchant_reference` and content, and is not paid again. Null unless the row was accepted.',
    }),
  ),
});
const response = Type.Object({
  header_status: headerStatus,
  msg: progressSchema,
  data: Type.Array(rowSchema),
});
type ResultRow = Static<typeof rowSchema>;

const EXAMPLE_ROWS: ResultRow[] = [
  {
    row: 1,
    merchant_reference: 'nov-0001',
    result: 'ACCEPTED',
    ipay_reference: '00000081M7Y4NQ0D9EJTWBP0R4H5G001',
    posted_time: '2026-11-21 09:20:01',
    code: null,
    text: null,
    field: null,
    replayed: false,
  },
  {
    row: 2,
    merchant_reference: 'nov-0002',
    result: 'REFUSED',
    ipay_reference: null,
    posted_time: null,
    code: 'amount_below_minimum',
    text: 'The minimum amount of safaricom is 5.00',
    field: 'amount',
    replayed: null,
  },
];

/** The result of every row. */
export function bulkResult(deps: BulkDeps): Operation<typeof request, typeof response, Vendor> {
  return {
    name: 'bulkResult',
    method: 'GET',
    path: '/transaction/bulk/result',
    tag: 'Billing',
    summary: 'Results of a bulk create',
    description:
      'The result of each row, in the order of the file: its `ipay_reference`, or the error code a single create would have returned. With `format` `csv` or `jsonl` the response is a file (`text/csv`, `application/x-ndjson`).',
    signedBy: deps.byVendor,
    request,
    response,
    refusals: { unknown_batch: {}, quarantine: {} },
    example: {
      request: { vid: 'demo', batch_reference: EXAMPLE_BATCH.batch_reference, format: 'json' },
      answer: {
        header_status: 200,
        msg: { ...EXAMPLE_BATCH, text: 'Batch processed', refused: 1 },
        data: EXAMPLE_ROWS,
      },
    },
    handle: async (asked, vendor) => {
      const { vendorId } = vendor;
      const read = resultsInTurn(deps, vendor);
      const { progress, slices } = await ofKnownBatch(
        deps,
        deps.bulkBatches.results({ vendorId, batchReference: asked.batch_reference }, read),
      );
      return bulkResultsAnswer({ progress, slices }, { ...deps, format: asked.format });
    },
  };
}

/** The results as they are sent, or as a file. */
export function bulkResultsAnswer(
  { progress, slices }: BatchResults<AcceptedRow>,
  { wireTime, format }: Pick<BulkDeps, 'wireTime'> & { readonly format: string | undefined },
): StreamedAnswer {
  return resultsAnswer(slices, (result) => resultRowOf(result, progress.vendorId, wireTime), {
    ...{ format, name: `batch-${progress.batchId}`, columns: COLUMNS },
    head: { header_status: 200, msg: progressOf(progress, wireTime) },
  });
}

/** A row for each, with the same members in the same order: a file has thousands of them. */
function resultRowOf(
  result: RowResult<AcceptedRow>,
  vendorId: number,
  wireTime: WireTime,
): ResultRow {
  const isAccepted = result.kind === 'accepted';
  const isRefused = result.kind === 'refused';
  return {
    row: result.row,
    merchant_reference: result.reference,
    result: NAMES[result.kind],
    ipay_reference: isAccepted ? encodeReference(vendorId, result.paymentId) : null,
    posted_time: isAccepted ? wireTime.format(result.postedAt) : null,
    code: isRefused ? result.code : null,
    text: isRefused ? result.text : null,
    field: isRefused ? (result.field ?? null) : null,
    replayed: isAccepted ? result.replayed : null,
  };
}

const NAMES = { accepted: 'ACCEPTED', refused: 'REFUSED', waiting: 'WAITING' } as const;

const COLUMNS = Object.keys(rowSchema.properties) as (keyof ResultRow)[];
