import type { WireTime } from '../../../platform/base/clock.ts';
import { parseIsoTime, startOfNamedDay } from '../../../platform/base/clock.ts';
import { readCsv } from '../../../platform/csv-file.ts';
import type { CsvLine } from '../../../platform/base/csv.ts';
import type { FileEncoding } from '../../../platform/csv-file.ts';
import { CURRENCY } from '../../../platform/base/money.ts';
import { isAmbiguous, signedAmount } from './amounts.ts';
import { readDay } from './dates.ts';
import type { LineProblem, StatementLine } from '../../source-statements.ts';
import type { Columns, CsvRules } from './settings.ts';

/** The titles may be this far down: banks put the account and the period above them. */
const MAX_LINES_ABOVE = 50;

type Row = (name: keyof Columns) => string;

/** The lines of a bank statement as CSV. What is above the line of titles is skipped. */
export async function* readCsvStatement(
  file: { readonly path: string; readonly encoding: FileEncoding },
  rules: CsvRules,
  wireTime: WireTime,
): AsyncGenerator<StatementLine | LineProblem> {
  let titles: readonly string[] | undefined;
  let closest = { line: 1, missing: Object.values(rules.columns) };
  let delimiter: { readonly line: number; readonly sign: string } | undefined;
  for await (const row of readCsv(file.path, file.encoding)) {
    if (titles !== undefined) {
      const line = lineOf(row, titles, rules, wireTime);
      if (line !== undefined) yield line;
      continue;
    }
    const found = row.values.map((title) => title.trim());
    const missing = Object.values(rules.columns).filter((title) => !found.includes(title));
    if (missing.length === 0) {
      titles = found;
      const problem = statusProblem(titles, rules.columns);
      if (problem !== undefined) yield { line: row.line, problem };
    }
    const sign = delimiterOf(row.values, rules.columns);
    if (sign !== undefined) delimiter ??= { line: row.line, sign };
    if (missing.length > 0 && missing.length < closest.missing.length) {
      closest = { line: row.line, missing };
    }
    if (titles === undefined && row.line > MAX_LINES_ABOVE) break;
  }
  if (titles !== undefined) return;
  if (delimiter !== undefined) {
    const { line, sign } = delimiter;
    const problem = `the values are separated by ${sign}, not by commas: export the file again with commas`;
    yield { line, problem };
    return;
  }
  yield { line: closest.line, problem: `there is no column ${closest.missing.join(', ')}` };
}

const DELIMITERS = { semicolons: ';', tabs: '\t', bars: '|' } as const;

/** What separates the titles, if it is no comma. */
function delimiterOf(values: readonly string[], columns: Columns): string | undefined {
  // A comma in a title cuts the line in pieces as well.
  const line = values.join(',');
  const found = Object.entries(DELIMITERS).find(([, sign]) => {
    const titles = new Set(line.split(sign).map((title) => title.trim()));
    return Object.values(columns).every((title) => titles.has(title));
  });
  return found?.[0];
}

/** Titles of columns that say whether the money moved, in English and Swahili. */
const STATUS_TITLE = /\b(?:status|state|outcome|result|hali)\b/i;
/** Texts that stand alone in such a column, whatever its title. */
const NOT_MOVED =
  /^(?:failed|failure|unsuccessful|declined|rejected|cancell?ed|reversed|expired|pending|initiated|timed out|(?:ime)?(?:shindwa|shindikana|kataliwa|ghairiwa|rejeshwa)|inasubiri)$/i;

/** A file that says which of its rows were not paid must not be read without that. */
function statusProblem(titles: readonly string[], { status }: Columns): string | undefined {
  if (status !== undefined) return undefined;
  const title = titles.find((each) => STATUS_TITLE.test(wordsOf(each)));
  return title === undefined ? undefined : statusText(title);
}

