import { createBatches } from '../../batches/batches.ts';
import type { BatchOptions } from '../../batches/batches.ts';
import type { BatchKind, EndedBatch } from '../../batches/kind.ts';
import type { ChunkRow } from '../../batches/read-batches.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { BucketOf, OnBatch } from '../../platform/db/lane.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { NewPayment } from '../create/payment.ts';
import { decodeRows, encodeRows, merchantReferenceOf, newBatchId, paymentIdOf } from './batch.ts';
import type { AcceptedRow, BulkBatches, BulkRow } from './batch.ts';
import { decideChunk } from './chunk.ts';
import type { BulkChunk, Rules } from './chunk.ts';

export interface BulkOptions extends BatchOptions {
  /** Its own, so that single creates do not wait for chunks of other vendors. */
  readonly lanePool: Pool;
  readonly laneConnections: number;
  readonly laneDeadlineMs: number;
  /** Default: all vendors are in one bucket. */
  readonly bucketOf?: BucketOf | undefined;
  readonly onBatch?: OnBatch;
  readonly rules: Rules;
  /**
   * Called after each commit with the accepted payments, so that they are dispatched without a
   * poll.
   */
  readonly onAccepted: (accepted: readonly NewPayment[]) => void;
  /** Called once for each file, when its last row has been decided. */
  readonly onDecided: (file: EndedBatch) => void;
}

/** Files of payments. */
export function createBulkBatches(options: BulkOptions): BulkBatches {
  return createBatches(bulkKind(options), options);
}

function bulkKind(options: BulkOptions): BatchKind<BulkRow, AcceptedRow, BulkChunk> {
  const { bucketOf } = options;
  const lane = createLane<BulkChunk, readonly NewPayment[]>({
    name: 'bulk lane',
    pool: options.lanePool,
    atOnce: { maxCalls: options.laneConnections, vendorOf: ({ vendorId }) => vendorId },
    partOf: bucketOf && (({ vendorId }) => bucketOf(vendorId)),
    maxBatch: 1,
    maxWaiting: LIMITS.bulkBatchesUnderWay,
    deadlineMs: options.laneDeadlineMs,
    onBatch: options.onBatch,
    call: async (db, chunks) =>
      await Promise.all(chunks.map((chunk) => decideChunk(db, chunk, options.rules))),
  });
  return {
    name: 'payments',
    referenceField: 'batch_reference',
    limits: {
      chunkRows: LIMITS.bulkChunkRows,
      open: LIMITS.bulkOpenBatches,
      underWay: LIMITS.bulkBatchesUnderWay,
    },
    isErased: false,
    newBatchId,
    encode: encodeRows,
    decode: decodeRows,
    referenceOf: merchantReferenceOf,
    prepare: (chunk) => Promise.resolve(chunk),
    record: async (chunk) => {
      options.onAccepted(await lane.add(chunk));
    },
    acceptedOf: ({ batchId }, chunk) => Promise.resolve(acceptedOf(batchId, chunk)),
    onEnded: options.onDecided,
  };
}

function acceptedOf(batchId: string, chunk: ChunkRow): (row: number) => AcceptedRow {
  const earlier = new Map(
    chunk.exceptions.flatMap((one) =>
      'code' in one
        ? []
        : [[one.row, { paymentId: one.payment_id, postedAt: new Date(one.posted_at) }] as const],
    ),
  );
  return (row) => {
    const repeated = earlier.get(row);
    return repeated === undefined
      ? { paymentId: paymentIdOf(batchId, row), postedAt: chunk.decidedAt, replayed: false }
      : { ...repeated, replayed: true };
  };
}
