/** Runs a read that may take long, when its turn comes. The name is that of a person or a vendor. */
export type LongReads = <Result>(name: string, read: () => Promise<Result>) => Promise<Result>;

interface Waiting {
  readonly name: string;
  readonly start: () => void;
}

/**
 * At most this many long reads at once, and one of each name, so that other requests always find a
 * connection. The others wait without one. A caller that sends many does not delay the rest.
 */
export function createLongReads(atOnce: number): LongReads {
  const running = new Set<string>();
  const waiting: Waiting[] = [];
  const startNext = (): void => {
    if (running.size >= atOnce) return;
    const index = waiting.findIndex(({ name }) => !running.has(name));
    const [next] = index === -1 ? [] : waiting.splice(index, 1);
    if (next === undefined) return;
    running.add(next.name);
    next.start();
  };
  return async (name, read) => {
    await new Promise<void>((start) => {
      waiting.push({ name, start });
      startNext();
    });
    try {
      return await read();
    } finally {
      running.delete(name);
      startNext();
    }
  };
}
