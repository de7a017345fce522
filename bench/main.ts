import { parseArgs } from 'node:util';
import { endOnSignals } from './interruption.ts';
import { describeMachine } from './machine.ts';
import { figuresOf, RATIOS } from './ratios.ts';
import type { Figure, Ratio, Run } from './ratios.ts';
import { printTable, writeChart } from './report.ts';
import { openStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { bulkSuite } from './suites/bulk.ts';
import { consoleSuite } from './suites/console.ts';
import { cycleSuite } from './suites/cycle.ts';
import { defaultSettingsSuite } from './suites/default-settings.ts';
import { directSuite, PGLEDGER_CONTESTANTS } from './suites/direct.ts';
import { dispatchSuite } from './suites/dispatch.ts';
import { growthSuite } from './suites/growth.ts';
import { halfLoadSuite } from './suites/half-load.ts';
import { httpSuite } from './suites/http.ts';
import { logSuite } from './suites/log.ts';
import { memorySuite } from './suites/memory.ts';
import { selfServiceSuite } from './suites/self-service.ts';
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
  defaultSettingsSuite,
  consoleSuite,
  selfServiceSuite,
  memorySuite,
];

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    'memory-minutes': { type: 'string', default: '10' },
    'history-rows': { type: 'string', default: '5000000' },
    'console-rows': { type: 'string', default: '1000000' },
    'list-rows': { type: 'string', default: '5000000' },
    chart: { type: 'string', default: 'bench.svg' },
  },
});

const log = (line: string): void => void process.stderr.write(`${line}\n`);
const ratios = chosenRatios(values.only.flatMap((names) => names.split(',')));
const wanted = new Set(ratios.flatMap((ratio) => [...ratio.of, ...(ratio.alongside ?? [])]));
if (process.env['PGLEDGER_SQL'] !== undefined && wanted.has('lanes hot')) {
  for (const name of PGLEDGER_CONTESTANTS) wanted.add(name);
}
const rounds = wholeNumber('rounds', values.rounds);
const options: SuiteOptions = {
  wanted,
  seconds: wholeNumber('seconds', values.seconds),
  memoryMinutes: wholeNumber('memory-minutes', values['memory-minutes']),
  historyRows: wholeNumber('history-rows', values['history-rows']),
  consoleRows: wholeNumber('console-rows', values['console-rows']),
  listRows: wholeNumber('list-rows', values['list-rows']),
  ...(process.env['PGLEDGER_SQL'] === undefined
    ? {}
    : { pgledgerSql: process.env['PGLEDGER_SQL'] }),
  log,
};

const machine = describeMachine();
log(machine);
const unlessInterrupted = endOnSignals();
const stage = await openStage(() => undefined);
let figures: Map<string, Figure>;
try {
  figures = figuresOf(await unlessInterrupted(runAll(stage)));
} finally {
  await stage.close();
}
finish();

function chosenRatios(names: readonly string[]): readonly Ratio[] {
  const unknown = names.filter((name) => !RATIOS.some((ratio) => ratio.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `--only: no ${unknown.join(', ')}. There are ${RATIOS.map(({ name }) => name).join(', ')}.`,
    );
  }
  return names.length === 0 ? RATIOS : RATIOS.filter(({ name }) => names.includes(name));
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name}: a whole number above 0`);
  return Number(text);
}

/** Runs every suite with its contestants in turns, so that a disturbance affects all of them. */
async function runAll(on: Stage): Promise<Run[]> {
  const runs: Run[] = [];
  for (const suite of SUITES) {
    const contestants = suite.contestants.filter((name) => wanted.has(name));
    if (contestants.length === 0) continue;
    const startedAt = performance.now();
    const open = await suite.open(on, options);
    try {
      for (let round = 1; round <= (open.once === true ? 1 : rounds); round += 1) {
        for (const contestant of contestants) {
          const run = await open.run(contestant);
          runs.push(run);
          log(`${suite.name} ${round}: ${contestant} ${describe(run)}`);
        }
      }
    } finally {
      await open.close();
    }
    log(`${suite.name} took ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`);
  }
  return runs;
}

function describe(run: Run): string {
  const node = run.nodeMicros === undefined ? '' : `, ${run.nodeMicros.toFixed(0)} µs Node`;
  const postgres =
    run.postgresMicros === undefined ? '' : ` + ${run.postgresMicros.toFixed(0)} µs PostgreSQL`;
  return `${run.value.toPrecision(5)}${run.unit === undefined ? '/s' : ` ${run.unit}`}${node}${postgres}`;
}

function finish(): void {
  const measured = ratios.map((ratio) => ({
    ratio,
    value: ratio.value((name) => {
      const figure = figures.get(name);
      if (figure === undefined) throw new Error(`${ratio.name} needs ${name}, which was not run`);
      return figure;
    }),
  }));
  if (!values.json) {
    printTable(measured, figures);
    writeChart(values.chart, measured, machine);
    log(`The chart is in ${values.chart}.`);
    return;
  }
  const result = {
    machine,
    date: new Date().toISOString(),
    seconds: options.seconds,
    rounds,
    ratios: Object.fromEntries(
      measured.map(({ ratio, value }) => [ratio.name, Number(value.toPrecision(4))]),
    ),
    figures: Object.fromEntries(figures),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
