import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Route } from '../billers/biller.ts';
import { closeBreaker, openBreaker, takeProbes } from '../billers/routes-store.ts';
import type { RouteKey } from '../billers/routes-store.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import { markChanged } from '../../platform/db/settings-watch.ts';
import { noteBalance } from './float-watch.ts';
import { callWithin } from './probe.ts';
import { createFailureCounter } from './breaker.ts';
import type { FailureCounter } from './breaker.ts';
import type { Connector } from './connector.ts';
import { obstacleOf } from './route.ts';
import type { Obstacle } from './route.ts';
import type { CallEnd } from './worker.ts';

/**
 * Circuit breakers, one for each route: opened by consecutive failures or because the operator says
 * that it is unavailable, closed by any well-formed answer. While one is open, no process sends
 * anything through the route, but verification continues, and after the cool-down one process at a
 * time probes. A biller without a usable route is OFFLINE.
 */
export interface Availabilities {
  /** Why nothing is sent through the route, also from the moment when its breaker starts to open. */
  obstacleOf(billerCode: string, route: Route): Obstacle | null;
  noteCall(route: RouteKey, end: CallEnd): void;
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

/** A breaker that opens again so soon, or within two cool-downs, gets a longer one, up to 64 times. */
const QUICK_MS = 1_000;
const MAX_COOLDOWN_FACTOR = 64;

const OPENING: Obstacle = { cause: 'breaker', text: 'its circuit breaker opens' };

class Breakers implements Availabilities {
  readonly #options: AvailabilityOptions;
  readonly #timers: Timers;
  readonly #counter: FailureCounter;
  readonly #changing = new Map<string, Promise<void>>();
  readonly #opening = new Set<string>();
  /** The cool-down of the last opening, and when a breaker closed, by route. */
  readonly #cooldowns = new Map<string, number>();
  readonly #closed = new Map<string, { readonly atMs: number; readonly cooldownMs: number }>();

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#counter = createFailureCounter(options.openAfterFailures);
  }

  obstacleOf(billerCode: string, route: Route): Obstacle | null {
    const known = obstacleOf(route);
    if (known !== null) return known;
    const key = { billerCode, operatorCode: route.operatorCode };
    return this.#opening.has(nameOf(key)) ? OPENING : null;
  }

  noteCall(route: RouteKey, end: CallEnd): void {
    const { openAfterFailures } = this.#options;
    const tooManyFailures = this.#counter.note(nameOf(route), end.answered);
    const isOpen = this.#isOpen(route);
    if (end.pausedReason !== null) {
      this.#open(route, end.pausedReason);
    } else if (tooManyFailures && !isOpen) {
      this.#open(route, `${openAfterFailures} calls in a row without an answer`);
    } else if (closes(end) && isOpen) {
      this.#close(route);
    }
  }

  async probe(): Promise<void> {
    const { pool, catalogue, cooldownMs } = this.#options;
    const routes = catalogue.billers().flatMap((biller) => biller.routes);
    if (!routes.some(({ isBreakerOpen }) => isBreakerOpen)) return;
    const taken = await takeProbes(pool, cooldownMs);
    await Promise.all(taken.map((route) => this.#probeOne(route)));
  }

  async idle(): Promise<void> {
    await Promise.all(this.#changing.values());
  }

  #isOpen({ billerCode, operatorCode }: RouteKey): boolean {
    const routes = this.#options.catalogue.biller(billerCode)?.routes ?? [];
    return routes.some((route) => route.operatorCode === operatorCode && route.isBreakerOpen);
  }

  async #probeOne(route: RouteKey): Promise<void> {
    const connector = this.#options.connectorOf(route.operatorCode);
    if (connector === undefined) return;
    // An operator that cannot be asked shows by the next payment whether it is back.
    const { operatorCode } = route;
    const alive = connector.balance === null || (await this.#hasBalance(operatorCode, connector));
    if (!alive) return;
    if (connector.balance !== null) this.#counter.note(nameOf(route), true);
    this.#close(route);
  }

  /** The answer is also a report of our float, which may be why the breaker is open. */
  async #hasBalance(operatorCode: string, connector: Connector): Promise<boolean> {
    const askedAtMs = this.#timers.nowMs();
    const answer = await callWithin(connector, this.#timers);
    if (answer?.kind === 'balance') {
      const ageMs = this.#timers.nowMs() - askedAtMs;
      await noteBalance(this.#options, operatorCode, { balanceCents: answer.balanceCents, ageMs });
    }
    return answer?.kind === 'balance' || answer?.kind === 'asked';
  }

  /**
   * An operator that is paused again right after its breaker closed (our float is too small for the
   * next payment, but it answers) is probed ever more rarely.
   */
  #cooldownMs(route: RouteKey): number {
    const { cooldownMs } = this.#options;
    const last = this.#closed.get(nameOf(route));
    const isAgain =
      last !== undefined && this.#timers.nowMs() - last.atMs < 2 * last.cooldownMs + QUICK_MS;
    return isAgain ? Math.min(last.cooldownMs * 2, cooldownMs * MAX_COOLDOWN_FACTOR) : cooldownMs;
  }

  #open(route: RouteKey, reason: string): void {
    const { pool, catalogue, log } = this.#options;
    const cooldownMs = this.#cooldownMs(route);
    this.#cooldowns.set(nameOf(route), cooldownMs);
    this.#change(route, async () => {
      this.#opening.add(nameOf(route));
      try {
        const opened = await writeOpen(pool, { ...route, cooldownMs, reason });
        if (opened) log.warn({ ...keyOf(route), reason }, 'a circuit breaker opened');
        await catalogue.reload();
      } finally {
        this.#opening.delete(nameOf(route));
      }
    });
  }

  #close(route: RouteKey): void {
    const { pool, catalogue, log } = this.#options;
    this.#change(route, async () => {
      const closed = await writeClosed(pool, route);
      if (closed) log.warn(keyOf(route), 'a circuit breaker closed');
      const cooldownMs = this.#cooldowns.get(nameOf(route)) ?? this.#options.cooldownMs;
      this.#closed.set(nameOf(route), { atMs: this.#timers.nowMs(), cooldownMs });
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
          { err: error, ...keyOf(route) },
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

function keyOf({ billerCode, operatorCode }: RouteKey): RouteKey {
  return { billerCode, operatorCode };
}

/** Returns false if it was already open. */
async function writeOpen(
  pool: Pool,
  breaker: RouteKey & { readonly cooldownMs: number; readonly reason: string },
): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    const opened = await openBreaker(client, breaker);
    if (opened) await markChanged(client, 'billers');
    crashPoint('breaker:before-commit');
    return opened;
  });
}

/** Returns false if it was already closed. */
async function writeClosed(pool: Pool, route: RouteKey): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    const closed = await closeBreaker(client, route);
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
