import type { Logger } from 'pino';
import { Refusal } from '../platform/base/errors.ts';
import type { ReadPart } from '../platform/base/long-reads.ts';
import { begun, nextTurn } from '../platform/base/turns.ts';
import { databaseTransaction, isUnavailable } from '../platform/db/pool.ts';
import type { Pool } from '../platform/db/pool.ts';
import { startPeriodicJob } from '../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../platform/jobs/periodic-job.ts';
import { SLICE_ROWS } from '../platform/export/rows.ts';
import { rowRefusalOf } from './batch.ts';
import type { Batch, BatchKey, NewBatch, RowResult } from './batch.ts';
import type { BatchKind, BatchUnderWay, Chunk } from './kind.ts';
import * as store from './store.ts';
import {
  readBatch,
  listChunks,
  readContent,
  listAbandoned,
  readNextRow,
  countRefusals,
} from './read-batches.ts';
import type { ChunkRow, KindKey } from './read-batches.ts';

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
  /**
   * The batch and one result per row, in order, as they were when the batch was read. Throws: `unknown_batch`.
   * @param read runs the reading of one page. Default: at once.
   */
  results(key: BatchKey, read?: ReadPart): Promise<BatchResults<Accepted>>;
  /** The batches that this process works on. */
  readonly underWay: number;
  /** Resolves when this process works on none. */
  idle(): Promise<void>;
  /** Stops after the current chunks; another process, or the next start, continues. */
  stop(): Promise<void>;
}

export interface BatchResults<Accepted> {
  readonly progress: Batch;
  /**
   * Some rows at a time, about a millisecond's work, each in a turn of the event loop. Read while they are asked for; the
   * first have been read.
   */
  readonly slices: AsyncIterable<readonly RowResult<Accepted>[]>;
}

/** Rows whose results are read at once. A chunk with more is read alone. */
const PAGE_ROWS = 500;

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
      stored: await readBatch(client, made),
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
    const found = await readBatch(this.#options.pool, this.#keyOf(key));
    if (found === undefined) {
      throw new Refusal('unknown_batch', { field: this.#kind.referenceField });
    }
    return found;
  }

  async results(
    key: BatchKey,
    read: ReadPart = async (work) => await work(),
  ): Promise<BatchResults<Accepted>> {
    const found = await read(async () => {
      const progress = await this.progress(key);
      const kept = this.#kind.isErased ? [] : await this.#read(progress);
      return { progress, kept: kept[Symbol.iterator]() };
    });
    return { progress: found.progress, slices: await begun(this.#resultSlices(found, read)) };
  }

  /** Rows that are decided while they are read are waiting ones: the progress does not count them. */
  async *#resultSlices(
    { progress, kept }: { readonly progress: Batch; readonly kept: Iterator<Row> },
    read: ReadPart,
  ): AsyncGenerator<readonly RowResult<Accepted>[]> {
    const referenceOfNext = (): string | null => {
      const next = kept.next();
      return next.done === true ? null : this.#kind.referenceOf(next.value);
    };
    const { rowCount } = progress;
    const toRow = progress.acceptedCount + progress.refusedCount;
    let row = 1;
    while (row <= toRow) {
      const range = { fromRow: row, toRow };
      for (const chunk of await read(async () => await this.#readChunks(progress, range))) {
        const resultOf = resultsOfChunk(chunk, referenceOfNext);
        yield* slicesOf(chunk.firstRow, chunk.rowCount, resultOf);
        row = chunk.firstRow + chunk.rowCount;
      }
    }
    yield* slicesOf(row, rowCount - row + 1, (waiting) => {
      return { row: waiting, reference: referenceOfNext(), kind: 'waiting' };
    });
  }

  /** The first chunks of the range, whose rows are decided. */
  async #readChunks(
    batch: Batch,
    range: { readonly fromRow: number; readonly toRow: number },
  ): Promise<DecidedChunk<Accepted>[]> {
    const limit = Math.ceil(PAGE_ROWS / this.#kind.limits.chunkRows);
    const chunks = await listChunks(this.#options.pool, batch, { ...range, limit });
    if (chunks.length === 0)
      throw new Error(`${nameOf(batch)} has no results from row ${range.fromRow}`);
    const decided: DecidedChunk<Accepted>[] = [];
    for (const chunk of chunks) {
      decided.push({ ...chunk, accepted: await this.#kind.acceptedOf(batch, chunk) });
    }
    return decided;
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

  async #read(batch: BatchKey & { readonly batchId: string }): Promise<Iterable<Row>> {
    const content = await readContent(this.#options.pool, this.#keyOf(batch));
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
    for (const found of await listAbandoned(pool, name, limits.underWay + limits.open)) {
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
    const rows = inMemory ?? [...(await this.#read(batch))];
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
            const isDecided = (await readNextRow(this.#options.pool, batch)) === nextRow + count;
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
      const refusals = await countRefusals(pool, { vendorId, batchId });
      this.#kind.onEnded({ vendorId, batchId, rowCount, refusals });
    } catch (error) {
      log.warn({ err: error, batch_id: batchId }, 'the refused rows could not be counted');
    }
  }
}

interface DecidedChunk<Accepted> extends ChunkRow {
  readonly accepted: (row: number, reference: string | null) => Accepted;
}

/** The result of each row of the chunk, which are asked for in their order. */
function resultsOfChunk<Accepted extends object>(
  { firstRow, exceptions, references, accepted }: DecidedChunk<Accepted>,
  referenceOfNext: () => string | null,
): (row: number) => RowResult<Accepted> {
  const exceptional = new Map(exceptions.map((one) => [one.row, one]));
  return (row) => {
    const reference = references?.[row - firstRow] ?? referenceOfNext();
    const exception = exceptional.get(row);
    return exception !== undefined && 'code' in exception
      ? { ...exception, reference, kind: 'refused' }
      : { ...accepted(row, reference), row, reference, kind: 'accepted' };
  };
}

/** The results of some rows, in slices. */
async function* slicesOf<Result>(
  firstRow: number,
  rowCount: number,
  resultOf: (row: number) => Result,
): AsyncGenerator<readonly Result[]> {
  for (let from = 0; from < rowCount; from += SLICE_ROWS) {
    await nextTurn();
    const length = Math.min(SLICE_ROWS, rowCount - from);
    yield Array.from({ length }, (_, index) => resultOf(firstRow + from + index));
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
