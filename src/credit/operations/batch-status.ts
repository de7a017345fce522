import { Type } from 'typebox';
import { vid } from '../../parties/http/fields.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus } from '../../platform/http/schemas.ts';
import {
  EXAMPLE_BATCH,
  batchReference,
  progressOf,
  progressSchema,
  requireBatches,
} from './batch-progress.ts';
import type { BatchDeps } from './batch-progress.ts';

const request = Type.Object({ vid, batchReference });
const response = Type.Object({ header_status: headerStatus, msg: progressSchema });

/** The progress of a batch of enquiries. */
export function batchScoreStatus(
  deps: BatchDeps,
): Operation<typeof request, typeof response, Vendor> {
  return {
    name: 'batchScoreStatus',
    method: 'GET',
    path: '/batch-score/status',
    tag: 'Scoring',
    summary: 'Progress of a batch of enquiries',
    description: 'The number of rows of a batch that are answered and refused so far.',
    signedBy: deps.byVendor,
    request,
    response,
    refusals: { unknown_batch: {}, scoring_unavailable: {} },
    example: {
      request: { vid: 'demo', batchReference: EXAMPLE_BATCH.batchReference },
      answer: { header_status: 200, msg: EXAMPLE_BATCH },
    },
    handle: async (asked, { vendorId }) => {
      const { batchReference: reference } = asked;
      const progress = await requireBatches(deps).progress({ vendorId, batchReference: reference });
      return { header_status: 200, msg: progressOf(progress, deps.wireTime) };
    },
  };
}
