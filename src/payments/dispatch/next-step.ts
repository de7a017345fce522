import type { FinalReport } from '../create/payment.ts';
import type {
  FinalOutcome,
  PaymentOutcome,
  StatusOutcome,
  Unknown,
} from '../../connectors/operator-outcomes.ts';
import type { Connector } from '../../connectors/operator.ts';
import type { Failover } from './route.ts';
import type { Claim, Progress } from './store.ts';

/** Waits of the dispatcher between attempts; all in milliseconds. */
export interface RetryPolicy {
  /** First status query after an instruction without an answer; doubles up to `verifyMaxMs`. */
  readonly verifyFirstMs: number;
  readonly verifyMaxMs: number;
  /** First repeat of an instruction that was proven not executed; doubles up to `resendMaxMs`. */
  readonly resendFirstMs: number;
  readonly resendMaxMs: number;
}

/** An instruction may still begin this long after its claim. */
export const SEND_WITHIN_MS = 3_000;
/** A connector may exceed its own deadline by this much before the worker stops waiting. */
export const CONNECTOR_GRACE_MS = 1_000;
/** Time limit for saving the outcome of an attempt. */
const SAVE_WITHIN_MS = 1_000;

/** Maximum duration of an attempt: both steps, if there are two. */
export function sendDeadlineMs(connector: Pick<Connector, 'prepare' | 'payDeadlineMs'>): number {
  return (connector.prepare?.deadlineMs ?? 0) + connector.payDeadlineMs;
}

/**
 * From this age of an attempt on, counted from its claim, "not found" proves that the instruction was not executed and
 * will not be: it has left us for certain, and the acceptance window is over since. Null: never.
 */
export function provesAfterMsOf(
  connector: Pick<Connector, 'prepare' | 'payDeadlineMs' | 'acceptanceWindowMs'>,
): number | null {
  const { acceptanceWindowMs } = connector;
  if (acceptanceWindowMs === null) return null;
  return SEND_WITHIN_MS + sendDeadlineMs(connector) + acceptanceWindowMs;
}

/** Lease of a claim: nobody else may claim the payment until its attempt has begun, ended and been saved. */
export function leaseMsOf(connector: Pick<Connector, 'prepare' | 'payDeadlineMs'>): number {
  return SEND_WITHIN_MS + sendDeadlineMs(connector) + CONNECTOR_GRACE_MS + SAVE_WITHIN_MS;
}

/** The next step after a call: settle with the final report, or come back later. */
export type NextStep =
  | { readonly kind: 'settle'; readonly report: FinalReport }
  | {
      readonly kind: 'later';
      readonly progress: Progress;
      /** The outcome has been unknown for so long that people should find out. */
      readonly opensCase?: boolean;
    };

function backoffMs(firstMs: number, maxMs: number, count: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(count, 30));
}

function settle(claim: Claim, outcome: FinalOutcome, source: 'answer' | 'status'): NextStep {
  const report = finalReport(claim, outcome, source);
  return { kind: 'settle', report };
}

/** The operator's final report in the ledger's terms. */
export function finalReport(
  payment: Pick<FinalReport, 'vendorId' | 'paymentId' | 'billerCode' | 'operatorCode'>,
  outcome: FinalOutcome,
  source: FinalReport['source'],
): FinalReport {
  const { vendorId, paymentId, billerCode, operatorCode } = payment;
  if (outcome.kind !== 'paid') {
    return {
      vendorId,
      paymentId,
      billerCode,
      outcome: 'failed',
      paidCents: null,
      billerReference: null,
      message: outcome.message,
      details: null,
      failureCode: outcome.kind === 'declined' ? outcome.failureCode : 'declined',
      source,
      operatorCode,
    };
  }
  return {
    vendorId,
    paymentId,
    billerCode,
    outcome: 'success',
    paidCents: outcome.amountCents,
    billerReference: outcome.operatorReference,
    message: outcome.message,
    details: Object.keys(outcome.details).length === 0 ? null : outcome.details,
    ...(outcome.detailsFollow === true && {
      detailsFollow: { operatorHandle: outcome.operatorHandle ?? null },
    }),
    failureCode: null,
    source,
    operatorCode,
  };
}

