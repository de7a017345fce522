import type { Stage } from './store.ts';
import type { CallEnd } from './worker.ts';

/**
 * When circuit breakers open and for how long: the calls of this process through each route. Whether
 * one is open, or on trial, is in the database, where every process sees it.
 */
export interface CallRecord {
  /**
   * Records the start of a call.
   * @param call.trial identifies the trial of the route; null: it is not on trial.
   * @returns call it once when the call has ended, with null if nothing was sent. It returns true if
   * the consecutive failures are enough to open the breaker. After that every further failure returns
   * true until there is an answer.
   */
  begin(
    route: string,
    call: { readonly stage: Stage; readonly trial: number | null },
  ): (end: CallEnd | null) => boolean;
  /** Number of further instructions that this process may send through the route now. */
  free(route: string, trial: number | null): number;
}

/**
 * On trial, each process has at most this many instructions under way, and the breaker opens again
 * after as many without an answer. More than one, because an operator that has just recovered may
 * miss one.
 */
export const TRIAL_INSTRUCTIONS = 3;

interface RouteCalls {
  readonly trial: number | null;
  /** Instructions that have not ended. */
  underWay: number;
  failures: number;
}

export function createCallRecord(openAfter: number): CallRecord {
  const routes = new Map<string, RouteCalls>();
  const callsOf = (route: string, trial: number | null): RouteCalls => {
    const known = routes.get(route);
    if (known?.trial === trial) return known;
    const fresh = { trial, underWay: 0, failures: 0 };
    routes.set(route, fresh);
    return fresh;
  };
  return {
    begin: (route, { stage, trial }) => {
      const calls = callsOf(route, trial);
      const instructions = stage === 'send' ? 1 : 0;
      calls.underWay += instructions;
      return (end) => {
        calls.underWay -= instructions;
        if (end === null || !counts(end, trial)) return false;
        calls.failures = end.answered ? 0 : calls.failures + 1;
        // A call from an earlier state of the breaker says nothing about this one.
        return routes.get(route) === calls && calls.failures >= failuresToOpen(openAfter, trial);
      };
    },
    free: (route, trial) =>
      trial === null ? Infinity : Math.max(0, TRIAL_INSTRUCTIONS - callsOf(route, trial).underWay),
  };
}

export function failuresToOpen(openAfter: number, trial: number | null): number {
  return trial === null ? openAfter : Math.min(openAfter, TRIAL_INSTRUCTIONS);
}

/**
 * On trial, only instructions count, and status queries that say how a payment ended: an operator may
 * answer queries although it cannot take payments, or the reverse.
 */
function counts({ stage, result }: CallEnd, trial: number | null): boolean {
  return trial === null || stage === 'send' || result === 'paid' || result === 'declined';
}

/** A breaker that opens again within two of its pauses and this time gets a longer one. */
const QUICK_MS = 1_000;
const MAX_FACTOR = 64;
/** The largest integer that the database stores. */
const MAX_MS = 2_147_483_647;

/**
 * Time for which a breaker that opens now stays open before the operator is probed. It is twice the
 * last pause if it opens from a trial, or soon after it closed: the operator answers the probe, but
 * does not take the payments.
 */
export function pauseMs({
  baseMs,
  trialOf,
  closed,
}: {
  readonly baseMs: number;
  /** The pause before the present trial; null: it is not on trial. */
  readonly trialOf: number | null;
  /** Time since the breaker closed, and the pause before that; null: it has not been open. */
  readonly closed: { readonly agoMs: number; readonly pauseMs: number } | null;
}): number {
  const isSoon = closed !== null && closed.agoMs < 2 * closed.pauseMs + QUICK_MS;
  const last = trialOf ?? (isSoon ? closed.pauseMs : null);
  return last === null ? baseMs : Math.min(last * 2, baseMs * MAX_FACTOR, MAX_MS);
}
