import type { Logger } from 'pino';
import { encodeReference } from '../base/ids.ts';
import type { Settler } from '../transactions/settle.ts';
import type { Connector, PaymentOutcome, StatusOutcome, Unknown } from './connector.ts';
import { afterInstruction, afterStatusQuery } from './decide.ts';
import type { NextStep, RetryPolicy } from './decide.ts';
import type { Claim, Progress } from './store.ts';

/** Past a connector's own deadline by this much, it is not waited for any longer. */
const CONNECTOR_GRACE_MS = 1_000;

export interface WorkerOptions {
  readonly policy: RetryPolicy;
  readonly settler: Settler;
  readonly writeProgress: (progress: Progress) => Promise<unknown>;
  readonly log: Logger;
}

/** How a call ended, for the circuit breaker. */
export interface CallEnd {
  readonly answered: boolean;
  /** The operator said that it can take nothing now. */
  readonly pausedReason: string | null;
}

/**
 * Carries one claim to its next step: calls the operator with no transaction open, then writes what
 * was learnt. `onCallEnd` is told as soon as the operator answered.
 */
export async function carryOut(
  claim: Claim,
  connector: Connector,
  options: WorkerOptions & {
    readonly signal: AbortSignal;
    readonly onCallEnd: (end: CallEnd) => void;
  },
): Promise<void> {
  const step =
    claim.stage === 'send'
      ? await instruct(claim, connector, options)
      : await verify(claim, connector, options);
  if (step.kind === 'settle') {
    const result = await options.settler.settle(step.report);
    if (result === 'contradicted') {
      options.log.error(
        { reference: encodeReference(claim.vendorId, claim.transactionId) },
        'the operator contradicts the books: a case was opened',
      );
    }
  } else {
    await options.writeProgress(step.progress);
  }
}

type CallOptions = Parameters<typeof carryOut>[2];

async function instruct(
  claim: Claim,
  connector: Connector,
  options: CallOptions,
): Promise<NextStep> {
  const outcome = await guarded<PaymentOutcome>(
    (signal) =>
      connector.pay(
        {
          reference: encodeReference(claim.vendorId, claim.transactionId),
          attemptNumber: claim.attemptNumber,
          billerCode: claim.billerCode,
          account: claim.account,
          phone: claim.phone,
          amountCents: claim.amountCents,
        },
        signal,
      ),
    connector.payDeadlineMs + CONNECTOR_GRACE_MS,
    options,
  );
  options.onCallEnd({
    answered: !('answered' in outcome) || outcome.answered,
    pausedReason: outcome.kind === 'not_sent' && outcome.operatorPaused ? outcome.reason : null,
  });
  return afterInstruction(claim, outcome, options.policy);
}

async function verify(claim: Claim, connector: Connector, options: CallOptions): Promise<NextStep> {
  const acceptanceWindowMs = connector.acceptanceWindowMs;
  if (connector.status === undefined) {
    const outcome: Unknown = {
      kind: 'unknown',
      reason: 'this operator cannot be asked; its callback or statement will tell',
      operatorHandle: null,
      answered: true,
    };
    return afterStatusQuery(claim, outcome, { policy: options.policy, acceptanceWindowMs });
  }
  const ask = connector.status.bind(connector);
  const outcome = await guarded<StatusOutcome>(
    (signal) =>
      ask(
        {
          reference: encodeReference(claim.vendorId, claim.transactionId),
          billerCode: claim.billerCode,
          account: claim.account,
          amountCents: claim.amountCents,
          operatorHandle: claim.operatorHandle,
        },
        signal,
      ),
    connector.payDeadlineMs + CONNECTOR_GRACE_MS,
    options,
  );
  options.onCallEnd({
    answered: !('answered' in outcome) || outcome.answered,
    pausedReason: null,
  });
  return afterStatusQuery(claim, outcome, { policy: options.policy, acceptanceWindowMs });
}

/** A connector that throws, or never ends, has told nothing: the outcome is unknown. */
async function guarded<Outcome>(
  call: (signal: AbortSignal) => Promise<Outcome | Unknown>,
  deadlineMs: number,
  options: Pick<CallOptions, 'signal' | 'log'>,
): Promise<Outcome | Unknown> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      call(options.signal),
      new Promise<Unknown>((resolve) => {
        timer = setTimeout(() => resolve(silence('the connector did not return')), deadlineMs);
      }),
    ]);
  } catch (error) {
    options.log.error({ err: error }, 'a connector threw');
    return silence('the connector failed');
  } finally {
    clearTimeout(timer);
  }
}

function silence(reason: string): Unknown {
  return { kind: 'unknown', reason, operatorHandle: null, answered: false };
}
