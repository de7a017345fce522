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
import type { Connector } from './connector.ts';
import type { CallEnd } from './worker.ts';

/**
 * Circuit breakers: opened by failures in a row or by the operator's own word, closed by any
 * well-formed answer. While one is open the biller is OFFLINE in every process: nothing is created
 * or sent; verification goes on, and after the cool-down one process at a time probes.
 */
export interface Availabilities {
  /** False while the biller is offline, and from the moment on that a breaker is being opened. */
  maySend(billerCode: string): boolean;
  noteCall(billerCode: string, end: CallEnd): void;
  /** Probes open breakers whose time has come. */
  probe(): Promise<void>;
  /** Resolves when every change under way is written. */
  idle(): Promise<void>;
}

export function createAvailabilities(options: {
  readonly pool: Pool;
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  readonly openAfterFailures: number;
  readonly cooldownMs: number;
  /** Default: the system's. */
  readonly timers?: Timers;
  readonly log: Logger;
}): Availabilities {
  const { pool, catalogue, log, timers = systemTimers } = options;
  const counter = createFailureCounter(options.openAfterFailures);
  const changing = new Map<string, Promise<void>>();
  const opening = new Set<string>();

  // One change of a biller at a time; what is noted meanwhile speaks of the same state.
  const change = (billerCode: string, work: () => Promise<void>): void => {
    if (changing.has(billerCode)) return;
    const done = work()
      .catch((error: unknown) => log.error({ err: error, billerCode }, 'a breaker was not written'))
      .finally(() => changing.delete(billerCode));
    changing.set(billerCode, done);
  };
  const open = async (billerCode: string, reason: string): Promise<void> => {
    opening.add(billerCode);
    try {
      await writeOpen(billerCode, reason);
    } finally {
      opening.delete(billerCode);
    }
  };
  const writeOpen = async (billerCode: string, reason: string): Promise<void> => {
    const opened = await databaseTransaction(pool, async (client) => {
      const fresh = await openBreaker(client, {
        billerCode,
        cooldownMs: options.cooldownMs,
        reason,
      });
      if (fresh) await markChanged(client, 'billers');
      crashPoint('breaker:before-commit');
      return fresh;
    });
    if (opened) log.warn({ billerCode, reason }, 'the biller went offline');
    await catalogue.reload();
  };
  const close = async (billerCode: string): Promise<void> => {
    const closed = await databaseTransaction(pool, async (client) => {
      const fresh = await closeBreaker(client, billerCode);
      if (fresh) await markChanged(client, 'billers');
      return fresh;
    });
    if (closed) log.warn({ billerCode }, 'the biller is online again');
    await catalogue.reload();
  };

  const probeOne = async (billerCode: string): Promise<void> => {
    const operatorCode = catalogue.biller(billerCode)?.operatorCode;
    const connector = operatorCode === undefined ? undefined : options.connectorOf(operatorCode);
    if (connector === undefined) return;
    // An operator that cannot be asked shows by the next payment whether it is back.
    const alive = connector.balance === undefined || (await hasBalance(connector, timers));
    if (!alive) return;
    if (connector.balance !== undefined) counter.note(billerCode, true);
    change(billerCode, () => close(billerCode));
  };

  return {
    maySend: (billerCode) =>
      catalogue.biller(billerCode)?.availability === 'ONLINE' && !opening.has(billerCode),
    noteCall: (billerCode, end) => {
      const opens = counter.note(billerCode, end.answered);
      if (end.pausedReason !== null) {
        const reason = end.pausedReason;
        change(billerCode, () => open(billerCode, reason));
      } else if (opens && catalogue.biller(billerCode)?.breakerOpen !== true) {
        const reason = `${options.openAfterFailures} calls in a row without an answer`;
        change(billerCode, () => open(billerCode, reason));
      } else if (closes(end) && catalogue.biller(billerCode)?.breakerOpen === true) {
        change(billerCode, () => close(billerCode));
      }
    },
    probe: async () => {
      if (!catalogue.billers().some((biller) => biller.breakerOpen)) return;
      const taken = await takeProbes(pool, options.cooldownMs);
      await Promise.all(taken.map(probeOne));
    },
    idle: async () => {
      await Promise.all(changing.values());
    },
  };
}

/** An operator that takes payments is back; one that only answers questions may still be unable to. */
function closes(end: CallEnd): boolean {
  return end.answered && end.stage === 'send';
}

/** False, too, when the connector does not return in time: it must not keep others from being probed. */
async function hasBalance(connector: Connector, timers: Timers): Promise<boolean> {
  const deadline = new AbortController();
  const silence = Promise.withResolvers<null>();
  const forget = timers.after(connector.payDeadlineMs, () => {
    deadline.abort();
    silence.resolve(null);
  });
  try {
    return (await Promise.race([connector.balance?.(deadline.signal), silence.promise])) !== null;
  } finally {
    forget();
  }
}
