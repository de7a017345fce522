import { exchange } from '../../../platform/outbound/exchange.ts';
import type { Call, Ending } from '../../../platform/outbound/exchange.ts';
import type {
  AccountAnswer,
  Connector,
  PaymentInstruction,
  PaymentOutcome,
  StatusOutcome,
  StatusQuery,
} from '../../dispatch/connector.ts';
import { createOperatorPool } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { unknown } from '../outcomes.ts';
import { cleanMessage, cleanName } from '../text.ts';
import { centsOf } from '../values.ts';
import { compileAuth } from './auth.ts';
import { declarationOf } from './declaration.ts';
import { compileCallbacks } from './callbacks.ts';
import { compileExpression, textOf } from './expression.ts';
import { compileRequest, readAnswer } from './message.ts';
import type { RequestTemplate } from './message.ts';
import { inputOf } from './input.ts';
import { compileOutcome } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { HttpSettings, OperationSettings } from './settings.ts';

export interface HttpOptions extends Connection {
  readonly baseUrl: URL;
  readonly settings: HttpSettings;
  /** The parts of the operator's secret. */
  readonly secret: Readonly<Record<string, string>>;
  readonly callbackUrl: string;
  readonly answerBytes: number;
}

/** Calls the operator. Undefined: the request could not be built, so nothing was sent. */
export type Sender = (
  template: RequestTemplate,
  input: object,
  limit: Pick<Call, 'deadlineMs' | 'signal'>,
) => Promise<Ending>;

/** A protocol that is all configuration. Throws: `Error` with the place that cannot be used. */
export function createHttpConnector(options: HttpOptions): Connector {
  const { settings } = options;
  const pool = createOperatorPool(options.baseUrl.origin, options);
  const context = {
    constants: settings.constants ?? {},
    secret: options.secret,
    callback_url: options.callbackUrl,
  };
  const raw: Sender = createSender(options, pool);
  const send = compileAuth(settings.auth, { context, send: raw });
  const pay = compileOperation('pay', settings.pay, { context, send });
  const status = settings.status && compileOperation('status', settings.status, { context, send });
  const handle =
    settings.handle === undefined ? undefined : compileExpression('handle', settings.handle);
  const { payTimeoutMs, statusTimeoutMs } = options;
  let closing: Promise<void> | undefined;
  return {
    declaration: declarationOf(settings),
    acceptanceWindowMs: settings.acceptance_window_ms,
    payDeadlineMs: Math.max(payTimeoutMs, statusTimeoutMs),
    caseAfterMs: settings.case_after_ms,
    prepare:
      handle === undefined
        ? null
        : {
            deadlineMs: 1_000,
            prepare: async (instruction) => {
              const made = textOf(await handle.evaluate({ ...context, ...inputOf(instruction) }));
              if (made === undefined || made.length > 100) throw new Error('handle yields no id');
              return { kind: 'prepared', operatorHandle: made };
            },
          },
    pay: async (instruction, signal) =>
      asPayment(await pay(instruction, { deadlineMs: payTimeoutMs, signal })),
    status:
      status === undefined
        ? null
        : async (query, signal) =>
            asStatus(await status(query, { deadlineMs: statusTimeoutMs, signal })),
    ...compileQuestions(options, { context, send }),
    pullStatement: null,
    quote: null,
    products: null,
    callbacks: compileCallbacks(settings, context),
    close: () => (closing ??= pool.close()),
  };
}

interface Parts {
  readonly context: object;
  readonly send: Sender;
}

function createSender(options: HttpOptions, pool: Parameters<typeof exchange>[0]): Sender {
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '');
  return async (template, input, limit) => {
    let request;
    try {
      request = await template(input);
    } catch (error) {
      // The configuration does not fit this payment: it says so, and nothing leaves.
      return { kind: 'nothing_written', reason: cleanMessage((error as Error).message) };
    }
    const { headers, ...others } = request;
    return await exchange(pool, {
      ...others,
      ...limit,
      path: prefix + request.path,
      headers: { accept: 'application/json', ...headers },
      answerBytes: options.answerBytes,
    });
  };
}

type Operation = (
  about: PaymentInstruction | StatusQuery,
  limit: Pick<Call, 'deadlineMs' | 'signal'>,
) => Promise<Outcome>;

