import type { Ending } from '../../../platform/outbound/exchange.ts';
import type {
  Declined,
  DeclineCode,
  Paid,
  PaymentOutcome,
  Unknown,
} from '../../operator-outcomes.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { formatHandle, handleOf } from './handle.ts';
import type { Handle } from './handle.ts';
import { objectOf, readJson, textOf } from '../../values.ts';
import { amountOf } from './result.ts';
import type { Result } from './result.ts';

/** An answer of the gateway itself. */
export interface GatewayAnswer {
  readonly httpStatus: number;
  /** Daraja's own ids, for an accepted request. */
  readonly handle: Handle | null;
  readonly responseCode: string | null;
  /** Only for a refused request. */
  readonly errorCode: string | null;
  readonly message: string;
}

/** Undefined: the answer is not from the gateway, or cannot be read. */
export function readGateway(ending: Ending): GatewayAnswer | undefined {
  if (ending.kind !== 'answer') return undefined;
  const body = objectOf(readJson(ending.body));
  const fault = objectOf(body?.['fault']);
  const errorCode =
    textOf(body?.['errorCode']) ?? textOf(objectOf(fault?.['detail'])?.['errorcode']) ?? null;
  const responseCode = textOf(body?.['ResponseCode']) ?? null;
  if (body === undefined || (errorCode === null) === (responseCode === null)) return undefined;
  return {
    httpStatus: ending.httpStatus,
    handle: handleOf(body['ConversationID'], body['OriginatorConversationID']),
    responseCode,
    errorCode,
    message: cleanMessage(
      textOf(body['errorMessage'] ?? body['ResponseDescription'] ?? fault?.['faultstring']) ?? '',
    ),
  };
}

/** The gateway refused the token, so the request went no further. */
export function refusesToken(answer: GatewayAnswer | undefined): boolean {
  if (answer === undefined || answer.errorCode === null) return false;
  if (answer.httpStatus < 400 || answer.httpStatus > 499) return false;
  // The app lacks the product, and another token of the same app would, too.
  if (/apiproduct/i.test(answer.errorCode + answer.message)) return false;
  return answer.httpStatus === 401 || ['404.001.03', '400.003.01'].includes(answer.errorCode);
}

/** Codes of Daraja’s gateway, with HTTP 500 or 429, and of the Apigee in front of it, for too many requests. */
const OVER_LIMIT: ReadonlySet<string> = new Set([
  '500.003.02',
  '500.003.03',
  'policies.ratelimit.SpikeArrestViolation',
  'policies.ratelimit.QuotaViolation',
]);

/** We sent too much, and the gateway refused the request before anybody processed it. */
function isOverLimit({ httpStatus, errorCode }: GatewayAnswer): boolean {
  return httpStatus === 429 || (httpStatus === 500 && OVER_LIMIT.has(errorCode ?? ''));
}

const isDuplicate = (message: string): boolean => /duplicate/i.test(message);

/** The outcome of an instruction. Here it is at most accepted; a Result reports how it ended. */
export function classifyInstruction(ending: Ending): PaymentOutcome {
  if (ending.kind === 'nothing_written') return notSent(ending.reason, { answered: false });
  if (ending.kind === 'no_answer') return unknown(ending.reason, false);
  const answer = readGateway(ending);
  if (answer === undefined) return unknown(`HTTP ${ending.httpStatus} without an answer`, false);
  const { httpStatus, handle, responseCode, errorCode, message } = answer;
  // With any status and code: an earlier request of this id was taken.
  if (isDuplicate(message)) return unknown(`an earlier request was taken: ${message}`, true);
  // With another 2xx, such as a proxy’s or a mock’s 201, the ids are worth keeping: they settle nothing.
  if (httpStatus >= 200 && httpStatus < 300 && responseCode === '0') {
    const operatorHandle = handle === null ? null : formatHandle(handle);
    return { ...unknown('accepted by the operator', true), operatorHandle };
  }
  if (httpStatus === 200 && responseCode !== null) return refused(responseCode, message);
  if (errorCode !== null && isOverLimit(answer)) {
    return notSent(`${errorCode}: ${message}`, { answered: true, operatorPaused: true });
  }
  if (httpStatus < 400 || httpStatus > 499 || errorCode === null) {
    return unknown(`HTTP ${httpStatus} ${errorCode ?? responseCode ?? ''}: ${message}`, false);
  }
  const isTokenRefused = refusesToken(answer);
  // 400 concerns this request only; the others concern every request of ours.
  if (httpStatus === 400 && !isTokenRefused) return refused(errorCode, message);
  return notSent(`${errorCode}: ${message}`, { answered: true, operatorPaused: !isTokenRefused });
}

/** The result of a query, whose answer comes by callback. */
export function classifyQuestion(ending: Ending): Unknown {
  if (ending.kind !== 'answer') return unknown(ending.reason, false);
  const answer = readGateway(ending);
  if (answer === undefined) return unknown(`HTTP ${ending.httpStatus} without an answer`, false);
  return answer.responseCode === '0'
    ? unknown('asked; the answer comes by callback', true)
    : unknown(`${answer.errorCode ?? answer.responseCode}: ${answer.message}`, true);
}

/** The final outcome in the Result of a payment; null: it has none. */
export function outcomeOfResult(
  result: Result,
  declineOf: (resultCode: string) => DeclineCode | undefined,
): Paid | Declined | null {
  if (result.isPartial) return null;
  if (result.code === '0') {
    return paid(
      result,
      result.transactionId,
      result.parameter('Amount') ?? result.parameter('TransactionAmount'),
    );
  }
  const failureCode = declineOf(result.code);
  return failureCode === undefined ? null : declined(result.code, failureCode, result.description);
}

/** Null when receipt or amount are missing. */
export function paid(result: Result, receipt: string, amount: string | undefined): Paid | null {
  const amountCents = amountOf(amount);
  const operatorReference = cleanMessage(receipt).trim().slice(0, 100);
  if (amountCents === undefined || operatorReference === '') return null;
  const receiver =
    result.parameter('ReceiverPartyPublicName') ?? result.parameter('CreditPartyName');
  return {
    kind: 'paid',
    operatorReference,
    amountCents,
    message: result.description || 'Paid',
    details: receiver === undefined ? {} : { receiver: cleanMessage(receiver).slice(0, 200) },
  };
}

function refused(code: string, message: string): Declined {
  return declined(code, 'operator_refused', message);
}
