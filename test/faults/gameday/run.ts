import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { removeAbandonedFolders } from '../../support/temporary.ts';
import { areReady, findLosses, openInstallation, untilReady } from './installation.ts';
import type { Installation } from './installation.ts';
import { MACHINE_SCENARIOS } from './machine-scenarios.ts';
import { OPERATOR_SCENARIOS } from './operator-scenarios.ts';
import { startPrometheus } from './prometheus.ts';
import type { Prometheus } from './prometheus.ts';
import { restartInTurn } from './rolling-restart.ts';
import type { RestartReport } from './rolling-restart.ts';
import type { Scenario } from './scenario.ts';

export const SCENARIOS: readonly Scenario[] = [...OPERATOR_SCENARIOS, ...MACHINE_SCENARIOS];

/** What happened in a scenario; times in seconds. */
export interface ScenarioReport {
  readonly name: string;
  readonly fault: string;
  /** Undefined: it ran. */
  readonly skipped?: string;
  readonly alert: string;
  /** From the fault to the alert. */
  readonly firedAfter?: number;
  /** Every alert that fired then, with its severity. */
  readonly firing?: readonly string[];
  /** Of the runbook, as the alert names it. */
  readonly runbookUrl?: string;
  readonly command: string;
  readonly shown?: string;
  readonly commandTook?: number;
  /** What ended the fault. */
  readonly ended?: string;
  /** From then until every process is ready and a new payment is settled. */
  readonly wellAfter?: number;
  /** From then until the alert has ended. */
  readonly alertEndedAfter?: number;
  /** Attempts of creates that were refused meanwhile, by error code; all were repeated. */
  readonly refusals?: Readonly<Record<string, number>>;
}

export interface GameDayReport {
  readonly prometheus: string;
  readonly scrapeInterval: string;
  readonly scenarios: readonly ScenarioReport[];
  /** An upgrade is no reason to wake anybody: `pages` is empty. */
  readonly rollingRestart: RestartReport & { readonly pages: readonly string[] };
  readonly accepted: number;
  /** Payments that are lost, paid twice or wrong; there must be none. */
  readonly findings: readonly string[];
}

const FIRES_MS = 180_000;
const WELL_MS = 300_000;
/** Prometheus needs some scrapes before it can see a rise. */
const WARM_UP_MS = 40_000;

/**
 * Starts an installation under load with its Prometheus, and causes one fault after the other. For
 * each it waits for the alert, runs the command that the runbook names, ends the fault as the runbook
 * says, and waits until everything is well. Throws if an alert does not fire.
 */
export async function runGameDay(options: {
  /** Names of scenarios; default: all. */
  readonly only: readonly string[];
  readonly onProgress: (line: string) => void;
}): Promise<GameDayReport> {
  await removeAbandonedFolders();
  const { only, onProgress } = options;
  const chosen = SCENARIOS.filter(({ name }) => only.length === 0 || only.includes(name));
  const at = await openInstallation();
  let prometheus: Prometheus | undefined;
  try {
    const origins = at.programs.map(({ origin }) => origin);
    prometheus = await startPrometheus(at.folder, origins);
    await delay(WARM_UP_MS);
    const restarts = await restartInTurn(at);
    const pages = (await prometheus.firing()).filter(({ severity }) => severity === 'page');
    const rollingRestart = { ...restarts, pages: pages.map(({ name }) => name) };
    onProgress(`rolling restart: ${JSON.stringify(rollingRestart)}`);
    const scenarios: ScenarioReport[] = [];
    for (const scenario of chosen) {
      const report = await play(scenario, at, prometheus);
      scenarios.push(report);
      onProgress(JSON.stringify(report));
    }
    await at.load.pause();
    const { version, scrapeInterval } = prometheus;
    return {
      prometheus: version,
      scrapeInterval,
      scenarios,
      rollingRestart,
      accepted: at.load.accepted.length,
      findings: await findLosses(at),
    };
  } finally {
    prometheus?.stop();
    await at.stop();
  }
}

async function play(
  scenario: Scenario,
  at: Installation,
  prometheus: Prometheus,
): Promise<ScenarioReport> {
  const { name, fault, alert, command } = scenario;
  const about = { name, fault, alert, command };
  const skipped = scenario.obstacle?.(at);
  if (skipped !== undefined) return { ...about, skipped };
  const findAlert = async () => (await prometheus.firing()).find((one) => one.name === alert);
  await until(`${alert} does not fire`, async () => (await findAlert()) === undefined, FIRES_MS);
  await scenario.prepare?.(at);
  const before = { ...at.load.refusals };

  const sinceFault = stopwatch();
  await scenario.begin(at);
  const fired = await until(`${alert} fires (${name})`, findAlert, FIRES_MS);
  const firedAfter = sinceFault();
  const firing = (await prometheus.firing()).map((one) => `${one.name} (${one.severity})`);
  const looking = stopwatch();
  const shown = await scenario.look(at);
  const commandTook = looking();

  const sinceEnd = stopwatch();
  const ended = await scenario.end(at);
  await untilReady(at.programs);
  await until(`all is well after ${name}`, async () => await isWell(scenario, at), WELL_MS);
  const wellAfter = sinceEnd();
  await until(`${alert} ends`, async () => (await findAlert()) === undefined, WELL_MS);
  return {
    ...about,
    firedAfter,
    firing: [...new Set(firing)].toSorted(),
    runbookUrl: fired.runbookUrl,
    shown: shown.trim(),
    commandTook,
    ended,
    wellAfter,
    alertEndedAfter: sinceEnd(),
    refusals: difference(at.load.refusals, before),
  };
}

async function isWell(scenario: Scenario, at: Installation): Promise<boolean> {
  if (!(await areReady(at.programs))) return false;
  if (scenario.isWell !== undefined && !(await scenario.isWell(at))) return false;
  const known = at.load.accepted.length;
  const newest = await until('a payment is accepted', () => at.load.accepted.at(known), WELL_MS);
  await until('it is settled', async () => {
    return (await at.vendor.payment(newest.reference)).transaction_status === 'SUCCESS';
  });
  return true;
}

/** Returns the seconds since then, to a tenth. */
function stopwatch(): () => number {
  const began = performance.now();
  return () => Math.round((performance.now() - began) / 100) / 10;
}

function difference(
  now: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Record<string, number> {
  const rises = Object.entries(now).map(([code, count]) => [code, count - (before[code] ?? 0)]);
  return Object.fromEntries(rises.filter(([, rise]) => rise !== 0)) as Record<string, number>;
}
