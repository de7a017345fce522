import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { RowResult } from '../../batches/batch.ts';
import { resultFormat, resultsAnswer, resultsInTurn } from '../../batches/http.ts';
import { vid } from '../../parties/http/fields.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { ERRORS } from '../../platform/base/errors.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus, nullable } from '../../platform/http/schemas.ts';
import type { RowAnswer } from '../batches/batch.ts';
import { NOTICE } from './answers.ts';
import {
  EXAMPLE_BATCH,
  batchReference,
  progressOf,
  progressSchema,
  requireBatches,
} from './batch-progress.ts';
import type { BatchDeps } from './batch-progress.ts';

const request = Type.Object({
  vid,
  batchReference,
  format: Type.Optional(resultFormat),
});
const text = (description: string) => nullable(Type.String({ description }));
const rowSchema = Type.Object({
  row: Type.Integer({
    description: 'Number of the row, from 1; the header of a CSV file is not counted.',
  }),
  requestReference: text('The reference in the row.'),
  result: Type.String({
    description: '`ANSWERED`, `REFUSED` or `WAITING`.',
    examples: ['ANSWERED'],
  }),
  crn: text('Customer reference number, if the row was answered.'),
  nameDiffers: text('`true` when a name on file is another than in the row, as after a marriage.'),
  grade: text('AA (best) to JJ; empty without history.'),
  score: text('1 to 1000; empty without history.'),
  probability: text('Probability of default in percent; empty without history.'),
  reasonCodeAARC1: text('A reason, in plain English.'),
  reasonCodeAARC2: text('A reason, in plain English.'),
  reasonCodeAARC3: text('A reason, in plain English.'),
  reasonCodeAARC4: text('A reason, in plain English.'),
  scorecard: text(
    'The scorecard of the score. `GET /v1/enquiries` has its population and what its probability is about.',
  ),
  scorecardIsExample: text(
    '`true` when the scorecard was not made from what became of real loans, so its scores and probabilities are examples.',
  ),
  code: text('The error code that a single enquiry would have returned, if the row was refused.'),
  text: text('The text of the error, for people.'),
  field: text('The parameter that caused the error.'),
});
const response = Type.Object({
  header_status: headerStatus,
  msg: progressSchema,
  notice: Type.String({ description: 'Must be shown to the person who decides.' }),
  data: Type.Array(rowSchema),
});
type ResultRow = Static<typeof rowSchema>;

const COLUMNS = Object.keys(rowSchema.properties) as (keyof ResultRow)[];

const EMPTY: Omit<ResultRow, 'row' | 'requestReference' | 'result'> = {
  crn: null,
  nameDiffers: null,
  grade: null,
  score: null,
  probability: null,
  reasonCodeAARC1: null,
  reasonCodeAARC2: null,
  reasonCodeAARC3: null,
  reasonCodeAARC4: null,
  scorecard: null,
  scorecardIsExample: null,
  code: null,
  text: null,
  field: null,
};

const EXAMPLE_ROWS: ResultRow[] = [
  {
    ...EMPTY,
    row: 1,
    requestReference: 'NOV0001',
    result: 'ANSWERED',
    crn: '1000001',
    nameDiffers: 'false',
    grade: 'BB',
    score: '793',
    probability: '1.69',
    reasonCodeAARC1: 'One or more accounts are open',
    reasonCodeAARC2: 'Few accounts were repaid in full and on time',
    reasonCodeAARC3: 'No further reason',
    reasonCodeAARC4: 'No further reason',
    scorecard: 'malipo-generic@3',
    scorecardIsExample: 'true',
  },
  {
    ...EMPTY,
    row: 2,
    requestReference: 'NOV0002',
    result: 'REFUSED',
    code: 'subject_not_found',
    text: ERRORS.subject_not_found.text,
  },
];

/** The result of every row. */
export function batchScoreResult(
  deps: BatchDeps,
): Operation<typeof request, typeof response, Vendor> {
  return {
    name: 'batchScoreResult',
    method: 'GET',
    path: '/batch-score/result',
    tag: 'Scoring',
    summary: 'Results of a batch of enquiries',
    description:
      'The result of each row, in the order of the file: score, grade and reasons, or the error code that a single enquiry would have returned. With `format` `csv` or `jsonl` the response is a file (`text/csv`, `application/x-ndjson`). Once retention has erased an answer, its fields are null.',
    signedBy: deps.byVendor,
    request,
    response,
    refusals: { unknown_batch: {}, scoring_unavailable: {} },
    example: {
      request: { vid: 'demo', batchReference: EXAMPLE_BATCH.batchReference, format: 'json' },
      answer: { header_status: 200, msg: EXAMPLE_BATCH, notice: NOTICE, data: EXAMPLE_ROWS },
    },
    handle: async (asked, vendor) => {
      const { progress, slices } = await requireBatches(deps).results(
        { vendorId: vendor.vendorId, batchReference: asked.batchReference },
        resultsInTurn(deps, vendor),
      );
      return resultsAnswer(slices, resultRowOf, {
        format: asked.format,
        name: `scores-${progress.batchId}`,
        head: { header_status: 200, msg: progressOf(progress, deps.wireTime), notice: NOTICE },
        columns: COLUMNS,
      });
    },
  };
}

function resultRowOf(result: RowResult<{ readonly answer: RowAnswer | null }>): ResultRow {
  const { row, reference: requestReference } = result;
  const own = { ...EMPTY, row, requestReference };
  if (result.kind === 'waiting') return { ...own, result: 'WAITING' };
  if (result.kind === 'refused') {
    const { code, text: why, field = null } = result;
    return { ...own, result: 'REFUSED', code, text: why, field };
  }
  if (result.answer === null) return { ...own, result: 'ANSWERED' };
  const { reasons, ...answer } = result.answer;
  const [first = '', second = '', third = '', fourth = ''] = reasons;
  return {
    ...own,
    ...answer,
    result: 'ANSWERED',
    reasonCodeAARC1: first,
    reasonCodeAARC2: second,
    reasonCodeAARC3: third,
    reasonCodeAARC4: fourth,
  };
}
