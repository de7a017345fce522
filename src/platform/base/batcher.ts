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
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Each item's result, or the error that only this item failed with. */
export type Settled<Result> = { readonly value: Result } | { readonly error: unknown };

export interface BatcherOptions<Item, Result> {
  /** For errors and metrics. */
  readonly name: string;
  readonly maxBatch: number;
  readonly maxWaiting: number;
  /**
   * Handles a batch; one result per item, in order. If it throws, every item fails with the error.
   */
  readonly run: (items: readonly Item[]) => Promise<readonly Settled<Result>[]>;
}

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  let queue: Waiting<Item, Result>[] = [];
  let running = false;
  let idleListeners: (() => void)[] = [];

  const loop = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.length <= options.maxBatch ? queue : queue.slice(0, options.maxBatch);
      queue = batch === queue ? [] : queue.slice(options.maxBatch);
      await runBatch(batch, options);
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
        queue.push({ item, resolve, reject });
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

async function runBatch<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  options: BatcherOptions<Item, Result>,
): Promise<void> {
  try {
    const results = await options.run(batch.map((waiting) => waiting.item));
    for (const [index, waiting] of batch.entries()) {
      const result = results[index];
      if (result === undefined) waiting.reject(new Error(`${options.name}: no result for an item`));
      else if ('error' in result) waiting.reject(result.error);
      else waiting.resolve(result.value);
    }
  } catch (error) {
    for (const waiting of batch) waiting.reject(error);
  }
}
