import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import { encodeReference } from '../../parties/reference.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { awakeTimers as systemAwakeTimers } from '../../platform/base/awake-timers.ts';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { startWakeLoop } from '../../platform/jobs/wake-loop.ts';
import type { WakeLoop } from '../../platform/jobs/wake-loop.ts';
import type { StatusOutcome } from '../../connectors/operator-outcomes.ts';
import type { Connector } from '../../connectors/operator.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Operator } from '../billers/biller.ts';
import { claimQuestion, listDueDetails, noteAnswer } from '../settle/late-details-store.ts';
import type { OwedDetails } from '../settle/read-late-details.ts';
import type { Settler } from '../settle/settle.ts';
import type { Capacity } from './capacity.ts';
import { CONNECTOR_GRACE_MS, finalReport } from './next-step.ts';
import { guarded } from './worker.ts';

/** The pauses between two questions about the same payment. */
export interface DetailsPolicy {
  /** The first pause; each further one is twice as long, up to `maxMs`. */
  readonly firstMs: number;
  readonly maxMs: number;
}

export interface LateDetailsOptions {
  readonly pool: Pool;
  readonly catalogue: Pick<BillerCatalogue, 'operator'>;
  readonly witnessOf: (operatorCode: string, version: number | null) => Connector | undefined;
  readonly settler: Settler;
  readonly capacity: Capacity;
  readonly policy: DetailsPolicy;
  readonly awakeTimers: Timers;
  readonly log: Logger;
}

const DAY_MS = 86_400_000;

/** Milliseconds to wait after this question; null: it is the last one, and only a callback brings details then. */
export function pauseAfter(
  { asked, since }: Pick<OwedDetails, 'asked' | 'since'>,
  { firstMs, maxMs }: DetailsPolicy,
  now: Date,
): number | null {
  if (now.getTime() - since.getTime() > LIMITS.detailsDays * DAY_MS) return null;
  return Math.min(maxMs, firstMs * 2 ** Math.min(asked, 30));
}

/** Asks operators for the details that they owe, such as tokens, of payments that are settled as paid. */
export function startLateDetails(
  options: Omit<LateDetailsOptions, 'awakeTimers'> & {
    readonly pollMs: number;
    /** Default: the system’s. */
    readonly timers: Timers | undefined;
  },
): WakeLoop {
  const { pollMs, timers, log } = options;
  const all = { ...options, awakeTimers: timers ?? systemAwakeTimers };
  return startWakeLoop({
    turn: async (stopping) => {
      await askForDetails(all, stopping);
      return pollMs;
    },
    onFailure: (error) => {
      log.warn({ err: error }, 'operators could not be asked for the details that they owe');
      return pollMs;
    },
    timers: timers ?? systemTimers,
  });
}

/** One question after another to each operator, so that one that is silent delays no other. */
export async function askForDetails(
  options: LateDetailsOptions,
  stopping: AbortSignal,
): Promise<void> {
  const due = await listDueDetails(options.pool);
  await Promise.all(
    [...due.values()].map(async (ofOperator) => {
      for (const owed of ofOperator) {
        if (stopping.aborted || !(await askAbout(options, owed, stopping))) return;
      }
    }),
  );
}

/** Returns false if the operator is not to be asked more now: it is busy, or gave no answer. */
async function askAbout(
  options: LateDetailsOptions,
  owed: OwedDetails,
  stopping: AbortSignal,
): Promise<boolean> {
  const { pool, catalogue, capacity, policy } = options;
  const operator = catalogue.operator(owed.operatorCode);
  const connector = options.witnessOf(owed.operatorCode, owed.operatorVersion);
  if (operator !== undefined && capacity.free(operator, 'verify', 0) < 1) return false;
  if (!(await claimQuestion(pool, owed, pauseAfter(owed, policy, new Date())))) return true;
  crashPoint('details:after-claim');
  const ask = connector?.status ?? null;
  if (operator === undefined || connector === undefined || ask === null) {
    await noteAnswer(pool, owed, 'the operator cannot be asked; its callback may bring them');
    return true;
  }
  const outcome = await callFor(options, { operator, connector, owed, ask }, stopping);
  await takeAnswer(options, owed, outcome);
  return outcome.kind !== 'unknown' || outcome.answered;
}

async function callFor(
  { capacity, awakeTimers, log }: LateDetailsOptions,
  {
    operator,
    connector,
    owed,
    ask,
  }: {
    readonly operator: Operator;
    readonly connector: Connector;
    readonly owed: OwedDetails;
    readonly ask: NonNullable<Connector['status']>;
  },
  signal: AbortSignal,
): Promise<StatusOutcome> {
  const { vendorId, paymentId, ...about } = owed;
  const query = { ...about, reference: encodeReference(vendorId, paymentId) };
  capacity.begin(operator, 'verify');
  try {
    return await guarded<StatusOutcome>(
      (cut) => ask(query, cut),
      connector.payDeadlineMs + CONNECTOR_GRACE_MS,
      { signal, awakeTimers, log },
    );
  } finally {
    capacity.end(operator, 'verify');
  }
}

/** The settler finds out what is new. An answer that the payment was not made opens a case there. */
async function takeAnswer(
  { pool, settler, log }: LateDetailsOptions,
  owed: OwedDetails,
  outcome: StatusOutcome,
): Promise<void> {
  if (outcome.kind !== 'paid' && outcome.kind !== 'declined' && outcome.kind !== 'reversed') {
    const note = 'reason' in outcome ? outcome.reason : 'the operator does not know the payment';
    return await noteAnswer(pool, owed, note);
  }
  const result = await settler.settle(finalReport(owed, outcome, 'status'));
  if (result === 'contradicted') {
    const reference = encodeReference(owed.vendorId, owed.paymentId);
    log.error({ reference }, 'the operator contradicts the ledger: a case was opened');
  }
  if (outcome.kind === 'paid') await noteAnswer(pool, owed, 'paid, details follow');
  else await noteAnswer(pool, owed, `the operator says: ${outcome.message}`);
}
