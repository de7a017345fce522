import type {
  DeclineCode,
  Declined,
  NotFound,
  NotSent,
  Paid,
  Reversed,
  Unknown,
} from '../../operator-outcomes.ts';
import type { Prepared } from '../../operator.ts';
import { unknown } from '../../outcomes.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { readAmount } from './amount.ts';
import { compileExpression, textOf } from './expression.ts';
import type { Expression } from './expression.ts';
import type { AmountFormat, AnswerClass, OutcomeSettings } from './settings.ts';

export type Outcome = Paid | Declined | Reversed | NotSent | NotFound | Prepared | Unknown;
/** The reason of an answer that can be read, and is about something else than the payment. */
export const ABOUT_OTHERS = 'the answer is about something else';

export type OutcomeReader = (input: object) => Promise<Outcome>;

/** Reads an answer by the configured table. Anything that is not in the table is unknown. */
export function compileOutcome(
  where: string,
  answer: OutcomeSettings,
  amounts: AmountFormat,
): OutcomeReader {
  const of = (name: string, text: string | undefined): Expression | undefined =>
    text === undefined ? undefined : compileExpression(`${where}.${name}`, text);
  const code = compileExpression(`${where}.code`, answer.code);
  const about = of('about', answer.about);
  const message = of('message', answer.message);
  const reference = of('operator_reference', answer.operator_reference);
  const amount = of('amount', answer.amount);
  const handle = of('handle', answer.handle);
  const details = Object.entries(answer.details ?? {}).map(
    ([name, text]) => [name, compileExpression(`${where}.details.${name}`, text)] as const,
  );
  const classes = new Map(Object.entries(answer.classes));

  return async (input) => {
    const value = async (one: Expression | undefined): Promise<string | undefined> =>
      one === undefined ? undefined : textOf(await one.evaluate(input));
    if (about !== undefined && (await about.evaluate(input)) !== true) {
      return unknown(ABOUT_OTHERS, false);
    }
    const found = await value(code);
    if (found === undefined) return unknown('the answer has no code', false);
    const meaning = classes.get(found) ?? 'unknown';
    const text = cleanMessage((await value(message)) ?? found);
    if (meaning !== 'paid' && meaning !== 'paid:details_follow') {
      if (meaning === 'prepared') return preparedBy(await value(handle));
      if (meaning === 'unknown') {
        return { ...unknown(text, true), operatorHandle: (await value(handle)) ?? null };
      }
      const answered = outcomeOf(meaning, found, text);
      return answered.kind === 'declined' ? await withHandle(answered, handle, input) : answered;
    }
    const amountCents = readAmount(amounts, await value(amount)) ?? 0n;
    const operatorReference = cleanMessage((await value(reference)) ?? '').slice(0, 100);
    if (amountCents === 0n || operatorReference === '') {
      return unknown('paid, but without an amount or a receipt', false);
    }
    const given: Record<string, string> = {};
    for (const [name, one] of details) {
      const detail = await value(one);
      if (detail !== undefined) given[name] = cleanMessage(detail).slice(0, 200);
    }
    const paid = {
      kind: 'paid',
      operatorReference,
      amountCents,
      message: text,
      details: given,
      ...(meaning === 'paid:details_follow' && { detailsFollow: true }),
    } as const;
    return await withHandle(paid, handle, input);
  };
}

/** A handle that cannot be read does not put a final answer in doubt. */
async function withHandle<Final extends Paid | Declined>(
  outcome: Final,
  handle: Expression | undefined,
  input: object,
): Promise<Final> {
  const operatorHandle = await handle?.evaluate(input).then(textOf, () => undefined);
  return operatorHandle === undefined ? outcome : { ...outcome, operatorHandle };
}

function preparedBy(operatorHandle: string | undefined): Prepared | Unknown {
  return operatorHandle === undefined
    ? unknown('prepared, but without a handle', true)
    : { kind: 'prepared', operatorHandle };
}

function outcomeOf(
  meaning: Exclude<AnswerClass, 'paid' | 'paid:details_follow' | 'prepared' | 'unknown'>,
  code: string,
  text: string,
): Outcome {
  const [kind, detail] = meaning.split(':');
  switch (kind) {
    case 'declined':
      return {
        kind,
        code: cleanMessage(code).slice(0, 60),
        failureCode: (detail ?? 'declined') as DeclineCode,
        message: text,
      };
    case 'not_sent':
      return { kind, reason: text, operatorPaused: detail === 'operator_paused', answered: true };
    case 'not_found':
      return { kind };
    case 'reversed':
      return { kind, message: text };
    default:
      return unknown(text, true);
  }
}
