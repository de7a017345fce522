/**
 * Group commit: items that arrive while a batch is running form the next batch. There is no timer:
 * when no batch is running, a batch of one starts at once.
 */
export interface Batcher<Item, Result> {
  /** Rejects with `QueueFullError` at once when the queue is full. */
  add(item: Item): Promise<Result>;
  /** Items waiting, not counting the running batch. */
  readonly waiting: number;
  /** Resolves when nothing is waiting or running. New items are still accepted. */
  idle(): Promise<void>;
}

export class QueueFullError extends Error {
  constructor(name: string) {
    super(`The queue of ${name} is full`);
    this.name = 'QueueFullError';
  }
}

interface Waiting<Item, Result> {
  readonly item: Item;
  /** On the clock of `watch`. */
  readonly sinceMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Each item's result, or the error that only this item failed with, or that it is postponed to the next batch. */
export type Settled<Result> =
  | { readonly value: Result }
  | { readonly error: unknown }
  | { readonly postponed: true };

/** A batch that has ended. */
export interface EndedBatch {
  readonly rows: number;
  /** How long its oldest item waited for the batch. */
  readonly waitedMs: number;
  readonly tookMs: number;
}

export interface BatcherOptions<Item, Result> {
  /** For errors and metrics. */
  readonly name: string;
  readonly maxBatch: number;
  readonly maxWaiting: number;
  /**
   * Handles a batch; one result per item, in order. If it throws, every item fails with the error. Items that
   * are postponed come first in the next batch.
   */
  readonly run: (items: readonly Item[]) => Promise<readonly Settled<Result>[]>;
  /** Called for every batch. Default: nothing is measured. */
  readonly watch?: { readonly nowMs: () => number; readonly note: (batch: EndedBatch) => void };
}

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  const { watch } = options;
  let queue: Waiting<Item, Result>[] = [];
  let running = false;
  let idleListeners: (() => void)[] = [];

  const loop = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.length <= options.maxBatch ? queue : queue.slice(0, options.maxBatch);
      queue = batch === queue ? [] : queue.slice(options.maxBatch);
      const beganMs = watch?.nowMs() ?? 0;
      const postponed = await runBatch(batch, options);
      if (postponed.length > 0) queue = [...postponed, ...queue];
      watch?.note({
        rows: batch.length - postponed.length,
        waitedMs: beganMs - (batch[0]?.sinceMs ?? beganMs),
        tookMs: watch.nowMs() - beganMs,
      });
    }
    running = false;
    const listeners = idleListeners;
    idleListeners = [];
    for (const listener of listeners) listener();
  };

  return {
    get waiting() {
      return queue.length;
    },
    add: (item) =>
      new Promise<Result>((resolve, reject) => {
        if (queue.length >= options.maxWaiting) {
          reject(new QueueFullError(options.name));
          return;
        }
        queue.push({ item, sinceMs: watch?.nowMs() ?? 0, resolve, reject });
        if (running) return;
        running = true;
        // Items that arrive in this turn of the event loop join the batch.
        queueMicrotask(() => void loop());
      }),
    idle: () =>
      new Promise((resolve) => {
        if (running) idleListeners.push(resolve);
        else resolve();
      }),
  };
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
