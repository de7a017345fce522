import type { WireTime } from '../../../platform/base/clock.ts';
import { parseIsoTime } from '../../../platform/base/clock.ts';
import { readCsv } from '../../../platform/base/csv.ts';
import type { CsvLine } from '../../../platform/base/csv.ts';
import { centsOf } from '../../connectors/values.ts';
import type { LineProblem, StatementLine } from './line.ts';

/** Titles of the columns. Amounts that begin with a minus are debits. */
export interface Columns {
  readonly time: string;
  readonly amount: string;
  readonly reference: string;
  readonly text: string;
}

/** The lines of a bank statement as CSV with a line of titles. */
export async function* readCsvStatement(
  file: string,
  columns: Columns,
  wireTime: WireTime,
): AsyncGenerator<StatementLine | LineProblem> {
  let titles: readonly string[] | undefined;
  for await (const row of readCsv(file)) {
    if (titles !== undefined) {
      yield lineOf(row, (name) => row.values[titles?.indexOf(columns[name]) ?? -1] ?? '', wireTime);
      continue;
    }
    titles = row.values.map((title) => title.trim());
    const missing = Object.values(columns).filter((title) => titles?.includes(title) !== true);
    if (missing.length === 0) continue;
    yield { line: row.line, problem: `there is no column ${missing.join(', ')}` };
    return;
  }
}

function lineOf(
  { line, problem }: CsvLine,
  read: (name: keyof Columns) => string,
  wireTime: WireTime,
): StatementLine | LineProblem {
  if (problem !== undefined) return { line, problem };
  const amount = read('amount').trim().replaceAll(',', '');
  const isCredit = !amount.startsWith('-');
  const amountCents = centsOf(amount.replace(/^[+-]/, ''));
  const at = timeOf(read('time').trim(), wireTime);
  const reference = read('reference').trim();
  if (amountCents === undefined) return { line, problem: 'the amount is not valid' };
  if (at === undefined) return { line, problem: 'the time is not valid' };
  if (reference === '') return { line, problem: 'the reference is missing' };
  return { line, at, amountCents, isCredit, reference, text: read('text') };
}

/** `YYYY-MM-DD`, with a time of day or not; ISO 8601 with an offset. */
function timeOf(text: string, wireTime: WireTime): Date | undefined {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  return wireTime.parse(isDay ? `${text} 00:00:00` : text) ?? parseIsoTime(text);
}
