import type { Logger } from 'pino';

/** Work that is done again and again while the process lives. */
export interface PeriodicJob {
  /** Begins a turn now, unless one is under way or the job is stopped. */
  hurry(): void;
  /** Begins no more turns; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `everyMs`, never twice at a time: a turn that is due while the one before is under
 * way is left out. A failure is logged as a warning, and the next turn tries again.
 */
export function startPeriodicJob(options: {
  readonly everyMs: number;
  /** The first turn is now. Default: after `everyMs`. */
  readonly atOnce?: boolean;
  /** @param stopping aborted at the stop, for work that can end early. */
  readonly work: (stopping: AbortSignal) => Promise<unknown>;
  /** Logged with the error. */
  readonly failureText: string;
  readonly log: Logger;
}): PeriodicJob {
  const { work, failureText, log } = options;
  const stopping = new AbortController();
  let running: Promise<unknown> | undefined;
  const hurry = (): void => {
    if (stopping.signal.aborted) return;
    running ??= work(stopping.signal)
      .catch((error: unknown) => log.warn({ err: error }, failureText))
      .finally(() => {
        running = undefined;
      });
  };
  if (options.atOnce === true) hurry();
  const timer = setInterval(hurry, options.everyMs);
  return {
    hurry,
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
