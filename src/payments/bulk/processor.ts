import type { Logger } from 'pino';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { BucketOf, Lane, OnBatch } from '../../platform/db/lane.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { NewPayment } from '../create/payment.ts';
import { decodeRows, encodeRows, merchantReferenceOf, newBatchId, paymentIdOf } from './batch.ts';
import type { BatchProgress, BulkRow, RowResult } from './batch.ts';
import { decideChunk, refuseChunk } from './chunk.ts';
import type { Chunk, ChunkOutcome, Rules } from './chunk.ts';
import * as store from './store.ts';

/** Accepts batches and decides their rows in the background. */
export interface BulkProcessor {
  /** Starts looking for batches that another process left. */
  start(): void;
  /**
   * Stores a batch and starts deciding it. The same reference with the same file gets the same
   * batch. Throws: `reference_reused` (another file), `overloaded` (too many undecided batches),
   * `outcome_unknown`.
   */
  accept(batch: {
    readonly vendorId: number;
    readonly batchReference: string;
    readonly fileSha256: Buffer;
    readonly rows: readonly BulkRow[];
  }): Promise<BatchProgress & { readonly replayed: boolean }>;
  /** Throws: `unknown_batch`. */
  progress(vendorId: number, batchReference: string): Promise<BatchProgress>;
  /** The batch and one result per row, in order. Throws: `unknown_batch`. */
  results(
    vendorId: number,
    batchReference: string,
  ): Promise<{ readonly progress: BatchProgress; readonly rows: readonly RowResult[] }>;
  /** The batches that this process works on. */
  readonly underWay: number;
  /** Resolves when this process works on none. */
  idle(): Promise<void>;
  /** Stops after the current chunks; another process, or the next start, continues. */
  stop(): Promise<void>;
}

export interface BulkProcessorOptions {
  readonly pool: Pool;
  /**
   * The create lane's pool. Callers get its connections in turn, so that a single create waits for
   * one chunk at most.
   */
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
  readonly onDecided: (file: DecidedFile) => void;
  /** Interval of the search for batches that another process left. */
  readonly pollMs: number;
  /** A process that has decided no chunk of a batch for this long has left it. */
  readonly leaseMs: number;
  readonly log: Logger;
}

/** A file whose rows are all decided. */
export interface DecidedFile {
  readonly vendorId: number;
  readonly batchId: string;
  readonly rowCount: number;
  /** Numbers of refused rows by error code. */
  readonly refusals: Readonly<Record<string, number>>;
}

interface Job {
  readonly vendorId: number;
  readonly batchReference: string;
  readonly batchId: string;
  nextRow: number;
}

type ChunkCall = { readonly chunk: Chunk; readonly refuseWith?: Refusal };

export function createBulkProcessor(options: BulkProcessorOptions): BulkProcessor {
  return new Processor(options);
}

class Processor implements BulkProcessor {
  readonly #options: BulkProcessorOptions;
  readonly #lane: Lane<ChunkCall, ChunkOutcome>;
  readonly #running = new Map<string, Promise<void>>();
  #search: PeriodicJob | undefined;
  #stopping = false;

  constructor(options: BulkProcessorOptions) {
    this.#options = options;
    this.#lane = openBulkLane(options);
  }

