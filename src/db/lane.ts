import { setTimeout as delay } from 'node:timers/promises';
import { createBatcher, QueueFullError } from '../base/batcher.ts';
import type { Batcher, Settled } from '../base/batcher.ts';
import { Refusal } from '../base/errors.ts';
import { isConnectionError, isUnavailable } from './pool.ts';
import type { Pool, Queryable } from './pool.ts';

const RETRY_FIRST_MS = 20;
const RETRY_MOST_MS = 500;

/**
 * A lane owns one connection and has at most one commit in flight; what arrives meanwhile is the
 * next batch. A lost connection is resolved by making the same call again, so `call` must be
 * idempotent: a second run of a committed batch must find that it was committed.
 */
export interface Lane<Item, Result> {
  /**
   * Throws: `overloaded` when the queue is full, `unavailable` when certainly nothing was
   * committed, `outcome_unknown` when the database went away during the commit and did not come
   * back in time.
   */
  add(item: Item): Promise<Result>;
  readonly waiting: number;
  idle(): Promise<void>;
}

export interface LaneOptions<Item, Result> {
  readonly name: string;
  /** The lane's own pool, of one connection. */
  readonly pool: Pool;
  readonly maxBatch: number;
  readonly maxWaiting: number;
  /** How long a batch is retried over lost connections before it is given up. */
  readonly deadlineMs: number;
  /** One statement, one commit; one result per item, in order. */
  readonly call: (db: Queryable, items: readonly Item[]) => Promise<readonly Result[]>;
}

export function createLane<Item, Result>(options: LaneOptions<Item, Result>): Lane<Item, Result> {
  const batcher: Batcher<Item, Result> = createBatcher({
    name: options.name,
    maxBatch: options.maxBatch,
    maxWaiting: options.maxWaiting,
    run: (items) => commitOrSplit(options, items),
  });
  return {
    get waiting() {
      return batcher.waiting;
    },
    idle: () => batcher.idle(),
    add: async (item) => {
      try {
        return await batcher.add(item);
      } catch (error) {
        if (error instanceof QueueFullError) {
          throw new Refusal('overloaded', { retryAfterSeconds: 1, cause: error });
        }
        throw error;
      }
    },
  };
}

/** One row that the database cannot take must not fail the others: the batch is halved until it is alone. */
async function commitOrSplit<Item, Result>(
  options: LaneOptions<Item, Result>,
  items: readonly Item[],
): Promise<readonly Settled<Result>[]> {
  try {
    const results = await commit(options, items);
    return results.map((value) => ({ value }));
  } catch (error) {
    if (error instanceof Refusal || items.length === 1) return items.map(() => ({ error }));
    const half = Math.ceil(items.length / 2);
    return [
      ...(await commitOrSplit(options, items.slice(0, half))),
      ...(await commitOrSplit(options, items.slice(half))),
    ];
  }
}

async function commit<Item, Result>(
  options: LaneOptions<Item, Result>,
  items: readonly Item[],
): Promise<readonly Result[]> {
  const giveUpAt = performance.now() + options.deadlineMs;
  let maybeCommitted = false;
  for (let pauseMs = RETRY_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, RETRY_MOST_MS)) {
    const attempt = await tryOnce(options, items);
    if (attempt.kind === 'done') return attempt.results;
    maybeCommitted ||= attempt.maybeCommitted;
    if (!attempt.again) throw attempt.error;
    if (performance.now() + pauseMs > giveUpAt) {
      throw new Refusal(maybeCommitted ? 'outcome_unknown' : 'unavailable', {
        retryAfterSeconds: 5,
        cause: attempt.error,
      });
    }
    await delay(pauseMs);
  }
}

type Attempt<Result> =
  | { readonly kind: 'done'; readonly results: readonly Result[] }
  | {
      readonly kind: 'failed';
      readonly error: unknown;
      /** The connection broke after the call was sent. */
      readonly maybeCommitted: boolean;
      readonly again: boolean;
    };

// A connection may break between statements; the query that follows reports it.
function ignoreError(): void {}

async function tryOnce<Item, Result>(
  options: LaneOptions<Item, Result>,
  items: readonly Item[],
): Promise<Attempt<Result>> {
  let client;
  try {
    client = await options.pool.connect();
  } catch (error) {
    return { kind: 'failed', error, maybeCommitted: false, again: true };
  }
  client.on('error', ignoreError);
  let broken = false;
  try {
    return { kind: 'done', results: await options.call(client, items) };
  } catch (error) {
    if (isConnectionError(error)) {
      broken = true;
      return { kind: 'failed', error, maybeCommitted: true, again: true };
    }
    if (isConflict(error)) return { kind: 'failed', error, maybeCommitted: false, again: true };
    const refused = isUnavailable(error)
      ? new Refusal('unavailable', { retryAfterSeconds: 5, cause: error })
      : error;
    return { kind: 'failed', error: refused, maybeCommitted: false, again: false };
  } finally {
    client.off('error', ignoreError);
    client.release(broken);
  }
}

/** Deadlock or serialization failure: rolled back, and worth another try as a whole. */
function isConflict(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === '40P01' || code === '40001';
}
