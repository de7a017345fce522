import type { Logger } from 'pino';
import type { Pool } from '../db/pool.ts';
import { extendChains } from './chain.ts';

/** Extends the hash chains every now and then, off the hot path. */
export function startChainBuilder(options: {
  readonly pool: Pool;
  readonly everyMs: number;
  readonly log: Logger;
}): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const build = async (): Promise<void> => {
    try {
      let made = 0;
      do {
        made = await extendChains(options.pool);
      } while (made > 0 && !stopping.signal.aborted);
    } catch (error) {
      options.log.warn({ err: error }, 'the hash chain could not be extended');
    }
  };
  const timer = setInterval(() => {
    running ??= build().finally(() => {
      running = undefined;
    });
  }, options.everyMs);
  return {
    stop: async () => {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}
