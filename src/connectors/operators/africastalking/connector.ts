import { kenyanMobileNumber } from '../../../platform/base/mobile-number.ts';
import type { PaymentInstruction } from '../../operator-outcomes.ts';
import type { Connector } from '../../operator.ts';
import { openApi } from '../../http-api.ts';
import type { ApiOptions } from '../../http-api.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import type { Limit } from '../../with-token.ts';
import { callbacks } from './callbacks.ts';
import { classifyFind, classifySend, classifyUser } from './classify.ts';
import { AFRICASTALKING } from './declaration.ts';
import { isRequestId } from './handle.ts';
import { findPath, idempotencyKey, sendForm, userPath } from './requests.ts';

export interface AfricastalkingOptions extends ApiOptions {
  readonly username: string;
  readonly apiKey: string;
  /** Codes of billers that sell airtime. */
  readonly billers: ReadonlySet<string>;
  readonly caseAfterMs: number;
}

const MIN_CENTS = 5_00n;
const MAX_CENTS = 10_000_00n;

/**
 * Airtime: accepted with the operator's own id, by which the outcome is queried. After a lost answer
 * there is no id.
 */
export function createAfricastalkingConnector(options: AfricastalkingOptions): Connector {
  const { username } = options;
  const api = openApi(options, { accept: 'application/json', apikey: options.apiKey });
  const asking = (signal: AbortSignal): Limit => ({ deadlineMs: options.statusTimeoutMs, signal });
  return {
    declaration: AFRICASTALKING,
    acceptanceWindowMs: null,
    payDeadlineMs: Math.max(options.payTimeoutMs, options.statusTimeoutMs),
    caseAfterMs: options.caseAfterMs,
    prepare: null,
    async pay(instruction, signal) {
      const send = sendOf(instruction, options);
      if ('kind' in send) return send;
      const key = idempotencyKey(instruction.reference, instruction.attemptNumber);
      const request = {
        path: '/version1/airtime/send',
        form: sendForm(username, send),
        headers: { 'idempotency-key': key },
      };
      const limit = { deadlineMs: options.payTimeoutMs, signal };
      return classifySend(await api.call(request, limit), send);
    },
    async status({ operatorHandle, amountCents }, signal) {
      const requestId = operatorHandle ?? undefined;
      if (!isRequestId(requestId)) return unknown('without a requestId nothing can be asked', true);
      const ending = await api.call({ path: findPath(username, requestId) }, asking(signal));
      return classifyFind(ending, { requestId, amountCents });
    },
    validate: null,
    balance: async (signal) =>
      classifyUser(await api.call({ path: userPath(username) }, asking(signal))),
    products: null,
    pullStatement: null,
    quote: null,
    callbacks,
    close: api.close,
  };
}

/** Returns the request to send, or the reason why nothing is sent. */
function sendOf(instruction: PaymentInstruction, { billers }: AfricastalkingOptions) {
  const { billerCode, account, amountCents } = instruction;
  if (!billers.has(billerCode)) {
    const reason = `${billerCode} is not one of the billers in the settings`;
    return notSent(reason, { answered: true, operatorPaused: true });
  }
  const phone = kenyanMobileNumber(account);
  if (phone === undefined) {
    return declined('account', 'invalid_account', 'The account is not a Kenyan mobile number');
  }
  if (amountCents < MIN_CENTS || amountCents > MAX_CENTS) {
    return declined('amount', 'amount_not_allowed', 'The operator takes 5.00 to 10000.00');
  }
  return { phone, amountCents };
}
