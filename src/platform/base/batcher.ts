/**
 * Group commit: items that arrive while a batch is running form the next batch. There is no timer:
 * when no batch is running, a batch of one starts at once. Several batches may run at once, if no
 * two of them have items of the same key.
 */
export interface Batcher<Item, Result> {
  /** Rejects with `QueueFullError` at once when the queue is full. */
  add(item: Item): Promise<Result>;
  /** Items waiting, not counting those of running batches. */
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
  /** Items that must be waiting, of keys that no running batch has, before a further batch starts. */
  readonly minItems: number;
}

const ONE_AT_A_TIME: AtOnce<unknown> = { maxRunning: 1, keyOf: () => 0, minItems: 1 };

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  const { watch, maxBatch, atOnce = ONE_AT_A_TIME } = options;
  const { maxRunning, keyOf, minItems } = atOnce;
  const queue = createQueue<Item, Result>(keyOf, minItems);
  let running = 0;
  let idleListeners: (() => void)[] = [];

  const hasBatch = (): boolean => queue.length > 0 && (running === 1 || queue.free >= minItems);
  const loop = async (): Promise<void> => {
    while (hasBatch()) {
      const batch = queue.take(maxBatch);
      const beganMs = watch?.nowMs() ?? 0;
      const postponed = await runBatch(batch, options);
      queue.release(batch, postponed);
      watch?.note({
        rows: batch.length - postponed.length,
        waitedMs: beganMs - (batch[0]?.sinceMs ?? beganMs),
        tookMs: watch.nowMs() - beganMs,
      });
    }
    running -= 1;
    if (running > 0) return;
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
        queue.add({ item, sinceMs: watch?.nowMs() ?? 0, resolve, reject });
        if (running > 0 && (running === maxRunning || queue.free < minItems)) return;
        running += 1;
        // Items that arrive in this turn of the event loop join the batch.
        queueMicrotask(() => void loop());
      }),
    idle: () =>
      new Promise((resolve) => {
        if (running > 0) idleListeners.push(resolve);
        else resolve();
      }),
  };
}

/** Waiting items, in their order, and the keys that running batches have. */
interface Queue<Item, Result> {
  readonly length: number;
  /** Items of keys that no running batch has, counted up to `minItems`. */
  readonly free: number;
  add(waiting: Waiting<Item, Result>): void;
  /** The first items that are free. Their keys are taken until `release`. */
  take(maxItems: number): readonly Waiting<Item, Result>[];
  /** Ends a batch; the items it postponed are first again. */
  release(
    batch: readonly Waiting<Item, Result>[],
    postponed: readonly Waiting<Item, Result>[],
  ): void;
}

function createQueue<Item, Result>(
  keyOf: (item: Item) => number,
  minItems: number,
): Queue<Item, Result> {
  let items: Waiting<Item, Result>[] = [];
  let free = 0;
  const taken = new Set<number>();
  const isFree = ({ item }: Waiting<Item, Result>): boolean => !taken.has(keyOf(item));
  const countFree = (): void => {
    free = 0;
    for (const waiting of items) {
      if (isFree(waiting)) free += 1;
      if (free >= minItems) return;
    }
  };
  return {
    get length() {
      return items.length;
    },
    get free() {
      return free;
    },
    add: (waiting) => {
      items.push(waiting);
      if (isFree(waiting)) free += 1;
    },
    take: (maxItems) => {
      const batch: Waiting<Item, Result>[] = [];
      const passedOver: Waiting<Item, Result>[] = [];
      for (const waiting of items) {
        if (batch.length === maxItems) break;
        if (isFree(waiting)) batch.push(waiting);
        else passedOver.push(waiting);
      }
      items = [...passedOver, ...items.slice(batch.length + passedOver.length)];
      for (const { item } of batch) taken.add(keyOf(item));
      countFree();
      return batch;
    },
    release: (batch, postponed) => {
      for (const { item } of batch) taken.delete(keyOf(item));
      if (postponed.length > 0) items = [...postponed, ...items];
      countFree();
    },
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
