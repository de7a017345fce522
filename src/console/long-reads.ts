/** Runs a read that may take long, when its turn comes. */
export type LongReads = <Result>(personId: string, read: () => Promise<Result>) => Promise<Result>;

interface Waiting {
  readonly personId: string;
  readonly start: () => void;
}

/**
 * At most so many long reads at once, and one of each person, so that other requests always find a
 * connection. The rest waits without one. A person who sends many does not hold up the others.
 */
export function createLongReads(atOnce: number): LongReads {
  const running = new Set<string>();
  const waiting: Waiting[] = [];
  const startNext = (): void => {
    if (running.size >= atOnce) return;
    const index = waiting.findIndex(({ personId }) => !running.has(personId));
    const [next] = index === -1 ? [] : waiting.splice(index, 1);
    if (next === undefined) return;
    running.add(next.personId);
    next.start();
  };
  return async (personId, read) => {
    await new Promise<void>((start) => {
      waiting.push({ personId, start });
      startNext();
    });
    try {
      return await read();
    } finally {
      running.delete(personId);
      startNext();
    }
  };
}
