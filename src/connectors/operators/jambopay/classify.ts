import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { Declined, NotSent, Paid, PaymentOutcome } from '../../operator-outcomes.ts';
import type { Prepared } from '../../operator.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { centsOf, listOf, objectOf, readJson, textOf } from '../../values.ts';
import { isTransactionId } from './handle.ts';
import { isSameAccount, PREPARE_CODES } from './streams.ts';
import type { CodeMeaning, Stream } from './streams.ts';

/** The values that an answer is compared with. */
export interface Expected {
  readonly stream: Stream;
  readonly account: string;
  readonly amountCents: bigint;
  /** The field of an error’s code; null: not known, so that no code is believed. */
  readonly codeField: string | null;
}

interface Answer {
  readonly httpStatus: number;
  readonly field: (name: string) => string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  /** The code of a refusal; null when the answer has none, or 0. */
  readonly code: string | null;
  readonly message: string;
}

/** Undefined: the answer is not from JamboPay. */
function readAnswer(ending: Ending, codeField: string | null): Answer | undefined {
  const body = ending.kind === 'answer' ? objectOf(readJson(ending.body)) : undefined;
  if (ending.kind !== 'answer' || body === undefined) return undefined;
  const field = (name: string): string | undefined => textOf(body[name]);
  const code = codeField === null ? undefined : field(codeField);
  const said = field('Message') ?? field('error_description') ?? field('error') ?? code ?? '';
  return {
    httpStatus: ending.httpStatus,
    field,
    body,
    code: code === undefined || /^0*$/.test(code) ? null : code.slice(0, 60),
    message: cleanMessage(said),
  };
}

/** The token was refused: the request went no further. */
export function refusesToken(ending: Ending): boolean {
  const answer = readAnswer(ending, null);
  return answer?.httpStatus === 401 && answer.message !== '';
}

/** Preparing moves no money, so every failure proves that nothing was executed. */
export function classifyPrepare(ending: Ending, expected: Expected): Prepared | Declined | NotSent {
  if (ending.kind !== 'answer') return notSent(ending.reason, { answered: false });
  const answer = readAnswer(ending, expected.codeField);
  if (answer === undefined) {
    return notSent(`HTTP ${ending.httpStatus} without an answer`, { answered: false });
  }
  const { httpStatus, code, message } = answer;
  if (code !== null && httpStatus < 500) {
    return refusedBy(code, message, meaningOf(PREPARE_CODES, code) ?? 'declined');
  }
  if (httpStatus === 400) return declined('400', 'declined', message || 'Refused by the operator');
  const transactionId = answer.field('TransactionID');
  if (httpStatus !== 200 || !isTransactionId(transactionId)) {
    const operatorPaused = httpStatus === 401 || httpStatus === 403 || httpStatus === 404;
    return notSent(`HTTP ${httpStatus}: ${message}`, {
      answered: httpStatus < 500,
      operatorPaused,
    });
  }
  const misfit = misfitOf(answer, expected);
  if (misfit !== undefined) return notSent(misfit, { answered: true });
  if (centsOf(answer.field('Amount')) !== expected.amountCents) {
    return declined('amount', 'amount_not_allowed', 'The operator prepared another amount');
  }
  return { kind: 'prepared', operatorHandle: transactionId };
}

function meaningOf(
  codes: Readonly<Record<string, CodeMeaning>>,
  code: string,
): CodeMeaning | undefined {
  return Object.hasOwn(codes, code) ? codes[code] : undefined;
}

/** Refused finally, or to be tried again. */
function refusedBy(code: string, message: string, meaning: CodeMeaning): Declined | NotSent {
  if (meaning === 'try_again' || meaning === 'paused') {
    const operatorPaused = meaning === 'paused';
    return notSent(`${code}: ${message}`, { answered: true, operatorPaused });
  }
  return declined(code, meaning, message || `Refused with code ${code}`);
}

/** The outcome of a commit. Only codes that the stream lists prove that nothing was executed. */
export function classifyCommit(
  ending: Ending,
  expected: Expected & { readonly transactionId: string },
): PaymentOutcome {
  if (ending.kind === 'nothing_written') return notSent(ending.reason, { answered: false });
  if (ending.kind === 'no_answer') return unknown(ending.reason, false);
  const answer = readAnswer(ending, expected.codeField);
  if (answer === undefined) return unknown(`HTTP ${ending.httpStatus} without an answer`, false);
  const { httpStatus, code, message } = answer;
  if (refusesToken(ending)) {
    return notSent(`HTTP 401: ${message}`, { answered: true, operatorPaused: true });
  }
  if (httpStatus === 429) return notSent(`HTTP 429: ${message}`, { answered: true });
  const receipt = answer.field('ReceiptNumber') ?? '';
  if (code !== null && httpStatus < 500) {
    const meaning = receipt === '' ? meaningOf(expected.stream.proof, code) : undefined;
    return meaning === undefined
      ? unknown(code === '1053' ? '1053: already completed' : `${code}: ${message}`, true)
      : refusedBy(code, message, meaning);
  }
  if (httpStatus !== 200) return unknown(`HTTP ${httpStatus}: ${message}`, false);
  return paidBy(answer, receipt, expected);
}

function paidBy(
  answer: Answer,
  receipt: string,
  expected: Expected & { readonly transactionId: string },
): PaymentOutcome {
  if (answer.field('TransactionID') !== expected.transactionId) {
    return unknown('the answer is about another transaction', false);
  }
  const misfit = misfitOf(answer, expected);
  if (misfit !== undefined) return unknown(misfit, false);
  const amountCents = centsOf(answer.field('Amount'));
  const operatorReference = cleanMessage(receipt).trim().slice(0, 100);
  if (amountCents === undefined || operatorReference === '') {
    return unknown('the answer has no receipt or no amount', false);
  }
  const details = detailsOf(answer.body);
  return { kind: 'paid', operatorReference, amountCents, message: 'Paid', details };
}

/** An account in the answer that is not ours. Not every answer repeats the account. */
function misfitOf(answer: Answer, { stream, account }: Expected): string | undefined {
  const given = answer.field(stream.accountField);
  if (given === undefined || isSameAccount(stream, given, account)) return undefined;
  return 'the answer is about another account';
}

const TOKEN_DIGITS = 20;

/** Prepaid electricity: the token that the customer types in, and its units. */
function detailsOf(body: Readonly<Record<string, unknown>>): Paid['details'] {
  const bought = listOf(body['Tokens']).map((one) => objectOf(one));
  const join = (read: (one: (typeof bought)[number]) => string | undefined): string =>
    cleanMessage(bought.flatMap((one) => read(one) ?? []).join(', ')).slice(0, 200);
  const name = objectOf(body['Customer'])?.['Names'] ?? body['Names'];
  const found = {
    token: join((one) => tokenOf(one?.['Token'])),
    units: join(
      (one) =>
        [textOf(one?.['Units']), textOf(one?.['UnitType'])].filter(Boolean).join(' ') || undefined,
    ),
    receiver: cleanMessage(textOf(name) ?? '').slice(0, 200),
  };
  return Object.fromEntries(Object.entries(found).filter(([, text]) => text !== ''));
}

/** Documented as a number, which loses leading zeros. */
function tokenOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && /^\d+$/.test(text) ? text.padStart(TOKEN_DIGITS, '0') : text;
}
