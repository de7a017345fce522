import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { DeclineCode, PaymentOutcome, StatusOutcome } from '../../operator-outcomes.ts';
import type { AccountAnswer, BalanceAnswer } from '../../operator.ts';
import { CURRENCY } from '../../../platform/base/money.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import { cleanMessage, cleanName } from '../../../platform/base/clean-text.ts';
import { centsOf, listOf, readJson, textOf } from '../../values.ts';
import { readAnswer } from './answers.ts';
import type { Result } from './answers.ts';

/** Codes in the answer to a payment that refuse it. 230, our float, is not among them. */
const REFUSALS: Readonly<Record<string, DeclineCode>> = {
  '167': 'operator_refused',
  '231': 'amount_not_allowed',
  '232': 'amount_not_allowed',
};
const FLOAT_TOO_LOW = '230';
const NOT_FOUND = '143';
const PAID = new Set(['183', '217']);
const NOT_PAID = new Set(['180', '216']);

export interface Sent {
  readonly transactionId: string;
  readonly amountCents: bigint;
}

/** The outcome of an instruction: refused, or to be queried. */
export function classifyPayment(ending: Ending, sent: Sent): PaymentOutcome {
  if (ending.kind === 'nothing_written') return notSent(ending.reason, { answered: false });
  const answer = readAnswer(ending);
  if (answer.kind === 'none') return unknown(answer.reason, false);
  if (answer.kind === 'credentials_refused') {
    return notSent(answer.message, { answered: true, operatorPaused: true });
  }
  const { code, message, values } = answer.result;
  if (!isAbout(values, sent.transactionId)) return unknown('it is about another payment', false);
  if (code === FLOAT_TOO_LOW) {
    return notSent(`${code}: ${message}`, { answered: true, operatorPaused: true });
  }
  return Object.hasOwn(REFUSALS, code)
    ? declined(code, REFUSALS[code] ?? 'operator_refused', message)
    : // Also 183: the query brings receipt and token.
      { ...unknown(`${code}: ${message}`, true), operatorHandle: beepIdOf(values) };
}

export function classifyStatus(ending: Ending, sent: Sent): StatusOutcome {
  const answer = readAnswer(ending);
  if (answer.kind === 'none') return unknown(answer.reason, false);
  if (answer.kind === 'credentials_refused') return unknown(answer.message, true);
  const { result } = answer;
  const { code, message } = result;
  if (!isAbout(result.values, sent.transactionId))
    return unknown('it is about another payment', false);
  if (PAID.has(code)) return paid(result, sent);
  if (NOT_PAID.has(code)) return declined(code, 'declined', message);
  return code === NOT_FOUND ? { kind: 'not_found' } : unknown(`${code}: ${message}`, true);
}

/** The answer does not always repeat the amount. Then it is the instructed one, which Tingg cannot change. */
function paid({ message, values }: Result, sent: Sent): StatusOutcome {
  const receipt = receiptOf(textOf(values['receiptNumber']) ?? '') || beepIdOf(values);
  const operatorReference = cleanMessage(receipt ?? '')
    .trim()
    .slice(0, 100);
  const repeated = values['amount'] ?? values['amountPaid'];
  const amountCents = repeated === undefined ? sent.amountCents : centsOf(textOf(repeated));
  if (operatorReference === '' || amountCents === undefined) {
    return unknown('paid, but without a receipt or a valid amount', true);
  }
  const details = detailsOf(textOf(values['receiverNarration']) ?? '');
  return { kind: 'paid', operatorReference, amountCents, message: message || 'Paid', details };
}

function beepIdOf(values: Result['values']): string | null {
  const id = textOf(values['beepTransactionID']) ?? '';
  return /^\d{1,30}$/.test(id) ? id : null;
}

/** Plain, or as documented in JSON text: `["KPLC55231"]`, or `[""]` if there is none. */
function receiptOf(text: string): string {
  const inJson = text.startsWith('[') ? readJson(Buffer.from(text)) : undefined;
  if (!Array.isArray(inJson)) return text;
  return (
    listOf(inJson)
      .map(textOf)
      .find((one) => one !== undefined && one !== '') ?? ''
  );
}

/** Token and units of prepaid electricity come in a text for people. */
function detailsOf(narration: string): Record<string, string> {
  const clean = cleanMessage(narration).trim().slice(0, 200);
  if (clean === '') return {};
  const token = /token\W{0,5}((?:\d[ -]?){19}\d)(?!\d)/i.exec(clean)?.[1]?.replaceAll(/\D/g, '');
  const units = /units\W{0,5}(\d{1,8}(?:\.\d{1,4})?)/i.exec(clean)?.[1];
  return {
    narration: clean,
    ...(token === undefined ? {} : { token }),
    ...(units === undefined ? {} : { units }),
  };
}

function isAbout(values: Result['values'], transactionId: string): boolean {
  const named = textOf(values['payerTransactionID']);
  return named === undefined || named === transactionId;
}

/** A bill with its amount due, or whether the account exists. */
export function classifyAccount(ending: Ending): AccountAnswer {
  const answer = readAnswer(ending);
  if (answer.kind !== 'result') {
    return { kind: 'unknown', reason: 'reason' in answer ? answer.reason : answer.message };
  }
  const { code, message, values } = answer.result;
  const name = cleanName(textOf(values['customerName']));
  if (code === '308') {
    const due = textOf(values['dueAmount']);
    const isOurs = (values['currency'] ?? CURRENCY) === CURRENCY;
    const date = /^\d{4}-\d{2}-\d{2}/.exec(textOf(values['dueDate']) ?? '')?.[0] ?? null;
    const amountDueCents = isOurs ? (centsOf(due) ?? null) : null;
    return { kind: 'valid', name, amountDueCents, dueDate: date };
  }
  if (code === '307') {
    return values['active'] === 'no'
      ? { kind: 'invalid', message }
      : { kind: 'valid', name, amountDueCents: null, dueDate: null };
  }
  return code === '306'
    ? { kind: 'invalid', message }
    : { kind: 'unknown', reason: `${code}: ${message}` };
}

export function classifyBalance(ending: Ending): BalanceAnswer {
  const answer = readAnswer(ending);
  if (answer.kind !== 'result') {
    return { kind: 'unknown', reason: 'reason' in answer ? answer.reason : answer.message };
  }
  const { code, message, values } = answer.result;
  const balance = textOf(values['balance']) ?? '';
  const isOurs = (values['currencyCode'] ?? CURRENCY) === CURRENCY;
  const balanceCents = /^0+(\.0+)?$/.test(balance) ? 0n : centsOf(balance);
  return code === '418' && isOurs && balanceCents !== undefined
    ? { kind: 'balance', balanceCents }
    : { kind: 'unknown', reason: `${code}: ${message}`, answered: true };
}
