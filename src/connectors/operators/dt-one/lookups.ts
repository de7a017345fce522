import { CURRENCY } from '../../../platform/base/money.ts';
import type { FloatMovement, StatementPage, StatementQuery } from '../../operator-statements.ts';
import type { AccountAnswer, BalanceAnswer } from '../../operator.ts';
import { centsOf, decimalCents, listOf, objectOf, textOf } from '../../values.ts';
import { goesOn } from './classify.ts';
import type { Answer } from './classify.ts';
import { readTransaction } from './transaction.ts';
import type { Transaction } from './transaction.ts';

function noAnswer(answer: Exclude<Answer, { kind: 'content' }>): {
  readonly kind: 'unknown';
  readonly reason: string;
} {
  return { kind: 'unknown', reason: answer.kind === 'errors' ? answer.message : answer.reason };
}

/** Reads the balance of the account in KES. Parts of a cent are left out. */
export function readBalance(answer: Answer): BalanceAnswer {
  if (answer.kind !== 'content') return noAnswer(answer);
  const account = listOf(answer.content)
    .map((one) => objectOf(one))
    .find((one) => one?.['unit'] === CURRENCY);
  const balanceCents = decimalCents(textOf(account?.['available']), 'down');
  return balanceCents === undefined
    ? { kind: 'unknown', reason: `no balance in ${CURRENCY}`, answered: true }
    : { kind: 'balance', balanceCents };
}

/** The amount due is the sum of all statements, the due date the earliest. */
export function readStatementInquiry(answer: Answer): AccountAnswer {
  if (answer.kind !== 'content') return noAnswer(answer);
  const statements = listOf(answer.content).map((one) => objectOf(one));
  if (statements.length === 0) return { kind: 'unknown', reason: 'no statement' };
  let amountDueCents: bigint | null = 0n;
  const dates: string[] = [];
  for (const statement of statements) {
    const balance = objectOf(statement?.['balance']);
    const amount = textOf(balance?.['amount']) ?? '';
    const cents = /^0(\.0+)?$/.test(amount) ? 0n : centsOf(amount);
    const isReadable = balance?.['unit'] === CURRENCY && cents !== undefined;
    amountDueCents = isReadable && amountDueCents !== null ? amountDueCents + cents : null;
    const due = textOf(objectOf(statement?.['dates'])?.['due'])?.slice(0, 10) ?? '';
    if (/^\d{4}-\d{2}-\d{2}$/.test(due)) dates.push(due);
  }
  return { kind: 'valid', name: null, amountDueCents, dueDate: dates.toSorted()[0] ?? null };
}

/** A number is valid if some mobile operator is identified for it. */
export function readMobileNumber(answer: Answer): AccountAnswer {
  if (answer.kind === 'errors' && answer.codes.includes('1005003')) {
    return { kind: 'invalid', message: 'The mobile number is not valid' };
  }
  if (answer.kind !== 'content') return noAnswer(answer);
  const isKnown = listOf(answer.content).some((one) => objectOf(one)?.['identified'] === true);
  return isKnown
    ? { kind: 'valid', name: null, amountDueCents: null, dueDate: null }
    : { kind: 'unknown', reason: 'no operator is identified' };
}

/** Windows of the look-up are at most 24 hours. */
const WINDOW_MS = 86_400_000;

export interface Window {
  readonly from: Date;
  readonly to: Date;
  readonly page: number;
}

/** @param query `cursor` is the start of a window and a page in it. */
export function windowOf({ from, to, cursor }: StatementQuery): Window {
  const [, startMs, page] = /^(\d{1,15})-(\d{1,6})$/.exec(cursor ?? '') ?? [];
  const start = startMs === undefined ? from : new Date(Number(startMs));
  const end = new Date(Math.min(start.getTime() + WINDOW_MS, to.getTime()));
  return { from: start, to: end, page: Number(page ?? 1) };
}

export function readStatement(
  answer: Answer,
  by: {
    readonly window: Window;
    readonly to: Date;
    readonly billerOf: (productId: string) => string | null;
  },
): StatementPage {
  if (answer.kind !== 'content') return noAnswer(answer);
  if (!Array.isArray(answer.content)) return { kind: 'unknown', reason: 'the answer is no list' };
  const { from, to, page } = by.window;
  const movements = listOf(answer.content).flatMap((one) => {
    const found = readTransaction(one);
    return found === undefined ? [] : movementsOf(found, by.billerOf(found.productId));
  });
  const isMore = goesOn(answer, page);
  const next = isMore ? `${from.getTime()}-${page + 1}` : `${to.getTime()}-1`;
  return { kind: 'page', movements, next: isMore || to < by.to ? next : null };
}

/** Deliveries, and their reversals. */
function movementsOf(found: Transaction, billerCode: string | null): FloatMovement[] {
  const { at, deliveredCents: amountCents, classId, id } = found;
  if (at === undefined || amountCents === undefined || !['7', '8'].includes(classId)) return [];
  const reference = found.externalId.slice(0, found.externalId.lastIndexOf('-'));
  const common = {
    at,
    reference: reference === '' ? null : reference,
    billerCode,
    account: found.account ?? null,
    amountCents,
  };
  const payment = { ...common, kind: 'payment', operatorReference: id } as const;
  const reversal = { ...common, kind: 'reversal', operatorReference: `${id}-reversed` } as const;
  return classId === '8' ? [payment, reversal] : [payment];
}
