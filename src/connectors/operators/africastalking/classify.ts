import type { Ending } from '../../../platform/outbound/exchange.ts';
import type {
  DeclineCode,
  Declined,
  NotSent,
  PaymentOutcome,
  StatusOutcome,
} from '../../operator-outcomes.ts';
import type { BalanceAnswer } from '../../operator.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import { cleanMessage, decodeText } from '../../../platform/base/clean-text.ts';
import { centsOf, objectOf, readJson, textOf } from '../../values.ts';
import { isRequestId } from './handle.ts';
import type { Send } from './requests.ts';

/** Statuses of a recipient that prove that nothing was sent. */
const REFUSALS: Readonly<Record<string, DeclineCode>> = {
  UnsupportedPhoneNumber: 'invalid_account',
  UserInBlacklist: 'invalid_account',
  ProductNotFound: 'operator_refused',
  InvalidRequest: 'operator_refused',
  NotSupported: 'operator_refused',
  InsufficientBalance: 'operator_refused',
  Rejected: 'operator_refused',
  Failed: 'operator_refused',
};

type Body = Readonly<Record<string, unknown>>;

/** The outcome of an instruction: at most accepted, with the id for queries. */
export function classifySend(ending: Ending, sent: Send): PaymentOutcome {
  if (ending.kind === 'nothing_written') return notSent(ending.reason, { answered: false });
  if (ending.kind === 'no_answer') return unknown(ending.reason, false);
  const atTheDoor = refusedAtTheDoor(ending);
  if (atTheDoor !== undefined) return atTheDoor;
  const body = bodyOf(ending, [200, 201]);
  const responses = body?.['responses'];
  if (body === undefined || !Array.isArray(responses)) {
    return unknown(`HTTP ${ending.httpStatus} without an answer`, false);
  }
  if (responses.length === 0) return wholeRequest(body);
  const [response] = responses.map((one) => objectOf(one));
  const isOurs = textOf(response?.['phoneNumber'])?.replace('+', '') === sent.phone;
  return responses.length === 1 && response !== undefined && isOurs
    ? oneRecipient(response, sent)
    : unknown('the answer is about another recipient', false);
}

function wholeRequest(body: Body): PaymentOutcome {
  const message = cleanMessage(textOf(body['errorMessage']) ?? '').trim();
  const nothingSent = textOf(body['numSent']) === '0';
  if (!nothingSent || message === '' || message === 'None') {
    return unknown('the answer names no recipient', false);
  }
  // The earlier request was accepted; this one has no id for queries.
  if (/duplicate/i.test(message)) return unknown(message, true);
  return isAboutUs(message)
    ? notSent(message, { answered: true, operatorPaused: true })
    : declined('refused', 'operator_refused', message);
}

function oneRecipient(response: Body, sent: Send): PaymentOutcome {
  const status = textOf(response['status']) ?? '';
  const message = cleanMessage(textOf(response['errorMessage']) ?? '').trim();
  const requestId = textOf(response['requestId']);
  if (/duplicate/i.test(message)) return unknown(message, true);
  if (Object.hasOwn(REFUSALS, status)) return refusal(status, message);
  const accepted = unknown(`accepted by the operator: ${cleanMessage(status)}`, true);
  if (!isRequestId(requestId)) return accepted;
  return centsOf(textOf(response['amount'])) === sent.amountCents
    ? { ...accepted, operatorHandle: requestId }
    : unknown(`accepted as ${requestId} with another amount: people must look at it`, true);
}

function refusal(status: string, message: string): Declined | NotSent {
  if (status === 'InsufficientBalance' || isAboutUs(message)) {
    return notSent(`${status}: ${message}`, { answered: true, operatorPaused: true });
  }
  return declined(status, REFUSALS[status] ?? 'operator_refused', message);
}

/** Our float, or our account: the same payment may be made later. */
function isAboutUs(message: string): boolean {
  return /insufficient|not enabled/i.test(message);
}

function refusedAtTheDoor(ending: Extract<Ending, { kind: 'answer' }>): NotSent | undefined {
  if (ending.httpStatus !== 401 && ending.httpStatus !== 429) return undefined;
  const text = decodeText(ending.body);
  const own = objectOf(readJson(ending.body))?.['errorMessage'];
  // A proxy would answer in HTML.
  if (typeof own !== 'string' && !text.startsWith('The supplied authentication is invalid')) {
    return undefined;
  }
  const operatorPaused = ending.httpStatus === 401;
  return notSent(`HTTP ${ending.httpStatus}: ${cleanMessage(text)}`, {
    answered: true,
    operatorPaused,
  });
}

/** The outcome of a query by the operator’s id. */
export function classifyFind(
  ending: Ending,
  by: { readonly requestId: string; readonly amountCents: bigint },
): StatusOutcome {
  if (ending.kind !== 'answer') return unknown(ending.reason, false);
  const body = bodyOf(ending, [200, 201]);
  if (body === undefined) return unknown(`HTTP ${ending.httpStatus} without an answer`, false);
  // Where the answer wraps the transaction, the outer status is the query's own.
  const found = body['data'] === undefined ? body : objectOf(body['data']);
  const status = textOf(found?.['status']);
  if (found === undefined || status === undefined || !isAbout(found, by.requestId)) {
    return unknown('the answer is not about this request', false);
  }
  const problem = textOf(found['errorMessage']) ?? 'None';
  if (status === 'Success') {
    return {
      kind: 'paid',
      operatorReference: by.requestId,
      // The answer to the instruction repeated the account, otherwise there would be no id.
      amountCents: by.amountCents,
      message: 'Delivered',
      details: {},
    };
  }
  // An error of the query is not a failure of the payment.
  return status === 'Failed' && problem === 'None'
    ? declined('Failed', 'declined', 'Failed at the network')
    : unknown(`not final: ${cleanMessage(status)}`, true);
}

/** An answer need not repeat any of our ids, but those that it repeats must be ours. */
function isAbout(found: Body, requestId: string): boolean {
  const named = textOf(found['requestId']) ?? textOf(found['transactionId']);
  return named === undefined || named === requestId;
}

export function classifyUser(ending: Ending): BalanceAnswer {
  if (ending.kind !== 'answer') return { kind: 'unknown', reason: ending.reason };
  const balance = textOf(objectOf(bodyOf(ending, [200])?.['UserData'])?.['balance']);
  if (balance !== undefined && /^KES 0(\.0+)?$/.test(balance)) {
    return { kind: 'balance', balanceCents: 0n };
  }
  const balanceCents = balance?.startsWith('KES ') === true ? floatOf(balance) : undefined;
  return balanceCents === undefined
    ? {
        kind: 'unknown',
        reason: `HTTP ${ending.httpStatus} without a balance in KES`,
        answered: balance !== undefined,
      }
    : { kind: 'balance', balanceCents };
}

/** Four decimals, of which the last two are cut off. */
function floatOf(balance: string): bigint | undefined {
  return centsOf(balance.replace(/(\.\d{2})\d+$/, '$1'));
}

function bodyOf(
  ending: Extract<Ending, { kind: 'answer' }>,
  httpStatus: readonly number[],
): Body | undefined {
  return httpStatus.includes(ending.httpStatus) ? objectOf(readJson(ending.body)) : undefined;
}
