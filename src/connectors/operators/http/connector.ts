import { randomUUID } from 'node:crypto';
import { formatMoney, parseMoney } from '../../../platform/base/money.ts';
import type {
  Declined,
  NotSent,
  PaymentInstruction,
  PaymentOutcome,
  StatusOutcome,
  StatusQuery,
} from '../../operator-outcomes.ts';
import type { Connector, Preparation } from '../../operator.ts';
import { createOperatorPool } from '../../connection.ts';
import { pathPrefixOf } from '../../http-api.ts';
import type { Connection } from '../../connection.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import type { Limit } from '../../with-token.ts';
import { readAnswer } from './answer.ts';
import { compileCommonHeaders, compileOauth } from './auth.ts';
import { compileCallbacks } from './callbacks.ts';
import { declarationOf } from './declaration.ts';
import { compileEncryption } from './encryption.ts';
import { compileExpression, textOf } from './expression.ts';
import { inputOf, serviceOf } from './input.ts';
import { compileRequest } from './message.ts';
import { compileOutcome } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { compileQuestions } from './questions.ts';
import { createSender } from './send.ts';
import type { Route } from './send.ts';
import type { HttpSettings, OperationSettings, RequestSettings } from './settings.ts';
import { compileSigning } from './signing.ts';
import type { SecretPart } from './signing.ts';
import type { VerifyingKeys } from './verifying.ts';

export interface HttpOptions extends Connection {
  readonly baseUrl: URL;
  /** Where tokens come from. */
  readonly tokenUrl: URL;
  readonly settings: HttpSettings;
  /** The parts of the operator's secret, for expressions. */
  readonly secret: Readonly<Record<string, string>>;
  readonly partOf: SecretPart;
  readonly verifyingKeys: VerifyingKeys;
  readonly callbackUrl: string;
  readonly answerBytes: number;
}

const MAX_HANDLE = 100;

/** A connector made from configuration only. Throws: `Error` naming the invalid setting. */
export function createHttpConnector(options: HttpOptions): Connector {
  const { settings, payTimeoutMs, statusTimeoutMs } = options;
  const context = {
    constants: settings.constants ?? {},
    secret: options.secret,
    callback_url: options.callbackUrl,
  };
  const { routeOf, close } = createRoutes(options, context);
  const read = (where: 'prepare' | 'pay' | 'status', operation: OperationSettings) =>
    compileOperation({ where, operation, settings }, { context, route: routeOf(where, operation) });
  const prepare = settings.prepare && read('prepare', settings.prepare);
  const pay = read('pay', settings.pay);
  const status = settings.status && read('status', settings.status);
  let closing: Promise<void> | undefined;
  return {
    declaration: declarationOf(settings),
    acceptanceWindowMs: settings.acceptance_window_ms,
    payDeadlineMs: Math.max(payTimeoutMs, statusTimeoutMs),
    caseAfterMs: settings.case_after_ms,
    prepare:
      prepare === undefined
        ? compilePreparation(settings, context)
        : {
            deadlineMs: payTimeoutMs,
            prepare: async (instruction, signal) =>
              whyNotSent(instruction, settings) ??
              asPreparation(await prepare(instruction, { deadlineMs: payTimeoutMs, signal })),
          },
    pay: async (instruction, signal) =>
      whyNotSent(instruction, settings) ??
      asPayment(await pay(instruction, { deadlineMs: payTimeoutMs, signal })),
    status:
      status === undefined
        ? null
        : async (query, signal) =>
            asStatus(await status(query, { deadlineMs: statusTimeoutMs, signal })),
    ...compileQuestions(settings, { context, routeOf, deadlineMs: statusTimeoutMs }),
    quote: null,
    callbacks: compileCallbacks(settings, { context, keys: options.verifyingKeys }),
    close: () => (closing ??= close()),
  };
}

/** Builds a sender for each kind of request. */
function createRoutes(options: HttpOptions, context: object) {
  const { settings, baseUrl, tokenUrl, answerBytes } = options;
  const pool = createOperatorPool(baseUrl.origin, options);
  const pools = [pool];
  let send = createSender(pool, answerBytes);
  if (settings.auth?.kind === 'oauth') {
    const tokenPool =
      tokenUrl.origin === baseUrl.origin
        ? pool
        : createOperatorPool(tokenUrl.origin, { ...options, maxConnections: 1 });
    if (tokenPool !== pool) pools.push(tokenPool);
    send = compileOauth(settings.auth, {
      context,
      format: settings.answer_format ?? 'json',
      send,
      tokenSend: createSender(tokenPool, answerBytes),
      prefix: pathPrefixOf(tokenUrl),
    });
  }
  const parts = {
    prefix: pathPrefixOf(baseUrl),
    headers: compileCommonHeaders(settings),
    encryption: compileEncryption(settings.encrypted),
    signing:
      settings.signing === undefined ? null : compileSigning(settings.signing, options.partOf),
  };
  return {
    routeOf: (where: string, request: RequestSettings): Route => ({
      template: compileRequest(where, request, parts),
      send,
    }),
    close: async () => {
      await Promise.all(pools.map(async (one) => await one.close()));
    },
  };
}

