import { csvValue } from '../../src/platform/base/csv.ts';
import { operatorReferenceOf } from './answers.ts';
import { amountText } from './amounts.ts';
import type { Book, Payment } from './book.ts';

const STATEMENT_HEADER = 'type,time,operator_reference,reference,biller,account,amount,currency';

/** The operator's statement of a period (from <= time < to), line by line, from what it really paid. */
export function* statementLines(
  book: Book,
  operator: string,
  period: { readonly from: Date; readonly to: Date },
): Generator<string> {
  const { from, to } = period;
  yield `${STATEMENT_HEADER}\r\n`;
  yield balanceLine('opening', from, book.balanceCents(operator, Number(from)));
  const isWithin = (ms: number): boolean => ms >= Number(from) && ms < Number(to);
  for (const payment of book.paidBy(operator)) {
    const { paidAtMs, reversedAtMs } = payment;
    if (paidAtMs !== null && isWithin(paidAtMs)) yield paymentLine('payment', paidAtMs, payment);
    if (reversedAtMs !== null && isWithin(reversedAtMs)) {
      yield paymentLine('reversal', reversedAtMs, payment);
    }
  }
  for (const [index, { atMs, cents }] of book.floatChangesOf(operator).entries()) {
    if (cents === 0n || !isWithin(atMs)) continue;
    const type = cents > 0n ? 'top_up' : 'charge';
    const amount = amountText(cents > 0n ? cents : -cents);
    yield `${type},${new Date(atMs).toISOString()},FLOAT-${index + 1},,,,${amount},KES\r\n`;
  }
  yield balanceLine('closing', to, book.balanceCents(operator, Number(to)));
}

function paymentLine(type: 'payment' | 'reversal', atMs: number, payment: Payment): string {
  const { reference, biller, account } = payment.instruction;
  const amount = amountText(payment.takenCents);
  const time = new Date(atMs).toISOString();
  const own = operatorReferenceOf(payment);
  return `${[type, time, own, reference, biller, csvValue(account), amount, 'KES'].join(',')}\r\n`;
}

function balanceLine(type: string, at: Date, cents: bigint): string {
  return `${type},${at.toISOString()},,,,,${amountText(cents)},KES\r\n`;
}
