import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import { decodeReference } from '../../parties/reference.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import { createTokenBuckets } from '../../platform/base/token-buckets.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { askDetailsWithin } from '../settle/late-details-store.ts';
import type { Settler } from '../settle/settle.ts';
import type {
  CallbackReading,
  CallbackReport,
  CallbackRequest,
  Callbacks,
} from '../../connectors/operator-callbacks.ts';
import type { FinalOutcome, Paid } from '../../connectors/operator-outcomes.ts';
import type { Connector } from '../../connectors/operator.ts';
import { keepContradiction, keepUnmatched, keepUnreadable } from './callback-evidence.ts';
import type { FoundPayment } from './callback-evidence.ts';
import { finalReport } from './next-step.ts';
import { createPaymentFinder, findSent } from './find-sent.ts';
import { askNow, askWithin } from './handle-store.ts';

/**
 * `accepted`: saved, so the operator may be answered with `body`. `refused`: not from the operator,
 * nothing was changed. `not_kept`: the operator has to repeat it.
 */
export type CallbackAnswer =
  | { readonly kind: 'accepted'; readonly body: object | string }
  | { readonly kind: 'refused' | 'unknown_operator' | 'not_kept' };

export interface CallbackReceiver {
  /** True: anybody can send the operator's callbacks, so their senders count as strangers. */
  canBeForged(operatorCode: string): boolean;
  receive(operatorCode: string, request: CallbackRequest): Promise<CallbackAnswer>;
}

export interface CallbackReceiverOptions {
  readonly pool: Pool;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  /** The accounts of an operator whose callbacks are accepted, the current one first. */
  readonly listenersOf: (operatorCode: string) => readonly CallbackListener[];
  /** The merchant account of an operator's version; null: not known. */
  readonly accountOf: (operatorCode: string, version: number | null) => number | null;
  readonly settler: Settler;
  /** The payment is due to be queried. */
  readonly onDue: (payment: {
    readonly vendorId: number;
    readonly paymentId: string;
    readonly billerCode: string;
    readonly operatorCode: string;
  }) => void;
  /** An operator is to be asked for details that it owes. */
  readonly onDetailsDue?: () => void;
  /** An operator reported our float with it. */
  readonly onBalance?: (operatorCode: string, balanceCents: bigint) => Promise<void>;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  /** Timers of the wait for handles that are not known yet. Default: the system's timers. */
  readonly timers?: Timers;
  readonly log: Logger;
}

/**
 * Handles operators' callbacks. Each authentic one is settled, queried, or kept for people. One that
 * anybody can send only causes a query.
 */
export function createCallbackReceiver(options: CallbackReceiverOptions): CallbackReceiver {
  const { pool, log } = options;
  const hear = createHearing(options);
  return {
    canBeForged: (operatorCode) => canBeForged(options.connectorOf(operatorCode)),
    receive: async (operatorCode, request) => {
      const listeners = listenersOf(options, operatorCode);
      if (listeners.length === 0) return { kind: 'unknown_operator' };
      let answer: CallbackAnswer = { kind: 'refused' };
      let left: readonly CallbackReport[] | undefined;
      for (const listener of listeners) {
        const { callbacks } = listener;
        const waiting = callbacks.keepsHandles ? (options.timers ?? systemTimers) : null;
        const find = createPaymentFinder(pool, operatorCode, waiting);
        const reading = await callbacks.read(request, find);
        if (reading.kind === 'refused') {
          log.warn({ operator: operatorCode, reason: reading.reason }, 'a callback was refused');
          continue;
        }
        if (reading.kind === 'unreadable' && !canBeForged(listener.connector)) {
          if (!(await keepUnreadable(pool, log, { ...reading, ...request, operatorCode }))) {
            answer = { kind: 'not_kept' };
          }
        }
        if (answer.kind === 'refused') answer = { kind: 'accepted', body: callbacks.acceptedBody };
        left = await hear({ ...listener, operatorCode }, reading, left);
        if (left.length === 0) break;
      }
      for (const report of left ?? []) await takeFromOther(options, operatorCode, report);
      return answer;
    },
  };
}

/**
 * Returns a function that handles what one merchant account reads in a callback, and returns the reports that another
 * account of the operator would have to make. @param left undefined: all count.
 */
