import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Operator } from '../billers/biller.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import type { Settler } from '../settle/settle.ts';
import { createCapacity } from './capacity.ts';
import type { Capacity } from './capacity.ts';
import type { Availabilities } from './availability.ts';
import type { Connector } from './connector.ts';
import type { RetryPolicy } from './decide.ts';
import { createRotation } from './rotation.ts';
import { claim, listQueues, writeProgress } from './store.ts';
import type { Claim, Progress, QueueKey } from './store.ts';
import type { Turn } from './rotation.ts';
import { carryOut, SEND_WITHIN_MS } from './worker.ts';

/** A lease outlasts the connector's deadline by this much. */
const LEASE_MARGIN_MS = 5_000;

export interface DispatcherOptions {
  /** For finding and claiming work. */
  readonly pool: Pool;
  /** Of one connection, for progress. */
  readonly progressPool: Pool;
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  readonly settler: Settler;
  readonly availabilities: Availabilities;
  /** Shared with whatever else calls operators. Default: the dispatcher's own. */
  readonly capacity?: Capacity;
  readonly policy: RetryPolicy;
  /** How often queues are listed when nobody tells of new work. */
  readonly pollMs: number;
  readonly laneDeadlineMs: number;
  /** Default: the system's. */
  readonly timers?: Timers;
  readonly log: Logger;
}

