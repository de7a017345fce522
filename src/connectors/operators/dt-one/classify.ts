import type { Ending } from '../../../platform/outbound/exchange.ts';
import type {
  Declined,
  NotSent,
  PaymentOutcome,
  StatusOutcome,
  Unknown,
} from '../../operator-outcomes.ts';
import type { Prepared } from '../../operator.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { listOf, objectOf, readJson, textOf } from '../../values.ts';
import { PER_PAGE } from './requests.ts';
import { meaningOf, misfitOf, readTransaction } from './transaction.ts';
import type { Expected, Transaction } from './transaction.ts';

export type Answer =
  | {
      readonly kind: 'content';
      readonly content: unknown;
      /** The number of pages of a list, from its headers; 0 if they do not name it. */
      readonly totalPages?: number;
    }
  /** Refused by DT One in its own words, with HTTP 400 to 499. */
  | {
      readonly kind: 'errors';
      readonly httpStatus: number;
      readonly codes: readonly string[];
      readonly message: string;
    }
  | { readonly kind: 'none'; readonly reason: string; readonly isWritten: boolean };

export function readAnswer(ending: Ending): Answer {
  if (ending.kind !== 'answer') {
    return { kind: 'none', reason: ending.reason, isWritten: ending.kind === 'no_answer' };
  }
  const { httpStatus } = ending;
  const content = readJson(ending.body);
  if (httpStatus >= 200 && httpStatus < 300 && typeof content === 'object' && content !== null) {
    const given = ending.headers?.['x-total-pages'];
    const totalPages = Number(/^\d{1,6}$/.exec(String(given))?.[0] ?? 0);
    return { kind: 'content', content, totalPages };
  }
  const errors = listOf(objectOf(content)?.['errors']).map((one) => objectOf(one) ?? {});
  const codes = errors.flatMap((error) => textOf(error['code']) ?? []);
  if (httpStatus < 400 || httpStatus > 499 || codes.length === 0) {
    const reason = `HTTP ${httpStatus} ${codes[0] ?? 'without an answer'}`;
    return { kind: 'none', reason, isWritten: true };
  }
  const texts = errors.map((error) => `${textOf(error['code'])}: ${textOf(error['message'])}`);
  return { kind: 'errors', httpStatus, codes, message: cleanMessage(texts.join('; ')) };
}

/** Whether a list goes on after this page. DT One may put fewer rows on a page than we ask for. */
export function goesOn(
  { content, totalPages = 0 }: Extract<Answer, { kind: 'content' }>,
  page: number,
): boolean {
  const rows = listOf(content).length;
  return rows >= PER_PAGE || (rows > 0 && page < totalPages);
}

/** Errors about transactions that exist or were continued: evidence of execution. */
export const EXISTS = '1007001';
const WENT_ON: ReadonlySet<string> = new Set([EXISTS, '1007002', '1007004', '1007007']);

/** Reads from the error codes whether the instruction was certainly not executed. */
function refusedBy({
  httpStatus,
  codes,
  message,
}: Extract<Answer, { kind: 'errors' }>): Declined | NotSent | Unknown {
  const has = (...wanted: string[]): boolean => wanted.some((code) => codes.includes(code));
  if (codes.some((code) => WENT_ON.has(code))) return unknown(message, true);
  // Cancelled, too many requests: the next attempt may succeed.
  if (httpStatus === 429 || has('1000429', '1007005')) return notSent(message, { answered: true });
  // Credentials, address, float: this concerns all payments.
  if ([401, 403].includes(httpStatus) || has('1000401', '1000404', '1006001')) {
    return notSent(message, { answered: true, operatorPaused: true });
  }
  const code = codes[0] ?? '';
  if (has('1005003')) return declined(code, 'invalid_account', message);
  if (has('1003002')) return declined(code, 'amount_not_allowed', message);
  return declined(code, 'operator_refused', message);
}

