import { createBatcher } from '../base/batcher.ts';
import type { Batcher, EndedBatch, Settled } from '../base/batcher.ts';
import { Refusal } from '../base/errors.ts';
import { systemTimers } from '../base/timers.ts';
import { isTracing, linksOf, rememberCause, traced } from '../base/tracing.ts';
import type { Timers } from '../base/timers.ts';
import { refuseUnavailable } from './failures.ts';
import { endServerProcess, serverProcessOf } from './lost-call.ts';
import {
  isConflict,
  isConnectionError,
  isLostWorker,
  isReadOnly,
  isUnavailable,
  wasAway,
} from './pool.ts';
import type { Pool, Queryable } from './pool.ts';
import { createRetryTurns } from './retry-turns.ts';
import type { RetryTurns } from './retry-turns.ts';

/** A batch is retried over lost connections for this long before its callers get an error. */
export const LANE_DEADLINE_MS = 8_000;
/** Shorter than for writes, because the caller of a read can repeat it at once. */
export const READ_DEADLINE_MS = 3_000;

/**
 * A few seconds longer than the server's own statement timeout (see createPool). A connection that
 * is silent for this long is dead, even if no error was reported.
 */
const MAX_SILENCE_MS = 20_000;

/**
 * A lane has a few connections of its own and commits on each of them one batch at a time; items that
 * arrive meanwhile form the next batches. After a lost connection the lane ends the server's process
 * for it and makes the same call again, so `call` must be idempotent: a second run of a committed batch
 * must find that it was committed.
 */
export interface Lane<Item, Result> {
  /**
   * Throws: `overloaded` when the queue is full; `unavailable` when nothing was committed, which is
   * certain; `outcome_unknown` when the connection was lost during the commit and the database did
   * not come back in time.
   */
  add(item: Item): Promise<Result>;
  readonly waiting: number;
  idle(): Promise<void>;
}

/** A batch of a lane, with its repetitions after lost connections. */
export interface LaneCall extends EndedBatch {
  /** The lane's name. */
  readonly lane: string;
}

export type OnBatch = ((call: LaneCall) => void) | undefined;

export interface LaneOptions<Item, Result> {
  readonly name: string;
  /** The lane's own pool, with a connection for each call that is made at once. */
  readonly pool: Pool;
  /** Default: one call at a time. */
  readonly atOnce?: CallsAtOnce<Item> | undefined;
  readonly maxBatch: number;
  readonly maxWaiting: number;
  /**
   * No call has items of two parts, and while calls of one part fail because of lost connections,
   * those of the others go on. Default: one part.
   */
  readonly partOf?: ((item: Item) => number) | undefined;
  /** True if the call changes nothing, so that a lost connection leaves no doubt. */
  readonly readOnly?: boolean;
  /** Time for which a batch is retried over lost connections before it fails. */
  readonly deadlineMs: number;
  /** A connection counts as lost if a call goes without a response for this long. Default 20 s. */
  readonly silenceMaxMs?: number;
  /** Default: the system's timers. */
  readonly timers?: Timers;
  /** Called for every batch. Default: nothing is measured. */
  readonly onBatch?: OnBatch;
  /**
   * One statement, one commit; one result per item, in order. Items that are postponed keep their place
   * in the queue.
   * @param mayPostpone whether items may be postponed, except for the first one.
   */
  readonly call: (
    db: Queryable,
    items: readonly Item[],
    mayPostpone: boolean,
  ) => Promise<readonly (Result | typeof POSTPONED)[]>;
}

/** Calls that a lane makes at the same time. */
export interface CallsAtOnce<Item> extends CallLimits {
  /** No two of the calls have items of one vendor, so that they do not wait for each other's locks. */
  readonly vendorOf: (item: Item) => number;
}

export interface CallLimits {
  readonly maxCalls: number;
  /** Items that must be waiting before a further call starts. Default: a quarter of `maxBatch`. */
  readonly minItems?: number | undefined;
}

/** Nothing was done for an item, because what it needs is in use. */
export const POSTPONED = Symbol('postponed');

