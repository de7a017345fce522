import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { firstIdAt } from '../base/ids.ts';
import { LIMITS } from '../base/limits.ts';
import type { Pool } from '../db/pool.ts';
import { deleteEventsBefore } from './store.ts';

const DAY_MS = 86_400_000;

/** Forgets events past retention, at the start and now and then: they hold accounts and tokens. */
export function startEventRetention(options: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly log: Logger;
}): { stop(): Promise<void> } {
  const { pool, clock, log } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const forget = async (): Promise<void> => {
    try {
      const before = new Date(clock.now().getTime() - LIMITS.eventRetentionDays * DAY_MS);
      const range = { before, firstIdAfter: firstIdAt(before) };
      const deleted = await deleteEventsBefore(pool, range, stopping.signal);
      if (deleted > 0) log.info({ deleted, before }, 'events past retention were removed');
    } catch (error) {
      log.warn({ err: error }, 'events past retention could not be removed');
    }
  };
  const begin = (): void => {
    running ??= forget().finally(() => {
      running = undefined;
    });
  };
  begin();
  const timer = setInterval(begin, options.everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