/** The outcome of creating an unconfirmed transaction. Nothing was confirmed, so every failure is proof. */
export function classifyPrepare(ending: Ending, expected: Expected): Prepared | Declined | NotSent {
  const answer = readAnswer(ending);
  if (answer.kind === 'none') return notSent(answer.reason, { answered: false });
  if (answer.kind === 'errors') {
    // A transaction with our external_id exists. It is not confirmed here; a query shows its state.
    if (answer.codes.includes(EXISTS)) {
      return { kind: 'prepared', operatorHandle: expected.externalId };
    }
    const outcome = refusedBy(answer);
    return outcome.kind === 'unknown' ? notSent(outcome.reason, { answered: true }) : outcome;
  }
  const found = fitting(answer.content, expected);
  if (typeof found === 'string') return notSent(found, { answered: false });
  const meaning = meaningOf(found, expected);
  if (meaning.kind === 'declined') return meaning;
  if (meaning.kind === 'try_again') return tryAgain(found, meaning.floatIsLow);
  if (!expected.isFixed && found.deliveredCents !== expected.amountCents) {
    return declined('amount', 'amount_not_allowed', 'The operator prepared another amount');
  }
  return { kind: 'prepared', operatorHandle: found.id };
}

/** The outcome of an instruction: to create and confirm at once, or to confirm. */
export function classifyInstruction(ending: Ending, expected: Expected): PaymentOutcome {
  const answer = readAnswer(ending);
  if (answer.kind === 'none') {
    return answer.isWritten
      ? unknown(answer.reason, false)
      : notSent(answer.reason, { answered: false });
  }
  if (answer.kind === 'errors') return refusedBy(answer);
  const found = fitting(answer.content, expected);
  if (typeof found === 'string') return unknown(found, false);
  const meaning = meaningOf(found, expected);
  switch (meaning.kind) {
    case 'paid':
    case 'declined':
      return meaning;
    case 'try_again':
      return tryAgain(found, meaning.floatIsLow);
    default:
      return { ...unknown(found.message, true), operatorHandle: found.id };
  }
}

function tryAgain({ message }: Transaction, operatorPaused: boolean): NotSent {
  return notSent(message, { answered: true, operatorPaused });
}

/** A transaction that was never confirmed; the caller decides what to do with it. */
export interface Unconfirmed {
  readonly kind: 'unconfirmed';
  readonly id: string;
}

/**
 * The outcome of a look-up: one transaction, or the list for an external_id.
 * @param by.mayTryAgain whether "not found" lets the payment be sent again.
 * @param by.isTaken DT One said that a transaction with this external_id exists, so that an empty list is no
 * proof.
 */
export function classifyStatus(
  ending: Ending,
  expected: Expected,
  { mayTryAgain, isTaken }: { readonly mayTryAgain: boolean; readonly isTaken: boolean },
): StatusOutcome | Unconfirmed {
  const answer = readAnswer(ending);
  if (answer.kind === 'none') return unknown(answer.reason, false);
  if (answer.kind === 'errors') return unknown(answer.message, true);
  const { content } = answer;
  if (Array.isArray(content) && content.length === 0) {
    return isTaken
      ? unknown('the external_id is taken, and not listed', true)
      : { kind: 'not_found' };
  }
  const ours = listOf(content).find(
    (one) => textOf(objectOf(one)?.['external_id']) === expected.externalId,
  );
  const found = fitting(ours, expected);
  if (typeof found === 'string') return unknown(found, false);
  const meaning = meaningOf(found, expected);
  switch (meaning.kind) {
    case 'paid':
    case 'declined':
    case 'reversed':
      return meaning;
    case 'created':
      return { kind: 'unconfirmed', id: found.id };
    case 'try_again':
      return mayTryAgain
        ? { kind: 'not_found' }
        : declined(found.message, 'operator_refused', found.message);
    default:
      return { ...unknown(found.message, true), operatorHandle: found.id };
  }
}

function fitting(content: unknown, expected: Expected): Transaction | string {
  const found = readTransaction(content);
  if (found === undefined) return 'the answer is no transaction';
  return misfitOf(found, expected) ?? found;
}