/** `TXN_STATUS` and `TransactionStatus` as words. */
function wordsOf(title: string): string {
  return title.replaceAll(/[_.-]+/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
}

/** The title of a column that the settings do not name and that says that this row was not paid. */
function statusColumn(
  titles: readonly string[],
  values: readonly string[],
  columns: Columns,
): string | undefined {
  if (columns.status !== undefined) return undefined;
  const named = new Set(Object.values(columns));
  return titles.find(
    (title, index) => !named.has(title) && NOT_MOVED.test(values[index]?.trim() ?? ''),
  );
}

function statusText(title: string): string {
  return `the column ${title} says whether the money moved, and the settings do not name it: set status in columns to “${title}”, and booked_status to what it says about movements that were made`;
}

function lineOf(
  row: CsvLine,
  titles: readonly string[],
  rules: CsvRules,
  wireTime: WireTime,
): StatementLine | LineProblem | undefined {
  const { line, values, problem } = row;
  const { columns, dateFormat, decimalSeparator, bookedStatus } = rules;
  if (problem !== undefined) return { line, problem };
  if (values.every((value) => value.trim() === '')) return undefined;
  // A comma that is not quoted moves every value behind it to another column.
  if (values.length < titles.length || values.slice(titles.length).some((value) => value !== '')) {
    return {
      line,
      problem: `it has ${values.length} values, and there are ${titles.length} titles`,
    };
  }
  const read: Row = (name) => values[titles.indexOf(columns[name] ?? '')]?.trim() ?? '';
  const cents = centsOf(read, columns, decimalSeparator);
  const at = timeOf(read('time'), dateFormat, wireTime);
  const reference = read('reference');
  if (cents === 0n) return undefined;
  if (bookedStatus !== undefined && !bookedStatus.includes(read('status').toLowerCase())) {
    const nothing = { at: at ?? new Date(0), amountCents: 0n, reference, text: read('text') };
    return { line, kind: 'pending', ...nothing };
  }
  const unnamed = statusColumn(titles, values, columns);
  if (unnamed !== undefined) return { line, problem: statusText(unnamed) };
  if (cents === undefined) return { line, problem: amountProblem(read, columns, decimalSeparator) };
  if (at === undefined) return { line, problem: 'the time is not valid' };
  if (reference === '') return { line, problem: 'the reference is missing' };
  if (columns.currency !== undefined && read('currency').toUpperCase() !== CURRENCY) {
    return { line, problem: `the currency is not ${CURRENCY}` };
  }
  const kind = cents > 0n ? 'credit' : 'debit';
  const amountCents = cents > 0n ? cents : -cents;
  return { line, at, amountCents, kind, reference, text: read('text') };
}

/** Negative: money went out. Zero: nothing moved. Undefined: not an amount. */
function centsOf(read: Row, columns: Columns, separator: '.' | ','): bigint | undefined {
  if (columns.amount !== undefined) return signedAmount(read('amount'), separator);
  const [credit, debit] = [read('credit'), read('debit')];
  if (credit === '' && debit === '') return undefined;
  const added = credit === '' ? 0n : signedAmount(credit, separator);
  const taken = debit === '' ? 0n : signedAmount(debit, separator);
  if (added === undefined || taken === undefined) return undefined;
  // Some banks write debits with a minus, also in a column of their own.
  const size = taken < 0n ? -taken : taken;
  if (added < 0n || (added > 0n && size > 0n)) return undefined;
  return added - size;
}

/** Why a row has no amount. */
function amountProblem(read: Row, columns: Columns, separator: '.' | ','): string {
  const names = ['amount', 'credit', 'debit'] as const;
  const name = names.find((each) => isAmbiguous(read(each), separator));
  if (name === undefined) return 'the amount is not valid';
  const other = separator === '.' ? ',' : '.';
  return `${read(name)} in the column ${columns[name] ?? name} is ambiguous: “${separator}” may be the decimal separator or the separator of thousands. If it separates thousands, set decimal_separator to “${other}” in the settings of the source. If not, export the file with exactly two decimals`;
}

/** The day in the source's format, or ISO 8601; with a time of day or not. */
function timeOf(text: string, dateFormat: string, wireTime: WireTime): Date | undefined {
  const iso = parseIsoTime(text);
  if (iso !== undefined) return iso;
  const { day, rest } = readDay(text, dateFormat) ?? { day: '', rest: '' };
  const [, time, seconds = ':00'] = /^(?:[ T](\d\d:\d\d)(:\d\d)?)?$/.exec(rest) ?? [];
  if (day === '' || (rest !== '' && time === undefined)) return undefined;
  if (time === undefined) return startOfNamedDay(day, wireTime);
  return wireTime.parse(`${day} ${time}${seconds}`);
}
