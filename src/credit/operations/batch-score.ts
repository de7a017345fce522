import { Type } from 'typebox';
import { UPLOAD_LIMITS, sha256 } from '../../batches/http.ts';
import { vid } from '../../parties/http/fields.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { FileOperation } from '../../platform/http/operation.ts';
import { parameter } from '../../platform/http/parameter.ts';
import { headerStatus } from '../../platform/http/schemas.ts';
import type { KnownNames } from '../../platform/http/wire/parameters.ts';
import { SCORE_COLUMNS, readScoreRows } from './batch-file.ts';
import {
  EXAMPLE_BATCH,
  EXAMPLE_FILE,
  batchReference,
  progressOf,
  progressSchema,
  requireBatches,
} from './batch-progress.ts';
import type { BatchDeps } from './batch-progress.ts';
import { keyIdOf } from './enquiry.ts';
import { reportReason, reportSector } from './fields.ts';

const request = Type.Object({
  vid,
  batchReference,
  product: parameter(
    /^(generic-score|mobile-loan-score)$/,
    'generic-score or mobile-loan-score',
    'The score that is computed for every row.',
    { examples: ['generic-score'] },
  ),
  reportReason,
  reportSector,
  sha256,
});
const response = Type.Object({ header_status: headerStatus, msg: progressSchema });

const EXAMPLE = {
  request: {
    vid: 'demo',
    batchReference: EXAMPLE_BATCH.batchReference,
    product: 'generic-score',
    reportReason: '3',
    reportSector: '2',
    sha256: EXAMPLE_BATCH.sha256,
  },
  answer: {
    header_status: 200,
    msg: {
      ...EXAMPLE_BATCH,
      text: 'Batch queued and pending processing',
      batchStatus: 'PROCESSING',
      answered: 0,
      refused: 0,
    },
  },
};

/** Accepts a file of enquiries. */
export function batchScore(
  deps: BatchDeps & { readonly knownNames: KnownNames },
): FileOperation<typeof request, typeof response, Vendor> {
  const columns = deps.knownNames.columns(SCORE_COLUMNS);
  return {
    name: 'batchScore',
    method: 'POST',
    path: '/batch-score',
    tag: 'Scoring',
    summary: 'Score many customers',
    description: `Asks for the scores of the customers in a file: CSV or JSON lines, at most ${LIMITS.scoreRows} rows and ${LIMITS.scoreFileBytes} bytes. Success means that the file was accepted. Each row then is an enquiry of its own, with its own \`requestReference\`, consent and record; the single operation with the same parameters returns its whole answer. Query the batch's status and its result. The same \`batchReference\` with the same file returns the same batch.`,
    signedBy: deps.byVendor,
    request,
    file: {
      description:
        'CSV with a header, or JSON lines; columns and names are those of a single enquiry, without the parameters of the whole file.',
      example: EXAMPLE_FILE,
      maxBytes: LIMITS.scoreFileBytes,
      sha256: 'sha256',
      limits: UPLOAD_LIMITS,
    },
    response,
    refusals: {
      file_mismatch: {},
      invalid_file: {},
      reference_reused: {},
      overloaded: {},
      outcome_unknown: {},
      scoring_unavailable: {},
    },
    example: EXAMPLE,
    handle: async (asked, vendor, file, { key }) => {
      const batches = requireBatches(deps);
      const progress = await batches.accept({
        vendorId: vendor.vendorId,
        batchReference: asked.batchReference,
        product: asked.product,
        fileSha256: file.sha256,
        keyId: keyIdOf(key),
        rows: await readScoreRows(file, columns, {
          vid: asked.vid,
          reportReason: asked.reportReason,
          reportSector: asked.reportSector,
        }),
      });
      return { header_status: 200, msg: progressOf(progress, deps.wireTime) };
    },
  };
}
