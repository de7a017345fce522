import { CURRENCY } from '../../../platform/base/money.ts';
import type { WireTime } from '../../../platform/base/clock.ts';
import { foreignCurrency, isAmbiguous, signedAmount } from './amounts.ts';
import type { DecimalSign } from './amounts.ts';
import { readTime } from './dates.ts';
import { notMovedProblem } from './status-column.ts';
import type { TableRow } from '../../../platform/base/tables.ts';
import type { StatementTable } from './tables.ts';
import type {
  LineKind,
  LineProblem,
  StatementLine,
  StatementNote,
} from '../../source-statements.ts';
import type { ColumnName, TableRules } from './settings.ts';

/** Reading of the rows of a table. */
export interface RowContext {
  readonly table: StatementTable;
  readonly rules: TableRules;
  readonly decimal: DecimalSign;
  readonly wireTime: WireTime;
}

/** A row: a movement, something that is none, or more text of the row before. The balance is the one after it. */
export type ReadRow =
  | {
      readonly kind: 'line';
      readonly line: StatementLine | LineProblem;
      readonly balance?: bigint | undefined;
    }
  | NoteRow
  | { readonly kind: 'more'; readonly text: string; readonly balance?: undefined };

interface NoteRow {
  readonly kind: 'note';
  readonly note: StatementNote;
  readonly balance?: bigint | undefined;
}

/** Words about balances and totals, in English and Swahili. */
const BALANCE_TEXT =
  /\bbal(?:ance)?\b|\b(?:brought|carried)[ -]forward\b|\b[bc][/.]?[fd]\b|\b(?:opening|closing)\b|\bsalio\b/i;
const TOTAL_TEXT = /\b(?:sub-?|grand )?totals?\b|\bjumla\b/i;

/** Undefined: the row says nothing. */
export function readRow(row: TableRow, context: RowContext): ReadRow | undefined {
  const { line, problem } = row;
  const bad = (text: string): ReadRow => ({ kind: 'line', line: { line, problem: text } });
  if (problem !== undefined) return bad(problem);
  const values = row.values.map((value) => value.trim());
  const filled = values.flatMap((value, index) => (value === '' ? [] : [index]));
  if (filled.length === 0) return undefined;
  const reader = readerOf(row, values, context);
  const text = filled.map((index) => values[index]).join(' ');
  const note = (name: StatementNote['note'], about: Pick<NoteRow, 'balance'> = {}): NoteRow => ({
    ...{ kind: 'note', note: { line, note: name, text }, ...about },
  });
  if (context.table.titles.every((title, index) => (values[index] ?? '') === title))
    return note('text');
  const only = filled.length === 1 ? filled[0] : undefined;
  if (only !== undefined && isRemark(values[only] ?? '', context)) {
    const isText =
      only === context.table.places.get('text') && values.length >= context.table.titles.length;
    return isText ? { kind: 'more', text } : note('text');
  }
  const shape = shapeProblem(row, values, context);
  if (shape !== undefined) return bad(shape);
  const balance = reader.balance();
  if (balance === 'invalid') return bad(reader.amountProblem('balance'));
  const other = otherRow(reader, context);
  if (other !== undefined) {
    const made = note(other.note, { balance });
    return { ...made, note: { ...made.note, ...other } };
  }
  const movement = movementOf(row.line, values, reader, context);
  return movement && { kind: 'line', line: movement, balance };
}

/** A footer, or the rest of a text: words, and no beginning of a row that was cut off. */
function isRemark(value: string, { rules, wireTime }: RowContext): boolean {
  return /\p{L}{3}/u.test(value) && readTime(value, rules.dateFormats, wireTime) === undefined;
}

