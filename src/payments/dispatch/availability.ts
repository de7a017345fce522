import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Breaker, Route } from '../billers/biller.ts';
import { closeBreaker, openBreaker, startTrial, takeProbes } from '../billers/routes-store.ts';
import type { RouteKey } from '../billers/routes-store.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import { markChanged } from '../../platform/db/settings-watch.ts';
import { noteBalance } from './float-watch.ts';
import { callWithin } from './probe.ts';
import { createCallRecord, failuresToOpen, pauseMs } from './breaker.ts';
import type { CallRecord } from './breaker.ts';
import type { Connector } from '../../connectors/operator.ts';
import { obstacleOf } from './route.ts';
import type { Obstacle } from './route.ts';
import type { Stage } from './store.ts';
import type { CallEnd } from './worker.ts';

/**
 * Circuit breakers, one for each route: opened by consecutive failures or because the operator says
 * that it is unavailable. While one is open, no process sends anything through the route, but
 * verification continues, and after the cool-down one process at a time probes. After a successful
 * probe the route is on trial: a few instructions at a time, until one of them has a well-formed
 * answer, which closes the breaker. A biller without a usable route is OFFLINE.
 */
export interface Availabilities {
  /** Why nothing is sent through the route, also from the moment when its breaker starts to open. */
  obstacleOf(billerCode: string, route: Route): Obstacle | null;
  /** Number of further instructions that the route may get now; unlimited unless it is on trial. */
  free(billerCode: string, route: Route): number;
  /** Notes a call; the returned function notes its end, with null if nothing was sent. */
  begin(route: RouteKey, stage: Stage): (end: CallEnd | null) => void;
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

const OPENING: Obstacle = { cause: 'breaker', text: 'its circuit breaker opens' };
const ON_TRIAL: Obstacle = {
  cause: 'breaker',
  text: 'its circuit breaker lets only a few payments through',
};

class Breakers implements Availabilities {
  readonly #options: AvailabilityOptions;
  readonly #timers: Timers;
  readonly #calls: CallRecord;
  readonly #changing = new Map<string, Promise<void>>();
  readonly #opening = new Set<string>();
  /** When the breaker closed, and its last pause, by route. */
  readonly #closed = new Map<string, { readonly atMs: number; readonly pauseMs: number }>();

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#calls = createCallRecord(options.openAfterFailures);
  }

