import { Refusal } from './errors.ts';
import { LIMITS } from './limits.ts';
import { ReadingNames } from './reading-names.ts';

/** The vendor or member of staff who waits for a long read. */
export interface LongReader {
  /** Names a vendor (shared by all its people and programs) or a member of staff. */
  readonly name: string;
  /** True once nobody waits for the result: the connection has ended, or the read has waited too long. */
  readonly isClosed: () => boolean;
  /** True: it waits, however many do. The answer has begun, or the caller has a limit of its own. */
  readonly isNeverRefused?: boolean;
}

/** The people and the programs of a vendor read under one name. */
export const vendorReaderName = (vid: string): string => `vendor ${vid}`;

/**
 * Runs a read that may take long, when its turn comes.
 * Throws: `too_many_requests` if too many of this name wait; `overloaded` if nobody waits for it any more
 * when its turn comes.
 */
export type LongReads = <Result>(
  reader: LongReader,
  read: () => Promise<Result>,
) => Promise<Result>;

interface Waiting {
  readonly reader: LongReader;
  readonly start: () => void;
  readonly drop: () => void;
}

/** The number of reads that may wait under one name, and the refusal of further ones. */
interface WaitingRules {
  readonly maxWaiting: number;
  readonly tooMany: () => Refusal;
}

const USUAL_RULES: WaitingRules = {
  maxWaiting: LIMITS.longReadsWaiting,
  tooMany: () => {
    const text =
      'Too many of your lists, statements, reports or files wait to be read. Wait for their answers.';
    return new Refusal('too_many_requests', { text, retryAfterSeconds: 1 });
  },
};

/**
 * At most this many long reads at once, and one of each name, so that other requests always find a
 * connection. The others wait without one. The names take turns, so one that has many reads delays
 * another by one read at most.
 */
export function createLongReads(
  atOnce: number,
  {
    rules = USUAL_RULES,
    reading = new ReadingNames(),
  }: { readonly rules?: WaitingRules; readonly reading?: ReadingNames | undefined } = {},
): LongReads {
  let running = 0;
  const queue = new TurnQueue(rules);
  const startNext = (): void => {
    if (running >= atOnce) return;
    const next = queue.take((name) => reading.isFree(name));
    if (next === undefined) return;
    running += 1;
    reading.begin(next.reader.name, startNext);
    next.start();
  };
  reading.add(startNext);
  return async (reader, read) => {
    await new Promise<void>((start, reject) => {
      queue.add({ reader, start, drop: () => reject(tooLate()) });
      startNext();
    });
    try {
      return await read();
    } finally {
      running -= 1;
      reading.end(reader.name, startNext);
    }
  };
}

function tooLate(): Refusal {
  return new Refusal('overloaded', { retryAfterSeconds: 1 });
}

/** Runs one of the reads of an answer. */
export type ReadPart = <Result>(read: () => Promise<Result>) => Promise<Result>;

/**
 * Reads an answer that is sent while it is read: each part waits for its turn, so a slow reader of the
 * answer holds up nobody. Only the first part is refused, because the answer has not begun then.
 */
export function partsInTurn(longReads: LongReads, reader: LongReader): ReadPart {
  let isNeverRefused = reader.isNeverRefused ?? false;
  return async (read) => {
    const part = await longReads({ ...reader, isNeverRefused }, read);
    isNeverRefused = true;
    return part;
  };
}

/** The reads that wait, by name. The next turn is that of the first name. */
class TurnQueue {
  readonly #byName = new Map<string, Waiting[]>();
  readonly #rules: WaitingRules;

  constructor(rules: WaitingRules) {
    this.#rules = rules;
  }

  /** Throws: `too_many_requests`. */
  add(entry: Waiting): void {
    const { name, isNeverRefused = false } = entry.reader;
    const own = this.#dropClosed(name);
    if (!isNeverRefused && own.length >= this.#rules.maxWaiting) throw this.#rules.tooMany();
    this.#byName.set(name, [...own, entry]);
  }

  /** The first entry of the first free name, which is then the last name. */
  take(isFree: (name: string) => boolean): Waiting | undefined {
    for (const name of this.#byName.keys()) {
      if (!isFree(name)) continue;
      const [next, ...others] = this.#dropClosed(name);
      this.#byName.delete(name);
      if (others.length > 0) this.#byName.set(name, others);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  /** Nobody would read their results. Returns the others of the name. */
  #dropClosed(name: string): readonly Waiting[] {
    const { closed = [], open = [] } = Object.groupBy(this.#byName.get(name) ?? [], ({ reader }) =>
      reader.isClosed() ? 'closed' : 'open',
    );
    for (const entry of closed) entry.drop();
    return open;
  }
}