export interface Dispatcher {
  /** Tells of new work, so that it is taken without waiting for the poll. */
  hint(queues: Iterable<QueueKey>): void;
  readonly underWay: number;
  /** Takes no more work, waits for calls under way, then cuts them off; what they might have done is verified later. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Sends queued payments and verifies those whose outcome is not known: claim (commit), call the
 * operator (no transaction open), settle or reschedule (commit). See decide.ts for the rules.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { catalogue, connectorOf, log, timers = systemTimers } = options;
  const rotation = createRotation();
  const capacity = options.capacity ?? createCapacity(() => timers.nowMs());
  const abort = new AbortController();
  const progressLane = createLane<Progress, number>({
    name: 'progress lane',
    pool: options.progressPool,
    maxBatch: LIMITS.laneBatchRows,
    maxWaiting: LIMITS.laneQueueRows,
    deadlineMs: options.laneDeadlineMs,
    timers,
    call: async (db, batch) => {
      crashPoint('progress:before-commit');
      await writeProgress(db, batch);
      crashPoint('progress:after-commit');
      return batch.map(() => 1);
    },
  });
  const workerOptions = {
    policy: options.policy,
    settler: options.settler,
    writeProgress: (progress: Progress) => progressLane.add(progress),
    timers,
    log,
    signal: abort.signal,
  };

  const stopping = new AbortController();
  let wake: (() => void) | undefined;
  let woken = false;
  let nextListAtMs = 0;
  const underWay = new Set<Promise<void>>();

  const wakeUp = (): void => {
    woken = true;
    wake?.();
  };

  let probing = false;
  const probe = async (): Promise<void> => {
    if (probing) return;
    probing = true;
    await options.availabilities.probe().catch((error: unknown) => {
      log.error({ err: error }, 'offline billers could not be probed');
    });
    probing = false;
  };

  const findWork = async (): Promise<void> => {
    // Not waited for: an operator that is down must not hold up the others.
    void probe();
    let nextDueMs = options.pollMs;
    for (const queue of await listQueues(options.pool)) {
      if (queue.dueInMs <= 0) rotation.add(queue);
      else nextDueMs = Math.min(nextDueMs, queue.dueInMs);
    }
    nextListAtMs = timers.nowMs() + Math.max(nextDueMs, 5);
  };

  /** Returns whether there may be more to take at once. */
  const takeWork = async (): Promise<boolean> => {
    const wanted = shareOut(rotation.turns(), { ...options, capacity });
    if (wanted.length === 0) return false;
    const sendBeforeMs = timers.nowMs() + SEND_WITHIN_MS;
    const claims = await claim(options.pool, wanted);
    for (const { stage } of claims) {
      crashPoint(stage === 'send' ? 'dispatch:after-claim' : 'verify:after-claim');
    }
    let left = claims.length > 0;
    const counts = new Map<string, number>();
    for (const taken of claims) {
      const name = `${taken.vendorId} ${taken.billerCode} ${taken.stage}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      start(taken, sendBeforeMs);
    }
    for (const queue of wanted) {
      const count = counts.get(`${queue.vendorId} ${queue.billerCode} ${queue.stage}`) ?? 0;
      if (count === queue.max) {
        rotation.served(queue);
      } else {
        rotation.empty(queue);
        // Places that were kept for it are free for the others.
        left = true;
      }
    }
    return left;
  };

  const start = (taken: Claim, sendBeforeMs: number): void => {
    const operator = operatorOf(catalogue, taken.billerCode);
    const connector = operator && connectorOf(operator.operatorCode);
    if (operator === undefined || connector === undefined) return;
    capacity.begin(operator, taken.stage);
    let calling = true;
    const endCall = (): void => {
      if (calling) capacity.end(operator, taken.stage);
      calling = false;
    };
    const work = carryOut(taken, connector, {
      ...workerOptions,
      sendBeforeMs,
      onCallEnd: (end) => {
        endCall();
        if (!abort.signal.aborted) options.availabilities.noteCall(taken.billerCode, end);
        wakeUp();
      },
    })
      .catch((error: unknown) => {
        // Not written: the lease runs out and the transaction is verified.
        log.error({ err: error }, 'what an operator said could not be written');
      })
      .finally(() => {
        endCall();
        underWay.delete(work);
      });
    underWay.add(work);
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      woken = false;
      let left = false;
      try {
        if (timers.nowMs() >= nextListAtMs) await findWork();
        if (!stopping.signal.aborted) left = await takeWork();
      } catch (error) {
        log.error({ err: error }, 'the dispatcher could not take work');
        nextListAtMs = timers.nowMs() + options.pollMs;
      }
      if (left || woken || stopping.signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const forget = timers.after(Math.max(1, nextListAtMs - timers.nowMs()), resolve);
        wake = () => {
          forget();
          resolve();
        };
      });
      wake = undefined;
    }
  };
  capacity.onValidated(wakeUp);
  const running = loop();

  return {
    hint: (queues) => {
      for (const queue of queues) rotation.add(queue);
      wakeUp();
    },
    get underWay() {
      return underWay.size;
    },
    stop: async (graceMs) => {
      stopping.abort();
      wakeUp();
      await running;
      const forgetCutOff = timers.after(graceMs, () => abort.abort());
      await Promise.allSettled(underWay);
      forgetCutOff();
      await progressLane.idle();
    },
  };
}

function operatorOf(catalogue: BillerCatalogue, billerCode: string): Operator | undefined {
  const biller = catalogue.biller(billerCode);
  return biller && catalogue.operator(biller.operatorCode);
}

/** Divides what each operator can take among the queues that wait for it, in turns. */
function shareOut(
  turns: readonly Turn[],
  options: {
    readonly catalogue: BillerCatalogue;
    readonly connectorOf: (operatorCode: string) => Connector | undefined;
    readonly availabilities: Availabilities;
    readonly capacity: Capacity;
  },
): (Turn & { max: number; leaseMs: number })[] {
  const groups = new Map<string, { operator: Operator; turns: Turn[] }>();
  for (const turn of turns) {
    const operator = operatorOf(options.catalogue, turn.billerCode);
    if (operator === undefined) continue;
    // While a biller is offline nothing is sent; what was sent is still verified.
    if (turn.stage === 'send' && !options.availabilities.maySend(turn.billerCode)) continue;
    const name = `${operator.operatorCode} ${turn.stage}`;
    const group = groups.get(name) ?? { operator, turns: [] };
    group.turns.push(turn);
    groups.set(name, group);
  }
  const shares = [];
  const promised = new Map<string, number>();
  // In turn order, too: payments and status queries of one operator share its places.
  for (const group of groups.values()) {
    const connector = options.connectorOf(group.operator.operatorCode);
    const stage = group.turns[0]?.stage;
    if (connector === undefined || stage === undefined) continue;
    const given = promised.get(group.operator.operatorCode) ?? 0;
    const free = options.capacity.free(group.operator, stage, given);
    const inTurn = group.turns.slice(0, free);
    promised.set(group.operator.operatorCode, given + free);
    const leaseMs = connector.payDeadlineMs + LEASE_MARGIN_MS;
    for (const [index, turn] of inTurn.entries()) {
      const max = Math.floor(free / inTurn.length) + (index < free % inTurn.length ? 1 : 0);
      shares.push({ ...turn, max, leaseMs });
    }
  }
  return shares;
}