function verifyLater(claim: Claim, unknown: Unknown, delayMs: number): NextStep {
  return {
    kind: 'later',
    progress: {
      claim,
      next: 'verify',
      delayMs,
      note: unknown.reason,
      operatorHandle: unknown.operatorHandle,
    },
  };
}

/**
 * Proven not executed: to another operator at once, or after a pause to one that had it before.
 */
function sendAgain(claim: Claim, note: string, { policy, failover }: SendRules): NextStep {
  const next = failover?.(claim) ?? { operatorCode: null, round: claim.attemptNumber - 1 };
  const { round } = next;
  return {
    kind: 'later',
    progress: {
      claim,
      next: 'send',
      delayMs: round === null ? 0 : backoffMs(policy.resendFirstMs, policy.resendMaxMs, round),
      note,
      operatorHandle: null,
      nextOperator: next.operatorCode,
    },
  };
}

export interface SendRules {
  readonly policy: RetryPolicy;
  /** Who gets a payment that the operator of the claim did not execute. Absent: chosen later. */
  readonly failover?: ((claim: Claim) => Failover) | undefined;
}

/**
 * After an instruction: a final report settles; a proof of non-execution allows another
 * instruction; everything else waits for a status query. Elapsed time alone never decides anything.
 */
export function afterInstruction(
  claim: Claim,
  outcome: PaymentOutcome,
  rules: SendRules,
): NextStep {
  switch (outcome.kind) {
    case 'paid':
    case 'declined':
      return settle(claim, outcome, 'answer');
    case 'not_sent':
      return sendAgain(claim, outcome.reason, rules);
    case 'unknown':
      return verifyLater(claim, outcome, rules.policy.verifyFirstMs);
  }
}

/**
 * After a status query. "Not found" is a proof only once the instruction can no longer be in
 * transit: from the age `provesAfterMs` of its attempt on, or never if that is null.
 */
export function afterStatusQuery(
  claim: Claim,
  outcome: StatusOutcome,
  options: SendRules & {
    readonly provesAfterMs: number | null;
    readonly caseAfterMs: number | null;
  },
): NextStep {
  const { policy, caseAfterMs } = options;
  const delayMs = backoffMs(policy.verifyFirstMs, policy.verifyMaxMs, claim.verifyCount);
  switch (outcome.kind) {
    case 'paid':
    case 'declined':
    case 'reversed':
      return settle(claim, outcome, 'status');
    case 'not_sent':
      return sendAgain(claim, outcome.reason, options);
    case 'unknown':
      return withCase(claim, verifyLater(claim, outcome, delayMs), caseAfterMs);
    case 'not_found': {
      const step = afterNotFound(claim, { ...options, delayMs });
      return withCase(claim, step, caseAfterMs);
    }
  }
}

/**
 * Still unknown after a long time: people look at it too. This never causes another instruction.
 */
function withCase(claim: Claim, step: NextStep, caseAfterMs: number | null): NextStep {
  const isLate = caseAfterMs !== null && claim.attemptAgeMs >= caseAfterMs;
  const opensCase = isLate && step.kind === 'later' && step.progress.next === 'verify';
  return opensCase ? { ...step, opensCase } : step;
}

function afterNotFound(
  claim: Claim,
  options: SendRules & {
    readonly provesAfterMs: number | null;
    readonly delayMs: number;
  },
): NextStep {
  const { provesAfterMs, delayMs } = options;
  if (provesAfterMs !== null && claim.attemptAgeMs >= provesAfterMs) {
    return sendAgain(claim, 'the operator does not know the instruction', options);
  }
  const restMs = provesAfterMs === null ? 0 : provesAfterMs - claim.attemptAgeMs;
  return verifyLater(
    claim,
    {
      kind: 'unknown',
      reason: 'the operator does not know the instruction, which may still be in transit',
      operatorHandle: null,
      answered: true,
    },
    Math.max(delayMs, restMs),
  );
}
