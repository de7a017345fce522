import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import type { AcknowledgedPayments } from './acknowledged.ts';
import { isOurSilence, startCallClock } from './call-clock.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import { askedAs } from '../billers/operator-version.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { BucketOf, Lane, OnBatch } from '../../platform/db/lane.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { awakeTimers } from '../../platform/base/awake-timers.ts';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import { encodeReference } from '../../parties/reference.ts';
import { isTracing, traced } from '../../platform/base/tracing.ts';
import { createTasks } from '../../platform/jobs/tasks.ts';
import type { Tasks } from '../../platform/jobs/tasks.ts';
import { startWakeLoop } from '../../platform/jobs/wake-loop.ts';
import type { WakeLoop } from '../../platform/jobs/wake-loop.ts';
import type { PaymentNotes } from '../create/notes.ts';
import type { Settler } from '../settle/settle.ts';
import type { Capacity } from './capacity.ts';
import type { Availabilities } from './availability.ts';
import type { Connector } from '../../connectors/operator.ts';
import { sendDeadlineMs } from './next-step.ts';
import type { RetryPolicy } from './next-step.ts';
import { createRotation } from './rotation.ts';
import type { AddedQueue, Rotation } from './rotation.ts';
import type { DailySpending } from './daily-spending.ts';
import type { FloatGuard } from './float-guard.ts';
import { createRouting } from './routing.ts';
import type { Routing } from './routing.ts';
import { endTurns, shareOut } from './shares.ts';
import type { Share } from './shares.ts';
import type { Tallies } from './tallies.ts';
import { claim, listQueues, writeProgress } from './store.ts';
import type { Claim, Progress } from './store.ts';
import { saveHandle } from './handle-store.ts';
import { createHandleKeeper, withKeptHandles } from './kept-handles.ts';
import type { HandleKeeper } from './kept-handles.ts';
import { openNoAnswerCase, openUnexplainedCase } from './unexplained.ts';
import { SEND_WITHIN_MS } from './next-step.ts';
import { carryOut } from './worker.ts';
import type { CallEnd } from './worker.ts';

export interface DispatcherOptions {
  /** Connections for finding and claiming work. */
  readonly pool: Pool;
  /** A pool of one connection, for progress and handles. */
  readonly progressPool: Pool;
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  /** Speaks to the merchant account of an operator's version. Null: the version is not known. */
  readonly witnessOf: (operatorCode: string, version: number | null) => Connector | undefined;
  readonly settler: Settler;
  readonly availabilities: Availabilities;
  readonly spending: DailySpending;
  readonly floatGuard: FloatGuard;
  /** Shared with other code that calls operators. */
  readonly capacity: Capacity;
  readonly tallies: Tallies;
  readonly notes: Pick<PaymentNotes, 'answered' | 'unanswered'>;
  /** Remembers what was claimed for sending. Default: nothing is remembered. */
  readonly acknowledged?: Pick<AcknowledgedPayments, 'note'> | undefined;
  readonly policy: RetryPolicy;
  /** Interval of listing the queues while nothing announces new work. */
  readonly pollMs: number;
  readonly laneDeadlineMs: number;
  /** Default: all vendors are in one bucket. */
  readonly bucketOf?: BucketOf | undefined;
  /** Default: the system's timers. */
  readonly timers?: Timers;
  /** Timers of calls to operators. Default: timers that pause while the process does not run. */
  readonly awakeTimers?: Timers;
  readonly onBatch?: OnBatch;
  readonly log: Logger;
}

