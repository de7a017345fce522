import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CrashPoint } from '../../../src/platform/base/crash-points.ts';
import { PRODUCTION_TIMING } from '../../../src/payments/timing.ts';
import { createPool } from '../../../src/platform/db/pool.ts';
import type { Pool } from '../../../src/platform/db/pool.ts';
import type { Random } from '../../simulation/random.ts';
import { until } from '../../support/until.ts';
import type { ProviderBiller } from '../../../sandbox/provider-operators.ts';
import { START_MS, addTestParties, operatorsProgram, serviceProgram } from '../fleet.ts';
import type { OperatorsProgram, Program, TestParties } from '../fleet.ts';
import type { ChaosDatabase } from './database.ts';
import { isLeftToPeople, readPayments } from './payments.ts';
import type { PaymentRow } from './payments.ts';

/** One in this many kills hits everything at once, including PostgreSQL. */
const KILLS_PER_OUTAGE = 10;
/** The longest wait before a running program is killed. */
const MAX_SERVING_MS = 400;
/** Share of runs that kill themselves at a crash point, unless they are killed before. */
const ARMED_SHARE = 0.4;
/** Share of kills that hit the operators instead of the service. */
const OPERATORS_SHARE = 0.1;
/** Where the database has nodes, this share of the kills hits one of them. */
const NODE_SHARE = 0.2;
/** How long a killed node stays down. */
const MAX_AWAY_MS = 2_000;
/**
 * How long open payments may take to end after the last kill: one may have just begun its longest wait
 * for the next status query.
 */
