import { csvValue } from '../../src/platform/base/csv.ts';
import { operatorReferenceOf } from './answers.ts';
import { amountText } from './amounts.ts';
import type { Book } from './book.ts';

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
  for (const payment of book.paidBy(operator)) {
    const paidAtMs = payment.paidAtMs ?? 0;
    if (paidAtMs < Number(from) || paidAtMs >= Number(to)) continue;
    const { reference, biller, account, amount } = payment.instruction;
    yield [
      'payment',
      new Date(paidAtMs).toISOString(),
      operatorReferenceOf(payment),
      reference,
      biller,
      csvValue(account),
      amount,
      'KES',
    ]
      .join(',')
      .concat('\r\n');
  }
  yield balanceLine('closing', to, book.balanceCents(operator, Number(to)));
}

function balanceLine(type: string, at: Date, cents: bigint): string {
  return `${type},${at.toISOString()},,,,,${amountText(cents)},KES\r\n`;
}
