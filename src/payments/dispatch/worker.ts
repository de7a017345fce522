import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import { encodeReference } from '../../parties/reference.ts';
import type { Timers } from '../../platform/base/timers.ts';
import { traced } from '../../platform/base/tracing.ts';
import type { FinalReport } from '../create/payment.ts';
import type { Settler } from '../settle/settle.ts';
import type {
  NotSent,
  PaymentInstruction,
  PaymentOutcome,
  StatusOutcome,
  Unknown,
} from '../../connectors/operator-outcomes.ts';
import type { Connector } from '../../connectors/operator.ts';
import {
  CONNECTOR_GRACE_MS,
  afterInstruction,
  afterStatusQuery,
  provesAfterMsOf,
  sendDeadlineMs,
} from './next-step.ts';
import type { NextStep, RetryPolicy, SendRules } from './next-step.ts';
import { loggableReason } from './loggable-reason.ts';
import type { Failover } from './route.ts';
import type { Claim, Progress, Stage } from './store.ts';

/** Once a stop aborts its call, a connector has this long to return. */
const CUT_OFF_GRACE_MS = 200;

export interface WorkerOptions {
  readonly policy: RetryPolicy;
  readonly failover?: SendRules['failover'];
  readonly settler: Settler;
  readonly writeProgress: (progress: Progress) => Promise<unknown>;
  /** Commits the handle of a prepared instruction. False: the claim is no longer ours. */
  readonly saveHandle: (claim: Claim, operatorHandle: string) => Promise<boolean>;
  /** Opens a case about a payment whose outcome is unknown; one for each instruction. */
  readonly openNoAnswerCase: (claim: Claim, note: string) => Promise<unknown>;
  /** Opens a case about an operator's answer that no payment explains. */
  readonly keepUnexplained: (report: FinalReport) => Promise<unknown>;
  readonly timers: Timers;
  /** Pauses while this process is suspended, so that our own pause does not count as the operator’s silence. */
  readonly awakeTimers: Timers;
  readonly log: Logger;
}

/** The end of a call, as the circuit breaker and the metrics see it. */
export interface CallEnd {
  readonly stage: Stage;
  readonly result: (PaymentOutcome | StatusOutcome)['kind'];
  readonly answered: boolean;
  /** Why there was no answer, for people, without personal data; absent if there was one. */
  readonly failure?: string;
  /** The operator said that it accepts nothing now. */
  readonly pausedReason: string | null;
}

/**
 * Carries one claim to its next step: calls the operator with no database transaction open, then
 * saves the result. `onCallEnd` is called as soon as the operator has answered.
 */
export async function carryOut(
  claim: Claim,
  connector: Connector,
  options: WorkerOptions & {
    readonly signal: AbortSignal;
    /**
     * The latest moment, on the timers' clock, to begin an instruction so that it ends within the
     * lease. After it another process may be asking the operator about it.
     */
    readonly sendBeforeMs: number;
    readonly onCallEnd: (end: CallEnd) => void;
  },
): Promise<void> {
  const step =
    claim.stage === 'send'
      ? await instruct(claim, connector, options)
      : await verify(claim, connector, options);
  crashPoint(
    claim.stage === 'send' ? 'dispatch:before-result-commit' : 'verify:before-result-commit',
  );
  if (step.kind === 'settle') {
    const result = await options.settler.settle(step.report);
    if (result === 'contradicted') {
      options.log.error(
        { reference: encodeReference(claim.vendorId, claim.paymentId) },
        'the operator contradicts the ledger: a case was opened',
      );
    }
    if (result === 'no_payment') {
      options.log.error(
        { reference: encodeReference(claim.vendorId, claim.paymentId) },
        'an instruction was sent for a payment that does not exist: a case is opened',
      );
      await options.keepUnexplained(step.report);
    }
  } else {
    await options.writeProgress(step.progress);
    if (step.opensCase === true) await options.openNoAnswerCase(claim, step.progress.note);
  }
  crashPoint('dispatch:after-result-commit');
}

type CallOptions = Parameters<typeof carryOut>[2];

/** The process was delayed between claiming and sending; nothing has been sent. */
const TOO_LATE: NotSent = {
  kind: 'not_sent',
  reason: 'the process was delayed; it was too late to send',
  operatorPaused: false,
  answered: true,
};

/** Our own delay is no reason to try another operator. */
function stay({ attemptNumber }: Claim): Failover {
  return { operatorCode: null, round: attemptNumber - 1 };
}

async function instruct(
  claim: Claim,
  connector: Connector,
  options: CallOptions,
): Promise<NextStep> {
  if (options.timers.nowMs() > options.sendBeforeMs) {
    return afterInstruction(claim, TOO_LATE, { policy: options.policy, failover: stay });
  }
  crashPoint('dispatch:before-send');
  const outcome = await guarded<PaymentOutcome>(
    (signal) =>
      send(
        {
          reference: encodeReference(claim.vendorId, claim.paymentId),
          attemptNumber: claim.attemptNumber,
          billerCode: claim.billerCode,
          account: claim.account,
          phone: claim.phone,
          amountCents: claim.amountCents,
          operatorHandle: null,
        },
        { claim, connector, signal, options },
      ),
    sendDeadlineMs(connector) + CONNECTOR_GRACE_MS,
    options,
  );
  options.onCallEnd(endOf('send', outcome));
  return afterInstruction(claim, outcome, options);
}