/** Why the settings do not allow the payment. Null: it may be sent. */
function whyNotSent(
  { billerCode, amountCents }: PaymentInstruction,
  { billers, amounts }: HttpSettings,
): Declined | NotSent | null {
  if (serviceOf(billerCode, billers) === undefined) {
    const reason = `the settings have no biller ${billerCode}`;
    return notSent(reason, { answered: true, operatorPaused: true });
  }
  const stepCents = parseMoney(amounts?.step ?? '0.01');
  if (amountCents % stepCents === 0n) return null;
  const message = `The operator takes multiples of ${formatMoney(stepCents)} only`;
  return declined('amount_step', 'amount_not_allowed', message);
}

function compilePreparation(settings: HttpSettings, context: object): Preparation | null {
  if (settings.handle === undefined) return null;
  const handle = compileExpression('handle', settings.handle);
  return {
    deadlineMs: 1_000,
    prepare: async (instruction) => {
      const excluded = whyNotSent(instruction, settings);
      if (excluded !== null) return excluded;
      const timed = { ...context, now_ms: Date.now(), nonce: randomUUID() };
      const input = { ...timed, ...inputOf(instruction, settings.billers) };
      const made = await handle.evaluate(input).then(textOf, () => undefined);
      return made === undefined || made.length > MAX_HANDLE
        ? notSent('settings.handle yields no id', { answered: true, operatorPaused: true })
        : { kind: 'prepared', operatorHandle: made };
    },
  };
}

type Operation = (about: PaymentInstruction | StatusQuery, limit: Limit) => Promise<Outcome>;

function compileOperation(
  {
    where,
    operation,
    settings,
  }: {
    readonly where: string;
    readonly operation: OperationSettings;
    readonly settings: HttpSettings;
  },
  { context, route: { template, send } }: { readonly context: object; readonly route: Route },
): Operation {
  const { billers, amounts, answer_format: format = 'json' } = settings;
  const { http_status: httpStatus, may_be_empty: mayBeEmpty, ...answer } = operation.answer;
  const read = compileOutcome(`${where}.answer`, answer, amounts?.answers ?? 'decimal');
  return async (about, limit) => {
    const input = { ...context, ...inputOf(about, billers) };
    let request;
    try {
      request = await template(input);
    } catch (error) {
      // The configuration cannot express this payment; nothing was sent.
      return notSent(`settings.${cleanMessage((error as Error).message)}`, { answered: true });
    }
    const ending = await send(request, limit);
    if (ending.kind === 'nothing_written') return notSent(ending.reason, { answered: false });
    const body = readAnswer(ending, { format, httpStatus, mayBeEmpty });
    if (typeof body === 'string') return unknown(body, false);
    // The request was sent, so from here on no error of ours may count as proof.
    try {
      const { httpStatus: status = 0, headers = {} } = ending.kind === 'answer' ? ending : {};
      return await read({ ...input, body, headers, http_status: status });
    } catch (error) {
      return unknown(`the answer does not fit: ${cleanMessage((error as Error).message)}`, false);
    }
  };
}

function asPayment(outcome: Outcome): PaymentOutcome {
  return outcome.kind === 'not_found' || outcome.kind === 'reversed' || outcome.kind === 'prepared'
    ? unknown('the answer does not fit an instruction', false)
    : outcome;
}

/** The first step moves no money, so whatever did not prepare the payment proves that it was not made. */
function asPreparation(outcome: Outcome): Awaited<ReturnType<Preparation['prepare']>> {
  if (outcome.kind === 'declined' || outcome.kind === 'not_sent') return outcome;
  if (outcome.kind === 'prepared' && outcome.operatorHandle.length <= MAX_HANDLE) return outcome;
  const { reason, answered } =
    outcome.kind === 'unknown'
      ? outcome
      : { reason: 'the answer has no usable handle', answered: true };
  return notSent(reason, { answered });
}

function asStatus(outcome: Outcome): StatusOutcome {
  if (outcome.kind === 'prepared') return unknown('the answer does not fit a query', false);
  // The query was not sent.
  return outcome.kind === 'not_sent' ? unknown(outcome.reason, outcome.answered) : outcome;
}