export function createLane<Item, Result>(options: LaneOptions<Item, Result>): Lane<Item, Result> {
  const { name, maxWaiting, partOf = () => 0, timers = systemTimers } = options;
  const batchers = new Map<number, Batcher<Item, Result>>();
  const shared = createRetryTurns(timers);
  // With one part there is nothing to share, and calls must not wait for each other's repeats.
  const turnsOf = (): RetryTurns => (batchers.size > 1 ? shared : createRetryTurns(timers));
  const open = (part: number): Batcher<Item, Result> => {
    const batcher = createPartBatcher({ ...options, timers, part, turnsOf });
    batchers.set(part, batcher);
    return batcher;
  };
  const countWaiting = (): number => {
    let count = 0;
    for (const { waiting } of batchers.values()) count += waiting;
    return count;
  };
  const add = (item: Item): Promise<Result> => {
    if (countWaiting() >= maxWaiting) {
      return Promise.reject(new Refusal('overloaded', { retryAfterSeconds: 1 }));
    }
    const part = partOf(item);
    return (batchers.get(part) ?? open(part)).add(item);
  };
  const addTraced = (item: Item): Promise<Result> =>
    traced(`wait for ${name}`, {}, async () => {
      rememberCause(item);
      return await add(item);
    });
  return {
    get waiting() {
      return countWaiting();
    },
    idle: async () => {
      await Promise.all([...batchers.values()].map((batcher) => batcher.idle()));
    },
    add: (item) => (isTracing() ? addTraced(item) : add(item)),
  };
}

/** The part of a vendor's items: its bucket, which one worker of a cluster has. */
export type BucketOf = (vendorId: number) => number;

/** Settings that all lanes of a wing share. */
export interface LaneSettings {
  readonly pool: Pool;
  /** Default: one batch is committed at a time. */
  readonly atOnce?: CallLimits;
  readonly deadlineMs: number;
  /** Default: all vendors are in one bucket. */
  readonly bucketOf?: BucketOf | undefined;
  /** Default: the system's timers. */
  readonly timers?: Timers;
  readonly onBatch?: OnBatch;
}

/** A lane, as its calls of one part see it. */
interface Part<Item, Result> extends LaneOptions<Item, Result> {
  readonly timers: Timers;
  readonly part: number;
  /** Turns for the attempts of one call. All parts of a lane share them if it has several. */
  readonly turnsOf: () => RetryTurns;
}

function createPartBatcher<Item, Result>(options: Part<Item, Result>): Batcher<Item, Result> {
  const { name, maxBatch, timers, atOnce, onBatch } = options;
  return createBatcher({
    ...{ name, maxBatch },
    run: (items) => {
      const doubt = { maybeCommitted: false, lostProcess: undefined, isSplit: false };
      return commitOrSplit(options, items, doubt);
    },
    atOnce: atOnce && {
      maxRunning: atOnce.maxCalls,
      keyOf: atOnce.vendorOf,
      minItems: atOnce.minItems ?? Math.ceil(maxBatch / 4),
      nowMs: () => timers.nowMs(),
    },
    watch: onBatch && {
      nowMs: () => timers.nowMs(),
      note: (batch) => onBatch({ lane: name, ...batch }),
    },
  });
}

/** Uncertainty that earlier attempts of a batch left behind. */
interface Doubt {
  /** A connection broke after a call was sent, so a refusal can no longer claim that nothing was committed. */
  maybeCommitted: boolean;
  /** The server's process for that connection, which may still be running the call. */
  lostProcess: number | undefined;
  /** Parts of a batch postpone nothing, so that items that depend on each other keep their order. */
  isSplit: boolean;
}

/**
 * One row that the database rejects must not fail the others: the batch is split in half until the
 * row is isolated.
 */
async function commitOrSplit<Item, Result>(
  options: Part<Item, Result>,
  items: readonly Item[],
  doubt: Doubt,
): Promise<readonly Settled<Result>[]> {
  try {
    const results = await commit(options, items, doubt);
    const settled = results.map((value): Settled<Result> =>
      value === POSTPONED ? { postponed: true } : { value },
    );
    return settled;
  } catch (error) {
    if (error instanceof Refusal || items.length === 1) return items.map(() => ({ error }));
    doubt.isSplit = true;
    const half = Math.ceil(items.length / 2);
    return [
      ...(await commitOrSplit(options, items.slice(0, half), doubt)),
      ...(await commitOrSplit(options, items.slice(half), doubt)),
    ];
  }
}

