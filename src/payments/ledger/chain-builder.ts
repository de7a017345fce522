import type { Logger } from 'pino';
import type { Mac } from '../../platform/base/mac.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Restores } from '../../platform/history/keeper.ts';
import { ChainAlteredError, completeChain, isInChain, readLastBlock } from './chain.ts';
import type { Head } from './chain.ts';

interface BuilderOptions {
  readonly pool: Pool;
  readonly mac: Mac;
  /** Restores of the database that this process knows of. Undefined: none is expected. */
  readonly restores?: Restores | undefined;
  readonly log: Logger;
}

/**
 * Extends the hash chain periodically, outside the hot path. Each new head is logged, so that
 * wherever the log is kept there is a head to compare the chain with.
 */
export function startChainBuilder(
  options: BuilderOptions & { readonly everyMs: number },
): PeriodicJob {
  const builder = new ChainBuilder(options);
  return startPeriodicJob({
    ...options,
    work: async (signal) => await builder.extend(signal),
    failureText: 'the hash chain could not be extended',
  });
}

/** Remembers the newest head, which must still be in the chain unless the database was restored. */
class ChainBuilder {
  readonly #options: BuilderOptions;
  #expected: Head | undefined;
  /** The restores that `#expected` takes into account. */
  #restores: number;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#restores = options.restores?.count() ?? 0;
  }

  async extend(signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#forgetIfRestored();
      await this.#extendOnce(signal);
    } catch (error) {
      if (!(error instanceof ChainAlteredError)) throw error;
      // The builder may be the first to meet a restored database.
      if (await this.#isRestoredNow()) await this.extend(signal);
      else
        log.error({ reason: error.message }, 'the hash chain was altered; nothing is added to it');
    }
  }

  async #extendOnce(signal: AbortSignal): Promise<void> {
    const { pool, mac, log } = this.#options;
    const { head } = await completeChain(pool, mac, { signal, expected: this.#expected });
    if (head === undefined) return;
    this.#expected = head;
    const hash = head.hash.toString('hex');
    log.info({ block: Number(head.blockNumber), head: hash }, 'the hash chain was extended');
  }

  /** A restore may have lost blocks. Without one, a block that is gone means tampering. */
  async #forgetIfRestored(): Promise<void> {
    const { pool, restores, log } = this.#options;
    const count = restores?.count() ?? 0;
    if (count === this.#restores) return;
    const lost = this.#expected;
    if (lost !== undefined && !(await isInChain(pool, lost))) {
      this.#expected = undefined;
      const block = Number((await readLastBlock(pool)) ?? 0n);
      const lostHead = lost.hash.toString('hex');
      log.warn(
        { block, lostBlock: Number(lost.blockNumber), lostHead },
        `the database was restored: the hash chain continues from block ${block}`,
      );
    }
    this.#restores = count;
  }

  /** Resolves to true if a restore was found that is not taken into account. */
  async #isRestoredNow(): Promise<boolean> {
    const { restores } = this.#options;
    // If this fails, the alteration is reported all the same.
    await restores?.check().catch(() => undefined);
    return restores !== undefined && restores.count() !== this.#restores;
  }
}
