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
   * The queue was served and may have more work: it goes to the end of the order.
   * @param claimedTo everything that was due up to this id has been claimed, here or by another process;
   * null: not known.
   */
  asked(turn: Turn, claimedTo: string | null): void;
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
  /** Bands of amounts, by their minimum, in which nothing more was due. */
  readonly finished: Set<bigint>;
}

export function createRotation(): Rotation {
  // A Map keeps the order of insertion, which is the order of turns.
  const turns = new Map<string, Turn>();
  // By queue, the first payment that was added since turns were given.
  const firstAdded = new Map<string, string>();
  let additions = 0;
  return {
    add: (queue) => {
      const name = nameOf(queue);
      const { firstId = NO_ID } = queue;
      const known = turns.get(name);
      additions += 1;
      firstAdded.set(name, earlier(firstId, firstAdded.get(name)));
      turns.set(name, {
        ...queue,
        addition: additions,
        firstId: earlier(firstId, known?.firstId),
        finished: new Set(),
      });
    },
    turns: () => {
      firstAdded.clear();
      return [...turns.values()];
    },
    empty: (turn) => {
      const name = nameOf(turn);
      const current = turns.get(name);
      if (current?.addition === turn.addition) turns.delete(name);
      else if (current !== undefined) {
        turns.set(name, { ...current, firstId: firstAdded.get(name) ?? current.firstId });
      }
    },
    asked: (turn, claimedTo) => {
      const name = nameOf(turn);
      const current = turns.get(name) ?? turn;
      turns.delete(name);
      const next =
        claimedTo === null
          ? current
          : { ...current, firstId: earlier(claimedTo, firstAdded.get(name)) };
      turns.set(name, next);
    },
  };
}

function earlier(id: string, other: string | undefined): string {
  return other === undefined || id < other ? id : other;
}

export function nameOf(queue: QueueKey): string {
  return `${queue.vendorId} ${queue.stage} ${queue.billerCode} ${queue.operatorCode ?? ''}`;
}
