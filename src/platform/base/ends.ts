/** What has been started, so that it can be stopped in the reverse order. */
export interface Ends {
  /** Adds what stops something that was just started. */
  add(end: () => unknown): void;
  /** Stops everything, the latest first; once, however often it is called. */
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