function shapeProblem(
  { values: raw, line }: TableRow,
  values: readonly string[],
  { table: { titles, delimiter }, rules }: RowContext,
): string | undefined {
  // Excel leaves out empty cells at the end. In CSV, a delimiter that is not quoted moves every value behind it.
  const isShort = delimiter !== undefined && values.length < titles.length;
  if (isShort || values.slice(titles.length).some((value) => value !== '')) {
    return `it has ${values.length} values, and there are ${titles.length} titles`;
  }
  if (delimiter === undefined || rules.acceptedLines?.has(line) === true) return undefined;
  const swallowed = raw.find(
    (value) => value.includes('\n') && value.split(delimiter).length >= titles.length,
  );
  return swallowed === undefined
    ? undefined
    : `a quoted value contains what may be whole lines, which a payer’s quotes may have joined. Compare it with what the bank shows; if the bank shows it so, import the file with --accept-line ${line}`;
}

interface RowReader {
  readonly read: (name: ColumnName) => string;
  readonly cents: (name: ColumnName) => bigint | undefined;
  /** Undefined: there is none. */
  readonly balance: () => bigint | undefined | 'invalid';
  readonly amountProblem: (name: ColumnName) => string;
  readonly at: () => Date | undefined;
}

function readerOf(row: TableRow, values: readonly string[], context: RowContext): RowReader {
  const { table, rules, decimal, wireTime } = context;
  const read = (name: ColumnName): string => values[table.places.get(name) ?? -1] ?? '';
  const signOf = (name: ColumnName): DecimalSign =>
    row.numbers?.has(table.places.get(name) ?? -1) === true ? '.' : decimal;
  const cents = (name: ColumnName): bigint | undefined => signedAmount(read(name), signOf(name));
  return {
    ...{ read, cents },
    balance: () => {
      if (read('balance') === '') return undefined;
      return cents('balance') ?? 'invalid';
    },
    amountProblem: (name) => amountProblem(read(name), rules.columns[name] ?? name, signOf(name)),
    at: () => readTime(read('time'), rules.dateFormats, wireTime),
  };
}

/** Why a cell is no amount. */
function amountProblem(text: string, title: string, sign: DecimalSign): string {
  if (text === '') return `the amount in the column ${title} is missing`;
  const currency = foreignCurrency(text);
  if (currency !== undefined) {
    return `the currency of ${text} in the column ${title} is ${currency}, not ${CURRENCY}`;
  }
  if (!isAmbiguous(text, sign)) return `${text} in the column ${title} is not a valid amount`;
  const other = sign === '.' ? ',' : '.';
  return `${text} in the column ${title} is ambiguous: “${sign}” may be the decimal separator or the separator of thousands. If it separates thousands, set decimal_separator to “${other}” in the settings of the source. If not, export the file with exactly two decimals`;
}

/** Opening and closing balances and totals, which have no reference. Undefined: the row is none of them. */
function otherRow(
  { read, cents }: RowReader,
  { table: { places } }: RowContext,
): Pick<StatementNote, 'note' | 'total'> | undefined {
  if (read('reference') !== '') return undefined;
  const [isDated, text] = [read('time') !== '', read('text') || read('time')];
  const isEmpty = (['amount', 'credit', 'debit'] as const).every((name) => read(name) === '');
  const hasReferences = places.has('reference');
  if (TOTAL_TEXT.test(text) && (!isDated || read('time') === text) && !isEmpty) {
    const sums = { credit: cents('credit'), debit: cents('debit') };
    const debit = sums.debit !== undefined && sums.debit < 0n ? -sums.debit : sums.debit;
    return { note: 'total', ...(places.has('credit') && { total: { ...sums, debit } }) };
  }
  if (isEmpty && (BALANCE_TEXT.test(text) || read('balance') !== '')) return { note: 'balance' };
  if (isEmpty && hasReferences) return { note: 'text' };
  return hasReferences && BALANCE_TEXT.test(text) ? { note: 'balance' } : undefined;
}

/** Excel writes large numbers so, and has lost their last digits. */
const CHANGED_NUMBER = /^\d(?:[.,]\d+)?E\+\d+$/i;

