import { Type } from 'typebox';
import { UPLOAD_LIMITS, sha256 } from '../../batches/http.ts';
import { vid } from '../../parties/http/fields.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { markedReplay } from '../../platform/http/operation.ts';
import type { FileOperation } from '../../platform/http/operation.ts';
import { headerStatus } from '../../platform/http/schemas.ts';
import type { KnownNames } from '../../platform/http/wire/parameters.ts';
import { BULK_COLUMNS, readRows } from './bulk-file.ts';
import { EXAMPLE_BATCH, EXAMPLE_FILE, progressOf, progressSchema } from './bulk-progress.ts';
import type { BulkDeps } from './bulk-progress.ts';
import { batchReference } from './fields.ts';

const request = Type.Object({ vid, batch_reference: batchReference, sha256 });
const response = Type.Object({ header_status: headerStatus, msg: progressSchema });

/** Accepts a file of payments. */
export function bulkUpload(
  deps: BulkDeps & { readonly knownNames: KnownNames },
): FileOperation<typeof request, typeof response, Vendor> {
  const columns = deps.knownNames.columns(BULK_COLUMNS);
  return {
    name: 'bulkCreate',
    method: 'POST',
    path: '/transaction/bulk',
    tag: 'Billing',
    summary: 'Create many transactions',
    description: `Queues the payments of a file: CSV or JSON lines, at most ${LIMITS.bulkRows} rows and ${LIMITS.bulkFileBytes} bytes. Success means that the file was accepted. Each row is then accepted or refused independently, like a single create: query the batch's status and its result. The same \`batch_reference\` with the same file returns the same batch, with the header \`Idempotency-Replayed: true\`, and nothing is paid twice.`,
    signedBy: deps.byVendor,
    request,
    file: {
      description:
        'CSV with a header, or JSON lines; columns and names are those of a single create without `vid` and `hash`.',
      example: EXAMPLE_FILE,
      maxBytes: LIMITS.bulkFileBytes,
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
    },
    example: {
      request: {
        vid: 'demo',
        batch_reference: EXAMPLE_BATCH.batch_reference,
        sha256: EXAMPLE_BATCH.sha256,
      },
      answer: {
        header_status: 200,
        msg: { ...EXAMPLE_BATCH, batch_status: 'PROCESSING', accepted: 0 },
      },
    },
    handle: async (asked, vendor, file) => {
      const progress = await deps.bulkBatches.accept({
        vendorId: vendor.vendorId,
        batchReference: asked.batch_reference,
        fileSha256: file.sha256,
        rows: await readRows(file, columns),
      });
      const answer = { header_status: 200, msg: progressOf(progress, deps.wireTime) };
      return markedReplay(answer, progress.replayed);
    },
  };
}