const DRAIN_MS = 2 * PRODUCTION_TIMING.retries.verifyMaxMs;
/** How long to wait at most before the services are started again, which makes every payment due at once. */
const REST_MS = 10_000;
/** How long what was due may take, such as a result that comes by callback after two seconds. */
const SETTLE_MS = 4_000;
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
  /** Problems that no kill explains: a program that ended by itself, a payment that stayed open. */
  readonly findings: string[] = [];
  /** Kills by what was hit. */
  readonly hits = new Map<string, number>();
  readonly #folder: string;
  readonly #loops: Promise<void>[] = [];
  /** Programs that were sent SIGKILL, with the label of the kill; undefined: it is counted elsewhere. */
  readonly #hit = new Map<Program, string | undefined>();
  readonly #database: ChaosDatabase;
  readonly #providerBillers: readonly ProviderBiller[] | undefined;
  readonly #darajaOptions: readonly string[];
  #pool: Pool | undefined;
  #parties: TestParties | undefined;
  #operators: OperatorsProgram | undefined;
  #apis: readonly Program[] = [];
  #services: readonly Program[] = [];
  /** Pending while the database is down: programs start only when it is resolved. */
  #databaseUp: Promise<void> = Promise.resolve();
  /** False: programs that end are not started again. */
  #restarting = true;
  #outages = 0;
  #nodesKilled = 0;
  /** 1 while a node is down. */
  #nodesAway = 0;
  /** True: a program that is still starting is killed. */
  #ending = false;

  constructor(
    folder: string,
    random: Random,
    by: {
      readonly database: ChaosDatabase;
      /** What emulated providers pay; undefined: a simulated operator pays. */
      readonly providerBillers: readonly ProviderBiller[] | undefined;
      /** Options of the operators' command line. */
      readonly darajaOptions?: readonly string[];
    },
  ) {
    this.#database = by.database;
    this.#providerBillers = by.providerBillers;
    this.#darajaOptions = by.darajaOptions ?? [];
    this.#folder = folder;
    this.random = random;
    // Programs are in their own process groups and would outlive this process. The database stops with it.
    process.once('exit', () => this.#killAll());
  }

  get kills(): number {
    return [...this.hits.values()].reduce((sum, times) => sum + times, 0);
  }

  get pool(): Pool {
    return present(this.#pool);
  }

  get parties(): TestParties {
    return present(this.#parties);
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
    const callBack = billers && `${api.origin}/callbacks`;
    const operators = await operatorsProgram(folder, callBack, this.#darajaOptions);
    this.#operators = operators;
    this.#parties = await addTestParties(this.#pool, {
      operatorOrigin: operators.origin,
      vendorCount: 3,
      ...(billers && { providers: { folder, billers } }),
    });
    const all = await service('all roles', 'api,dispatcher,jobs', {});
    // Callbacks arrive at the process that serves vendors.
    const publicUrl = { PUBLIC_URL: api.origin };
    const dispatcher = await service('dispatcher', 'dispatcher', publicUrl);
    this.#apis = [api, all];
    this.#services = [api, all, dispatcher];
    this.#loops.push(
      this.#keepRunning(operators, []),
      this.#keepRunning(api, API_POINTS),
      this.#keepRunning(all, [...API_POINTS, ...DISPATCHER_POINTS]),
      this.#keepRunning(dispatcher, DISPATCHER_POINTS),
    );
  }

  /** Kills until this many kills were made. */
  async killUntil(wanted: number, onProgress?: (kills: number) => void): Promise<void> {
    const outages = Math.floor(wanted / KILLS_PER_OUTAGE);
    while (this.kills < wanted || this.#outages < outages) {
      if (this.#outages < Math.floor((this.kills + 1) / KILLS_PER_OUTAGE)) {
        await this.#killEverything();
      } else {
        await (this.#database.nodes.length > 0 && this.random.chance(NODE_SHARE)
          ? this.#killNode(this.random.pick(this.#database.nodes))
          : this.#killOne());
      }
      onProgress?.(this.kills);
    }
  }

  /** Waits until all services run. After that, programs that end are not started again. */
  async endFaults(): Promise<void> {
    await until('all run', () => this.#services.every((program) => program.ready), START_MS);
    this.#restarting = false;
  }

  /** Stops the services with SIGTERM, makes every open payment due, and starts the services again. */
  async restart(): Promise<void> {
    for (const program of this.#services) program.signal('SIGTERM');
    await Promise.all(this.#services.map(async (program) => await program.untilEnded()));
    // No call is in progress now. Payments that wait for a lease or their next query become due at
    // once, and cases that open after a while may open at once.
    const now = new Date();
    const times = [now, new Date(now.getTime() - CASE_AFTER_MS)];
    // Repeated if the last kill of the database ended the connection.
    await until('the queue is due', async () => {
      // Times are parameters, because Citus cannot compute them from a column in an UPDATE.
      const text = `update dispatch_queue set due_at = least(due_at, $1),
           sent_at = case when sent_at > $2 then $2 else sent_at end`;
      return (await this.pool.query(text, times)).command === 'UPDATE';
    });
    // First the processes that receive callbacks: an operator may answer at once and does not repeat it.
    for (const program of this.#apis) await program.start();
    await until('callbacks are received', () => this.#apis.every(isUp), START_MS);
    for (const program of this.#services) if (!this.#apis.includes(program)) await program.start();
  }

  /**
   * Waits until every payment has ended, except those whose operator never reports a result and
   * those with a case for people.
   */
  async drain(): Promise<void> {
    const deadline = performance.now() + DRAIN_MS;
    const isOver = (): boolean => performance.now() > deadline;
    while (!(await this.#comesToRest()) && !isOver()) {
      for (const program of this.#services) if (program.ended) await this.#reportEnd(program);
      await this.restart();
    }
    if (!isOver()) return;
    const open = await this.#waiting();
    this.findings.push(...open.map((row) => `a payment stayed open: ${JSON.stringify(row)}`));
  }

  /** Open payments that should end and have no case. */
  async #waiting(): Promise<PaymentRow[]> {
    const open = await readPayments(this.pool, 'q.payment_id is not null');
    return open.filter((row) => !isAtRest(row));
  }

  /** Returns false if payments wait, and starting again is faster than waiting for them. */
  async #comesToRest(): Promise<boolean> {
    const settled = performance.now() + SETTLE_MS;
    const look = async (): Promise<'rests' | 'waits' | undefined> => {
      const waiting = await this.#waiting();
      if (waiting.length === 0) return 'rests';
      const isLate = waiting.every(({ due_in_ms: dueInMs }) => dueInMs > SETTLE_MS);
      return isLate && performance.now() > settled ? 'waits' : undefined;
    };
    return await until('no payment waits', look, REST_MS).then(
      (found) => found === 'rests',
      () => false,
    );
  }

  async end(): Promise<void> {
    this.#restarting = false;
    this.#ending = true;
    this.#killAll();
    await Promise.all(this.#loops);
    await Promise.all(this.#services.map(async (program) => await program.untilEnded()));
    await this.#pool?.end();
    await this.#database.end();
  }

  #killAll(): void {
    for (const program of [...this.#services, ...(this.#operators ? [this.#operators] : [])]) {
      this.#hit.set(program, undefined);
      program.signal('SIGKILL');
    }
  }

  /** Starts the program again each time it ends. */
  async #keepRunning(program: Program, points: readonly CrashPoint[]): Promise<void> {
    while (this.#restarting) {
      const armed = points.length > 0 && this.random.chance(ARMED_SHARE);
      const point = armed ? this.random.pick(points) : undefined;
      const crashAt = point && `${point}#${this.random.whole(1, 3)}`;
      const nodesKilled = this.#nodesKilled - this.#nodesAway;
      await program.start(crashAt === undefined ? {} : { CRASH_AT: crashAt });
      if (this.#ending) program.signal('SIGKILL');
      const { ending } = await program.untilEnded();
      if (ending.signal === 'SIGKILL') {
        const label = this.#hit.has(program) ? this.#hit.get(program) : point;
        if (label !== undefined) this.#count(label);
      } else if (this.#nodesKilled > nodesKilled && ending.code === 1) {
        // A node was down when it started, so it rightly ended with an error.
        await this.#databaseUp;
      } else if (this.#restarting || ending.code !== 0) {
        await this.#reportEnd(program);
      }
      this.#hit.delete(program);
      await this.#databaseUp;
    }
  }

  async #reportEnd(program: Program): Promise<void> {
    const { ending, lastOutput } = await program.untilEnded();
    this.findings.push(`${program.name} ended by itself: ${JSON.stringify(ending)} ${lastOutput}`);
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
    await delay(this.random.whole(0, MAX_SERVING_MS));
    if (!victim.ready) return;
    this.#hit.set(victim, victim.name);
    victim.signal('SIGKILL');
    await victim.untilEnded();
  }

  /** Kills one node of the database under load, and starts it again after a while. */
  async #killNode(node: number): Promise<void> {
    this.#nodesKilled += 1;
    this.#nodesAway = 1;
    await this.#database.kill(node);
    await delay(this.random.whole(0, MAX_AWAY_MS));
    await this.#database.start();
    this.#nodesAway = 0;
    this.#count(node === 0 ? 'coordinator' : 'worker');
  }

  /** Kills all programs and the database, as when the machine crashes, except that written data stays. */
  async #killEverything(): Promise<void> {
    const up = Promise.withResolvers<void>();
    this.#databaseUp = up.promise;
    this.#killAll();
    await this.#database.kill();
    const programs = [...this.#services, this.operators];
    await Promise.all(programs.map(async (program) => await program.untilEnded()));
    await this.#database.start();
    this.#outages += 1;
    this.#count('everything');
    up.resolve();
  }
}

/** Also true for a program that ended by itself, which is reported later. */
function isUp(program: Program): boolean {
  return program.ready || program.ended;
}

function isAtRest(row: PaymentRow): boolean {
  return row.account.endsWith('9909') || isLeftToPeople(row);
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the world has not begun');
  return value;
}
