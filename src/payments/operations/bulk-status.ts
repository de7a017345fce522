import { Type } from 'typebox';
import { vid } from '../../parties/http/fields.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus } from '../../platform/http/schemas.ts';
import { EXAMPLE_BATCH, ofKnownBatch, progressOf, progressSchema } from './bulk-progress.ts';
import type { BulkDeps } from './bulk-progress.ts';
import { batchReference } from './fields.ts';

const request = Type.Object({ vid, batch_reference: batchReference });
const response = Type.Object({ header_status: headerStatus, msg: progressSchema });

/** The progress of a batch. */
export function bulkStatus(deps: BulkDeps): Operation<typeof request, typeof response, Vendor> {
  return {
    name: 'bulkStatus',
    method: 'GET',
    path: '/transaction/bulk/status',
    tag: 'Billing',
    summary: 'Progress of a bulk create',
    description: 'The number of rows of a batch that are accepted, refused and waiting.',
    signedBy: deps.byVendor,
    request,
    response,
    refusals: { unknown_batch: {}, quarantine: {} },
    example: {
      request: { vid: 'demo', batch_reference: EXAMPLE_BATCH.batch_reference },
      answer: {
        header_status: 200,
        msg: { ...EXAMPLE_BATCH, text: 'Batch processed', refused: 1 },
      },
    },
    handle: async (asked, vendor) => ({
      header_status: 200,
      msg: progressOf(
        await ofKnownBatch(
          deps,
          deps.bulkBatches.progress({
            vendorId: vendor.vendorId,
            batchReference: asked.batch_reference,
          }),
        ),
        deps.wireTime,
      ),
    }),
  };
}
