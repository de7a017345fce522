import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CrashPoint } from '../../../src/platform/base/crash-points.ts';
import { PRODUCTION_TIMING } from '../../../src/payments/timing.ts';
import { createPool } from '../../../src/platform/db/pool.ts';
import type { Pool } from '../../../src/platform/db/pool.ts';
import type { Random } from '../../simulation/random.ts';
import { until } from '../../support/until.ts';
import type { ProviderBiller } from '../../../sandbox/provider-operators.ts';
import { operatorsProgram, serviceProgram, settleTown } from '../fleet.ts';
import type { OperatorsProgram, Program, Town } from '../fleet.ts';
import type { ChaosDatabase } from './database.ts';
import { isLeftToPeople, readPayments } from './payments.ts';
import type { PaymentRow } from './payments.ts';

/** One of so many kills hits everything at once, PostgreSQL too. */
const KILLS_PER_BLACKOUT = 10;
/** How long a program may serve before it is hit. */
const MAX_LIFE_MS = 400;
/** Share of lives that end by themselves at a crash point, unless they are hit before. */
const ARMED_SHARE = 0.4;
/** The operators are hit more rarely than the service. */
const OPERATORS_SHARE = 0.1;
/** Where the database has nodes, this share of the kills hits one of them. */
const NODE_SHARE = 0.2;
/** How long a node is away. */
const MAX_AWAY_MS = 2_000;
/** How long a program may take to start, on a busy machine. */
const START_MS = 60_000;
/**
 * How long the books may take to come to rest after the last kill: a payment may have just begun its
 * longest wait for the next status query.
 */
const DRAIN_MS = 2 * PRODUCTION_TIMING.retries.verifyMaxMs;
/** How long they may take before the services are started again, so that nothing waits. */
const REST_MS = 20_000;
/** After this time without an answer a provider's payment gets a case. */
const CASE_AFTER_MS = 60_000;

const SETTLE_POINTS: readonly CrashPoint[] = ['settle:before-commit', 'settle:after-commit'];
const API_POINTS: readonly CrashPoint[] = [
  ...SETTLE_POINTS,
  'create:before-commit',
  'create:after-commit',
  'callback:before-settle',
  'callback:after-settle',
  'collect:before-commit',
  'collect:after-commit',
  'fund:before-commit',
  'fund:after-commit',
];
const DISPATCHER_POINTS: readonly CrashPoint[] = [
  ...SETTLE_POINTS,
  'dispatch:after-claim',
  'dispatch:before-send',
  'dispatch:after-send',
  'dispatch:before-result-commit',
  'dispatch:after-result-commit',
  'verify:after-claim',
  'verify:before-query',
  'verify:before-result-commit',
  'progress:before-commit',
  'progress:after-commit',
];

/** All the processes of a service, each of which may be killed at any time. */
export class World {
  readonly random: Random;
  /** What no kill explains: a program that ended by itself, books that did not come to rest. */
  readonly findings: string[] = [];
  /** Kills by what was hit. */
  readonly hits = new Map<string, number>();
  readonly #folder: string;
  readonly #lives: Promise<void>[] = [];
  /** Programs that were sent a SIGKILL, and what it counts as; undefined: it is counted elsewhere. */
  readonly #hit = new Map<Program, string | undefined>();
  readonly #database: ChaosDatabase;
  readonly #providerBillers: readonly ProviderBiller[] | undefined;
  #pool: Pool | undefined;
  #town: Town | undefined;
  #operators: OperatorsProgram | undefined;
  #apis: readonly Program[] = [];
  #services: readonly Program[] = [];
  /** Resolved while programs may start. */
  #lights: Promise<void> = Promise.resolve();
  /** False: who dies stays dead. */
  #reviving = true;
  #blackouts = 0;
  #nodesKilled = 0;
  /** 1 while a node is away. */
  #nodesAway = 0;
  /** True: who is still starting must not live. */
  #ending = false;

