import type { Logger } from 'pino';
import { Refusal } from '../platform/base/errors.ts';
import { databaseTransaction, isUnavailable } from '../platform/db/pool.ts';
import type { Pool } from '../platform/db/pool.ts';
import { startPeriodicJob } from '../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../platform/jobs/periodic-job.ts';
import { rowRefusalOf } from './batch.ts';
import type { Batch, BatchKey, NewBatch, RowResult } from './batch.ts';
import type { BatchKind, BatchUnderWay, Chunk } from './kind.ts';
import * as store from './store.ts';
import type { KindKey } from './store.ts';

/** Accepts batches of one kind and decides their rows in the background. */
export interface Batches<Row, Accepted> {
  /** Starts looking for batches that another process left. */
  start(): void;
  /**
   * Stores a batch and starts deciding it. The same reference with the same file gets the same
   * batch. Throws: `reference_reused` (another file or product), `overloaded` (too many undecided
   * batches), `outcome_unknown`, and what the kind throws while it accepts none.
   */
  accept(batch: NewBatch<Row>): Promise<Batch & { readonly replayed: boolean }>;
  /** Throws: `unknown_batch`. */
  progress(key: BatchKey): Promise<Batch>;
  /** The batch and one result per row, in order. Throws: `unknown_batch`. */
  results(
    key: BatchKey,
  ): Promise<{ readonly progress: Batch; readonly rows: readonly RowResult<Accepted>[] }>;
  /** The batches that this process works on. */
  readonly underWay: number;
  /** Resolves when this process works on none. */
  idle(): Promise<void>;
  /** Stops after the current chunks; another process, or the next start, continues. */
  stop(): Promise<void>;
}

export interface BatchOptions {
  readonly pool: Pool;
  /** Interval of the search for batches that another process left. */
  readonly pollMs: number;
  /** A process that has decided no chunk of a batch for this long has left it. */
  readonly leaseMs: number;
  readonly log: Logger;
}

export function createBatches<Row, Accepted extends object, Prepared>(
  kind: BatchKind<Row, Accepted, Prepared>,
  options: BatchOptions,
): Batches<Row, Accepted> {
  return new Engine(kind, options);
}

/** A chunk that is being prepared. */
interface Ahead<Row, Prepared> {
  readonly chunk: Chunk<Row>;
  readonly prepared: Promise<Prepared>;
}

class Engine<Row, Accepted extends object, Prepared> implements Batches<Row, Accepted> {
  readonly #kind: BatchKind<Row, Accepted, Prepared>;
  readonly #options: BatchOptions;
  readonly #running = new Map<string, Promise<void>>();
  #search: PeriodicJob | undefined;
  #stopping = false;

  constructor(kind: BatchKind<Row, Accepted, Prepared>, options: BatchOptions) {
    this.#kind = kind;
    this.#options = options;
  }

