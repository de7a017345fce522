import { BatchQueue } from './batch-queue.ts';
import type { Queued } from './batch-queue.ts';

/**
 * Group commit: items that arrive while a batch is running form the next batch. There is no timer:
 * when no batch is running, a batch of one starts at once. Several batches may run at once, if no
 * two of them have items of the same key.
 */
export interface Batcher<Item, Result> {
  add(item: Item): Promise<Result>;
  /** Items waiting, not counting those of running batches. */
  readonly waiting: number;
  /** Resolves when nothing is waiting or running. New items are still accepted. */
  idle(): Promise<void>;
}

interface Waiting<Item, Result> extends Queued<Item> {
  /** On the clock of `watch`. */
  readonly sinceMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Each item's result, or the error that only this item failed with. A postponed item keeps its place in the
 * queue.
 */
export type Settled<Result> =
  | { readonly value: Result }
  | { readonly error: unknown }
  | { readonly postponed: true };

/** A batch that has ended. */
export interface EndedBatch {
  readonly rows: number;
  /** Time that the oldest item waited for its batch to begin. */
  readonly waitedMs: number;
  readonly tookMs: number;
}

export interface BatcherOptions<Item, Result> {
  /** Names the batcher in errors and metrics. */
  readonly name: string;
  readonly maxBatch: number;
  /**
   * Handles a batch; one result per item, in order. If it throws, every item fails with the error. Items that
   * are postponed keep their place in the queue. Often postponed ones get a batch without other keys.
   */
  readonly run: (items: readonly Item[]) => Promise<readonly Settled<Result>[]>;
  /** Called for every batch. Default: nothing is measured. */
  readonly watch?:
    | { readonly nowMs: () => number; readonly note: (batch: EndedBatch) => void }
    | undefined;
  /** Default: one batch at a time. */
  readonly atOnce?: AtOnce<Item> | undefined;
}

/** Batches that run at the same time. */
export interface AtOnce<Item> {
  readonly maxRunning: number;
  /** Items of one key keep their order: while a batch has some of them, the others wait. */
  readonly keyOf: (item: Item) => number;
  /**
   * Items that must be waiting, of keys that no running batch has, before a further batch starts. Fewer are
   * enough if the running batches may be waiting for something that others do not need: if they are slow, or
   * each has items of a single key.
   */
  readonly minItems: number;
  readonly nowMs: () => number;
}

const ONE_AT_A_TIME: AtOnce<unknown> = {
  maxRunning: 1,
  keyOf: () => 0,
  minItems: 1,
  nowMs: () => 0,
};

/** After which a batch counts as slow: many times as long as a usual commit. */
const SLOW_MS = 100;

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  return new GroupBatcher(options);
}

class GroupBatcher<Item, Result> implements Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #atOnce: AtOnce<Item>;
  readonly #queue: BatchQueue<Item, Waiting<Item, Result>>;
  #running = 0;
  #lastBeganMs = 0;
  #added = 0;
  #idleListeners: (() => void)[] = [];

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
    this.#atOnce = options.atOnce ?? ONE_AT_A_TIME;
    this.#queue = new BatchQueue(this.#atOnce.keyOf);
  }

  get waiting(): number {
    return this.#queue.length;
  }

  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#added += 1;
      const sinceMs = this.#options.watch?.nowMs() ?? 0;
      this.#queue.add({ item, number: this.#added, sinceMs, resolve, reject });
      if (this.#running === 0) this.#start();
      else this.#startFurther();
    });
  }

  async idle(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => this.#idleListeners.push(resolve));
  }

  #start(): void {
    this.#running += 1;
    this.#lastBeganMs = this.#atOnce.nowMs();
    // Items that arrive in this turn of the event loop join the batch.
    queueMicrotask(() => void this.#loop());
  }

  #startFurther(): void {
    if (this.#running < this.#atOnce.maxRunning && this.#isWorthwhile()) this.#start();
  }

  #isWorthwhile(): boolean {
    const { minItems, nowMs } = this.#atOnce;
    const { free, takenKeys } = this.#queue;
    if (free === 0 || free >= minItems) return free > 0;
    return takenKeys === this.#running || nowMs() - this.#lastBeganMs > SLOW_MS;
  }

  async #loop(): Promise<void> {
    do {
      const batch = this.#take();
      if (batch.length === 0) break;
      await this.#run(batch);
    } while (this.#running === 1 || this.#isWorthwhile());
    this.#running -= 1;
    if (this.#running > 0) return;
    const listeners = this.#idleListeners;
    this.#idleListeners = [];
    for (const listener of listeners) listener();
  }

  /** If more waits than one batch takes, some keys are left to the batches that may start beside it. */
  #take(): readonly Waiting<Item, Result>[] {
    const { maxRunning, nowMs } = this.#atOnce;
    const { maxBatch } = this.#options;
    const { free } = this.#queue;
    const shares = free > maxBatch ? 1 + maxRunning - this.#running : 1;
    const batch = this.#queue.take(maxBatch, Math.ceil(free / shares));
    this.#lastBeganMs = nowMs();
    this.#startFurther();
    return batch;
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const { watch } = this.#options;
    const beganMs = watch?.nowMs() ?? 0;
    const postponed = await runBatch(batch, this.#options);
    this.#queue.release(batch, postponed);
    watch?.note({
      rows: batch.length - postponed.length,
      waitedMs: beganMs - (batch[0]?.sinceMs ?? beganMs),
      tookMs: watch.nowMs() - beganMs,
    });
  }
}

/** Returns the items that were postponed. */
async function runBatch<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  options: BatcherOptions<Item, Result>,
): Promise<Waiting<Item, Result>[]> {
  const postponed: Waiting<Item, Result>[] = [];
  try {
    const results = await options.run(batch.map((waiting) => waiting.item));
    for (const [index, waiting] of batch.entries()) {
      const result = results[index];
      if (result === undefined) waiting.reject(new Error(`${options.name}: no result for an item`));
      else if ('postponed' in result) postponed.push(waiting);
      else if ('error' in result) waiting.reject(result.error);
      else waiting.resolve(result.value);
    }
  } catch (error) {
    for (const waiting of batch) waiting.reject(error);
  }
  return postponed;
}
