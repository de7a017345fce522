import { endOnSignals } from './interruption.ts';
import { canShareCore } from './load/one-core.ts';
import { describeMachine } from './machine.ts';
import { chosenRatios, readOptions } from './options.ts';
import { figuresOf } from './ratios.ts';
import type { Run } from './ratios.ts';
import { printTable, writeChart } from './report.ts';
import { isNoisy, MAX_INTERVAL, relativeInterval } from './rounds.ts';
import { openStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { bulkSuite } from './suites/bulk.ts';
import { commandSuite } from './suites/commands.ts';
import { consoleSuite } from './suites/console.ts';
import { cycleSuite } from './suites/cycle.ts';
import { defaultSettingsSuite } from './suites/default-settings.ts';
import { directSuite } from './suites/direct.ts';
import { dispatchSuite } from './suites/dispatch.ts';
import { growthSuite } from './suites/growth.ts';
import { halfLoadSuite } from './suites/half-load.ts';
import { httpSuite } from './suites/http.ts';
import { logSuite } from './suites/log.ts';
import { memorySuite } from './suites/memory.ts';
import { neighbourSuite } from './suites/neighbour.ts';
import { selfServiceSuite } from './suites/self-service.ts';
import { startSuite } from './suites/start.ts';
import type { Suite, SuiteOptions } from './suites/suite.ts';

/**
 * `npm run bench`: measures the service against the obvious alternatives, side by side in one
 * run. See the README. The last line with --json is one JSON object; exits with 1 when rows and
 * answers differ, or when something could not be measured.
 */

const SUITES: readonly Suite[] = [
  httpSuite,
  logSuite,
  directSuite,
  bulkSuite,
  cycleSuite,
  dispatchSuite,
  growthSuite,
  halfLoadSuite,
  startSuite,
  commandSuite,
  defaultSettingsSuite,
  consoleSuite,
  selfServiceSuite,
  neighbourSuite,
  memorySuite,
];

const given = readOptions();

const log = (line: string): void => void process.stderr.write(`${line}\n`);
const { rounds, maxRounds } = given;
const ratios = chosenRatios(given);
const wanted = new Set(ratios.flatMap((ratio) => [...ratio.of, ...(ratio.alongside ?? [])]));
const options: SuiteOptions = {
  wanted,
  seconds: given.seconds,
  memoryMinutes: given.memoryMinutes,
  historyRows: given.historyRows,
  consoleRows: given.consoleRows,
  listRows: given.listRows,
  ...(process.env['PGLEDGER_SQL'] === undefined
    ? {}
    : { pgledgerSql: process.env['PGLEDGER_SQL'] }),
  log,
};

const machine = describeMachine();
log(machine);
const sharesCore = await canShareCore();
if (!sharesCore)
  log('The load generator shares no core with the server: CPU per request includes waking it.');
const unlessInterrupted = endOnSignals();
const stage = await openStage(() => undefined);
let runs: Run[];
try {
  runs = await unlessInterrupted(runAll(stage));
} finally {
  await stage.close();
}
finish();

/**
 * Runs every suite with its contestants in turns, so that a disturbance affects all of them, until the
 * suite's ratios are certain enough, or for the maximum number of rounds.
 */
async function runAll(on: Stage): Promise<Run[]> {
  const done: Run[] = [];
  for (const suite of SUITES) {
    const contestants = suite.contestants.filter((name) => wanted.has(name));
    if (contestants.length === 0) continue;
    const startedAt = performance.now();
    const open = await suite.open(on, options);
    try {
      for (let round = 1; round <= (open.once === true ? 1 : maxRounds); round += 1) {
        if (round > rounds && !isUncertain(contestants, done)) break;
        for (const contestant of contestants) {
          const run = await open.run(contestant);
          done.push(run);
          log(`${suite.name} ${round}: ${contestant} ${describe(run)}`);
        }
      }
    } finally {
      await open.close();
    }
    log(`${suite.name} took ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`);
  }
  return done;
}

/** True if one of the ratios that these contestants alone make up has too wide an interval. */
function isUncertain(contestants: readonly string[], done: readonly Run[]): boolean {
  return ratios
    .filter(({ of }) => of.every((name) => contestants.includes(name)))
    .some((ratio) => isNoisy(relativeInterval(ratio, done)));
}

function describe(run: Run): string {
  const node = run.nodeMicros === undefined ? '' : `, ${run.nodeMicros.toFixed(0)} µs Node`;
  const postgres =
    run.postgresMicros === undefined ? '' : ` + ${run.postgresMicros.toFixed(0)} µs PostgreSQL`;
  return `${run.value.toPrecision(5)}${run.unit === undefined ? '/s' : ` ${run.unit}`}${node}${postgres}`;
}

function finish(): void {
  const figures = figuresOf(runs);
  const measured = ratios.map((ratio) => ({
    ratio,
    interval: relativeInterval(ratio, runs),
    value: ratio.value((name) => {
      const figure = figures.get(name);
      if (figure === undefined) throw new Error(`${ratio.name} needs ${name}, which was not run`);
      return figure;
    }),
  }));
  const noisy = measured.filter(({ interval }) => isNoisy(interval)).map(({ ratio }) => ratio.name);
  if (noisy.length > 0) {
    log(`Too noisy here, ± more than ${MAX_INTERVAL * 100} %: ${noisy.join(', ')}`);
  }
  if (given.json !== true) {
    printTable(measured, figures);
    writeChart(given.chart, measured, machine);
    log(`The chart is in ${given.chart}.`);
    return;
  }
  const result = {
    machine,
    generator_shares_core: sharesCore,
    date: new Date().toISOString(),
    seconds: options.seconds,
    rounds,
    max_rounds: maxRounds,
    ratios: Object.fromEntries(
      measured.map(({ ratio, value }) => [ratio.name, Number(value.toPrecision(4))]),
    ),
    intervals: Object.fromEntries(
      measured.map(({ ratio, interval }) => [
        ratio.name,
        interval === undefined ? null : Number(interval.toPrecision(2)),
      ]),
    ),
    noisy,
    figures: Object.fromEntries(figures),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
