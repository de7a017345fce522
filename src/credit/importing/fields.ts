import type { AmountUnit, Day } from '../registry/account.ts';
import { isMissing } from '../registry/missing.ts';
import { MISSING_RULE } from './missing-values.ts';
import type { Finding } from './record.ts';
import { AMOUNT_COLUMNS } from './template.ts';
import type { Column } from './template.ts';

/** Some systems export a missing date in this way. */
const NO_DATE = '00000000';

/** With separators of thousands. `1,500` is not, because it may have a decimal comma. */
const WITH_THOUSANDS = /^\d{1,3}(?:[, \u00a0\u202f]\d{3})+\.\d{1,2}$/;

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
  readonly #unit: AmountUnit;
  readonly #missing = new Set<Column>();

  constructor(
    line: number,
    values: readonly string[],
    positions: ReadonlyMap<Column, number>,
    unit: AmountUnit,
  ) {
    this.#line = line;
    this.#values = values;
    this.#positions = positions;
    this.#unit = unit;
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
    if (this.#missing.has(column)) return;
    this.#missing.add(column);
    this.remark(column, MISSING_RULE, `${column} has no value, and was read as empty`);
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

  /** A valid date as YYYYMMDD, returned as `YYYY-MM-DD`; undefined if missing or invalid. */
  day(column: Column): Day | undefined {
    const value = this.text(column);
    if (value === '') return undefined;
    const day = parseDay(value);
    if (day === undefined) {
      this.fault(column, 'date', `${column} must be a valid date written as YYYYMMDD`);
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
    const value = WITH_THOUSANDS.test(text) ? text.replaceAll(/[^\d.]/g, '') : text;
    if (value.length > 16 || !/^\d{1,13}(\.\d{1,2})?$/.test(value)) {
      this.fault(
        column,
        'amount',
        `${column} must be an amount of at most 16 characters such as 1500, 1500.50 or 1,500.50, not negative`,
      );
      return undefined;
    }
    const point = value.indexOf('.');
    if (point === -1) return BigInt(value) * (this.#unit === 'cents' ? 1n : 100n);
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
    if (!/^\d{1,5}(\.0{1,2})?$/.test(value)) {
      this.fault(column, 'count', `${column} must be a whole number from 0 to 99999`);
      return undefined;
    }
    return Number(value);
  }

  requiredCount(column: Column): number | undefined {
    return this.required(column) === '' ? undefined : this.count(column);
  }
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