export interface Dispatcher {
  /** Announces new work, so that it is claimed without waiting for the poll. */
  hint(queues: Iterable<AddedQueue>): void;
  readonly underWay: number;
  /** Time since it last looked for work successfully. */
  readonly sinceTurnMs: number;
  /**
   * Claims no more work, waits for calls in progress, then aborts them; their payments are verified
   * later.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Sends queued payments and verifies those with an unknown outcome: claim (commit), call the
 * operator (no database transaction open), settle or reschedule (commit). See next-step.ts for the
 * rules.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  return new RunningDispatcher(options);
}

class RunningDispatcher implements Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #timers: Timers;
  readonly #awakeTimers: Timers;
  readonly #capacity: Capacity;
  readonly #progressLane: Lane<Progress, number>;
  readonly #handles: HandleKeeper;
  readonly #calls: Tasks;
  readonly #rotation: Rotation;
  readonly #routing: Routing;
  readonly #loop: WakeLoop;
  #nextListAtMs = 0;
  #turnedAtMs: number;
  #probing = false;

  constructor(options: DispatcherOptions) {
    const { timers = systemTimers } = options;
    this.#options = options;
    this.#timers = timers;
    this.#awakeTimers = options.awakeTimers ?? awakeTimers;
    this.#turnedAtMs = timers.nowMs();
    this.#capacity = options.capacity;
    this.#rotation = createRotation(() => timers.nowMs());
    this.#routing = createRouting(options);
    this.#progressLane = openProgressLane(options, timers);
    const { progressPool: pool, laneDeadlineMs: deadlineMs, log } = options;
    this.#handles = createHandleKeeper({ pool, deadlineMs, timers, log });
    this.#calls = createTasks(timers);
    this.#loop = startWakeLoop({
      turn: (stopping) => this.#turn(stopping),
      onFailure: (error) => {
        options.log.error({ err: error }, 'the dispatcher could not claim work');
        this.#nextListAtMs = timers.nowMs() + options.pollMs;
        return options.pollMs;
      },
      timers,
    });
    this.#capacity.onValidated(() => this.#loop.wake());
  }

  hint(queues: Iterable<AddedQueue>): void {
    for (const queue of queues) this.#rotation.add(queue);
    this.#loop.wake();
  }

  get underWay(): number {
    return this.#calls.size;
  }

  get sinceTurnMs(): number {
    return this.#timers.nowMs() - this.#turnedAtMs;
  }

  async stop(graceMs: number): Promise<void> {
    await this.#loop.stop();
    await this.#calls.finish(graceMs);
    await this.#progressLane.idle();
    await this.#handles.idle();
  }

  /** Lists the queues if that is due, and claims what it can. Returns the milliseconds until the next turn. */
  async #turn(stopping: AbortSignal): Promise<number> {
    if (this.#timers.nowMs() >= this.#nextListAtMs) await this.#listQueues();
    const hasMore = !stopping.aborted && (await this.#takeWork());
    this.#turnedAtMs = this.#timers.nowMs();
    if (hasMore) return 0;
    return Math.max(1, this.#nextListAtMs - this.#timers.nowMs());
  }

  async #listQueues(): Promise<void> {
    // Not awaited: an operator that is down must not delay the others.
    void this.#probe();
    const { floatGuard, log } = this.#options;
    await floatGuard.refresh().catch((error: unknown) => {
      log.error({ err: error }, 'could not read how much is left of our floats');
    });
    let nextDueMs = this.#options.pollMs;
    for (const queue of await listQueues(this.#options.pool)) {
      if (queue.dueInMs <= 0) this.#rotation.add(queue);
      else nextDueMs = Math.min(nextDueMs, queue.dueInMs);
    }
    this.#nextListAtMs = this.#timers.nowMs() + Math.max(nextDueMs, 5);
  }

  async #probe(): Promise<void> {
    if (this.#probing) return;
    this.#probing = true;
    const { availabilities, spending, log } = this.#options;
    await availabilities.probe().catch((error: unknown) => {
      log.error({ err: error }, 'open circuit breakers could not be probed');
    });
    await spending.refresh().catch((error: unknown) => {
      log.error({ err: error }, 'could not read how much was sent today');
    });
    this.#probing = false;
  }

  /** Returns whether there may be more to claim at once. */
  async #takeWork(): Promise<boolean> {
    const shares = shareOut(this.#rotation.turns(), {
      ...this.#options,
      capacity: this.#capacity,
      routing: this.#routing,
    });
    if (shares.length === 0) return false;
    let sendBeforeMs = 0;
    const claims = await claim(this.#options.pool, shares, {
      // Not earlier: a slow call before it would leave no time to send.
      beforeCall: () => {
        sendBeforeMs = this.#timers.nowMs() + SEND_WITHIN_MS;
      },
      onClaimed: (taken) => this.#startAll(taken, sendBeforeMs),
      onError: (error) => {
        this.#options.log.error({ err: error }, 'the dispatcher could not claim all work');
      },
    });
    const claimed = shares.map((): string[] => []);
    for (const { wantedIndex, paymentId } of claims) claimed[wantedIndex]?.push(paymentId);
    this.#tallyRoutes(shares, claimed);
    const someFinished = endTurns(this.#rotation, shares, claimed);
    return claims.length > 0 || someFinished;
  }

