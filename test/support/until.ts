import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 20;

/**
 * Repeats a call until it returns something other than `undefined` and `false`. Throws if that does not
 * happen within `withinMs`, naming what was awaited and the last error.
 */
export async function until<Found>(
  what: string,
  ask: () => Promise<Found | undefined | false> | Found | undefined | false,
  withinMs = 60_000,
): Promise<Found> {
  const deadline = performance.now() + withinMs;
  let failure: unknown;
  do {
    try {
      const found = await ask();
      failure = undefined;
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      failure = error;
    }
    await delay(PAUSE_MS);
  } while (performance.now() < deadline);
  throw new Error(`${what}: not within ${withinMs} ms`, { cause: failure });
}