async function commit<Item, Result>(
  options: Part<Item, Result>,
  items: readonly Item[],
  doubt: Doubt,
): Promise<readonly (Result | typeof POSTPONED)[]> {
  const { timers, part, deadlineMs } = options;
  const turns = options.turnsOf();
  const giveUpAtMs = timers.nowMs() + deadlineMs;
  const attemptOnce = async (): Promise<Attempt<Result>> => await tryOnce(options, items, doubt);
  const tooLate = (): Attempt<Result> | undefined =>
    timers.nowMs() > giveUpAtMs ? TOO_LATE : undefined;
  for (;;) {
    const attempt = await turns.make(part, attemptOnce, isToBeRepeated, tooLate);
    if (attempt.kind === 'done') return attempt.results;
    if (attempt.kind === 'failed') throw attempt.error;
    doubt.maybeCommitted ||= attempt.kind === 'lost' && options.readOnly !== true;
    if (attempt.kind === 'unavailable' || timers.nowMs() + turns.pauseMs() > giveUpAtMs) {
      const { error: cause } = attempt;
      throw doubt.maybeCommitted
        ? new Refusal('outcome_unknown', { retryAfterSeconds: 5, cause })
        : refuseUnavailable(cause);
    }
  }
}

function isToBeRepeated({ kind }: Attempt<unknown>): boolean {
  return kind === 'lost' || kind === 'again';
}

type Attempt<Result> =
  | { readonly kind: 'done'; readonly results: readonly (Result | typeof POSTPONED)[] }
  | {
      /**
       * `failed`: a row is at fault. `unavailable`: the database does not accept writes at present.
       * `again`: certainly not committed, try again. `lost`: the connection broke after the call
       * was sent, try again.
       */
      readonly kind: 'failed' | 'unavailable' | 'again' | 'lost';
      readonly error: unknown;
    };

const TOO_LATE = {
  kind: 'again',
  error: new Error('Other calls had their turn until it was too late'),
} as const;

async function tryOnce<Item, Result>(
  options: Part<Item, Result>,
  items: readonly Item[],
  doubt: Doubt,
): Promise<Attempt<Result>> {
  let client;
  try {
    client = await options.pool.connect();
  } catch (error) {
    return { kind: 'again', error };
  }
  let broken = false;
  const silence = Promise.withResolvers<never>();
  const forget = options.timers.after(options.silenceMaxMs ?? MAX_SILENCE_MS, () =>
    silence.reject(new Error('The connection to the database is silent')),
  );
  let sent = false;
  const call = async (): Promise<readonly (Result | typeof POSTPONED)[]> => {
    await endLostCall(client, doubt);
    sent = true;
    const mayPostpone = !doubt.maybeCommitted && !doubt.isSplit;
    return await callTraced(options, client, items, mayPostpone);
  };
  try {
    return { kind: 'done', results: await Promise.race([call(), silence.promise]) };
  } catch (error) {
    if (error instanceof StillRunningError) return { kind: 'again', error };
    if (isConnectionError(error)) {
      broken = !isLostWorker(error);
      if (!sent || wasAway(error)) return { kind: 'again', error };
      if (broken && options.readOnly !== true) doubt.lostProcess = serverProcessOf(client);
      return { kind: 'lost', error };
    }
    if (isConflict(error)) return { kind: 'again', error };
    broken = isReadOnly(error);
    return { kind: isUnavailable(error) ? 'unavailable' : 'failed', error };
  } finally {
    forget();
    client.release(broken);
  }
}

class StillRunningError extends Error {
  override readonly name = 'StillRunningError';
  constructor(options?: ErrorOptions) {
    super('The call whose answer was lost may still be running', options);
  }
}

/** A lost call must not be overtaken by its repetition, which would decide by other balances. */
async function endLostCall(db: Queryable, doubt: Doubt): Promise<void> {
  if (doubt.lostProcess === undefined) return;
  const hasEnded = await endServerProcess(db, doubt.lostProcess).catch((cause: unknown) => {
    throw isConnectionError(cause) ? cause : new StillRunningError({ cause });
  });
  if (!hasEnded) throw new StillRunningError();
  doubt.lostProcess = undefined;
}

/** The database's part of the batch, with links to the requests whose items it has. */
async function callTraced<Item, Result>(
  { name, call }: Part<Item, Result>,
  db: Queryable,
  items: readonly Item[],
  mayPostpone: boolean,
): Promise<readonly (Result | typeof POSTPONED)[]> {
  if (!isTracing()) return await call(db, items, mayPostpone);
  const attributes = { 'db.system.name': 'postgresql', 'malipo.rows': items.length };
  const how = { attributes, links: linksOf(items) };
  return await traced(`database: ${name}`, how, async () => await call(db, items, mayPostpone));
}