/** Undefined: nothing moved. */
function movementOf(
  line: number,
  values: readonly string[],
  reader: RowReader,
  { table, rules }: RowContext,
): StatementLine | LineProblem | undefined {
  const { read } = reader;
  const { columns, bookedStatus } = rules;
  const cents = centsOf(reader, table);
  const reference = read('reference');
  const at = reader.at();
  if (cents === 0n) return undefined;
  if (bookedStatus !== undefined && !bookedStatus.includes(read('status').toLowerCase())) {
    const nothing = { at: at ?? new Date(0), amountCents: 0n, reference, text: read('text') };
    return { line, kind: 'pending', ...nothing };
  }
  const problem =
    notMovedProblem(values, table, rules) ??
    (cents === undefined ? movementProblem(reader, table) : undefined) ??
    (at === undefined ? timeProblem(read('time'), rules) : undefined) ??
    referenceProblem(reference, cents ?? 0n, table) ??
    (table.places.has('currency') && read('currency').toUpperCase() !== CURRENCY
      ? `the currency is not ${CURRENCY}`
      : undefined);
  if (problem !== undefined || cents === undefined || at === undefined) {
    return { line, problem: problem ?? '' };
  }
  const balance = reader.balance();
  return {
    ...{ line, at, reference, text: read('text') },
    ...(typeof balance === 'bigint' && { balanceCents: balance }),
    amountCents: cents > 0n ? cents : -cents,
    ...typedOf(cents > 0n, reader, rules),
    ...(columns.account !== undefined && { account: read('account') }),
    ...(table.places.has('payer') && { payer: read('payer') }),
  };
}

/** The kind of the movement: by its side, and by the provider's word for it if there is a column. */
function typedOf(
  isCredit: boolean,
  { read }: RowReader,
  { typeOf }: TableRules,
): Pick<StatementLine, 'kind' | 'type' | 'isUnknownType' | 'returns'> {
  if (typeOf === undefined) return { kind: isCredit ? 'credit' : 'debit' };
  const type = read('type');
  const meaning = typeOf(type);
  if (meaning === 'reversal' && !isCredit) {
    return { type, kind: 'credit_returned', returns: [read('linked')].filter((one) => one !== '') };
  }
  const kinds: Readonly<Record<typeof meaning, LineKind>> = {
    ...{ payment: 'credit', reversal: 'debit_returned', movement: 'no_payment', unknown: 'credit' },
  };
  return isCredit
    ? { type, kind: kinds[meaning], ...(meaning === 'unknown' && { isUnknownType: true }) }
    : { type, kind: 'debit' };
}

/** Negative: money went out. Zero: nothing moved. Undefined: not an amount. */
function centsOf({ read, cents }: RowReader, { places }: StatementTable): bigint | undefined {
  if (places.has('amount')) return cents('amount');
  const [credit, debit] = [read('credit'), read('debit')];
  if (credit === '' && debit === '') return undefined;
  const added = credit === '' ? 0n : cents('credit');
  const taken = debit === '' ? 0n : cents('debit');
  if (added === undefined || taken === undefined) return undefined;
  // Some banks write debits with a minus, also in a column of their own.
  const size = taken < 0n ? -taken : taken;
  if (added < 0n || (added > 0n && size > 0n)) return undefined;
  return added - size;
}

function movementProblem(
  { read, cents, amountProblem: problemOf }: RowReader,
  { places }: StatementTable,
): string {
  if (places.has('amount')) return problemOf('amount');
  const name = (['credit', 'debit'] as const).find(
    (side) => read(side) !== '' && cents(side) === undefined,
  );
  if (name !== undefined) return problemOf(name);
  if (read('credit') === '' && read('debit') === '') return problemOf('credit');
  return `${read('credit')} in and ${read('debit')} out: a movement has one side`;
}

function timeProblem(text: string, { columns, dateFormats }: TableRules): string {
  if (text === '') return `the time in the column ${columns.time} is missing`;
  const formats = dateFormats.join(' or ');
  return `the time is not valid: ${text} in the column ${columns.time} is not ${formats}`;
}

function referenceProblem(
  reference: string,
  cents: bigint,
  { places, titles }: StatementTable,
): string | undefined {
  const place = places.get('reference');
  if (place === undefined) return undefined;
  if (CHANGED_NUMBER.test(reference)) {
    return `${reference} in the column ${titles[place]} is a number that a spreadsheet has shortened: export the file again, and do not open it before`;
  }
  return reference === '' && cents > 0n ? 'the reference is missing' : undefined;
}
