import { AlreadyRunningError, EmbeddedDatabaseError } from './error.ts';

/** A command retries for this long while servers of other commands start and stop. */
export const OPEN_MS = 10_000;
/** PostgreSQL itself refuses one of two starts at the same moment. */
const MAX_STARTS = 2;

/**
 * Opens the embedded database while other commands start and stop its server. Throws what `open` throws, if
 * it fails again and again.
 * @param nowMs default: the system's.
 */
export async function openAmongOthers<Database>(
  open: () => Promise<Database>,
  nowMs: () => number = () => performance.now(),
): Promise<Database> {
  const giveUpAt = nowMs() + OPEN_MS;
  let failedStarts = 0;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof EmbeddedDatabaseError)) throw error;
      // Another command has started the server at the same moment: share it. If that command has stopped it
      // by then, a third one may be the first to start it.
      if (!(error instanceof AlreadyRunningError)) failedStarts += 1;
      if (failedStarts === MAX_STARTS || nowMs() > giveUpAt) throw error;
    }
  }
}
