import { exchange } from '../../../platform/outbound/exchange.ts';
import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { PaymentInstruction, StatusOutcome, StatusQuery } from '../../operator-outcomes.ts';
import type { Connector } from '../../operator.ts';
import { createTokenSource } from '../../bearer-token.ts';
import type { IssuedToken, TokenSource } from '../../bearer-token.ts';
import { createOperatorPool } from '../../connection.ts';
import type { Connection } from '../../connection.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import type { SecretPaths } from '../../secret-path.ts';
import { objectOf, readJson, textOf } from '../../values.ts';
import { withToken } from '../../with-token.ts';
import type { Limit } from '../../with-token.ts';
import { createCallbacks, RESULT } from './callbacks.ts';
import { classifyCommit, classifyPrepare, refusesToken } from './classify.ts';
import type { Expected } from './classify.ts';
import { JAMBOPAY } from './declaration.ts';
import { parseHandle } from './handle.ts';
import { commitRequest, prepareRequest, tokenRequest } from './requests.ts';
import { STREAMS } from './streams.ts';
import type { StreamName } from './streams.ts';

/** The stream, and the operator there, that pay one biller. */
export interface BillerRule {
  readonly stream: StreamName;
  readonly operatorCode: string | null;
}

export interface JambopayOptions extends Connection {
  readonly baseUrl: URL;
  readonly grantType: 'agency' | 'password';
  readonly username: string;
  readonly password: string;
  readonly appKey: string;
  readonly billers: ReadonlyMap<string, BillerRule>;
  /** Sent when a payment has no number of its own. */
  readonly phoneNumber: string;
  readonly paidBy: string | null;
  readonly codeField: string | null;
  readonly caseAfterMs: number;
  readonly callbackUrl: string;
  readonly paths: SecretPaths;
  readonly answerBytes: number;
}

type Form = Readonly<Record<string, string>>;
type Caller = (method: 'POST' | 'PUT', path: string, form: Form, limit: Limit) => Promise<Ending>;

/** JamboPay: prepare, then commit once. */
export function createJambopayConnector(options: JambopayOptions): Connector {
  const pool = createOperatorPool(options.baseUrl.origin, options);
  const call = createCaller(options, pool);
  const { billers, payTimeoutMs, statusTimeoutMs } = options;
  const expectedOf = (
    rule: BillerRule,
    { account, amountCents }: PaymentInstruction,
  ): Expected => ({
    stream: STREAMS[rule.stream],
    account,
    amountCents,
    codeField: options.codeField,
  });
  let closing: Promise<void> | undefined;
  return {
    declaration: JAMBOPAY,
    acceptanceWindowMs: null,
    payDeadlineMs: payTimeoutMs,
    caseAfterMs: options.caseAfterMs,
    prepare: {
      deadlineMs: statusTimeoutMs,
      async prepare(instruction, signal) {
        const rule = billers.get(instruction.billerCode);
        if (rule === undefined) return noRule(instruction);
        const expected = expectedOf(rule, instruction);
        if (instruction.amountCents < expected.stream.minimumCents) {
          return declined('minimum', 'amount_not_allowed', 'The operator takes 50.00 and more');
        }
        const form = prepareRequest(billOf(rule, instruction, options));
        const limit = { deadlineMs: statusTimeoutMs, signal };
        return classifyPrepare(await call('POST', '/api/payments/POST', form, limit), expected);
      },
    },
    async pay(instruction, signal) {
      const rule = billers.get(instruction.billerCode);
      const handle = parseHandle(instruction.operatorHandle);
      if (rule === undefined || handle === null) return noRule(instruction);
      const { transactionId } = handle;
      const form = commitRequest({ stream: rule.stream, transactionId, paidBy: options.paidBy });
      const limit = { deadlineMs: payTimeoutMs, signal };
      const ending = await call('PUT', '/api/payments/PUT', form, limit);
      return classifyCommit(ending, { ...expectedOf(rule, instruction), transactionId });
    },
    status: async (query) => statusOf(query, payTimeoutMs),
    validate: null,
    balance: null,
    pullStatement: null,
    quote: null,
    products: null,
    callbacks: createCallbacks(options.paths, {
      streamOf: (billerCode) => {
        const rule = billers.get(billerCode);
        return rule && STREAMS[rule.stream];
      },
    }),
    close: () => (closing ??= pool.close()),
  };
}

function noRule({ billerCode }: PaymentInstruction) {
  const reason = `no stream is configured for ${billerCode}`;
  return notSent(reason, { answered: true, operatorPaused: true });
}

function billOf(rule: BillerRule, instruction: PaymentInstruction, options: JambopayOptions) {
  const { reference, attemptNumber, account, amountCents, phone } = instruction;
  const path = options.paths.make({ kind: RESULT, reference, attemptNumber });
  return {
    ...rule,
    account,
    amountCents,
    phoneNumber: phone ?? options.phoneNumber,
    callbackUrl: `${options.callbackUrl}/${path}`,
  };
}

/** JamboPay has no status query. A callback that reported the payment as completed is kept in the handle. */
function statusOf(
  { operatorHandle, amountCents }: StatusQuery,
  commitTakesMs: number,
): StatusOutcome {
  const completed = parseHandle(operatorHandle)?.completed ?? null;
  if (completed === null) {
    return unknown('this operator cannot be queried; wait for its callback', true);
  }
  // The answer to the commit has the electricity token, so it has precedence.
  if (Date.now() < completed.atMs + commitTakesMs) {
    return unknown('completed by callback; the answer may still come', true);
  }
  return {
    kind: 'paid',
    operatorReference: completed.receipt,
    amountCents,
    message: 'Paid, by callback',
    details: {},
  };
}

/** Forms, with a token and the key of our application. */
function createCaller(options: JambopayOptions, pool: Parameters<typeof exchange>[0]): Caller {
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '');
  const post = async (
    by: { readonly method: 'POST' | 'PUT'; readonly path: string; readonly form: Form },
    headers: Readonly<Record<string, string>>,
    limit: Limit,
  ): Promise<Ending> =>
    await exchange(pool, {
      ...limit,
      method: by.method,
      path: prefix + by.path,
      body: new URLSearchParams(by.form).toString(),
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      answerBytes: options.answerBytes,
    });
  const tokens: TokenSource = createTokenSource({
    request: async (deadlineMs) => {
      // Not aborted with a call, because several calls share it.
      const limit = { deadlineMs, signal: new AbortController().signal };
      return await post({ method: 'POST', path: '/token', form: tokenRequest(options) }, {}, limit);
    },
    read: readToken,
  });
  return async (method, path, form, limit) =>
    await withToken(tokens, limit, {
      send: async (token, left) => {
        const headers = { authorization: `bearer ${token}`, app_key: options.appKey };
        return await post({ method, path, form }, headers, left);
      },
      refusesToken,
    });
}

function readToken(ending: Extract<Ending, { kind: 'answer' }>): IssuedToken | undefined {
  const body = ending.httpStatus === 200 ? objectOf(readJson(ending.body)) : undefined;
  const token = textOf(body?.['access_token']);
  const seconds = Number(textOf(body?.['expires_in']));
  if (token === undefined || !/^[\x21-\x7e]{1,1000}$/.test(token)) return undefined;
  return { token, lifeMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 60_000 };
}
