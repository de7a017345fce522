import { NO_ID } from '../../platform/base/ids.ts';
import type { QueueKey } from './store.ts';

/** Queues that may have due work, served in turns so that no vendor starves another. */
export interface Rotation {
  /** Marks that this queue may have new due work. */
  add(queue: AddedQueue): void;
  /** Every queue, in turn order. A turn is returned by `empty` or `asked`. */
  turns(): readonly Turn[];
  /** Nothing more is due in this queue, unless it was added again since the turn was given. */
  empty(turn: Turn): void;
  /**
   * The queue was asked and may have more work: it goes to the end of the order.
   * @param claimedTo everything that was due up to this id has been claimed, here or by another process;
   * null: not known.
   */
  asked(turn: Turn, claimedTo: string | null, asked: AskedBands): void;
}

/** Bands of amounts of a queue. */
export interface AskedBands {
  /** Minimums of the bands that were asked. */
  readonly bands: readonly bigint[];
  /** Number of bands that the queue has, asked or not. */
  readonly bandCount: number;
}

export interface AddedQueue extends QueueKey {
  /** The first payment that is new. Default: it may be any. */
  readonly firstId?: string;
}

export interface Turn extends AddedQueue {
  /** Distinguishes a queue that was added again from the one that this turn was given for. */
  readonly addition: number;
  /** Where to look: no earlier payment is due, as far as this process knows. */
  readonly firstId: string;
  /** In the order of turns. */
  readonly place: number;
  /** The place when it was added, which is that of bands that were not asked since. */
  readonly addedAt: number;
  /** By the minimum of a band of amounts, the place that the turn got when the band was last asked. */
  readonly askedAt: Map<bigint, number>;
  /** True if it had several bands when it was last asked. */
  readonly isSplit: boolean;
  /** Bands of amounts, by their minimum, in which nothing more was due. */
  readonly finished: Set<bigint>;
  /** Routes, by `routeName`, for which nothing more had waited long enough. */
  readonly waited: Set<string>;
  /** Payments claimed of it at once while other queues wait for the same operator. */
  readonly burst: number;
  /** Undefined: not since it was added. */
  readonly servedAtMs: number | undefined;
}

/**
 * A few payments of one queue are claimed and settled with much less work than as many payments of different
 * queues. So a queue that has more is given more, but only while all queues have their turns quickly: the
 * others wait for it (decision 39).
 */
const MAX_BURST = 4;
const QUICK_MS = 1_000;

/** @param nowMs a monotonic clock. */
export function createRotation(nowMs = (): number => performance.now()): Rotation {
  // A Map keeps the order of insertion, which is the order of turns.
  const turns = new Map<string, Turn>();
  // By queue, the first payment that was added since turns were given.
  const firstAdded = new Map<string, string>();
  let additions = 0;
  let places = 0;
  return {
    add: (queue) => {
      const name = nameOf(queue);
      const { firstId = NO_ID } = queue;
      const known = turns.get(name);
      additions += 1;
      if (known === undefined) places += 1;
      firstAdded.set(name, earlier(firstId, firstAdded.get(name)));
      turns.set(name, {
        ...queue,
        addition: additions,
        firstId: earlier(firstId, known?.firstId),
        place: known?.place ?? places,
        addedAt: known?.addedAt ?? places,
        askedAt: known?.askedAt ?? new Map(),
        isSplit: known?.isSplit ?? false,
        finished: new Set(),
        waited: new Set(),
        burst: known?.burst ?? 1,
        servedAtMs: known?.servedAtMs,
      });
    },
    turns: () => {
      firstAdded.clear();
      const now = nowMs();
      return [...turns.values()].map((turn) => withoutOldBurst(turn, now));
    },
    empty: (turn) => {
      const name = nameOf(turn);
      const current = turns.get(name);
      if (current?.addition === turn.addition) turns.delete(name);
      else if (current !== undefined) {
        turns.set(name, { ...current, firstId: firstAdded.get(name) ?? current.firstId });
      }
    },
    asked: (turn, claimedTo, { bands, bandCount }) => {
      const name = nameOf(turn);
      places += 1;
      const isSplit = bandCount > 1;
      const current = { ...(turns.get(name) ?? turn), place: places, isSplit };
      for (const band of bands) current.askedAt.set(band, places);
      turns.delete(name);
      turns.set(
        name,
        claimedTo === null ? current : served(current, claimedTo, firstAdded.get(name), nowMs()),
      );
    },
  };
}

/** Resets a burst that the queue earned while its turns came quickly. */
function withoutOldBurst(turn: Turn, nowMs: number): Turn {
  const isOld = turn.burst > 1 && nowMs - (turn.servedAtMs ?? 0) > QUICK_MS;
  return isOld ? { ...turn, burst: 1 } : turn;
}

function served(
  turn: Turn,
  claimedTo: string,
  firstAdded: string | undefined,
  servedAtMs: number,
): Turn {
  const isQuick = turn.servedAtMs !== undefined && servedAtMs - turn.servedAtMs <= QUICK_MS;
  const burst = isQuick ? Math.min(2 * turn.burst, MAX_BURST) : 1;
  return { ...turn, firstId: earlier(claimedTo, firstAdded), burst, servedAtMs };
}

function earlier(id: string, other: string | undefined): string {
  return other === undefined || id < other ? id : other;
}

export function nameOf(queue: QueueKey): string {
  return `${queue.vendorId} ${queue.stage} ${queue.billerCode} ${queue.operatorCode ?? ''}`;
}
