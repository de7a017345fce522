import { Command } from 'commander';
import { countOption } from '../scripts/count-option.ts';
import { createPool } from '../src/platform/db/pool.ts';
import type { DirectAnswer, DirectQuestion } from './children/direct.ts';
import { estimate } from './cores-model.ts';
import type { Costs, Estimate } from './cores-model.ts';
import { endOnSignals } from './interruption.ts';
import { pin } from './load/one-core.ts';
import { describeMachine } from './machine.ts';
import { median } from './ratios.ts';
import type { Run } from './ratios.ts';
import { openStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { readWalWork, startWalTiming } from './store.ts';
import { cycleSuite } from './suites/cycle.ts';
import { CALLERS } from './suites/direct.ts';
import { httpSuite } from './suites/http.ts';
import { runOf } from './suites/suite.ts';
import type { OpenSuite, SuiteOptions } from './suites/suite.ts';

/**
 * `npm run -s bench:cores`: what a create and a payment cost each process when it has a core of its own,
 * what a second core adds, and what machines with more cores would do by these costs (`cores-model.ts`).
 * Needs two cores and taskset. Ends with one JSON line.
 */
const { rounds, seconds } = new Command('bench:cores')
  .description('Measure each process on a core of its own, and estimate machines with more cores.')
  .option('--rounds <n>', 'of every measurement', countOption, 5)
  .option('--seconds <n>', 'length of a run', countOption, 3)
  .parse()
  .opts<{ rounds: number; seconds: number }>();

const MACHINES = [2, 4, 8, 16, 32];
/** Core of the program that creates payments, and of the API with its load generator. */
const CLIENT_CORE = '0';
const ONE_CORE = '1';
const BOTH_CORES = '0,1';

interface Lanes extends Pick<DirectQuestion, 'contestant' | 'connections'> {
  readonly vendors: 'hot' | 'many';
  /** Cores of PostgreSQL. */
  readonly cores: string;
}

const TWO_CONNECTIONS = 'two connections';
const LANES: Readonly<Record<string, Lanes>> = {
  'one connection, hot': { contestant: 'lanes', connections: 1, vendors: 'hot', cores: ONE_CORE },
  'one connection': { contestant: 'lanes', connections: 1, vendors: 'many', cores: ONE_CORE },
  [TWO_CONNECTIONS]: {
    ...{ contestant: 'lanes', connections: 2, vendors: 'many', cores: BOTH_CORES },
  },
  'two processes': {
    ...{ contestant: 'lanes-of-processes', connections: 2, vendors: 'many', cores: BOTH_CORES },
  },
};

/** Figures of one run of lanes. */
interface LaneRun extends Run {
  readonly walBytes: number;
  readonly flushes: number;
  readonly flushSeconds: number;
}

const log = (line: string): void => void process.stderr.write(`${line}\n`);
log(describeMachine());
const unlessInterrupted = endOnSignals();
const stage = await openStage(() => undefined);
try {
  await unlessInterrupted(measure(stage));
} finally {
  await stage.close();
}

async function measure(on: Stage): Promise<void> {
  const lanes = await measureLanes(on);
  const overHttp = await measureSuite(on, httpSuite, ['create 1000 256'], ONE_CORE);
  const cycle = await measureSuite(on, cycleSuite, ['create alone', 'cycle'], BOTH_CORES);
  const costs = costsOf(lanes, overHttp, cycle);
  const estimates = MACHINES.map((cores) => estimate(costs, cores));
  for (const line of describe(estimates)) log(line);
  const rates = Object.fromEntries(
    Object.keys(LANES).map((name) => [name, middle(lanes, name, ({ value }) => value)]),
  );
  process.stdout.write(
    `${JSON.stringify({ machine: describeMachine(), costs, lanes: rates, estimates })}\n`,
  );
}

async function measureLanes(on: Stage): Promise<readonly LaneRun[]> {
  const url = await on.database('cores');
  const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
  await startWalTiming(pool);
  const child = await on.start('direct.ts', {});
  await pin(child.pid, CLIENT_CORE);
  const run = async (name: string, { cores, vendors, ...contestant }: Lanes): Promise<LaneRun> => {
    await on.pinPostgres(cores);
    const vendorIds = on[vendors].map(({ vendorId }) => vendorId);
    const question: DirectQuestion = { ...contestant, url, vendorIds, callers: CALLERS, seconds };
    const before = await readWalWork(pool);
    const measured = await on.measured(child, async () => {
      const answer = await child.ask<DirectAnswer>(question);
      return { ...answer, events: answer.creates };
    });
    const after = await readWalWork(pool);
    const flushes = after.flushes - before.flushes;
    return {
      ...runOf(name, measured),
      walBytes: (after.bytes - before.bytes) / measured.result.events,
      flushes: flushes / measured.result.events,
      flushSeconds: (after.flushSeconds - before.flushSeconds) / flushes,
    };
  };
  const runs = await inRounds(Object.keys(LANES), async (name) => {
    const lanes = LANES[name];
    if (lanes === undefined) throw new Error(`no lanes ${name}`);
    return await run(name, lanes);
  });
  await child.stop();
  await pool.end();
  return runs;
}

async function measureSuite(
  on: Stage,
  suite: { open(stage: Stage, options: SuiteOptions): Promise<OpenSuite> },
  names: readonly string[],
  cores: string,
): Promise<readonly Run[]> {
  await on.pinPostgres(cores);
  const open = await suite.open(on, {
    wanted: new Set(names),
    seconds,
    ...{ memoryMinutes: 0, historyRows: 0, consoleRows: 0, listRows: 0 },
    log,
  });
  try {
    return await inRounds(names, (name) => open.run(name));
  } finally {
    await open.close();
  }
}

/** In turns; the first round warms up. */
async function inRounds<One extends Run>(
  names: readonly string[],
  run: (name: string) => Promise<One>,
): Promise<readonly One[]> {
  const done: One[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const one = await run(name);
      if (round === 0) continue;
      done.push(one);
      const { value, nodeMicros = 0, postgresMicros = 0 } = one;
      log(
        `${round}: ${name} ${value.toFixed(0)}/s, ${nodeMicros.toFixed(0)} µs Node + ${postgresMicros.toFixed(0)} µs PostgreSQL`,
      );
    }
  }
  return done;
}