/**
 * One step or two. The handle is committed between the two, so that the second step can be queried
 * whatever happens to it. Nothing before the second step moves money.
 */
async function send(
  instruction: PaymentInstruction,
  by: {
    readonly claim: Claim;
    readonly connector: Connector;
    readonly signal: AbortSignal;
    readonly options: CallOptions;
  },
): Promise<PaymentOutcome> {
  const { claim, connector, signal, options } = by;
  const { prepare } = connector;
  if (prepare === null) return await connector.pay(instruction, signal);
  const prepared = await prepareSafely(prepare, instruction, by);
  if (prepared.kind !== 'prepared') return prepared;
  const { operatorHandle } = prepared;
  const isOurs = await options.saveHandle(claim, operatorHandle).catch((error: unknown) => {
    options.log.error({ err: error }, 'the handle of a prepared instruction was not saved');
    return false;
  });
  if (!isOurs || signal.aborted) return notSent('the handle could not be saved');
  if (options.timers.nowMs() > options.sendBeforeMs + prepare.deadlineMs) return TOO_LATE;
  return await connector.pay({ ...instruction, operatorHandle }, signal);
}

/** Preparing moves no money: a connector that throws here has not sent an instruction. */
async function prepareSafely(
  preparation: NonNullable<Connector['prepare']>,
  instruction: PaymentInstruction,
  { signal, options }: { readonly signal: AbortSignal; readonly options: CallOptions },
): ReturnType<typeof preparation.prepare> {
  try {
    return await preparation.prepare(instruction, signal);
  } catch (error) {
    options.log.error({ err: error }, 'a connector threw');
    return notSent('the connector failed to prepare the instruction');
  }
}

function notSent(reason: string): NotSent {
  return { kind: 'not_sent', reason, operatorPaused: false, answered: false };
}

async function verify(claim: Claim, connector: Connector, options: CallOptions): Promise<NextStep> {
  const { caseAfterMs, status: ask } = connector;
  const rules = { ...options, provesAfterMs: provesAfterMsOf(connector), caseAfterMs };
  if (ask === null) {
    const outcome: Unknown = {
      kind: 'unknown',
      reason: 'this operator cannot be queried; wait for its callback or statement',
      operatorHandle: null,
      answered: true,
    };
    return afterStatusQuery(claim, outcome, rules);
  }
  crashPoint('verify:before-query');
  const outcome = await guarded<StatusOutcome>(
    (signal) =>
      ask(
        {
          reference: encodeReference(claim.vendorId, claim.paymentId),
          attemptNumber: claim.attemptNumber,
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
  options.onCallEnd(endOf('verify', outcome));
  return afterStatusQuery(claim, outcome, rules);
}

function endOf(stage: Stage, outcome: PaymentOutcome | StatusOutcome): CallEnd {
  const isSilent = 'answered' in outcome && !outcome.answered;
  return {
    stage,
    result: outcome.kind,
    answered: !isSilent,
    ...(isSilent ? { failure: loggableReason(outcome.reason) } : {}),
    pausedReason: pausedReasonOf(outcome),
  };
}

function pausedReasonOf(outcome: PaymentOutcome | StatusOutcome): string | null {
  return outcome.kind === 'not_sent' && outcome.operatorPaused ? outcome.reason : null;
}

/** If a connector throws, never returns or is aborted, the outcome is unknown. */
export async function guarded<Outcome extends { readonly kind: string }>(
  call: (signal: AbortSignal) => Promise<Outcome | Unknown>,
  deadlineMs: number,
  options: Pick<CallOptions, 'signal' | 'log' | 'awakeTimers'>,
): Promise<Outcome | Unknown> {
  const { signal, awakeTimers } = options;
  const ended = Promise.withResolvers<Unknown>();
  const endAfter = (delayMs: number, reason: string): (() => void) =>
    awakeTimers.after(delayMs, () => ended.resolve(silence(reason)));
  const timeouts = [endAfter(deadlineMs, 'the connector did not return')];
  const onCutOff = (): void => {
    timeouts.push(endAfter(CUT_OFF_GRACE_MS, 'aborted by a stop'));
  };
  signal.addEventListener('abort', onCutOff);
  if (signal.aborted) onCutOff();
  try {
    return await Promise.race([callTraced(call, signal), ended.promise]);
  } catch (error) {
    options.log.error({ err: error }, 'a connector threw');
    return silence('the connector failed');
  } finally {
    signal.removeEventListener('abort', onCutOff);
    for (const forget of timeouts) forget();
  }
}

async function callTraced<Outcome extends { readonly kind: string }>(
  call: (signal: AbortSignal) => Promise<Outcome>,
  signal: AbortSignal,
): Promise<Outcome> {
  return await traced('operator call', { isOutbound: true }, async (span) => {
    const outcome = await call(signal);
    span?.setAttribute('malipo.result', outcome.kind);
    return outcome;
  });
}

function silence(reason: string): Unknown {
  return { kind: 'unknown', reason, operatorHandle: null, answered: false };
}