  start(): void {
    this.#search ??= startPeriodicJob({
      everyMs: this.#options.pollMs,
      atOnce: true,
      work: async () => await this.#adopt(),
      failureText: `could not look for batches of ${this.#kind.name}`,
      log: this.#options.log,
    });
  }

  get underWay(): number {
    return this.#running.size;
  }

  async accept(batch: NewBatch<Row>): Promise<Batch & { readonly replayed: boolean }> {
    const { pool, leaseMs } = this.#options;
    const { name, limits, isErased, referenceField } = this.#kind;
    this.#kind.requireReady?.();
    const { rows, ...facts } = batch;
    const batchId = this.#kind.newBatchId();
    const content = this.#kind.encode(rows, batchId);
    const mine = this.#isFree();
    const made = {
      ...facts,
      kind: name,
      batchId,
      rowCount: rows.length,
      content: isErased ? null : content,
      sealedContent: isErased ? content : null,
      leaseMs: mine ? leaseMs : 0,
      maxOpen: limits.open,
    };
    // Read before the commit: a file that was stored must never be called not accepted.
    const { inserted, stored } = await databaseTransaction(pool, async (client) => ({
      inserted: await store.insertBatch(client, made),
      stored: await store.readBatch(client, made),
    }));
    if (stored === undefined) throw tooManyOpen(limits.open);
    const isSame = stored.fileSha256.equals(batch.fileSha256);
    if (!isSame || stored.product !== (batch.product ?? null)) {
      throw new Refusal('reference_reused', { field: referenceField });
    }
    if (inserted && mine) this.#decide({ ...stored, kind: name, nextRow: 1 }, rows);
    return { ...stored, replayed: !inserted };
  }

  async progress(key: BatchKey): Promise<Batch> {
    const found = await store.readBatch(this.#options.pool, this.#keyOf(key));
    if (found === undefined) {
      throw new Refusal('unknown_batch', { field: this.#kind.referenceField });
    }
    return found;
  }

  async results(
    key: BatchKey,
  ): Promise<{ readonly progress: Batch; readonly rows: readonly RowResult<Accepted>[] }> {
    const kind = this.#kind;
    const progress = await this.progress(key);
    const kept = kind.isErased ? undefined : await this.#read(progress);
    const rows = Array.from({ length: progress.rowCount }, (_, index): RowResult<Accepted> => {
      const row = kept?.[index];
      const reference = row === undefined ? null : kind.referenceOf(row);
      return { row: index + 1, reference, kind: 'waiting' };
    });
    for (const chunk of await store.listChunks(this.#options.pool, progress)) {
      const accepted = await kind.acceptedOf(progress, chunk);
      const refusals = new Map(
        chunk.exceptions.flatMap((one) => ('code' in one ? [[one.row, one] as const] : [])),
      );
      for (let row = chunk.firstRow; row < chunk.firstRow + chunk.rowCount; row += 1) {
        const noted = chunk.references?.[row - chunk.firstRow] ?? null;
        const reference = noted ?? rows[row - 1]?.reference ?? null;
        const refusal = refusals.get(row);
        rows[row - 1] =
          refusal === undefined
            ? { ...accepted(row, reference), row, reference, kind: 'accepted' }
            : { ...refusal, reference, kind: 'refused' };
      }
    }
    return { progress, rows };
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#search?.stop();
    await this.idle();
  }

  #keyOf({ vendorId, batchReference }: BatchKey): KindKey {
    return { kind: this.#kind.name, vendorId, batchReference };
  }

  async #read(batch: BatchKey & { readonly batchId: string }): Promise<readonly Row[]> {
    const content = await store.readContent(this.#options.pool, this.#keyOf(batch));
    return this.#kind.decode(content, batch.batchId);
  }

  #isFree(): boolean {
    const isStarted = this.#search !== undefined && !this.#stopping;
    return isStarted && this.#running.size < this.#kind.limits.underWay;
  }

  /** Continues batches that another process left. */
  async #adopt(): Promise<void> {
    const { pool, leaseMs } = this.#options;
    const { name, limits } = this.#kind;
    // Those that this process works on may be among them, if a lease has ended.
    for (const found of await store.listAbandoned(pool, name, limits.underWay + limits.open)) {
      if (!this.#isFree()) return;
      if (this.#running.has(nameOf(found))) continue;
      const leased = await store.leaseBatch(pool, this.#keyOf(found), leaseMs);
      if (leased !== undefined) this.#decide({ ...leased, kind: name });
    }
  }

  /** Decides the rest of a batch, in the background. */
  #decide(batch: BatchUnderWay, rows?: readonly Row[]): void {
    const { log } = this.#options;
    const work = this.#decideAll(batch, rows)
      .catch((error: unknown) => {
        // The lease ends by itself, and a process tries again.
        log.warn({ err: error, batch_id: batch.batchId }, 'a batch has to wait');
      })
      .finally(() => {
        const wasFull = !this.#isFree();
        this.#running.delete(nameOf(batch));
        if (wasFull) this.#search?.hurry();
      });
    this.#running.set(nameOf(batch), work);
  }

  /**
   * Decides the rest of a batch, one chunk at a time. If one row makes a chunk fail, the chunk is
   * halved until the row is alone, and that row is refused.
   */
  async #decideAll(batch: BatchUnderWay, inMemory: readonly Row[] | undefined): Promise<void> {
    const { chunkRows } = this.#kind.limits;
    const rows = inMemory ?? (await this.#read(batch));
    let size = chunkRows;
    let ahead: Ahead<Row, Prepared> | undefined;
    let isOwn = false;
    try {
      while (batch.nextRow <= rows.length) {
        if (this.#stopping) return await store.releaseBatch(this.#options.pool, batch);
        const { nextRow } = batch;
        const { chunk, prepared } =
          ahead?.chunk.firstRow === nextRow ? ahead : this.#prepare(batch, rows, nextRow, size);
        const count = chunk.rows.length;
        try {
          ahead = undefined;
          const done = await prepared;
          if (nextRow + count <= rows.length) {
            ahead = this.#prepare(batch, rows, nextRow + count, chunkRows);
          }
          await this.#kind.record(done);
          isOwn = true;
        } catch (error) {
          if (error instanceof store.NotNext) {
            const isDecided =
              (await store.readNextRow(this.#options.pool, batch)) === nextRow + count;
            if (!isDecided) return;
            isOwn = false;
            batch.nextRow = nextRow + count;
            continue;
          }
          // The database is at fault, not the rows.
          if (error instanceof Refusal || isUnavailable(error)) throw error;
          if (count > 1) {
            size = Math.ceil(count / 2);
            continue;
          }
          await this.#refuse(chunk, error);
          isOwn = true;
        }
        size = chunkRows;
        batch.nextRow = nextRow + count;
      }
    } finally {
      await ahead?.prepared.catch(() => {});
    }
    if (isOwn) await this.#noteEnd(batch, rows.length);
  }

  /** Starts to prepare rows. The promise may be dropped. */
  #prepare(
    batch: BatchUnderWay,
    all: readonly Row[],
    firstRow: number,
    size: number,
  ): Ahead<Row, Prepared> {
    const kind = this.#kind;
    const rows = all.slice(firstRow - 1, firstRow - 1 + size);
    const references = kind.isErased ? rows.map((row) => kind.referenceOf(row)) : null;
    const { leaseMs } = this.#options;
    const chunk = { ...batch, firstRow, rows, references, leaseMs };
    const prepared = kind.prepare(chunk);
    prepared.catch(() => {});
    return { chunk, prepared };
  }

  /** Refuses a row that the database rejects. */
  async #refuse(chunk: Chunk<Row>, error: unknown): Promise<void> {
    const { batchId, firstRow: row } = chunk;
    this.#options.log.error({ err: error, batch_id: batchId, row }, 'a row could not be decided');
    const refusal = rowRefusalOf(new Refusal('internal_error'));
    await store.insertChunk(this.#options.pool, { ...chunk, exceptions: [{ row, ...refusal }] });
  }

  /** Another process may have decided some of the rows, so their refusals are read. */
  async #noteEnd({ vendorId, batchId }: BatchUnderWay, rowCount: number): Promise<void> {
    if (this.#kind.onEnded === undefined) return;
    const { pool, log } = this.#options;
    try {
      const refusals = await store.countRefusals(pool, { vendorId, batchId });
      this.#kind.onEnded({ vendorId, batchId, rowCount, refusals });
    } catch (error) {
      log.warn({ err: error, batch_id: batchId }, 'the refused rows could not be counted');
    }
  }
}

function nameOf({ vendorId, batchReference }: BatchKey): string {
  return `${vendorId} ${batchReference}`;
}

function tooManyOpen(most: number): Refusal {
  return new Refusal('overloaded', {
    text: `At most ${most} batches may be undecided at once; send this one again when another has ended`,
    retryAfterSeconds: 5,
  });
}
