import type { Logger } from 'pino';
import type { Pool } from '../db/pool.ts';
import { completeChains } from './chain.ts';

/** Extends the hash chains every now and then, off the hot path. */
export function startChainBuilder(options: {
  readonly pool: Pool;
  readonly everyMs: number;
  readonly log: Logger;
}): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const build = async (): Promise<void> => {
    try {
      await completeChains(options.pool);
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
      clearInterval(timer);
      await running;
    },
  };
}
