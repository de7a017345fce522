import type { AccountAnswer, AccountQuery, Connector } from '../../operator.ts';
import { cleanMessage, cleanName } from '../../../platform/base/clean-text.ts';
import { readAmount } from './amount.ts';
import { readAnswer } from './answer.ts';
import { compileExpression, textOf } from './expression.ts';
import { serviceOf } from './input.ts';
import type { Asking } from './asking.ts';
import { compileProducts } from './products.ts';
import { ask } from './send.ts';
import type { HttpSettings } from './settings.ts';
import { compileStatement } from './statement.ts';

/** Questions that move no money. Throws: `Error` naming the setting. */
export function compileQuestions(
  settings: HttpSettings,
  by: Asking,
): Pick<Connector, 'validate' | 'balance' | 'products' | 'pullStatement'> {
  return {
    products: compileProducts(settings, by),
    pullStatement: compileStatement(settings, by),
    validate:
      settings.validate === undefined ? null : compileValidate(settings.validate, settings, by),
    balance: settings.balance === undefined ? null : compileBalance(settings.balance, settings, by),
  };
}

function compileBalance(
  settings: NonNullable<HttpSettings['balance']>,
  { answer_format: format = 'json', amounts }: HttpSettings,
  { context, routeOf, deadlineMs }: Asking,
): NonNullable<Connector['balance']> {
  const route = routeOf('balance', settings);
  const of = compileExpression('balance.answer.balance', settings.answer.balance);
  return async (signal) => {
    const ending = await ask(route, context, { deadlineMs, signal });
    const body = readAnswer(ending, { format, httpStatus: settings.answer.http_status });
    if (typeof body === 'string') return { kind: 'unknown', reason: body };
    const text = await of.evaluate({ ...context, body }).then(textOf, () => undefined);
    const balanceCents = readAmount(amounts?.answers ?? 'decimal', text);
    return balanceCents === undefined
      ? { kind: 'unknown', reason: 'the answer has no balance', answered: true }
      : { kind: 'balance', balanceCents };
  };
}

function compileValidate(
  settings: NonNullable<HttpSettings['validate']>,
  { answer_format: format = 'json', billers, amounts }: HttpSettings,
  { context, routeOf, deadlineMs }: Asking,
): NonNullable<Connector['validate']> {
  const route = routeOf('validate', settings);
  const read = compileAccount(settings.answer, amounts?.answers ?? 'decimal');
  return async ({ billerCode, account, phone }: AccountQuery, signal) => {
    const service = serviceOf(billerCode, billers);
    if (service === undefined) {
      return { kind: 'unknown', reason: `the settings have no biller ${billerCode}` };
    }
    const input = { ...context, biller: billerCode, service, account, phone: phone ?? '' };
    const ending = await ask(route, input, { deadlineMs, signal });
    const body = readAnswer(ending, { format, httpStatus: settings.answer.http_status });
    if (typeof body === 'string') return { kind: 'unknown', reason: body };
    return await read({ ...input, body }).catch((error: unknown): AccountAnswer => {
      return { kind: 'unknown', reason: cleanMessage((error as Error).message) };
    });
  };
}

function compileAccount(
  answer: NonNullable<HttpSettings['validate']>['answer'],
  amounts: Parameters<typeof readAmount>[0],
): (input: object) => Promise<AccountAnswer> {
  const of = (name: 'valid' | 'message' | 'name' | 'amount_due' | 'due_date') => {
    const expression = compileExpression(`validate.answer.${name}`, answer[name] ?? 'null');
    return async (input: object) => await expression.evaluate(input);
  };
  const [valid, message, name] = [of('valid'), of('message'), of('name')];
  const [due, dueDate] = [of('amount_due'), of('due_date')];
  return async (input) => {
    const isValid = await valid(input);
    if (isValid === false) {
      const text = textOf(await message(input)) ?? 'The account is not valid';
      return { kind: 'invalid', message: cleanMessage(text) };
    }
    if (isValid !== true) return { kind: 'unknown', reason: 'the answer does not say' };
    const date = textOf(await dueDate(input))?.slice(0, 10);
    return {
      kind: 'valid',
      name: cleanName(textOf(await name(input))),
      amountDueCents: readAmount(amounts, textOf(await due(input))) ?? null,
      dueDate: date !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(date) ? date : null,
    };
  };
}
