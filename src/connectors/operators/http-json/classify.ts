import { parseMoney } from '../../../platform/base/money.ts';
import type {
  Declined,
  Paid,
  PaymentOutcome,
  StatusOutcome,
  Unknown,
  DeclineCode,
} from '../../operator-outcomes.ts';
import type { AccountAnswer, BalanceAnswer } from '../../operator.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import { cleanMessage, cleanName } from '../../../platform/base/clean-text.ts';
import { readAccountAnswer, readBalanceAnswer, readPaymentAnswer } from './answers.ts';
import type { PaidAnswer, PaymentAnswer } from './answers.ts';
import type { Ending } from '../../../platform/outbound/exchange.ts';

/**
 * The HTTP statuses with which an answer is accepted. Anything else, such as a proxy's error page
 * or a "paid" with status 500, says nothing about the payment.
 */
const BELIEVED_UNDER: Readonly<Record<PaymentAnswer['status'], readonly number[]>> = {
  paid: [200],
  accepted: [200],
  processing: [200],
  declined: [200, 400, 401, 403, 404, 422],
  unavailable: [200, 429, 503],
  conflict: [409],
  not_found: [200, 404],
};

/** The code of an `unavailable` that means: our float with the operator is empty. */
const FLOAT_EMPTY = 'operator_float_empty';

/** The outcome of an instruction: unknown, unless the answer is accepted or nothing was written. */
export function classifyPayment(ending: Ending, reference: string): PaymentOutcome {
  if (ending.kind === 'nothing_written') return notSent(ending.reason, { answered: false });
  const answer = believedAnswer(ending, reference);
  if (typeof answer === 'string') return unknown(answer, false);
  switch (answer.status) {
    case 'unavailable':
      return notSent(`${answer.code}: ${cleanMessage(answer.message)}`, {
        answered: true,
        operatorPaused: answer.code === FLOAT_EMPTY,
      });
    case 'conflict':
      return unknown('the operator has this reference with different content', true);
    case 'not_found':
      return unknown('the answer is not one to an instruction', false);
    default:
      return stateOf(answer, ending);
  }
}

/** An answer that both an instruction and a status query may get. */
function stateOf(
  answer: Extract<PaymentAnswer, { status: 'paid' | 'declined' | 'accepted' | 'processing' }>,
  ending: Ending,
): Paid | Declined | Unknown {
  switch (answer.status) {
    case 'paid':
      return paidOutcome(answer);
    case 'declined':
      return declinedOutcome(answer, httpStatusOf(ending));
    case 'accepted':
      return {
        ...unknown('accepted by the operator', true),
        operatorHandle: answer.handle ?? null,
      };
    default:
      return unknown('being processed by the operator', true);
  }
}

/** The outcome of a status query. */
export function classifyStatus(ending: Ending, reference: string): StatusOutcome {
  if (ending.kind === 'nothing_written') return unknown(ending.reason, false);
  const answer = believedAnswer(ending, reference);
  if (typeof answer === 'string') return unknown(answer, false);
  switch (answer.status) {
    case 'not_found':
      return { kind: 'not_found' };
    case 'unavailable':
      // The query was not executed; this says nothing about the payment.
      return unknown(`${answer.code}: ${cleanMessage(answer.message)}`, true);
    case 'conflict':
      return unknown('the answer is not one to a status query', false);
    default:
      return stateOf(answer, ending);
  }
}

/** The outcome of an account query. */
export function classifyAccount(ending: Ending): AccountAnswer {
  if (ending.kind !== 'answer') return { kind: 'unknown', reason: ending.reason };
  const answer = ending.httpStatus === 200 ? readAccountAnswer(ending.body) : undefined;
  if (answer === undefined) return { kind: 'unknown', reason: noAnswerText(ending.httpStatus) };
  if (answer.status === 'invalid') {
    return { kind: 'invalid', message: cleanMessage(answer.message) };
  }
  return {
    kind: 'valid',
    name: cleanName(answer.name),
    amountDueCents: answer.amount_due === undefined ? null : parseMoney(answer.amount_due),
    dueDate: answer.due_date ?? null,
  };
}

/** The result of a balance query. */
export function classifyBalance(ending: Ending): BalanceAnswer {
  if (ending.kind !== 'answer') return { kind: 'unknown', reason: ending.reason };
  const balance = ending.httpStatus === 200 ? readBalanceAnswer(ending.body) : undefined;
  return balance === undefined
    ? { kind: 'unknown', reason: noAnswerText(ending.httpStatus) }
    : { kind: 'balance', balanceCents: parseMoney(balance) };
}

/** An accepted "paid" in the dispatcher's terms. */
export function paidOutcome(answer: PaidAnswer): Paid {
  return {
    kind: 'paid',
    operatorReference: answer.operator_reference,
    amountCents: parseMoney(answer.amount),
    message: cleanMessage(answer.message),
    details: answer.details ?? {},
    ...(answer.details_follow === true && { detailsFollow: true }),
  };
}

/**
 * The `declined` codes that the protocol defines. Any other code only means that the operator
 * declined.
 */
const MEANINGS: ReadonlySet<string> = new Set<DeclineCode>([
  'invalid_account',
  'amount_not_allowed',
  'operator_refused',
]);
/** With these statuses the operator rejects us, not the payment, whatever the code. */
const REFUSED_UNDER: ReadonlySet<number> = new Set([401, 403]);

/**
 * An accepted "declined" in the dispatcher's terms.
 * @param httpStatus of the answer; undefined for a callback.
 */
export function declinedOutcome(
  answer: { readonly code: string; readonly message: string },
  httpStatus?: number,
): Declined {
  const { code } = answer;
  const refused = httpStatus !== undefined && REFUSED_UNDER.has(httpStatus);
  const meant = MEANINGS.has(code) ? (code as DeclineCode) : undefined;
  const failureCode = meant ?? (refused ? 'operator_refused' : 'declined');
  return declined(code, failureCode, cleanMessage(answer.message));
}

function httpStatusOf(ending: Ending): number | undefined {
  return ending.kind === 'answer' ? ending.httpStatus : undefined;
}

/**
 * The answer, if it is valid and about this reference; otherwise the reason why it says nothing.
 */
function believedAnswer(
  ending: Exclude<Ending, { kind: 'nothing_written' }>,
  reference: string,
): PaymentAnswer | string {
  if (ending.kind === 'no_answer') return ending.reason;
  const answer = readPaymentAnswer(ending.body);
  if (answer === undefined || !BELIEVED_UNDER[answer.status].includes(ending.httpStatus)) {
    return noAnswerText(ending.httpStatus);
  }
  return answer.reference === reference ? answer : 'the answer is about another reference';
}

function noAnswerText(httpStatus: number): string {
  return `HTTP ${httpStatus} without a valid answer`;
}