  start(): void {
    this.#search ??= startPeriodicJob({
      everyMs: this.#options.pollMs,
      atOnce: true,
      work: async () => await this.#adopt(),
      failureText: 'could not look for batches',
      log: this.#options.log,
    });
  }

  get underWay(): number {
    return this.#running.size;
  }

  async accept(batch: Parameters<BulkProcessor['accept']>[0]): ReturnType<BulkProcessor['accept']> {
    const { pool, leaseMs } = this.#options;
    const batchId = newBatchId();
    const { vendorId, batchReference, rows } = batch;
    const mine = this.#isFree();
    const made = {
      ...batch,
      batchId,
      rowCount: rows.length,
      content: encodeRows(rows),
      leaseMs: mine ? leaseMs : 0,
      maxOpen: LIMITS.bulkOpenBatches,
    };
    // Read before the commit: a file that was stored must never be called not accepted.
    const { inserted, stored } = await databaseTransaction(pool, async (client) => ({
      inserted: await store.insertBatch(client, made),
      stored: await store.readBatch(client, vendorId, batchReference),
    }));
    if (stored === undefined) throw new Refusal('overloaded', tooManyOpen());
    if (!stored.fileSha256.equals(batch.fileSha256)) {
      throw new Refusal('reference_reused', { field: 'batch_reference' });
    }
    if (inserted && mine) this.#decide({ vendorId, batchReference, batchId, nextRow: 1 }, rows);
    return { ...stored, replayed: !inserted };
  }

  async progress(vendorId: number, batchReference: string): Promise<BatchProgress> {
    return await requireBatch(this.#options.pool, vendorId, batchReference);
  }

  async results(
    vendorId: number,
    batchReference: string,
  ): Promise<{ readonly progress: BatchProgress; readonly rows: readonly RowResult[] }> {
    const { pool } = this.#options;
    const progress = await requireBatch(pool, vendorId, batchReference);
    const rows = decodeRows(await store.readContent(pool, vendorId, batchReference));
    const chunks = await store.listChunks(pool, vendorId, progress.batchId);
    return { progress, rows: listResults(progress.batchId, rows, chunks) };
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#search?.stop();
    await Promise.all(this.#running.values());
  }

  #isFree(): boolean {
    return !this.#stopping && this.#running.size < LIMITS.bulkBatchesUnderWay;
  }

  /** Continues batches that another process left. */
  async #adopt(): Promise<void> {
    const { pool, leaseMs } = this.#options;
    for (const found of await store.listAbandoned(pool, LIMITS.bulkBatchesUnderWay)) {
      if (!this.#isFree()) return;
      if (this.#running.has(keyOf(found))) continue;
      const leased = await store.leaseBatch(pool, found, leaseMs);
      if (leased !== undefined) this.#decide({ ...found, ...leased });
    }
  }

  /** Decides the rest of a batch, in the background. */
  #decide(job: Job, rows?: readonly BulkRow[]): void {
    const options = this.#options;
    const isStopping = (): boolean => this.#stopping;
    const work = decideAll(job, rows, { lane: this.#lane, options, isStopping })
      .catch((error: unknown) => {
        options.log.warn(
          { err: error, batch_id: job.batchId },
          'a batch could not be continued and will be retried',
        );
      })
      .finally(() => {
        const wasFull = !this.#isFree();
        this.#running.delete(keyOf(job));
        if (wasFull) this.#search?.hurry();
      });
    this.#running.set(keyOf(job), work);
  }
}

function openBulkLane(options: BulkProcessorOptions): Lane<ChunkCall, ChunkOutcome> {
  const { bucketOf } = options;
  return createLane<ChunkCall, ChunkOutcome>({
    name: 'bulk lane',
    pool: options.lanePool,
    atOnce: { maxCalls: options.laneConnections, vendorOf },
    partOf: bucketOf && ((call) => bucketOf(vendorOf(call))),
    maxBatch: 1,
    maxWaiting: LIMITS.bulkBatchesUnderWay,
    deadlineMs: options.laneDeadlineMs,
    onBatch: options.onBatch,
    call: async (db, calls) =>
      await Promise.all(
        calls.map(async ({ chunk, refuseWith }) =>
          refuseWith === undefined
            ? await decideChunk(db, chunk, options.rules)
            : await refuseChunk(db, chunk, refuseWith),
        ),
      ),
  });
}

function vendorOf({ chunk }: ChunkCall): number {
  return chunk.vendorId;
}

function keyOf({ vendorId, batchReference }: Pick<Job, 'vendorId' | 'batchReference'>): string {
  return `${vendorId} ${batchReference}`;
}

function tooManyOpen(): { text: string; retryAfterSeconds: number } {
  return {
    text: `At most ${LIMITS.bulkOpenBatches} batches may be undecided at once; send this one again when another has ended`,
    retryAfterSeconds: 5,
  };
}

async function requireBatch(
  pool: Pool,
  vendorId: number,
  batchReference: string,
): Promise<BatchProgress> {
  const found = await store.readBatch(pool, vendorId, batchReference);
  if (found === undefined) throw new Refusal('unknown_batch', { field: 'batch_reference' });
  return found;
}

/**
 * Decides the rest of a batch, one chunk at a time. If one row makes a chunk fail, the chunk is
 * split in half repeatedly until the row is isolated, and that row is refused.
 */
async function decideAll(
  job: Job,
  rowsInMemory: readonly BulkRow[] | undefined,
  by: {
    readonly lane: Lane<ChunkCall, ChunkOutcome>;
    readonly options: BulkProcessorOptions;
    readonly isStopping: () => boolean;
  },
): Promise<void> {
  const { pool, leaseMs, log, onAccepted } = by.options;
  const rows =
    rowsInMemory ?? decodeRows(await store.readContent(pool, job.vendorId, job.batchReference));
  let size: number = LIMITS.bulkChunkRows;
  let decidedLast = false;
  while (job.nextRow <= rows.length) {
    if (by.isStopping()) {
      await store.releaseBatch(pool, job);
      return;
    }
    const firstRow = job.nextRow;
    const some = rows.slice(firstRow - 1, firstRow - 1 + size);
    const chunk = { ...job, firstRow, rows: some, leaseMs };
    try {
      const outcome = await by.lane.add({ chunk });
      onAccepted(outcome.accepted);
      // Another process works on it, because our lease had expired, or it waits for the end of a quarantine.
      if (!outcome.decided && outcome.nextRow !== firstRow + some.length) return;
      job.nextRow = outcome.nextRow;
      size = LIMITS.bulkChunkRows;
      decidedLast = outcome.decided;
    } catch (error) {
      // The database is at fault, not the rows: the lease expires, and a process tries again.
      if (error instanceof Refusal) throw error;
      if (some.length > 1) {
        size = Math.ceil(some.length / 2);
        continue;
      }
      log.error({ err: error, batch_id: job.batchId, row: firstRow }, 'a row could not be decided');
      const refuseWith = new Refusal('internal_error');
      const outcome = await by.lane.add({ chunk, refuseWith });
      job.nextRow = outcome.nextRow;
      decidedLast = outcome.decided;
    }
  }
  if (decidedLast) await noteDecided(job, rows.length, by.options);
}

/** Another process may have decided some of the rows, so their refusals are read. */
async function noteDecided(
  { vendorId, batchId }: Job,
  rowCount: number,
  { pool, onDecided, log }: BulkProcessorOptions,
): Promise<void> {
  try {
    const refusals = await store.countRefusals(pool, vendorId, batchId);
    onDecided({ vendorId, batchId, rowCount, refusals });
  } catch (error) {
    log.warn({ err: error, batch_id: batchId }, 'the refused rows of a file could not be counted');
  }
}

/** The result of each row. Rows that belong to no chunk are still waiting. */
function listResults(
  batchId: string,
  rows: readonly BulkRow[],
  chunks: readonly store.ChunkRow[],
): RowResult[] {
  const results = rows.map((row, index): RowResult => ({
    row: index + 1,
    merchantReference: merchantReferenceOf(row),
    kind: 'waiting',
  }));
  for (const chunk of chunks) {
    for (let row = chunk.firstRow; row < chunk.firstRow + chunk.rowCount; row += 1) {
      put(results, row, {
        kind: 'accepted',
        paymentId: paymentIdOf(batchId, row),
        postedAt: chunk.postedAt,
        replayed: false,
      });
    }
    for (const exception of chunk.exceptions) {
      if ('code' in exception) put(results, exception.row, { ...exception, kind: 'refused' });
      else {
        put(results, exception.row, {
          kind: 'accepted',
          paymentId: exception.payment_id,
          postedAt: new Date(exception.posted_at),
          replayed: true,
        });
      }
    }
  }
  return results;
}

type Decided<Result = RowResult> = Result extends unknown
  ? Omit<Result, 'row' | 'merchantReference'>
  : never;

function put(results: RowResult[], row: number, decided: Decided): void {
  const waiting = results[row - 1];
  if (waiting === undefined) throw new Error(`there is no row ${row}`);
  const { merchantReference } = waiting;
  results[row - 1] = { ...decided, row, merchantReference };
}
