import type { Logger } from 'pino';
import { Refusal } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { databaseTransaction, isUnavailable } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { payloadOf, readKeptOfEach } from '../enquiries/kept-store.ts';
import { readAllCards } from '../governance/cards.ts';
import type { Scorecard } from '../scorecards/scorecard.ts';
import type { ManyOptions } from '../enquiries/many.ts';
import { contentLocation, rowAnswerOf } from './batch.ts';
import type {
  BatchProgress,
  NewScoreBatch,
  RowAnswer,
  RowResult,
  ScoreOperation,
  ScoreRow,
} from './batch.ts';
import { Overtaken, prepareChunk, recordChunk, refuseRow } from './chunk.ts';
import type { PreparedChunk, RowRules } from './chunk.ts';
import * as store from './store.ts';
import type { BatchKey } from './store.ts';

/** Accepts batches of enquiries and answers their rows in the background. */
export interface ScoreBatches {
  /** Starts looking for batches that another process abandoned. */
  start(rules: RowRules): void;
  /**
   * Stores a batch and starts answering it. The same reference with the same file returns the same
   * batch. Throws: `reference_reused` (another file), `overloaded` (too many open batches),
   * `outcome_unknown`, `scoring_unavailable` (the bureau answers one enquiry at a time only).
   */
  accept(batch: NewScoreBatch): Promise<BatchProgress>;
  /** Throws: `unknown_batch`. */
  progress(key: BatchKey): Promise<BatchProgress>;
  /** The batch and one result per row, in order. Throws: `unknown_batch`. */
  results(
    key: BatchKey,
  ): Promise<{ readonly progress: BatchProgress; readonly rows: readonly RowResult[] }>;
  /** Resolves when this process works on none. */
  idle(): Promise<void>;
  /** Stops after the current chunks; another process, or the next start, continues. */
  stop(): Promise<void>;
}

export interface ScoreBatchesOptions extends ManyOptions {
  readonly pool: Pool;
  /** Interval of the search for abandoned batches. */
  readonly pollMs: number;
  /** A process that answered nothing of a batch for this long has abandoned it. */
  readonly leaseMs: number;
  readonly log: Logger;
}

export function createScoreBatches(options: ScoreBatchesOptions): ScoreBatches {
  return new Batches(options);
}

class Batches implements ScoreBatches {
  readonly #options: ScoreBatchesOptions;
  readonly #running = new Map<string, Promise<void>>();
  #rules: RowRules | undefined;
  #search: PeriodicJob | undefined;
  #stopping = false;

  constructor(options: ScoreBatchesOptions) {
    this.#options = options;
  }

