import { PlainError } from '../platform/base/plain-error.ts';
import { EXIT } from './exit.ts';

/** npm passes a Ctrl-C on to the process, which has received it from the terminal already. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Runs `work`, which is to clean up when the signal is aborted by Ctrl-C or SIGTERM. A second one ends the
 * command at once.
 */
export async function stoppable<Result>(
  work: (stopped: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopping = new AbortController();
  let askedAtMs: number | undefined;
  const stop = (): void => {
    if (askedAtMs === undefined) {
      askedAtMs = performance.now();
      stopping.abort(new PlainError('The command was stopped.'));
    } else if (performance.now() - askedAtMs > SAME_SIGNAL_MS) process.exit(EXIT.failed);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return await work(stopping.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
