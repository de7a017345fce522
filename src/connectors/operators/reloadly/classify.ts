import type { Ending } from '../../../platform/outbound/exchange.ts';
import type {
  Declined,
  NotSent,
  PaymentOutcome,
  StatusOutcome,
  Unknown,
} from '../../operator-outcomes.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { listOf, objectOf, readJson, textOf } from '../../values.ts';
import { refusalIfAbsent, refusalOf } from './codes.ts';
import { formatHandle } from './handle.ts';
import type { Handle } from './handle.ts';
import type { AmountsIn } from './requests.ts';
import { isAbout, paidBy, readTransaction } from './transaction.ts';
import type { Transaction } from './transaction.ts';

/** The instruction that an answer should be about, and how it is read. */
export interface Asked {
  readonly reference: string;
  readonly account: string;
  readonly amountsIn: AmountsIn;
  readonly handle: Handle;
  readonly nowMs: number;
  /** Time after which FAILED, or an error with nothing in the report, is proof. */
  readonly settlesAfterMs: number;
}

/** Reloadly's own error body. The framework's has no errorCode, and is not read as one. */
export interface ErrorBody {
  readonly httpStatus: number;
  readonly code: string;
  readonly message: string;
}

export function readError(ending: Ending): ErrorBody | undefined {
  if (ending.kind !== 'answer' || ending.httpStatus < 400) return undefined;
  const body = objectOf(readJson(ending.body));
  const code = body?.['errorCode'];
  if (typeof code !== 'string' || !/^[A-Z][A-Z_]{1,79}$/.test(code)) return undefined;
  const message = cleanMessage(textOf(body?.['message']) ?? '');
  return { httpStatus: ending.httpStatus, code, message };
}

/** The token was refused, so a new one may be tried at once. */
export function refusesToken(ending: Ending): boolean {
  const error = readError(ending);
  return error?.httpStatus === 401 && error.code !== 'INVALID_CREDENTIALS';
}

/** The body of a success; otherwise why it is missing. */
export function readBody(ending: Ending): unknown {
  if (ending.kind !== 'answer' || ending.httpStatus !== 200) return undefined;
  return readJson(ending.body);
}

/** A refusal before any attempt. Undefined: the answer does not prove one. */
export function refused(ending: Ending): Declined | NotSent | undefined {
  if (ending.kind === 'nothing_written') return notSent(ending.reason, { answered: false });
  const error = readError(ending);
  const meaning = error && refusalOf(error.code);
  if (error === undefined || meaning === undefined) return undefined;
  if (error.httpStatus > 499 && error.code !== 'OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE') {
    return undefined;
  }
  if (meaning !== 'try_again' && meaning !== 'paused') {
    return declined(error.code, meaning, error.message);
  }
  const reason = `${error.code}: ${error.message}`;
  return notSent(reason, { answered: true, operatorPaused: meaning === 'paused' });
}

/** The outcome of an instruction. */
export function classifyTopUp(ending: Ending, asked: Asked): PaymentOutcome {
  const refusal = refused(ending);
  if (refusal !== undefined) return refusal;
  if (ending.kind !== 'answer') return unknown(ending.reason, false);
  const error = readError(ending);
  if (error !== undefined) return afterError(error, asked);
  const transaction = readTransaction(readBody(ending));
  if (transaction === undefined) return unknown(noAnswer(ending.httpStatus), false);
  if (!isAbout(transaction, asked)) return unknown('the answer is about another top-up', false);
  const outcome = outcomeOf(transaction, asked);
  // Refunded already: our float has it back, and nothing else will happen.
  return outcome.kind === 'reversed' ? declined('REFUNDED', 'declined', outcome.message) : outcome;
}

/** Some errors are kept in the handle: the report decides later what they prove. */
function afterError({ httpStatus, code, message }: ErrorBody, asked: Asked): Unknown {
  const answered = unknown(`${code}: ${message}`, httpStatus < 500);
  return refusalIfAbsent(code) === undefined
    ? answered
    : { ...answered, operatorHandle: formatHandle(withRefusal(asked, code)) };
}

function withRefusal({ handle, nowMs }: Asked, code: string): Handle {
  return { ...handle, refused: handle.refused ?? { code, firstSeenMs: nowMs } };
}

/** The outcome of an instruction according to the report. */
export function classifyReport(ending: Ending, asked: Asked): StatusOutcome {
  if (ending.kind !== 'answer') return unknown(ending.reason, false);
  const error = readError(ending);
  if (error !== undefined) return unknown(`${error.code}: ${error.message}`, true);
  const body = objectOf(readBody(ending));
  const rows = body?.['content'];
  if (body === undefined || !Array.isArray(rows))
    return unknown(noAnswer(ending.httpStatus), false);
  const all = listOf(rows).map((row) => readTransaction(row));
  if (all.length === 0) return textOf(body['totalElements']) === '0' ? absent(asked) : UNREADABLE;
  const [first, ...others] = all.filter((row) => row !== undefined && isAbout(row, asked));
  // If the filter was not applied, a missing payment proves nothing.
  if (first === undefined) return UNREADABLE;
  if (others.length > 0) return unknown('Reloadly lists several top-ups for this payment', true);
  return outcomeOf(first, asked);
}

const UNREADABLE = unknown('the report is not about this payment', false);

function absent(asked: Asked): StatusOutcome {
  const { refused: seen } = asked.handle;
  const failureCode = seen === null ? undefined : refusalIfAbsent(seen.code);
  if (seen === null || failureCode === undefined) return { kind: 'not_found' };
  return isOver(asked)
    ? declined(seen.code, failureCode, 'Refused by the operator')
    : unknown(`${seen.code}: not final yet`, true);
}

function isOver({ handle, nowMs, settlesAfterMs }: Asked): boolean {
  return handle.refused !== null && nowMs >= handle.refused.firstSeenMs + settlesAfterMs;
}

export function outcomeOf(
  transaction: Transaction,
  asked: Asked,
): Exclude<StatusOutcome, { kind: 'not_found' }> {
  switch (transaction.status) {
    case 'SUCCESSFUL':
      return paidBy(transaction, asked.amountsIn) ?? unknown('paid, without an amount', false);
    case 'REFUNDED':
      return { kind: 'reversed', message: 'Refunded by Reloadly' };
    case 'FAILED': {
      if (isOver(asked)) return declined('FAILED', 'declined', 'Failed at Reloadly');
      const operatorHandle = formatHandle(withRefusal(asked, 'FAILED'));
      return { ...unknown('failed, not final yet', true), operatorHandle };
    }
    default:
      return unknown(`being processed by the operator: ${cleanMessage(transaction.status)}`, true);
  }
}

function noAnswer(httpStatus: number): string {
  return `HTTP ${httpStatus} without an answer of Reloadly`;
}
