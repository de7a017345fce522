import type { QueueKey } from './store.ts';

/** Queues that may have due work, served in turns so that no vendor starves another. */
export interface Rotation {
  /** Marks that this queue may have new due work. */
  add(queue: QueueKey): void;
  /** Every queue, in turn order. A turn is returned by `empty` or `asked`. */
  turns(): readonly Turn[];
  /** Nothing more is due in this queue, unless it was added again since the turn was given. */
  empty(turn: Turn): void;
  /** The queue was served and may have more work: it goes to the end of the order. */
  asked(turn: Turn): void;
}

export interface Turn extends QueueKey {
  /** Distinguishes a queue that was added again from the one that this turn was given for. */
  readonly addition: number;
  /** Bands of amounts, by their minimum, in which nothing more was due. */
  readonly finished: Set<bigint>;
}

export function createRotation(): Rotation {
  // A Map keeps the order of insertion, which is the order of turns.
  const turns = new Map<string, Turn>();
  let additions = 0;
  return {
    add: (queue) => {
      additions += 1;
      turns.set(nameOf(queue), { ...queue, addition: additions, finished: new Set() });
    },
    turns: () => [...turns.values()],
    empty: (turn) => {
      const name = nameOf(turn);
      if (turns.get(name)?.addition === turn.addition) turns.delete(name);
    },
    asked: (turn) => {
      const name = nameOf(turn);
      const current = turns.get(name) ?? turn;
      turns.delete(name);
      turns.set(name, current);
    },
  };
}

export function nameOf(queue: QueueKey): string {
  return `${queue.vendorId} ${queue.stage} ${queue.billerCode} ${queue.operatorCode ?? ''}`;
}
