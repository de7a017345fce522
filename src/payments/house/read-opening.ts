import { readCsv } from '../../platform/csv-file.ts';
import { MONEY_PATTERN, parseMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { JournalLine } from './journal.ts';
import { MAX_OPENING_LINES } from './journal.ts';

const COLUMNS = ['account', 'debit', 'credit'];

/**
 * Reads an opening trial balance: a CSV file with the columns account, debit and credit. A line without an amount is
 * left out. Throws: `PlainError` with the first problem.
 */
export async function readOpening(file: string): Promise<JournalLine[]> {
  const lines: JournalLine[] = [];
  let count = 0;
  for await (const { line, values, problem } of readCsv(file)) {
    count += 1;
    if (problem !== undefined) throw wrong(line, problem);
    if (count === 1) {
      if (values.join(',') !== COLUMNS.join(','))
        throw wrong(line, `it must be ${COLUMNS.join(',')}`);
      continue;
    }
    lines.push(...readLine(line, values));
    if (lines.length > MAX_OPENING_LINES)
      throw wrong(line, `more than ${MAX_OPENING_LINES} accounts`);
  }
  return lines;
}

function readLine(line: number, values: readonly string[]): JournalLine[] {
  const [account = '', debit = '', credit = ''] = values.map((value) => value.trim());
  if (values.length !== COLUMNS.length) {
    throw wrong(line, `${values.length} values, ${COLUMNS.length} are required`);
  }
  const sides = [['debit', debit] as const, ['credit', credit] as const].flatMap(
    ([side, amount]) => {
      if (amount === '') return [];
      if (!MONEY_PATTERN.test(amount)) throw wrong(line, `${amount} is no amount such as 100.00`);
      return [{ account, side, amountCents: parseMoney(amount) }];
    },
  );
  return sides.filter(({ amountCents }) => amountCents > 0n);
}

const wrong = (line: number, text: string): PlainError =>
  new PlainError(`Line ${line}: ${text}.`, { field: 'lines' });
