import { Pool } from 'undici';
import { CURRENCY, formatMoney } from '../../../platform/base/money.ts';
import type { OperatorSecret } from '../../billers/biller.ts';
import type { Connector } from '../../dispatch/connector.ts';
import { readSignedCallback } from './callback.ts';
import { classifyAccount, classifyBalance, classifyPayment, classifyStatus } from './classify.ts';
import { exchange } from '../../../platform/outbound/exchange.ts';
import type { Ending } from '../../../platform/outbound/exchange.ts';
import { createPublicLookup } from '../../../platform/outbound/public-lookup.ts';
import { createSigning } from './signing.ts';
import type { Signing } from './signing.ts';

export interface HttpJsonOptions {
  /** For messages about the configuration. */
  readonly operatorCode: string;
  /** `https://host[:port][/path]`; plain http only to this machine. */
  readonly baseUrl: string;
  /** Standard Webhooks secret: 24 to 64 bytes in base64, with or without `whsec_` in front. */
  readonly key: string;
  /** Replaced keys, with which callbacks are accepted until they expire. */
  readonly formerKeys?: readonly OperatorSecret[];
  /** Where the operator sends callbacks. */
  readonly callbackUrl: string;
  /** For an instruction, from waiting for a connection to the last byte of the answer. */
  readonly payTimeoutMs: number;
  /** The same for every other request. */
  readonly statusTimeoutMs: number;
  /** For TCP and TLS together. */
  readonly connectTimeoutMs: number;
  /**
   * How long after an instruction the operator's "not found" proves nothing; null: never a proof.
   */
  readonly acceptanceWindowMs: number | null;
  /** True: its name may resolve to a private network, such as a VPN. */
  readonly allowsPrivateAddresses?: boolean;
  readonly maxConnections: number;
  /** Largest answer or callback body. */
  readonly answerBytes: number;
}

/**
 * The connector of the HTTP-JSON operator protocol, `docs/reference/operator-protocol.md`.
 * Throws: `Error` naming the operator, if an option is invalid.
 */
export function createHttpJsonConnector(options: HttpJsonOptions): Connector {
  const base = readBaseUrl(options);
  const signing = readKey(options);
  const verifying = withFormerKeys(signing, options.formerKeys ?? []);
  const pool = createPool(base.origin, options);
  const pathPrefix = base.pathname.replace(/\/+$/, '');

  const post = (
    path: string,
    content: object,
    limit: { readonly deadlineMs: number; readonly signal: AbortSignal },
  ): Promise<Ending> => {
    const body = JSON.stringify(content);
    return exchange(pool, {
      path: pathPrefix + path,
      body,
      headers: { 'content-type': 'application/json', ...signing.headers(body) },
      answerBytes: options.answerBytes,
      ...limit,
    });
  };
  const deadlineMs = options.statusTimeoutMs;
  let closing: Promise<void> | undefined;

  return {
    acceptanceWindowMs: options.acceptanceWindowMs,
    payDeadlineMs: options.payTimeoutMs,
    async pay(instruction, signal) {
      const { reference, billerCode, account, phone, amountCents } = instruction;
      const content = {
        reference,
        biller: billerCode,
        account,
        ...(phone === null ? {} : { phone }),
        amount: formatMoney(amountCents),
        currency: CURRENCY,
        callback_url: options.callbackUrl,
      };
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
    readCallback: (request) => readSignedCallback(request, verifying, options.answerBytes),
    close: () => (closing ??= pool.close()),
  };
}

function createPool(origin: string, options: HttpJsonOptions): Pool {
  return new Pool(origin, {
    connections: options.maxConnections,
    // One request per connection, so that a broken connection affects only one payment.
    pipelining: 1,
    allowH2: false,
    // `exchange` enforces one deadline over everything; a second timer could only contradict it.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Set explicitly, so that no environment variable can turn certificate checks off.
    connect: {
      timeout: options.connectTimeoutMs,
      rejectUnauthorized: true,
      ...(options.allowsPrivateAddresses === true ? {} : { lookup: createPublicLookup() }),
    },
  });
}

function readBaseUrl({ operatorCode, baseUrl }: HttpJsonOptions): URL {
  const url = URL.parse(baseUrl);
  if (url === null || url.href !== url.origin + url.pathname) {
    throw new Error(`operator ${operatorCode}: the base URL must be https://host[:port][/path]`);
  }
  // Answers are not signed; TLS proves that they are the operator's.
  const local = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    throw new Error(
      `operator ${operatorCode}: the base URL must be https (http only to localhost)`,
    );
  }
  return url;
}

/** During a key rotation the operator may still sign with the former key. */
function withFormerKeys(signing: Signing, formerKeys: readonly OperatorSecret[]): Signing {
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