  obstacleOf(billerCode: string, route: Route): Obstacle | null {
    const known = obstacleOf(route);
    if (known !== null) return known;
    if (this.#opening.has(nameOf({ ...route, billerCode }))) return OPENING;
    return this.free(billerCode, route) === 0 ? ON_TRIAL : null;
  }

  free(billerCode: string, route: Route): number {
    return this.#calls.free(nameOf({ ...route, billerCode }), trialOf(route.breaker));
  }

  begin(route: RouteKey, stage: Stage): (end: CallEnd | null) => void {
    const trial = trialOf(this.#breakerOf(route));
    const ended = this.#calls.begin(nameOf(route), { stage, trial });
    return (end) => {
      const isFailing = ended(end);
      const isSameTrial = trialOf(this.#breakerOf(route)) === trial;
      if (end !== null) this.#decide(route, end, isFailing && isSameTrial);
    };
  }

  #decide(route: RouteKey, end: CallEnd, isFailing: boolean): void {
    const breaker = this.#breakerOf(route);
    const trial = trialOf(breaker);
    const isOpen = breaker !== null && trial === null;
    if (end.pausedReason !== null) {
      this.#open(route, end.pausedReason);
    } else if (isFailing && !isOpen) {
      const count = failuresToOpen(this.#options.openAfterFailures, trial);
      const what = trial === null ? 'calls' : 'instructions on trial';
      const last = end.failure === undefined ? '' : `; the last: ${end.failure}`;
      this.#open(route, `${count} ${what} in a row failed${last}`);
    } else if (closes(end) && breaker !== null) {
      this.#close(route, breaker);
    }
  }

  async probe(): Promise<void> {
    const { pool, catalogue, cooldownMs } = this.#options;
    const routes = catalogue.billers().flatMap((biller) => biller.routes);
    if (!routes.some(({ breaker }) => breaker?.trialSince === null)) return;
    const taken = await takeProbes(pool, cooldownMs);
    await Promise.all(taken.map((route) => this.#probeOne(route)));
  }

  async idle(): Promise<void> {
    await Promise.all(this.#changing.values());
  }

  #breakerOf({ billerCode, operatorCode }: RouteKey): Breaker | null {
    const routes = this.#options.catalogue.biller(billerCode)?.routes ?? [];
    return routes.find((route) => route.operatorCode === operatorCode)?.breaker ?? null;
  }

  async #probeOne(route: RouteKey): Promise<void> {
    const connector = this.#options.connectorOf(route.operatorCode);
    if (connector === undefined) return;
    // An operator that cannot be asked shows by the next payments whether it is back.
    const { operatorCode } = route;
    const alive = connector.balance === null || (await this.#answers(operatorCode, connector));
    if (alive) this.#startTrial(route);
  }

  /** The answer is also a report of our float, which may be why the breaker is open. */
  async #answers(operatorCode: string, connector: Connector): Promise<boolean> {
    const askedAtMs = this.#timers.nowMs();
    const answer = await callWithin(connector, this.#timers);
    if (answer.kind === 'balance') {
      const ageMs = this.#timers.nowMs() - askedAtMs;
      await noteBalance(this.#options, operatorCode, { balanceCents: answer.balanceCents, ageMs });
    }
    return answer.kind !== 'unknown' || answer.answered === true;
  }

  #pauseMs(route: RouteKey): number {
    const breaker = this.#breakerOf(route);
    const closed = this.#closed.get(nameOf(route));
    return pauseMs({
      baseMs: this.#options.cooldownMs,
      trialOf: trialOf(breaker) === null ? null : (breaker?.cooldownMs ?? null),
      closed:
        closed === undefined ? null : { ...closed, agoMs: this.#timers.nowMs() - closed.atMs },
    });
  }

  #open(route: RouteKey, reason: string): void {
    const { pool, catalogue, log } = this.#options;
    const cooldownMs = this.#pauseMs(route);
    this.#change(route, async () => {
      this.#opening.add(nameOf(route));
      try {
        const opened = await saveChange(pool, async (client) => {
          const isNew = await openBreaker(client, { ...route, cooldownMs, reason });
          crashPoint('breaker:before-commit');
          return isNew;
        });
        if (opened) log.warn({ ...logged(route), reason }, 'a circuit breaker opened');
        await catalogue.reload();
      } finally {
        this.#opening.delete(nameOf(route));
      }
    });
  }

  #startTrial(route: RouteKey): void {
    const { pool, catalogue, log } = this.#options;
    this.#change(route, async () => {
      const started = await saveChange(pool, async (client) => await startTrial(client, route));
      if (started) log.warn(logged(route), 'a circuit breaker lets a few payments through');
      await catalogue.reload();
    });
  }

  #close(route: RouteKey, { cooldownMs }: Breaker): void {
    const { pool, catalogue, log } = this.#options;
    this.#change(route, async () => {
      const closed = await saveChange(pool, async (client) => await closeBreaker(client, route));
      if (closed) log.warn(logged(route), 'a circuit breaker closed');
      this.#closed.set(nameOf(route), { atMs: this.#timers.nowMs(), pauseMs: cooldownMs });
      await catalogue.reload();
    });
  }

  /** One change of a route at a time; reports that arrive meanwhile are about the same state. */
  #change(route: RouteKey, work: () => Promise<void>): void {
    const name = nameOf(route);
    if (this.#changing.has(name)) return;
    const done = work()
      .catch((error: unknown) =>
        this.#options.log.error(
          { err: error, ...logged(route) },
          'could not save a circuit breaker',
        ),
      )
      .finally(() => this.#changing.delete(name));
    this.#changing.set(name, done);
  }
}

function nameOf({ billerCode, operatorCode }: RouteKey): string {
  return `${billerCode} ${operatorCode}`;
}

/** As the log names it. */
function logged({ billerCode, operatorCode }: RouteKey) {
  return { biller: billerCode, operator: operatorCode };
}

/** Identifies the trial; null: the route is not on trial. */
function trialOf(breaker: Breaker | null): number | null {
  return breaker?.trialSince?.getTime() ?? null;
}

/** Tells every process, if anything was changed. Returns whether it was. */
async function saveChange(
  pool: Pool,
  change: (client: Queryable) => Promise<boolean>,
): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    const changed = await change(client);
    if (changed) await markChanged(client, 'billers');
    return changed;
  });
}

/**
 * An operator that accepts payments is back; one that only answers queries may still be unable to.
 */
function closes(end: CallEnd): boolean {
  return end.answered && end.stage === 'send';
}
