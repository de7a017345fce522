import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { Pool } from '../../db/pool.ts';
import { erasePayloads } from './retention-store.ts';

const DAY_MS = 86_400_000;

/** Erases what enquiries hold of people once it is past retention: at the start, and now and then. */
export function startEnquiryRetention(options: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly retentionDays: number;
  readonly everyMs: number;
  readonly log: Logger;
}): { stop(): Promise<void> } {
  const { pool, clock, log } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const erase = async (): Promise<void> => {
    try {
      const before = new Date(clock.now().getTime() - options.retentionDays * DAY_MS);
      const erased = await erasePayloads(pool, before, stopping.signal);
      if (erased > 0) log.info({ erased, before }, 'enquiries past retention were erased');
    } catch (error) {
      log.warn({ err: error }, 'enquiries past retention could not be erased');
    }
  };
  const begin = (): void => {
    running ??= erase().finally(() => {
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
