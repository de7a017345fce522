import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import { closeBreaker, openBreaker, takeProbes } from '../billers/store.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import { markChanged } from '../../platform/db/settings-watch.ts';
import { createFailureCounter } from './breaker.ts';
import type { FailureCounter } from './breaker.ts';
import type { Connector } from './connector.ts';
import type { CallEnd } from './worker.ts';

/**
 * Circuit breakers: opened by consecutive failures or because the operator says that it is
 * unavailable, closed by any well-formed answer. While one is open, the biller is OFFLINE in every
 * process: nothing is created or sent, but verification continues, and after the cool-down one
 * process at a time probes.
 */
export interface Availabilities {
  /** False while the biller is offline, and from the moment when a breaker starts to open. */
  maySend(billerCode: string): boolean;
  noteCall(billerCode: string, end: CallEnd): void;
  /** Probes the open breakers that are due. */
  probe(): Promise<void>;
  /** Resolves when all changes have been written. */
  idle(): Promise<void>;
}

interface AvailabilityOptions {
  readonly pool: Pool;
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  readonly openAfterFailures: number;
  readonly cooldownMs: number;
  /** Default: the system's timers. */
  readonly timers?: Timers;
  readonly log: Logger;
}

export function createAvailabilities(options: AvailabilityOptions): Availabilities {
  return new Breakers(options);
}

class Breakers implements Availabilities {
  readonly #options: AvailabilityOptions;
  readonly #timers: Timers;
  readonly #counter: FailureCounter;
  readonly #changing = new Map<string, Promise<void>>();
  readonly #opening = new Set<string>();

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#counter = createFailureCounter(options.openAfterFailures);
  }

  maySend(billerCode: string): boolean {
    const biller = this.#options.catalogue.biller(billerCode);
    return biller?.availability === 'ONLINE' && !this.#opening.has(billerCode);
  }

  noteCall(billerCode: string, end: CallEnd): void {
    const { catalogue, openAfterFailures } = this.#options;
    const tooManyFailures = this.#counter.note(billerCode, end.answered);
    const isOpen = catalogue.biller(billerCode)?.breakerOpen;
    if (end.pausedReason !== null) {
      this.#open(billerCode, end.pausedReason);
    } else if (tooManyFailures && isOpen !== true) {
      this.#open(billerCode, `${openAfterFailures} calls in a row without an answer`);
    } else if (closes(end) && isOpen === true) {
      this.#close(billerCode);
    }
  }

  async probe(): Promise<void> {
    const { pool, catalogue, cooldownMs } = this.#options;
    if (!catalogue.billers().some((biller) => biller.breakerOpen)) return;
    const taken = await takeProbes(pool, cooldownMs);
    await Promise.all(taken.map((billerCode) => this.#probeOne(billerCode)));
  }

  async idle(): Promise<void> {
    await Promise.all(this.#changing.values());
  }

  async #probeOne(billerCode: string): Promise<void> {
    const { catalogue, connectorOf } = this.#options;
    const operatorCode = catalogue.biller(billerCode)?.operatorCode;
    const connector = operatorCode === undefined ? undefined : connectorOf(operatorCode);
    if (connector === undefined) return;
    // An operator that cannot be asked shows by the next payment whether it is back.
    const alive = connector.balance === null || (await hasBalance(connector, this.#timers));
    if (!alive) return;
    if (connector.balance !== null) this.#counter.note(billerCode, true);
    this.#close(billerCode);
  }

  #open(billerCode: string, reason: string): void {
    const { pool, catalogue, cooldownMs, log } = this.#options;
    this.#change(billerCode, async () => {
      this.#opening.add(billerCode);
      try {
        const opened = await writeOpen(pool, { billerCode, cooldownMs, reason });
        if (opened) log.warn({ billerCode, reason }, 'the biller went offline');
        await catalogue.reload();
      } finally {
        this.#opening.delete(billerCode);
      }
    });
  }

  #close(billerCode: string): void {
    const { pool, catalogue, log } = this.#options;
    this.#change(billerCode, async () => {
      const closed = await writeClosed(pool, billerCode);
      if (closed) log.warn({ billerCode }, 'the biller is online again');
      await catalogue.reload();
    });
  }

  /** One change of a biller at a time; reports that arrive meanwhile are about the same state. */
  #change(billerCode: string, work: () => Promise<void>): void {
    if (this.#changing.has(billerCode)) return;
    const done = work()
      .catch((error: unknown) =>
        this.#options.log.error({ err: error, billerCode }, 'could not save a circuit breaker'),
      )
      .finally(() => this.#changing.delete(billerCode));
    this.#changing.set(billerCode, done);
  }
}

/** Returns false if it was already open. */
async function writeOpen(
  pool: Pool,
  breaker: { readonly billerCode: string; readonly cooldownMs: number; readonly reason: string },
): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    const opened = await openBreaker(client, breaker);
    if (opened) await markChanged(client, 'billers');
    crashPoint('breaker:before-commit');
    return opened;
  });
}

/** Returns false if it was already closed. */
async function writeClosed(pool: Pool, billerCode: string): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    const closed = await closeBreaker(client, billerCode);
    if (closed) await markChanged(client, 'billers');
    return closed;
  });
}

/**
 * An operator that accepts payments is back; one that only answers queries may still be unable to.
 */
function closes(end: CallEnd): boolean {
  return end.answered && end.stage === 'send';
}

/** Also false if the connector does not return in time, so that it does not delay other probes. */
async function hasBalance(connector: Connector, timers: Timers): Promise<boolean> {
  const deadline = new AbortController();
  const silence = Promise.withResolvers<null>();
  const forget = timers.after(connector.payDeadlineMs, () => {
    deadline.abort();
    silence.resolve(null);
  });
  try {
    const answer = await Promise.race([connector.balance?.(deadline.signal), silence.promise]);
    return answer?.kind === 'balance' || answer?.kind === 'asked';
  } finally {
    forget();
  }
}
