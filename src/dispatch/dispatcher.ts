import type { Logger } from 'pino';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Operator } from '../billers/biller.ts';
import { createLane } from '../db/lane.ts';
import type { Pool } from '../db/pool.ts';
import { LIMITS } from '../base/limits.ts';
import type { Settler } from '../transactions/settle.ts';
import { createCapacity } from './capacity.ts';
import type { Availabilities } from './availability.ts';
import type { Connector } from './connector.ts';
import type { RetryPolicy } from './decide.ts';
import { createRotation } from './rotation.ts';
import { claim, listQueues, writeProgress } from './store.ts';
import type { Claim, Progress, QueueKey } from './store.ts';
import type { Turn } from './rotation.ts';
import { carryOut } from './worker.ts';

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
  readonly policy: RetryPolicy;
  /** How often queues are listed when nobody tells of new work. */
  readonly pollMs: number;
  readonly laneDeadlineMs: number;
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
  const { catalogue, connectorOf, log } = options;
  const rotation = createRotation();
  const capacity = createCapacity(() => performance.now());
  const abort = new AbortController();
  const progressLane = createLane<Progress, number>({
    name: 'progress lane',
    pool: options.progressPool,
    maxBatch: LIMITS.laneBatchRows,
    maxWaiting: LIMITS.laneQueueRows,
    deadlineMs: options.laneDeadlineMs,
    call: async (db, batch) => {
      await writeProgress(db, batch);
      return batch.map(() => 1);
    },
  });
  const workerOptions = {
    policy: options.policy,
    settler: options.settler,
    writeProgress: (progress: Progress) => progressLane.add(progress),
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
    nextListAtMs = performance.now() + Math.max(nextDueMs, 5);
  };

  const takeWork = async (): Promise<number> => {
    const wanted = shareOut(rotation.turns(), { catalogue, connectorOf, capacity });
    if (wanted.length === 0) return 0;
    const claims = await claim(options.pool, wanted);
    const counts = new Map<string, number>();
    for (const taken of claims) {
      const name = `${taken.vendorId} ${taken.billerCode} ${taken.stage}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      start(taken);
    }
    for (const queue of wanted) {
      const count = counts.get(`${queue.vendorId} ${queue.billerCode} ${queue.stage}`) ?? 0;
      if (count < queue.most) rotation.empty(queue);
      else rotation.served(queue);
    }
    return claims.length;
  };

  const start = (taken: Claim): void => {
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
      let taken = 0;
      try {
        if (performance.now() >= nextListAtMs) await findWork();
        taken = await takeWork();
      } catch (error) {
        log.error({ err: error }, 'the dispatcher could not take work');
        nextListAtMs = performance.now() + options.pollMs;
      }
      if (taken > 0 || woken || stopping.signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(1, nextListAtMs - performance.now()));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = undefined;
    }
  };
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
      const cutOff = setTimeout(() => abort.abort(), graceMs);
      await Promise.allSettled(underWay);
      clearTimeout(cutOff);
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
    readonly capacity: ReturnType<typeof createCapacity>;
  },
): (Turn & { most: number; leaseMs: number })[] {
  const groups = new Map<string, { operator: Operator; turns: Turn[] }>();
  for (const turn of turns) {
    const biller = options.catalogue.biller(turn.billerCode);
    const operator = biller && options.catalogue.operator(biller.operatorCode);
    if (biller === undefined || operator === undefined) continue;
    // While a biller is offline nothing is sent; what was sent is still verified.
    if (turn.stage === 'send' && biller.availability === 'OFFLINE') continue;
    const name = `${operator.operatorCode} ${turn.stage}`;
    const group = groups.get(name) ?? { operator, turns: [] };
    group.turns.push(turn);
    groups.set(name, group);
  }
  const shares = [];
  for (const group of groups.values()) {
    const connector = options.connectorOf(group.operator.operatorCode);
    const stage = group.turns[0]?.stage;
    if (connector === undefined || stage === undefined) continue;
    const free = options.capacity.free(group.operator, stage);
    const inTurn = group.turns.slice(0, free);
    const leaseMs = connector.payDeadlineMs + LEASE_MARGIN_MS;
    for (const [index, turn] of inTurn.entries()) {
      const most = Math.floor(free / inTurn.length) + (index < free % inTurn.length ? 1 : 0);
      shares.push({ ...turn, most, leaseMs });
    }
  }
  return shares;
}