/** The median of a figure of a contestant. */
function middle<One extends Run>(
  runs: readonly One[],
  name: string,
  figure: (run: One) => number | undefined,
): number {
  const own = runs.filter(({ contestant }) => contestant === name);
  return median(own.map((run) => figure(run) ?? Number.NaN));
}

function costsOf(
  lanes: readonly LaneRun[],
  overHttp: readonly Run[],
  cycle: readonly Run[],
): Costs {
  const node = (run: Run): number | undefined => run.nodeMicros;
  const postgres = (run: Run): number | undefined => run.postgresMicros;
  const rate = (run: Run): number => run.value;
  const laneRate = middle(lanes, 'one connection', rate);
  const ofLane = lanes.filter(({ contestant }) => contestant === 'one connection');
  const ofTwo = lanes.filter(({ contestant }) => contestant === TWO_CONNECTIONS);
  // Of each round, because what disturbs a round disturbs all of its runs.
  const growth = ofTwo.map(
    (two, round) =>
      (two.postgresMicros ?? Number.NaN) / (ofLane[round]?.postgresMicros ?? Number.NaN),
  );
  return {
    apiMicros: middle(overHttp, 'create 1000 256', node),
    dispatcherMicros: middle(cycle, 'cycle', node) - middle(cycle, 'create alone', node),
    createMicros: middle(overHttp, 'create 1000 256', postgres),
    settleMicros: middle(cycle, 'cycle', postgres) - middle(cycle, 'create alone', postgres),
    contention: Math.max(0, median(growth) - 1),
    laneRate,
    walBytes: middle(lanes, 'one connection', (run) => run.walBytes),
    flushes: middle(lanes, 'one connection', (run) => run.flushes),
    flushSeconds: middle(lanes, 'one connection', (run) => run.flushSeconds),
  };
}

function describe(estimates: readonly Estimate[]): string[] {
  const range = (values: readonly [number, number]): string =>
    values.map((value) => value.toFixed(0)).join('–');
  return estimates.map(
    (one) =>
      `${one.cores} cores: ${range(one.creates)} creates/s, ${range(one.payments)} payments/s with ` +
      `${one.apiProcesses} API processes, ${one.dispatchers} dispatchers and ` +
      `${one.postgresCores.toFixed(1)} cores of PostgreSQL; creates need ${one.laneConnections} connections of lanes, ` +
      `${(one.walBytesPerSecond / 1e6).toFixed(0)} MB/s of log, ` +
      `${(100 * one.flushShare).toFixed(0)} % of the time in its flush`,
  );
}
