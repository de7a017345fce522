import type { Logger } from 'pino';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Timers } from '../../platform/base/timers.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { startRetention } from '../../platform/jobs/retention.ts';
import type { RetentionTiming } from '../../platform/jobs/retention.ts';
import type { Connector } from '../../connectors/operator.ts';
import { deleteHandlesBefore, insertHandles } from './handle-store.ts';
import type { KeptHandle } from './handle-store.ts';
import type { Claim } from './store.ts';

type Keep = (operatorHandle: string) => void;

/**
 * The connector, if its callbacks need handles of payments that have ended: every handle that is made or
 * answered about the claim is passed to `keep`.
 */
export function withKeptHandles(connector: Connector, keep: Keep): Connector {
  if (connector.callbacks?.keepsHandles !== true) return connector;
  const { prepare, status } = connector;
  const keepOf = <Outcome extends object>(outcome: Outcome): Outcome => {
    const handle = 'operatorHandle' in outcome ? outcome.operatorHandle : null;
    if (typeof handle === 'string' && handle.length <= LIMITS.operatorHandleLength) keep(handle);
    return outcome;
  };
  return {
    ...connector,
    prepare: prepare && {
      ...prepare,
      prepare: async (...about) => keepOf(await prepare.prepare(...about)),
    },
    pay: async (...about) => keepOf(await connector.pay(...about)),
    status: status && (async (...about) => keepOf(await status(...about))),
  };
}

/** Stores handles in batches, without delaying the payment. */
export interface HandleKeeper {
  /** Returns a function that stores handles for the claim's attempt. */
  of(claim: Claim, operatorCode: string): Keep;
  idle(): Promise<void>;
}

export function createHandleKeeper(options: {
  readonly pool: Pool;
  readonly deadlineMs: number;
  readonly timers: Timers;
  readonly log: Logger;
}): HandleKeeper {
  const { log, ...given } = options;
  const lane = createLane<KeptHandle, null>({
    ...given,
    name: 'handle lane',
    maxBatch: LIMITS.laneBatchRows,
    maxWaiting: LIMITS.laneQueueRows,
    call: async (db, batch) => {
      await insertHandles(db, batch);
      return batch.map(() => null);
    },
  });
  return {
    of:
      ({ vendorId, paymentId, attemptNumber }, operatorCode) =>
      (operatorHandle) => {
        const kept = { vendorId, paymentId, attemptNumber, operatorCode, operatorHandle };
        // Without the row, a late callback becomes a case.
        lane.add(kept).catch((error: unknown) => {
          log.warn({ err: error, operator: operatorCode }, 'a handle could not be kept');
        });
      },
    idle: async () => await lane.idle(),
  };
}

/** Deletes handles about which no callback is expected any more. */
export function startHandleRetention({
  pool,
  ...timing
}: RetentionTiming & { readonly pool: Pool }): PeriodicJob {
  return startRetention({
    ...timing,
    what: 'operators’ handles',
    days: LIMITS.operatorHandleDays,
    remove: async (before) => await deleteHandlesBefore(pool, before),
  });
}
