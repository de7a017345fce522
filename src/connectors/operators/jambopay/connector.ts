import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { PaymentInstruction, StatusOutcome, StatusQuery } from '../../operator-outcomes.ts';
import type { Connector } from '../../operator.ts';
import { openApi, withBearer } from '../../http-api.ts';
import type { ApiOptions, HttpApi } from '../../http-api.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import type { SecretPaths } from '../../secret-path.ts';
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

export interface JambopayOptions extends ApiOptions {
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
}

type Form = Readonly<Record<string, string>>;
type Caller = (method: 'POST' | 'PUT', path: string, form: Form, limit: Limit) => Promise<Ending>;

/** JamboPay: prepare, then commit once. */
export function createJambopayConnector(options: JambopayOptions): Connector {
  const api = openApi(options, { accept: 'application/json' });
  const call = createCaller(api, options);
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
    close: api.close,
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
function createCaller(api: HttpApi, options: JambopayOptions): Caller {
  const call = withBearer(api, {
    request: { path: '/token', form: formOf(tokenRequest(options)) },
    headersOf: (token) => ({ authorization: `bearer ${token}`, app_key: options.appKey }),
    refusesToken,
  });
  return async (method, path, form, limit) =>
    await call({ method, path, form: formOf(form) }, limit);
}

function formOf(form: Form): string {
  return new URLSearchParams(form).toString();
}