  constructor(
    folder: string,
    random: Random,
    by: {
      readonly database: ChaosDatabase;
      /** What emulated providers pay; undefined: a simulated operator pays. */
      readonly providerBillers: readonly ProviderBiller[] | undefined;
    },
  ) {
    this.#database = by.database;
    this.#providerBillers = by.providerBillers;
    this.#folder = folder;
    this.random = random;
    // Programs are in groups of their own and would outlive us; the database hears of our end.
    process.once('exit', () => this.#killAll());
  }

  get kills(): number {
    return [...this.hits.values()].reduce((sum, times) => sum + times, 0);
  }

  get pool(): Pool {
    return present(this.#pool);
  }

  get town(): Town {
    return present(this.#town);
  }

  get operators(): OperatorsProgram {
    return present(this.#operators);
  }

  get apiOrigins(): readonly string[] {
    return this.#apis.map(({ origin }) => origin);
  }

  async begin(): Promise<void> {
    const { url } = this.#database;
    this.#pool = createPool({ url, max: 2, name: 'chaos' });
    const service = async (name: string, roles: string, env: Record<string, string>) =>
      await serviceProgram({
        name,
        roles,
        folder: this.#folder,
        env: { DATABASE_URL: url, FUND_WINDOW_SECONDS: '0', BREAKER_COOLDOWN_MS: '500', ...env },
      });
    const api = await service('api', 'api', {});
    const folder = path.join(this.#folder, 'operators');
    const billers = this.#providerBillers;
    const operators = await operatorsProgram(folder, billers && `${api.origin}/callbacks`);
    this.#operators = operators;
    this.#town = await settleTown(this.#pool, {
      operatorOrigin: operators.origin,
      shopCount: 3,
      ...(billers && { providers: { folder, billers } }),
    });
    const all = await service('all roles', 'api,dispatcher,jobs', {});
    // Callbacks come to who serves vendors.
    const publicUrl = { PUBLIC_URL: api.origin };
    const dispatcher = await service('dispatcher', 'dispatcher', publicUrl);
    this.#apis = [api, all];
    this.#services = [api, all, dispatcher];
    this.#lives.push(
      this.#live(operators, []),
      this.#live(api, API_POINTS),
      this.#live(all, [...API_POINTS, ...DISPATCHER_POINTS]),
      this.#live(dispatcher, DISPATCHER_POINTS),
    );
  }

  /** Kills until so many kills were made. */
  async killUntil(wanted: number, onProgress?: (kills: number) => void): Promise<void> {
    const blackouts = Math.floor(wanted / KILLS_PER_BLACKOUT);
    while (this.kills < wanted || this.#blackouts < blackouts) {
      if (this.#blackouts < Math.floor((this.kills + 1) / KILLS_PER_BLACKOUT)) {
        await this.#blackOut();
      } else {
        await (this.#database.nodes.length > 0 && this.random.chance(NODE_SHARE)
          ? this.#killNode(this.random.pick(this.#database.nodes))
          : this.#killOne());
      }
      onProgress?.(this.kills);
    }
  }

  /** Ends the storm: who dies stays dead, and everything runs. */
  async calmDown(): Promise<void> {
    await until('all run', () => this.#services.every((program) => program.ready), START_MS);
    this.#reviving = false;
  }

  /** Stops the services as an operator of the service does, and starts them for good. */
  async restart(): Promise<void> {
    for (const program of this.#services) program.signal('SIGTERM');
    await Promise.all(this.#services.map(async (program) => await program.death()));
    // Nothing is on its way now. What waits for its lease or its next turn need not wait longer, and
    // what people are to look at after a while they may look at now.
    const now = new Date();
    const times = [now, new Date(now.getTime() - CASE_AFTER_MS)];
    // Again, if the connection ended with the database at the last kill.
    await until('the queue is due', async () => {
      // Times are given, because Citus computes none from a column in an UPDATE.
      const text = `update dispatch_queue set due_at = least(due_at, $1),
           sent_at = case when sent_at > $2 then $2 else sent_at end`;
      return (await this.pool.query(text, times)).command === 'UPDATE';
    });
    // First who is called back: an operator answers at once, and never repeats it.
    for (const program of this.#apis) await program.start();
    await until('callbacks are taken', () => this.#apis.every(isUp), START_MS);
    for (const program of this.#services) if (!this.#apis.includes(program)) await program.start();
  }

  /**
   * Waits until every transaction has its end, unless its operator never tells, or people have a case
   * about it.
   */
  async drain(): Promise<void> {
    const deadline = performance.now() + DRAIN_MS;
    const isOver = (): boolean => performance.now() > deadline;
    while (!(await this.#comesToRest()) && !isOver()) {
      for (const program of this.#services) if (program.dead) await this.#reportEnd(program);
      await this.restart();
    }
    if (!isOver()) return;
    const open = await this.#waiting();
    this.findings.push(...open.map((row) => `the books did not come to rest: ${row}`));
  }

  /** What still waits for its end, and nobody has a case about. */
  async #waiting(): Promise<string[]> {
    const open = await readPayments(this.pool, 'q.payment_id is not null');
    return open.filter((row) => !isAtRest(row)).map((row) => JSON.stringify(row));
  }

  async #comesToRest(): Promise<boolean> {
    return await until(
      'the books come to rest',
      async () => (await this.#waiting()).length === 0,
      REST_MS,
    ).then(
      () => true,
      () => false,
    );
  }

  async end(): Promise<void> {
    this.#reviving = false;
    this.#ending = true;
    this.#killAll();
    await Promise.all(this.#lives);
    await Promise.all(this.#services.map(async (program) => await program.death()));
    await this.#pool?.end();
    await this.#database.end();
  }

  #killAll(): void {
    for (const program of [...this.#services, ...(this.#operators ? [this.#operators] : [])]) {
      this.#hit.set(program, undefined);
      program.signal('SIGKILL');
    }
  }

  /** One life after the other. */
  async #live(program: Program, points: readonly CrashPoint[]): Promise<void> {
    while (this.#reviving) {
      const armed = points.length > 0 && this.random.chance(ARMED_SHARE);
      const point = armed ? this.random.pick(points) : undefined;
      const crashAt = point && `${point}#${this.random.whole(1, 3)}`;
      const nodesKilled = this.#nodesKilled - this.#nodesAway;
      await program.start(crashAt === undefined ? {} : { CRASH_AT: crashAt });
      if (this.#ending) program.signal('SIGKILL');
      const { ending } = await program.death();
      if (ending.signal === 'SIGKILL') {
        const label = this.#hit.has(program) ? this.#hit.get(program) : point;
        if (label !== undefined) this.#count(label);
      } else if (this.#nodesKilled > nodesKilled && ending.code === 1) {
        // It started while a node was away, and says so; its supervisor starts it again.
        await this.#lights;
      } else if (this.#reviving || ending.code !== 0) {
        await this.#reportEnd(program);
      }
      this.#hit.delete(program);
      await this.#lights;
    }
  }

  async #reportEnd(program: Program): Promise<void> {
    const { ending, lastWords } = await program.death();
    this.findings.push(`${program.name} ended by itself: ${JSON.stringify(ending)} ${lastWords}`);
  }

  #count(label: string): void {
    this.hits.set(label, (this.hits.get(label) ?? 0) + 1);
  }

  async #killOne(): Promise<void> {
    const wanted = this.random.chance(OPERATORS_SHARE) ? [this.operators] : this.#services;
    const victim = await until(
      'a program runs',
      () => {
        const running = wanted.filter((program) => program.ready);
        return running.length === 0 ? undefined : this.random.pick(running);
      },
      START_MS,
    );
    await delay(this.random.whole(0, MAX_LIFE_MS));
    if (!victim.ready) return;
    this.#hit.set(victim, victim.name);
    victim.signal('SIGKILL');
    await victim.death();
  }

  /** A part of the database goes away for a while, under everything that runs. */
  async #killNode(node: number): Promise<void> {
    this.#nodesKilled += 1;
    this.#nodesAway = 1;
    await this.#database.kill(node);
    await delay(this.random.whole(0, MAX_AWAY_MS));
    await this.#database.start();
    this.#nodesAway = 0;
    this.#count(node === 0 ? 'coordinator' : 'worker');
  }

  /** As when the machine goes down, but for what was written: nobody gets to say a word. */
  async #blackOut(): Promise<void> {
    const lightsOn = Promise.withResolvers<void>();
    this.#lights = lightsOn.promise;
    this.#killAll();
    await this.#database.kill();
    const programs = [...this.#services, this.operators];
    await Promise.all(programs.map(async (program) => await program.death()));
    await this.#database.start();
    this.#blackouts += 1;
    this.#count('everything');
    lightsOn.resolve();
  }
}

/** A program that ended by itself is reported later. */
function isUp(program: Program): boolean {
  return program.ready || program.dead;
}

function isAtRest(row: PaymentRow): boolean {
  return row.account.endsWith('9909') || isLeftToPeople(row);
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the world has not begun');
  return value;
}