function createHearing(options: CallbackReceiverOptions) {
  const { log } = options;
  const ask = createQuestions(options);
  return async (
    from: Listener & { readonly operatorCode: string },
    reading: Exclude<CallbackReading, { kind: 'refused' }>,
    left: readonly CallbackReport[] | undefined,
  ): Promise<readonly CallbackReport[]> => {
    const { operatorCode, connector } = from;
    if (canBeForged(connector)) {
      for (const reference of namedIn(reading)) await ask(operatorCode, reference);
      return [];
    }
    if (reading.kind === 'unreadable') {
      if (reading.reference !== null) {
        await takeFromOther(options, operatorCode, askAbout(reading.reference));
      }
      return [];
    }
    if (reading.kind === 'balance') {
      if (connector !== options.connectorOf(operatorCode)) return [];
      const balanceCents = reading.balanceCents.toString();
      log.info({ operator: operatorCode, balanceCents }, 'the operator reported our float');
      await options.onBalance?.(operatorCode, reading.balanceCents);
      return [];
    }
    const others = [];
    for (const report of reading.reports) {
      if (left?.some(({ reference }) => reference === report.reference) === false) continue;
      if (!(await take(options, from, report))) others.push(report);
    }
    return others;
  };
}

/** Reads callbacks as one merchant account of an operator sends them. */
export interface CallbackListener {
  /** As of `accountOf`. */
  readonly account: number;
  readonly connector: Connector;
}

type Listener = CallbackListener & { readonly callbacks: Callbacks };

/** The account that gets instructions now comes first. */
function listenersOf(options: CallbackReceiverOptions, operatorCode: string): readonly Listener[] {
  return options.listenersOf(operatorCode).flatMap((listener) => {
    const { callbacks } = listener.connector;
    return callbacks === null ? [] : { ...listener, callbacks };
  });
}

function canBeForged(connector: Connector | undefined): boolean {
  return connector?.declaration.callbackTrust === 'confirmed_by_query';
}

const askAbout = (reference: string): CallbackReport => ({
  reference,
  outcome: { kind: 'hint', operatorHandle: null, says: null },
});

function namedIn(reading: CallbackReading): readonly string[] {
  return reading.kind === 'reports' ? reading.reports.map(({ reference }) => reference) : [];
}

/**
 * Returns a function that queries the operator about an open payment that a callback names, whatever
 * else the callback says, because anybody could have sent it. Each process asks once in
 * `LIMITS.operatorQuestionSeconds` about a payment; what comes sooner is asked then, so that a stranger
 * cannot make the operator's own callback useless. About a settled payment, nothing is kept, and nothing is asked
 * unless details are owed.
 */
function createQuestions(options: CallbackReceiverOptions) {
  const { pool, nowMs } = options;
  const perSecond = 1 / LIMITS.operatorQuestionSeconds;
  const asked = createTokenBuckets({ perSecond, burst: 1, maxNames: LIMITS.limitedNames, nowMs });
  return async (operatorCode: string, reference: string): Promise<void> => {
    const payment = await findPayment(options, operatorCode, reference);
    if (payment === undefined) return;
    const waitSeconds = asked.take(reference);
    if (!payment.isOpen) {
      const isOwed = await askDetailsWithin(pool, payment, { operatorCode, seconds: waitSeconds });
      if (isOwed && waitSeconds === 0) options.onDetailsDue?.();
      return;
    }
    const isSooner = await askWithin(pool, payment, waitSeconds);
    if (isSooner && waitSeconds === 0) options.onDue(payment);
  };
}

const CONTRADICTION = 'a callback contradicts the ledger: a case was opened';

/**
 * Handles a report of one merchant account. Returns false, and does nothing, if another one has the
 * instruction in progress.
 */
async function take(
  options: CallbackReceiverOptions,
  { operatorCode, account }: { readonly operatorCode: string; readonly account: number },
  report: CallbackReport,
): Promise<boolean> {
  const payment = await findPayment(options, operatorCode, report.reference);
  if (payment?.isOpen === true) {
    if (options.accountOf(operatorCode, payment.operatorVersion) !== account) return false;
  }
  await takeFound(options, { operatorCode, report, payment });
  return true;
}