  #startAll(claims: readonly Claim[], sendBeforeMs: number): void {
    this.#routing.note(claims);
    this.#options.acknowledged?.note(claims.filter(({ stage }) => stage === 'send'));
    for (const { stage } of claims) {
      crashPoint(stage === 'send' ? 'dispatch:after-claim' : 'verify:after-claim');
    }
    for (const taken of claims) this.#start(taken, sendBeforeMs);
  }

  /** @param claimed the payments that were claimed of each share. */
  #tallyRoutes(shares: readonly Share[], claimed: readonly (readonly string[])[]): void {
    for (const [index, { turn, route, cause }] of shares.entries()) {
      const count = claimed[index]?.length ?? 0;
      if (route === undefined || cause === undefined || count === 0) continue;
      const { operatorCode: operator } = route;
      const labels = { biller: turn.billerCode, operator, reason: cause };
      this.#options.tallies.routed.add(labels, count);
    }
  }

  /** Calls the operator for one claim, without waiting for the answer. */
  #start(taken: Claim, sendBeforeMs: number): void {
    const { pool, progressPool, policy, settler, catalogue, witnessOf, availabilities, log } =
      this.#options;
    const operator = catalogue.operator(taken.operatorCode ?? '');
    const connector = operator && witnessOf(operator.operatorCode, taken.operatorVersion);
    if (operator === undefined || connector === undefined) return;
    this.#capacity.begin(operator, taken.stage);
    const noteEnd = availabilities.begin(
      { ...operator, billerCode: taken.billerCode },
      taken.stage,
    );
    // Where no more instructions go, silence and answers say nothing about where they go now.
    const isElsewhere = askedAs(operator, taken.operatorVersion) !== operator.version;
    const clock = startCallClock(this.#timers, this.#awakeTimers);
    const deadlineMs = taken.stage === 'send' ? sendDeadlineMs(connector) : connector.payDeadlineMs;
    let calling = true;
    const endCall = (end: CallEnd | null): void => {
      if (calling) {
        this.#capacity.end(operator, taken.stage);
        const isOurs = this.#calls.cutOff || isOurSilence(end, clock.sleptMs(), deadlineMs);
        noteEnd(isOurs || isElsewhere ? null : end);
      }
      calling = false;
    };
    const how: Omit<Parameters<typeof carryOut>[2], 'signal'> = {
      policy,
      failover: (ours) => this.#routing.failover(ours),
      settler,
      writeProgress: (progress) => this.#progressLane.add(progress),
      saveHandle: async (ours, handle) => await saveHandle(progressPool, ours, handle),
      openNoAnswerCase: async (ours, note) =>
        await openNoAnswerCase(pool, ours, { note, operatorCode: operator.operatorCode }),
      keepUnexplained: (report) =>
        openUnexplainedCase(pool, { report, operatorCode: operator.operatorCode }),
      timers: this.#timers,
      awakeTimers: this.#awakeTimers,
      log,
      sendBeforeMs,
      onCallEnd: (end) => {
        endCall(end);
        this.#note(taken, operator.operatorCode, { end, tookMs: clock.tookMs() });
        this.#loop.wake();
      },
    };
    const work = async (signal: AbortSignal): Promise<void> => {
      try {
        const keep = this.#handles.of(taken, operator.operatorCode);
        await carryOutTraced(taken, withKeptHandles(connector, keep), { ...how, signal });
      } catch (error) {
        // Nothing was saved: the lease expires and the payment is verified.
        log.error({ err: error }, 'could not save the operator’s answer');
      }
    };
    this.#calls.start(work, () => endCall(null));
  }

  /** Counts a call that has ended, and notes an instruction without an answer. */
  #note(
    { vendorId, paymentId, billerCode }: Claim,
    operatorCode: string,
    { end, tookMs }: { readonly end: CallEnd; readonly tookMs: number },
  ): void {
    const { tallies, notes } = this.#options;
    tallies.noteCall(operatorCode, end, tookMs / 1_000);
    if (end.stage !== 'send') return;
    if (end.result !== 'unknown' || end.answered) notes.answered(billerCode);
    else {
      const of = { vendorId, paymentId, billerCode, operatorCode };
      notes.unanswered({ ...of, durationMs: tookMs, reason: end.failure });
    }
  }
}

/** In the payment's own trace: the process that accepted it may be another one. */
async function carryOutTraced(...work: Parameters<typeof carryOut>): Promise<void> {
  const [{ stage, paymentId, vendorId, billerCode, operatorCode, attemptNumber }] = work;
  if (!isTracing()) {
    await carryOut(...work);
    return;
  }
  const attributes = {
    'malipo.reference': encodeReference(vendorId, paymentId),
    'malipo.biller': billerCode,
    'malipo.operator': operatorCode ?? '',
    'malipo.attempt': attemptNumber,
  };
  await traced(
    `payment ${stage}`,
    { aboutId: paymentId, attributes },
    async () => await carryOut(...work),
  );
}

function openProgressLane(options: DispatcherOptions, timers: Timers): Lane<Progress, number> {
  const { bucketOf } = options;
  return createLane<Progress, number>({
    name: 'progress lane',
    partOf: bucketOf && (({ claim: { vendorId } }) => bucketOf(vendorId)),
    pool: options.progressPool,
    maxBatch: LIMITS.laneBatchRows,
    maxWaiting: LIMITS.laneQueueRows,
    deadlineMs: options.laneDeadlineMs,
    timers,
    onBatch: options.onBatch,
    call: async (db, batch) => {
      crashPoint('progress:before-commit');
      await writeProgress(db, batch);
      crashPoint('progress:after-commit');
      return batch.map(() => 1);
    },
  });
}
