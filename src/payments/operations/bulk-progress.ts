import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import type { Batch } from '../../batches/batch.ts';
import type { ResultsDeps } from '../../batches/http.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { wireTimeText } from '../../platform/http/schemas.ts';
import type { BulkBatches } from '../bulk/batch.ts';
import { refuseUnknown } from '../quarantine/unknown.ts';

/** The dependencies of the bulk operations. */
export interface BulkDeps extends Pick<Authenticators, 'byVendor'>, ResultsDeps {
  readonly bulkBatches: BulkBatches;
  readonly pool: Pool;
  readonly wireTime: WireTime;
}

export const progressSchema = Type.Object({
  status: Type.Integer({
    description: '1: the batch was accepted. Its rows may still be refused.',
  }),
  text: Type.String({ examples: ['Batch queued and pending processing'] }),
  batch_reference: Type.String(),
  batch_id: Type.String({ description: 'Our own id; quote it when you ask for help.' }),
  batch_status: Type.String({
    description: '`PROCESSING` while rows wait for their decision, then `DONE`.',
    examples: ['DONE'],
  }),
  sha256: Type.String({ description: 'SHA-256 of the file.' }),
  rows: Type.Integer({ description: 'Rows in the file.' }),
  accepted: Type.Integer({
    description: 'Rows accepted so far: queued for processing, as after a single create.',
  }),
  refused: Type.Integer({ description: 'Rows refused so far.' }),
  posted_time: wireTimeText('When the batch was saved.'),
});

/** Two rows of CSV; the second is below the minimum. */
export const EXAMPLE_FILE = `biller_name,account,amount,merchant_reference
safaricom,254722000001,100,nov-0001
safaricom,254722000002,1,nov-0002
`;

/** The batch of that file. */
export const EXAMPLE_BATCH = {
  status: 1,
  text: 'Batch queued and pending processing',
  batch_reference: 'airtime-2026-11',
  batch_id: '019aa5b1-7c00-7d2e-9c3f-5a1b2c3d0000',
  batch_status: 'DONE',
  sha256: createHash('sha256').update(EXAMPLE_FILE).digest('hex'),
  rows: 2,
  accepted: 1,
  refused: 0,
  posted_time: '2026-11-21 09:20:00',
};

/**
 * The answer to a question about a batch. In quarantine, an unknown batch may be one of the missing period.
 * Throws: `unknown_batch`, `quarantine`.
 */
export async function ofKnownBatch<Asked>(
  { pool }: Pick<BulkDeps, 'pool'>,
  asked: Promise<Asked>,
): Promise<Asked> {
  try {
    return await asked;
  } catch (error) {
    const isUnknown = error instanceof Refusal && error.code === 'unknown_batch';
    throw isUnknown ? await refuseUnknown(pool, error) : error;
  }
}

/** A batch as responses show it. */
export function progressOf(progress: Batch, wireTime: WireTime): Static<typeof progressSchema> {
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