function compileOperation(
  where: string,
  settings: OperationSettings,
  { context, send }: Parts,
): Operation {
  const template = compileRequest(where, settings);
  const read = compileOutcome(`${where}.answer`, settings.answer);
  return async (about, limit) => {
    const input = { ...context, ...inputOf(about) };
    const ending = await send(template, input, limit);
    if (ending.kind === 'nothing_written') {
      return { kind: 'not_sent', reason: ending.reason, operatorPaused: false, answered: false };
    }
    const body = readAnswer(ending, settings.answer.http_status);
    if (typeof body === 'string') return unknown(body, false);
    // From here on the request was sent, so that no failure of ours may look like proof.
    try {
      const httpStatus = ending.kind === 'answer' ? ending.httpStatus : 0;
      return await read({ ...input, body, http_status: httpStatus });
    } catch (error) {
      return unknown(`the answer does not fit: ${cleanMessage((error as Error).message)}`, false);
    }
  };
}

function asPayment(outcome: Outcome): PaymentOutcome {
  return outcome.kind === 'not_found' || outcome.kind === 'reversed'
    ? unknown('the answer does not fit an instruction', false)
    : outcome;
}

function asStatus(outcome: Outcome): StatusOutcome {
  // It is the query that was not sent.
  return outcome.kind === 'not_sent' ? unknown(outcome.reason, outcome.answered) : outcome;
}

function compileQuestions(
  { settings, statusTimeoutMs: deadlineMs }: HttpOptions,
  { context, send }: Parts,
): Pick<Connector, 'validate' | 'balance'> {
  const { validate, balance } = settings;
  return {
    validate:
      validate === undefined ? null : compileValidate(validate, { context, send, deadlineMs }),
    balance: balance === undefined ? null : compileBalance(balance, { context, send, deadlineMs }),
  };
}

function compileBalance(
  settings: NonNullable<HttpSettings['balance']>,
  { context, send, deadlineMs }: Parts & { readonly deadlineMs: number },
): NonNullable<Connector['balance']> {
  const template = compileRequest('balance', settings);
  const of = compileExpression('balance.answer.balance', settings.answer.balance);
  return async (signal) => {
    const ending = await send(template, context, { deadlineMs, signal });
    const body = readAnswer(ending, settings.answer.http_status);
    if (typeof body === 'string') return { kind: 'unknown', reason: body };
    const text = await of.evaluate({ ...context, body }).then(textOf, () => undefined);
    const balanceCents = text === '0' ? 0n : centsOf(text);
    return balanceCents === undefined
      ? { kind: 'unknown', reason: 'the answer has no balance' }
      : { kind: 'balance', balanceCents };
  };
}

function compileValidate(
  settings: NonNullable<HttpSettings['validate']>,
  { context, send, deadlineMs }: Parts & { readonly deadlineMs: number },
): NonNullable<Connector['validate']> {
  const template = compileRequest('validate', settings);
  const { answer } = settings;
  const of = (name: 'valid' | 'message' | 'name' | 'amount_due' | 'due_date') =>
    compileExpression(`validate.answer.${name}`, answer[name] ?? 'null');
  const [valid, message, name, due, dueDate] = [
    of('valid'),
    of('message'),
    of('name'),
    of('amount_due'),
    of('due_date'),
  ];
  return async ({ billerCode, account, phone }, signal): Promise<AccountAnswer> => {
    const input = { ...context, biller: billerCode, account, phone: phone ?? '' };
    const ending = await send(template, input, { deadlineMs, signal });
    const body = readAnswer(ending, answer.http_status);
    if (typeof body === 'string') return { kind: 'unknown', reason: body };
    try {
      const whole = { ...input, body };
      const isValid = await valid.evaluate(whole);
      if (isValid === false) {
        const text = textOf(await message.evaluate(whole)) ?? 'The account is not valid';
        return { kind: 'invalid', message: cleanMessage(text) };
      }
      if (isValid !== true) return { kind: 'unknown', reason: 'the answer does not say' };
      const date = textOf(await dueDate.evaluate(whole))?.slice(0, 10);
      return {
        kind: 'valid',
        name: cleanName(textOf(await name.evaluate(whole))),
        amountDueCents: centsOf(textOf(await due.evaluate(whole))) ?? null,
        dueDate: date !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(date) ? date : null,
      };
    } catch (error) {
      return { kind: 'unknown', reason: cleanMessage((error as Error).message) };
    }
  };
}
