import { exchange } from '../../../platform/outbound/exchange.ts';
import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { Connector, PaymentInstruction } from '../../dispatch/connector.ts';
import { createTokenSource } from '../bearer-token.ts';
import type { IssuedToken, TokenSource } from '../bearer-token.ts';
import { createOperatorPool } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { declined, notSent, unknown } from '../outcomes.ts';
import type { SecretPaths } from '../secret-path.ts';
import { decodeUtf8 } from '../text.ts';
import { BALANCE, createCallbacks, RESULT, STATUS, TIMEOUT } from './callbacks.ts';
import { classifyInstruction, classifyQuestion, readGateway, refusesToken } from './classify.ts';
import { DARAJA_B2B } from './declaration.ts';
import { parseHandle } from './handle.ts';
import { balanceRequest, paymentRequest, statusRequest } from './requests.ts';
import type { CallbackUrls, Initiator } from './requests.ts';
import { objectOf, textOf } from './result.ts';

/** How a biller is paid. */
export interface PayBillRule {
  /** Its short code. */
  readonly payBill: string;
  /** The AccountReference, with `{account}` in it. */
  readonly accountReference: string;
}

export interface DarajaOptions extends Connection {
  readonly baseUrl: URL;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly initiator: Initiator;
  /** By biller code. */
  readonly billers: ReadonlyMap<string, PayBillRule>;
  readonly maxAccountLength: number;
  /** Account whose available amount is our float. */
  readonly floatAccount: string;
  readonly caseAfterMs: number;
  readonly callbackUrl: string;
  readonly paths: SecretPaths;
  readonly answerBytes: number;
}

interface Limit {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Daraja B2B: accepted at once, the result by callback, and no key of ours to ask by. */
export function createDarajaConnector(options: DarajaOptions): Connector {
  const pool = createOperatorPool(options.baseUrl.origin, options);
  const call = createCaller(options, pool);
  const urlsOf = (kind: string, reference: string, attemptNumber: number): CallbackUrls => {
    const url = (of: string): string =>
      `${options.callbackUrl}/${options.paths.make({ kind: of, reference, attemptNumber })}`;
    return { result: url(kind), timeout: url(TIMEOUT) };
  };
  const asking = (signal: AbortSignal): Limit => ({ deadlineMs: options.statusTimeoutMs, signal });
  let closing: Promise<void> | undefined;
  return {
    declaration: DARAJA_B2B,
    acceptanceWindowMs: null,
    payDeadlineMs: Math.max(options.payTimeoutMs, options.statusTimeoutMs),
    caseAfterMs: options.caseAfterMs,
    prepare: null,
    async pay(instruction, signal) {
      const bill = billOf(instruction, options);
      if ('kind' in bill) return bill;
      const urls = urlsOf(RESULT, instruction.reference, instruction.attemptNumber);
      const body = paymentRequest(options.initiator, bill, urls);
      const limit = { deadlineMs: options.payTimeoutMs, signal };
      return classifyInstruction(await call('/mpesa/b2b/v1/paymentrequest', body, limit));
    },
    async status({ reference, attemptNumber, operatorHandle }, signal) {
      const handle = parseHandle(operatorHandle);
      if (handle === null) return unknown('without a ConversationID nothing can be asked', true);
      const urls = urlsOf(STATUS, reference, attemptNumber);
      const body = statusRequest(options.initiator, handle.conversationId, urls);
      const path = '/mpesa/transactionstatus/v1/query';
      return classifyQuestion(await call(path, body, asking(signal)));
    },
    validate: null,
    async balance(signal) {
      const body = balanceRequest(options.initiator, urlsOf(BALANCE, '', 0));
      const asked = classifyQuestion(
        await call('/mpesa/accountbalance/v1/query', body, asking(signal)),
      );
      return asked.answered ? { kind: 'asked' } : { kind: 'unknown', reason: asked.reason };
    },
    pullStatement: null,
    quote: null,
    callbacks: createCallbacks(options.paths, options.floatAccount),
    close: () => (closing ??= pool.close()),
  };
}

/** What to pay, or why nothing was sent. */
function billOf(instruction: PaymentInstruction, options: DarajaOptions) {
  const { billerCode, account, amountCents, phone, reference } = instruction;
  const rule = options.billers.get(billerCode);
  if (rule === undefined) {
    const reason = `no pay bill number is configured for ${billerCode}`;
    return notSent(reason, { answered: true, operatorPaused: true });
  }
  if (amountCents % 100n !== 0n) {
    return declined('cents', 'amount_not_allowed', 'The operator takes whole shillings only');
  }
  const accountReference = rule.accountReference.replace('{account}', () => account);
  if (accountReference.length > options.maxAccountLength) {
    return declined('account', 'invalid_account', 'The account is too long for the operator');
  }
  return {
    amount: String(amountCents / 100n),
    payBill: rule.payBill,
    account: accountReference,
    requester: phone !== null && /^254\d{9}$/.test(phone) ? phone : null,
    reference,
  };
}

type Caller = (path: string, content: object, limit: Limit) => Promise<Ending>;

/** Sends with a token; once more with a new one when the gateway refuses the first. */
function createCaller(options: DarajaOptions, pool: Parameters<typeof exchange>[0]): Caller {
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '');
  const tokens = createTokens(options, pool, prefix);
  const sendOnce = async (path: string, content: object, limit: Limit): Promise<Ending> => {
    const endsAtMs = performance.now() + limit.deadlineMs;
    const token = await tokens.get(limit.deadlineMs);
    if (token.kind === 'no_token') return { kind: 'nothing_written', reason: token.reason };
    const ending = await exchange(pool, {
      path: prefix + path,
      body: JSON.stringify(content),
      headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
      answerBytes: options.answerBytes,
      signal: limit.signal,
      deadlineMs: Math.max(1, endsAtMs - performance.now()),
    });
    if (refusesToken(readGateway(ending))) tokens.refused(token.token);
    return ending;
  };
  return async (path, content, limit) => {
    const endsAtMs = performance.now() + limit.deadlineMs;
    const ending = await sendOnce(path, content, limit);
    const leftMs = endsAtMs - performance.now();
    if (!refusesToken(readGateway(ending)) || leftMs < 1) return ending;
    const again = await sendOnce(path, content, { ...limit, deadlineMs: leftMs });
    // The refusal still stands when the second request was never written.
    return again.kind === 'nothing_written' ? ending : again;
  };
}

function createTokens(
  options: DarajaOptions,
  pool: Parameters<typeof exchange>[0],
  prefix: string,
): TokenSource {
  const basic = Buffer.from(`${options.consumerKey}:${options.consumerSecret}`).toString('base64');
  return createTokenSource({
    request: async (deadlineMs) =>
      await exchange(pool, {
        method: 'GET',
        path: `${prefix}/oauth/v1/generate?grant_type=client_credentials`,
        body: null,
        headers: { authorization: `Basic ${basic}` },
        answerBytes: options.answerBytes,
        // Shared by several calls, so that none of them may cut it off.
        signal: new AbortController().signal,
        deadlineMs,
      }),
    read: readToken,
  });
}

function readToken(ending: Extract<Ending, { kind: 'answer' }>): IssuedToken | undefined {
  if (ending.httpStatus !== 200) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(decodeUtf8(ending.body) ?? '');
  } catch {
    return undefined;
  }
  const body = objectOf(parsed);
  const token = textOf(body?.['access_token']);
  const seconds = Number(textOf(body?.['expires_in']));
  if (token === undefined || !/^[\x21-\x7e]{1,900}$/.test(token)) return undefined;
  return { token, lifeMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 60_000 };
}
