import { CURRENCY, formatMoney } from '../../../platform/base/money.ts';
import type { Secret, Connector } from '../../operator.ts';
import type { PaymentInstruction } from '../../operator-outcomes.ts';
import { HTTP_JSON } from './declaration.ts';
import { readSignedCallback } from './callback.ts';
import { classifyAccount, classifyBalance, classifyPayment, classifyStatus } from './classify.ts';
import type { Ending } from '../../../platform/outbound/exchange.ts';
import { readBaseUrl } from '../../connection.ts';
import type { Connection } from '../../connection.ts';
import { openApi } from '../../http-api.ts';
import type { Limit } from '../../with-token.ts';
import { createSigning } from './signing.ts';
import type { Signing } from './signing.ts';

export interface HttpJsonOptions extends Connection {
  /** Named in messages about the configuration. */
  readonly operatorCode: string;
  /** `https://host[:port][/path]`; plain http only to this machine. */
  readonly baseUrl: string;
  /** Standard Webhooks secret: 24 to 64 bytes in base64, with or without `whsec_` in front. */
  readonly key: string;
  /** Replaced keys, with which callbacks are accepted until they expire. */
  readonly formerKeys?: readonly Secret[];
  /** Where the operator sends callbacks. */
  readonly callbackUrl: string;
  /** The operator's "not found" proves nothing until this long after the instruction; null: it never does. */
  readonly acceptanceWindowMs: number | null;
  /** Largest answer or callback body. */
  readonly answerBytes: number;
}

/**
 * The connector of the HTTP-JSON operator protocol, `docs/reference/operator-protocol.md`.
 * Throws: `Error` naming the operator, if an option is invalid.
 */
export function createHttpJsonConnector(options: HttpJsonOptions): Connector {
  const baseUrl = readBaseUrl(options);
  const signing = readKey(options);
  const verifying = withFormerKeys(signing, options.formerKeys ?? []);
  const api = openApi({ ...options, baseUrl });

  const post = async (path: string, content: object, limit: Limit): Promise<Ending> => {
    const json = JSON.stringify(content);
    return await api.call({ path, json, headers: signing.headers(json) }, limit);
  };
  const deadlineMs = options.statusTimeoutMs;

  return {
    declaration: HTTP_JSON,
    acceptanceWindowMs: options.acceptanceWindowMs,
    payDeadlineMs: options.payTimeoutMs,
    caseAfterMs: null,
    prepare: null,
    async pay(instruction, signal) {
      const { reference } = instruction;
      const content = paymentContent(instruction, options.callbackUrl);
      const limit = { deadlineMs: options.payTimeoutMs, signal };
      return classifyPayment(await post('/payments', content, limit), reference);
    },
    async status({ reference }, signal) {
      const ending = await post('/payments/status', { reference }, { deadlineMs, signal });
      return classifyStatus(ending, reference);
    },
    async validate({ billerCode, account, phone }, signal) {
      const content = { biller: billerCode, account, ...(phone === null ? {} : { phone }) };
      return classifyAccount(await post('/accounts/validate', content, { deadlineMs, signal }));
    },
    async balance(signal) {
      return classifyBalance(await post('/balance', {}, { deadlineMs, signal }));
    },
    pullStatement: null,
    quote: null,
    products: null,
    callbacks: {
      acceptedBody: { status: 'accepted' },
      keepsHandles: false,
      read: async (request) => readSignedCallback(request, verifying, options.answerBytes),
    },
    close: api.close,
  };
}

function paymentContent(instruction: PaymentInstruction, callbackUrl: string): object {
  const { reference, billerCode, account, phone, amountCents } = instruction;
  return {
    reference,
    biller: billerCode,
    account,
    ...(phone === null ? {} : { phone }),
    amount: formatMoney(amountCents),
    currency: CURRENCY,
    callback_url: callbackUrl,
  };
}

/** During a key rotation the operator may still sign with the former key. */
function withFormerKeys(signing: Signing, formerKeys: readonly Secret[]): Signing {
  const former = formerKeys.map(({ secret, validUntil }) => ({
    validUntilMs: validUntil?.getTime() ?? Number.POSITIVE_INFINITY,
    verify: createSigning(secret).verify,
  }));
  return {
    headers: signing.headers,
    verify: (text, headers) =>
      signing.verify(text, headers) ||
      former.some((key) => key.validUntilMs > Date.now() && key.verify(text, headers)),
  };
}

function readKey({ operatorCode, key }: HttpJsonOptions): Signing {
  try {
    return createSigning(key);
  } catch (error) {
    throw new Error(`operator ${operatorCode}: ${(error as Error).message}`, { cause: error });
  }
}