  start(rules: RowRules): void {
    this.#rules = rules;
    this.#search ??= startPeriodicJob({
      everyMs: this.#options.pollMs,
      atOnce: true,
      work: async () => await this.#adopt(),
      failureText: 'batches of enquiries could not be listed',
      log: this.#options.log,
    });
  }

  async accept(batch: NewScoreBatch): Promise<BatchProgress> {
    const { pool, vault, bureau } = this.#options;
    if (bureau.askMany === undefined) {
      throw new Refusal('scoring_unavailable', {
        text: 'Batches need the built-in credit registry; the bureau of this service answers single enquiries only',
      });
    }
    const batchId = newId();
    const { rows, ...facts } = batch;
    const made = {
      ...facts,
      batchId,
      rowCount: rows.length,
      sealedContent: vault.seal(JSON.stringify(rows), contentLocation(batchId)),
      leaseMs: 0,
      maxOpen: LIMITS.scoreOpenBatches,
    };
    // Read before the commit: a file that was stored must never be called not accepted.
    const stored = await databaseTransaction(pool, async (client) => {
      await store.insertBatch(client, made);
      return await store.readBatch(client, batch);
    });
    if (stored === undefined) throw new Refusal('overloaded', tooManyOpen());
    if (!stored.fileSha256.equals(batch.fileSha256) || stored.operation !== batch.operation) {
      throw new Refusal('reference_reused', { field: 'batchReference' });
    }
    this.#search?.hurry();
    return stored;
  }

  async progress(key: BatchKey): Promise<BatchProgress> {
    const found = await store.readBatch(this.#options.pool, key);
    if (found === undefined) throw new Refusal('unknown_batch', { field: 'batchReference' });
    return found;
  }

  async results(
    key: BatchKey,
  ): Promise<{ readonly progress: BatchProgress; readonly rows: readonly RowResult[] }> {
    const { pool } = this.#options;
    const progress = await this.progress(key);
    const chunks = await store.listChunks(pool, { ...key, ...progress });
    const cards = await readAllCards(pool);
    const rows: RowResult[] = Array.from({ length: progress.rowCount }, (_, index) => ({
      row: index + 1,
      requestReference: null,
      kind: 'waiting',
    }));
    for (const chunk of chunks) {
      const answers = await this.#answersOf(key.vendorId, progress.operation, chunk, cards);
      const refusals = new Map(chunk.refusals.map((one) => [one.row, one]));
      for (const [index, requestReference] of chunk.requestReferences.entries()) {
        const row = chunk.firstRow + index;
        const refusal = refusals.get(row);
        rows[row - 1] =
          refusal === undefined
            ? {
                row,
                requestReference,
                kind: 'answered',
                answer: answers.get(requestReference ?? '') ?? null,
              }
            : { ...refusal, requestReference, kind: 'refused' };
      }
    }
    return { progress, rows };
  }

  async #answersOf(
    vendorId: number,
    operation: ScoreOperation,
    { requestReferences }: store.ChunkRow,
    cards: ReadonlyMap<string, Scorecard>,
  ): Promise<Map<string, RowAnswer>> {
    const { pool, vault } = this.#options;
    const kept = await readKeptOfEach(pool, {
      vendorId,
      operation,
      requestReferences: requestReferences.filter((reference) => reference !== null),
    });
    return new Map(
      kept.flatMap((enquiry) => {
        const body = payloadOf(vault, enquiry)?.answer ?? null;
        if (body === null) return [];
        const card = cards.get(enquiry.scorecard ?? '');
        return [[enquiry.requestReference, rowAnswerOf(body, card)] as const];
      }),
    );
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#search?.stop();
    await this.idle();
  }

  /** Takes over batches that no process works on. */
  async #adopt(): Promise<void> {
    const { pool, leaseMs } = this.#options;
    for (const key of await store.listAbandoned(pool, LIMITS.scoreOpenBatches)) {
      if (this.#stopping || this.#running.size >= LIMITS.scoreBatchesUnderWay) return;
      const name = `${key.vendorId} ${key.batchReference}`;
      if (this.#running.has(name)) continue;
      const leased = await store.leaseBatch(pool, key, leaseMs);
      if (leased !== undefined) this.#running.set(name, this.#work(name, key, leased));
    }
  }

  async #work(name: string, key: BatchKey, leased: store.LeasedBatch): Promise<void> {
    try {
      await this.#answerAll(key, leased);
    } catch (error) {
      // The lease ends by itself, and a process tries again.
      this.#options.log.warn({ err: error, batch_id: leased.batchId }, 'a batch has to wait');
    } finally {
      this.#running.delete(name);
      this.#search?.hurry();
    }
  }

  /**
   * Answers the rest of a batch, a chunk at a time; the next one is prepared while one is recorded.
   * If a row makes its chunk fail, the chunk is halved until the row stands alone and is refused.
   */
  async #answerAll(key: BatchKey, leased: store.LeasedBatch): Promise<void> {
    const { vault, log } = this.#options;
    const { batchId, sealedContent } = leased;
    if (sealedContent === null) return;
    const rows = JSON.parse(vault.unseal(sealedContent, contentLocation(batchId))) as ScoreRow[];
    const batch = { ...key, ...leased };
    let { nextRow } = leased;
    let size: number = LIMITS.scoreChunkRows;
    let ahead: Ahead | undefined;
    try {
      while (nextRow <= rows.length) {
        if (this.#stopping) return await store.releaseBatch(this.#options.pool, key);
        const chunk =
          ahead?.firstRow === nextRow ? ahead : this.#prepare(batch, rows, nextRow, size);
        ahead = undefined;
        try {
          const prepared = await chunk.prepared;
          ahead = this.#prepare(batch, rows, nextRow + prepared.rows.length, LIMITS.scoreChunkRows);
          await recordChunk(this.#options, prepared);
          nextRow += prepared.rows.length;
          size = LIMITS.scoreChunkRows;
        } catch (error) {
          if (!isOfRows(error)) throw error;
          if (chunk.length > 1) {
            size = Math.ceil(chunk.length / 2);
            continue;
          }
          log.error({ err: error, batch_id: batchId, row: nextRow }, 'a row could not be answered');
          await refuseRow(this.#options, batch, nextRow, rows[nextRow - 1]);
          nextRow += 1;
        }
      }
    } finally {
      await ahead?.prepared.catch(() => {});
    }
  }

  /** Starts to prepare rows. The promise may be dropped. */
  #prepare(
    batch: BatchKey & store.LeasedBatch,
    rows: readonly ScoreRow[],
    firstRow: number,
    size: number,
  ): Ahead {
    if (this.#rules === undefined) throw new Error('Batches were not started');
    const some = rows.slice(firstRow - 1, firstRow - 1 + size);
    const prepared = prepareChunk(this.#options, this.#rules, { ...batch, firstRow }, some);
    prepared.catch(() => {});
    return { firstRow, length: some.length, prepared };
  }
}

/** A chunk that is being prepared. */
interface Ahead {
  readonly firstRow: number;
  readonly length: number;
  readonly prepared: Promise<PreparedChunk>;
}

/** If rows cannot be at fault, a process tries again when the lease has ended. */
function isOfRows(error: unknown): boolean {
  return !(error instanceof Overtaken || error instanceof Refusal || isUnavailable(error));
}

function tooManyOpen(): { text: string; retryAfterSeconds: number } {
  return {
    text: `At most ${LIMITS.scoreOpenBatches} batches may be unanswered at once; send this one again when another has ended`,
    retryAfterSeconds: 5,
  };
}
