import { kenyanMobileNumber } from '../../../platform/base/mobile-number.ts';
import { exchange } from '../../../platform/outbound/exchange.ts';
import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { PaymentInstruction } from '../../operator-outcomes.ts';
import type { Connector } from '../../operator.ts';
import { createOperatorPool } from '../../connection.ts';
import type { Connection } from '../../connection.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import type { Limit } from '../../with-token.ts';
import { callbacks } from './callbacks.ts';
import { classifyFind, classifySend, classifyUser } from './classify.ts';
import { AFRICASTALKING } from './declaration.ts';
import { isRequestId } from './handle.ts';
import { findPath, idempotencyKey, sendForm, userPath } from './requests.ts';

export interface AfricastalkingOptions extends Connection {
  readonly baseUrl: URL;
  readonly username: string;
  readonly apiKey: string;
  /** Codes of billers that sell airtime. */
  readonly billers: ReadonlySet<string>;
  readonly caseAfterMs: number;
  readonly answerBytes: number;
}

const MIN_CENTS = 5_00n;
const MAX_CENTS = 10_000_00n;

/**
 * Airtime: accepted with the operator's own id, by which the outcome is queried. After a lost answer
 * there is no id.
 */
export function createAfricastalkingConnector(options: AfricastalkingOptions): Connector {
  const { username } = options;
  const pool = createOperatorPool(options.baseUrl.origin, options);
  const call = createCaller(options, pool);
  const asking = (signal: AbortSignal): Limit => ({ deadlineMs: options.statusTimeoutMs, signal });
  let closing: Promise<void> | undefined;
  return {
    declaration: AFRICASTALKING,
    acceptanceWindowMs: null,
    payDeadlineMs: Math.max(options.payTimeoutMs, options.statusTimeoutMs),
    caseAfterMs: options.caseAfterMs,
    prepare: null,
    async pay(instruction, signal) {
      const send = sendOf(instruction, options);
      if ('kind' in send) return send;
      const form = sendForm(username, send);
      const key = idempotencyKey(instruction.reference, instruction.attemptNumber);
      const limit = { deadlineMs: options.payTimeoutMs, signal };
      return classifySend(await call('/version1/airtime/send', { form, key }, limit), send);
    },
    async status({ operatorHandle, amountCents }, signal) {
      const requestId = operatorHandle ?? undefined;
      if (!isRequestId(requestId)) return unknown('without a requestId nothing can be asked', true);
      const ending = await call(findPath(username, requestId), null, asking(signal));
      return classifyFind(ending, { requestId, amountCents });
    },
    validate: null,
    balance: async (signal) => classifyUser(await call(userPath(username), null, asking(signal))),
    products: null,
    pullStatement: null,
    quote: null,
    callbacks,
    close: () => (closing ??= pool.close()),
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

type Caller = (
  path: string,
  body: { readonly form: string; readonly key: string } | null,
  limit: Limit,
) => Promise<Ending>;

function createCaller(
  options: AfricastalkingOptions,
  pool: Parameters<typeof exchange>[0],
): Caller {
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '');
  const shared = { accept: 'application/json', apikey: options.apiKey };
  return async (path, body, limit) =>
    await exchange(pool, {
      ...limit,
      method: body === null ? 'GET' : 'POST',
      path: prefix + path,
      body: body?.form ?? null,
      headers:
        body === null
          ? shared
          : {
              ...shared,
              'content-type': 'application/x-www-form-urlencoded',
              'idempotency-key': body.key,
            },
      answerBytes: options.answerBytes,
    });
}
