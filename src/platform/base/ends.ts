/** Collects how to stop what has been started, and stops it in reverse order. */
export interface Ends {
  /** Registers how to stop something that was just started. */
  add(end: () => unknown): void;
  /** Stops everything, latest first. Calling it again has no further effect. */
  stop(): Promise<void>;
}

export function createEnds(): Ends {
  const ends: (() => unknown)[] = [];
  const stopAll = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  let stopping: Promise<void> | undefined;
  return {
    add: (end) => void ends.push(end),
    stop: async () => await (stopping ??= stopAll()),
  };
}