/**
 * A report that only another account than the one with the instruction has made, or whose account is not known:
 * the account that has it is asked.
 */
async function takeFromOther(
  options: CallbackReceiverOptions,
  operatorCode: string,
  { reference, outcome }: CallbackReport,
): Promise<void> {
  const payment = await findPayment(options, operatorCode, reference);
  const says = outcome.kind === 'hint' || outcome.kind === 'mismatch' ? outcome.says : outcome;
  const hint = { kind: 'hint', operatorHandle: null, says } as const;
  const report = { reference, outcome: outcome.kind === 'mismatch' ? outcome : hint };
  await takeFound(options, { operatorCode, report, payment });
}

async function takeFound(
  options: CallbackReceiverOptions,
  {
    operatorCode,
    report: { reference, outcome },
    payment,
  }: {
    readonly operatorCode: string;
    readonly report: CallbackReport;
    readonly payment: FoundPayment | undefined;
  },
): Promise<void> {
  const { pool, log } = options;
  if (payment === undefined) {
    log.error(
      { operator: operatorCode },
      'a callback about a reference that this operator does not have',
    );
    if (outcome.kind === 'hint') {
      if (outcome.says !== null) {
        await keepUnmatched(pool, operatorCode, { reference, outcome: outcome.says });
      }
      return;
    }
    return await keepUnmatched(pool, operatorCode, { reference, outcome });
  }
  switch (outcome.kind) {
    case 'mismatch':
      log.error({ reference, reason: outcome.reason }, 'a callback does not fit its payment');
      // It may be about an attempt that was proven not executed: nothing is sent again before people have decided.
      if (outcome.says?.kind === 'paid' && (await keepContradiction(pool, payment, outcome.says))) {
        return undefined;
      }
      return await keepUnmatched(pool, operatorCode, { reference, outcome });
    case 'hint':
      if (await askNow(pool, payment, outcome.operatorHandle)) return options.onDue(payment);
      if (await askDetailsWithin(pool, payment, { operatorCode, seconds: 0 })) {
        options.onDetailsDue?.();
      }
      if (outcome.says === null) return undefined;
      return await takeHint(options, payment, outcome.says);
    default:
      return await settle(options, payment, outcome);
  }
}

/** A hint never settles an open payment, which this operator is not executing now. */
async function takeHint(
  options: CallbackReceiverOptions,
  payment: FoundPayment,
  says: FinalOutcome,
): Promise<void> {
  const { pool, log } = options;
  const { operatorCode, reference } = payment;
  if (says.kind === 'paid' && (await keepContradiction(pool, payment, says))) {
    log.error({ reference }, CONTRADICTION);
    return;
  }
  // It may have been settled since it was found.
  const now = await findPayment(options, operatorCode, reference);
  if (now?.isOpen === true) {
    return await keepUnmatched(pool, operatorCode, { reference, outcome: says });
  }
  return await settle(options, payment, says.kind === 'paid' ? withoutDetails(says) : says);
}

/** A hint brings no details: the operator is asked for those that it owes. */
function withoutDetails(says: Paid): Paid {
  return { ...says, details: {}, detailsFollow: true };
}

/**
 * The payment, if this operator was ever instructed to pay it. `settle` decides whether its report
 * counts.
 */
async function findPayment(
  { pool }: CallbackReceiverOptions,
  operatorCode: string,
  reference: string,
): Promise<FoundPayment | undefined> {
  const key = decodeReference(reference);
  const sent = key && (await findSent(pool, { ...key, operatorCode }));
  return sent && { ...sent, operatorCode, reference };
}

async function settle(
  { pool, settler, log }: CallbackReceiverOptions,
  payment: FoundPayment,
  outcome: FinalOutcome,
): Promise<void> {
  crashPoint('callback:before-settle');
  const result = await settler.settle(finalReport(payment, outcome, 'callback'));
  crashPoint('callback:after-settle');
  const { operatorCode, reference } = payment;
  if (result === 'contradicted') log.error({ reference }, CONTRADICTION);
  if (result === 'no_payment') await keepUnmatched(pool, operatorCode, { reference, outcome });
}
