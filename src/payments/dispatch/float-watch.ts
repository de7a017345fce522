import type { Logger } from 'pino';
import { loggableReason } from './loggable-reason.ts';
import { callWithin } from './probe.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { FloatState } from '../billers/float.ts';
import { readSpentHours, saveBalance, takeDue } from '../billers/float-store.ts';
import type { ReportedBalance } from '../billers/float-store.ts';
import { hoursLeft } from '../billers/forecast.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Connector } from '../../connectors/operator.ts';

export interface FloatWatchOptions {
  readonly pool: Pool;
  readonly catalogue: Pick<BillerCatalogue, 'reload'> & {
    operators(): readonly { readonly operatorCode: string }[];
  };
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  readonly log: Logger;
  readonly timers?: Timers;
}

/**
 * Queries our float with every operator that supports it, one process at a time. A route stops before
 * the float is empty, and starts again when the float is well above the limit.
 */
export function startFloatWatch(
  options: FloatWatchOptions & { readonly everyMs: number },
): PeriodicJob {
  return startPeriodicJob({
    everyMs: options.everyMs,
    atOnce: true,
    work: async () => await pollFloats(options, options.everyMs),
    failureText: 'the floats with operators could not be read',
    log: options.log,
  });
}

/** Queries the operators that have not been queried for this long. */
export async function pollFloats(options: FloatWatchOptions, everyMs: number): Promise<void> {
  const { pool, catalogue, connectorOf } = options;
  const askable = catalogue
    .operators()
    .map(({ operatorCode }) => operatorCode)
    .filter((code) => (connectorOf(code)?.balance ?? null) !== null);
  if (askable.length === 0) return;
  const due = await takeDue(pool, askable, everyMs / 2);
  await Promise.all(due.map(async (code) => await pollOne(options, code)));
}

async function pollOne(options: FloatWatchOptions, operatorCode: string): Promise<void> {
  const { connectorOf, log, timers = systemTimers } = options;
  const connector = connectorOf(operatorCode);
  const askedAtMs = timers.nowMs();
  const answer = connector && (await callWithin(connector, timers));
  if (answer?.kind === 'balance') {
    const ageMs = timers.nowMs() - askedAtMs;
    await noteBalance(options, operatorCode, { balanceCents: answer.balanceCents, ageMs });
  } else if (answer?.kind !== 'asked') {
    const reason = answer && loggableReason(answer.reason);
    log.warn({ operator: operatorCode, reason }, 'the operator did not report our float');
  }
}

/** Saves a balance that an operator reported, in an answer or a callback. */
export async function noteBalance(
  {
    pool,
    catalogue,
    log,
  }: Pick<FloatWatchOptions, 'pool' | 'log'> & {
    readonly catalogue: Pick<BillerCatalogue, 'reload'>;
  },
  operatorCode: string,
  reported: ReportedBalance,
): Promise<void> {
  const { before, after, stopCents } = await saveBalance(pool, operatorCode, reported);
  if (before === after) return;
  const { balanceCents } = reported;
  const spent = (await readSpentHours(pool)).get(operatorCode) ?? [];
  const hours = hoursLeft(balanceCents, spent, { now: new Date(), floorCents: stopCents ?? 0n });
  const about = { operatorCode, before, balanceCents: balanceCents.toString(), hoursLeft: hours };
  log.warn(about, CROSSINGS[after]);
  await catalogue.reload();
}

/** Logged once when the state changes, not at every report. */
const CROSSINGS: Readonly<Record<FloatState, string>> = {
  enough: 'our float with the operator is large enough again',
  low: 'our float with the operator is low',
  stopped:
    'our float with the operator is used up to its stop limit: nothing more is sent through it',
};
