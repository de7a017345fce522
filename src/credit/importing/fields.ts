import type { Day } from '../registry/account.ts';
import { isMissing } from '../registry/missing.ts';
import { MISSING_RULE, SPREADSHEET_RULE } from './column-remarks.ts';
import type { LenderRow } from './lender-file.ts';
import type { Finding } from './record.ts';
import { AMOUNT_COLUMNS } from './template.ts';
import type { Column } from './template.ts';
import type { AmountForm } from './unit.ts';

/** Some systems export a missing date in this way. */
const NO_DATE = '00000000';

/** With separators of thousands. `1,500` is not, because it may have a decimal comma. */
const WITH_THOUSANDS = {
  '.': /^\d{1,3}(?:[, \u00a0\u202f]\d{3})+\.\d{1,2}$/,
  ',': /^\d{1,3}(?:[. \u00a0\u202f]\d{3})+,\d{1,2}$/,
} as const;
const PLAIN = { '.': /^\d{1,13}(?:\.\d{1,2})?$/, ',': /^\d{1,13}(?:,\d{1,2})?$/ } as const;
const EXAMPLES = { '.': '1500, 1500.50 or 1,500.50', ',': '1500, 1500,50 or 1.500,50' } as const;

/** A spreadsheet shows a long number as `1.23E+08`, a narrow column as `####`, and errors by names. */
const SHORTENED = /^\d(?:[.,]\d+)?E[+-]\d{2,3}$/i;
const ERROR_CELL = /^(?:#{2,}|#(?:REF|VALUE|NAME|NUM|NULL|DIV\/0)[!?])$/i;
/** A spreadsheet keeps 15 digits of a number; the others become zeros. */
const EXACT_DIGITS = 15;

/** Columns in which 0 is a number, and NA a name or Namibia. */
const ZERO_IS_A_VALUE: ReadonlySet<Column> = new Set<Column>([
  ...AMOUNT_COLUMNS,
  'DaysInArrears',
  'InstalmentsInArrears',
  'RepaymentPeriod',
  'JointHolders',
]);
const NA_IS_A_VALUE: ReadonlySet<Column> = new Set<Column>([
  ...(['Surname', 'Forename1', 'Forename2', 'Forename3', 'TradingAs'] as const),
  ...(['Nationality', 'PostalCountry', 'PhysicalCountry'] as const),
]);

/** Collects the problems of one line while its fields are read. */
export class LineReader {
  readonly findings: Finding[] = [];
  /** Unusual values that do not keep the line from being imported. */
  readonly remarks: Finding[] = [];
  readonly #line: number;
  readonly #values: readonly string[];
  readonly #positions: ReadonlyMap<Column, number>;
  readonly #form: AmountForm;
  readonly #numbers: ReadonlySet<number> | undefined;
  readonly #remarked = new Set<string>();

  constructor(
    {
      line,
      values,
      numbers,
    }: Pick<LenderRow, 'line' | 'values'> & { readonly numbers: LenderRow['numbers'] | undefined },
    positions: ReadonlyMap<Column, number>,
    form: AmountForm,
  ) {
    this.#line = line;
    this.#values = values;
    this.#numbers = numbers;
    this.#positions = positions;
    this.#form = form;
  }

  /** True if the file has the column. */
  has(column: Column): boolean {
    return this.#positions.has(column);
  }

  /** True if an Excel file has the value as a number, which has no zeros in front. */
  isNumber(column: Column): boolean {
    const position = this.#positions.get(column);
    return position !== undefined && this.#numbers?.has(position) === true;
  }

  /** Finds values that a spreadsheet has damaged: what they were is lost. */
  findDamaged(columns: Iterable<Column>): void {
    for (const column of columns) {
      const value = this.#values[this.#positions.get(column) ?? -1] ?? '';
      if (value === '') continue;
      if (SHORTENED.test(value)) {
        this.fault(
          column,
          SPREADSHEET_RULE,
          `${column} must have all of its digits: a spreadsheet wrote it in the form 1.23E+08; format the column as text, and fill it in again`,
        );
      } else if (ERROR_CELL.test(value)) {
        this.fault(
          column,
          SPREADSHEET_RULE,
          `${column} must have its value: a spreadsheet wrote #### or the name of an error`,
        );
      } else if (this.isNumber(column) && value.replaceAll(/\D/g, '').length > EXACT_DIGITS) {
        this.fault(
          column,
          SPREADSHEET_RULE,
          `${column} must be text: a spreadsheet keeps only ${EXACT_DIGITS} digits of a number`,
        );
      }
    }
  }

  /**
   * The value of a column; empty text if the template has no such column, and, with a remark, if the
   * line has a word or a sign for a missing value.
   */
  text(column: Column): string {
    const position = this.#positions.get(column);
    const value = position === undefined ? '' : (this.#values[position] ?? '');
    if (value === '' || (value === NO_DATE && column.includes('Date'))) return '';
    const isValue = !isMissing(value, {
      zero: !ZERO_IS_A_VALUE.has(column),
      na: !NA_IS_A_VALUE.has(column),
    });
    if (isValue) return value;
    this.remarkMissing(column);
    return '';
  }

  /** Once for a column. */
  remarkMissing(column: Column): void {
    this.#remarkOnce(column, MISSING_RULE, `${column} has no value, and was read as empty`);
  }

  /** Once for a column: a spreadsheet has changed the value, which can be read all the same. */
  remarkChanged(column: Column, text: string): void {
    this.#remarkOnce(column, SPREADSHEET_RULE, `${column} ${text}`);
  }

  #remarkOnce(column: Column, rule: string, text: string): void {
    const key = `${rule} ${column}`;
    if (this.#remarked.has(key)) return;
    this.#remarked.add(key);
    this.remark(column, rule, text);
  }

  fault(field: Column | '', rule: string, text: string): void {
    this.findings.push({ line: this.#line, field, rule, text });
  }

  remark(field: Column, rule: string, text: string): void {
    this.remarks.push({ line: this.#line, field, rule, text, imported: true });
  }

  /** A required value; if it is missing, empty text and a finding. */
  required(column: Column): string {
    const value = this.text(column);
    if (value === '') this.fault(column, 'required', `${column} is required`);
    return value;
  }

  /** Free text of limited length, without control characters. */
  freeText(column: Column, maxCharacters: number): string {
    const value = this.text(column);
    if (value.length > maxCharacters || /[\p{Cc}\p{Cs}\ufffd]/u.test(value)) {
      this.fault(
        column,
        'text',
        `${column} must have at most ${maxCharacters} characters, all of them readable in UTF-8`,
      );
      return '';
    }
    return value;
  }

  /** One of the codes. Undefined, and a finding, if the value is missing or not one of them. */
  code<Code extends string>(column: Column, codes: readonly Code[]): Code | undefined {
    const value = this.required(column);
    if (value === '') return undefined;
    const code = codes.find((candidate) => candidate === value.toUpperCase());
    if (code === undefined) {
      this.fault(column, 'code', `${column} must be one of ${codes.join(', ')}`);
    }
    return code;
  }

  /** A valid date, returned as `YYYY-MM-DD`; undefined if missing or invalid. */
  day(column: Column): Day | undefined {
    const value = this.text(column);
    if (value === '') return undefined;
    const [, year = '', , month = '', date = ''] = ISO_DAY.exec(value) ?? [];
    const day = parseDay(year === '' ? value : `${year}${month}${date}`);
    if (day === undefined) {
      const why = dateProblem(value);
      this.fault(column, 'date', `${column} must be a valid date written as YYYYMMDD${why}`);
    } else if (year !== '') {
      this.remarkChanged(column, 'was read as YYYY-MM-DD, the form of a spreadsheet');
    }
    return day;
  }

  requiredDay(column: Column): Day | undefined {
    return this.required(column) === '' ? undefined : this.day(column);
  }

  /** An amount in cents; undefined if missing or invalid. */
  amount(column: Column): bigint | undefined {
    const value = this.text(column);
    return value === '' ? undefined : this.#centsOf(column, value);
  }

  #centsOf(column: Column, text: string): bigint | undefined {
    const { unit, decimal: written } = this.#form;
    const decimal = this.isNumber(column) ? '.' : written;
    const value = WITH_THOUSANDS[decimal].test(text)
      ? text.replaceAll(decimal === '.' ? /[^\d.]/g : /[^\d,]/g, '')
      : text;
    if (value.length > 16 || !PLAIN[decimal].test(value)) {
      this.fault(
        column,
        'amount',
        `${column} must be an amount of at most 16 characters such as ${EXAMPLES[decimal]}, not negative`,
      );
      return undefined;
    }
    const point = value.indexOf(decimal);
    if (point === -1) return BigInt(value) * (unit === 'cents' ? 1n : 100n);
    return BigInt(value.slice(0, point) + value.slice(point + 1).padEnd(2, '0'));
  }

  /** A balance in cents, which is negative if the customer has paid too much. */
  requiredBalance(column: Column): bigint | undefined {
    const value = this.required(column);
    if (value === '') return undefined;
    if (!value.startsWith('-')) return this.#centsOf(column, value);
    const cents = this.#centsOf(column, value.slice(1));
    return cents === undefined ? undefined : -cents;
  }

  requiredAmount(column: Column): bigint | undefined {
    return this.required(column) === '' ? undefined : this.amount(column);
  }

  /** A whole number from 0; undefined if missing or invalid. */
  count(column: Column): number | undefined {
    const value = this.text(column);
    if (value === '') return undefined;
    if (!/^\d{1,5}([.,]0{1,2})?$/.test(value)) {
      this.fault(column, 'count', `${column} must be a whole number from 0 to 99999`);
      return undefined;
    }
    return Number.parseInt(value, 10);
  }

  requiredCount(column: Column): number | undefined {
    return this.required(column) === '' ? undefined : this.count(column);
  }
}

/** As a spreadsheet has it, with a time of midnight or none. */
const ISO_DAY = /^(\d{4})([-/])(\d\d)\2(\d\d)(?:[ T]00:00(?::00)?)?$/;

/** Names the form that a spreadsheet gave a date, if nobody can tell the day from it. */
function dateProblem(value: string): string {
  if (/^\d{5}$/.test(value)) return '; a spreadsheet wrote the number of a day';
  if (/^\d{1,2}([-/. ])(?:\d{1,2}|\p{L}{3,})\1\d{2,4}$/u.test(value)) {
    return '; a spreadsheet changed the order of its parts, and nobody can tell the day from the month';
  }
  return '';
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** `YYYYMMDD` to `YYYY-MM-DD`; undefined if it is not a day from 1900 to 2199. */
export function parseDay(text: string): Day | undefined {
  if (!/^(19|20|21)\d{6}$/.test(text)) return undefined;
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6)];
  const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = month === '02' && leap ? 29 : (DAYS_IN_MONTH[Number(month) - 1] ?? 0);
  if (Number(day) < 1 || Number(day) > days) return undefined;
  return `${year}-${month}-${day}`;
}
