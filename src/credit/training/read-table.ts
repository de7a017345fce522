import { readCsv } from '../../platform/csv-file.ts';
import { parseDay } from '../../platform/base/days.ts';
import type { ColumnDefinition, Definition } from './definition.ts';
import { TrainingError } from './error.ts';
import type { Samples } from './samples.ts';

/** More would not fit in memory together with the fit. */
const MAX_ROWS = 5_000_000;
const MAX_FAULTS_SHOWN = 10;
/** A column with more distinct values is an identifier or free text. */
const MAX_CATEGORIES = 1000;

/** A table read by its definition. */
export interface Table {
  /** Rows with a known outcome. A category is its position in `categories`. */
  readonly samples: Samples;
  /** Rejected rows, whose outcome is unknown: 0 in `bad`. */
  readonly rejected: Samples;
  /** The values of each category column. */
  readonly categories: ReadonlyMap<string, readonly string[]>;
}

/** The columns of rows as they are read. */
class Columns {
  readonly months: number[] = [];
  readonly bad: number[] = [];
  readonly weights: number[] = [];
  readonly groups: string[] = [];
  readonly columns = new Map<string, number[]>();

  constructor(names: readonly string[]) {
    for (const name of names) this.columns.set(name, []);
  }

  finish(isWeighted: boolean): Samples {
    return {
      count: this.bad.length,
      months: this.months,
      bad: Uint8Array.from(this.bad),
      weights: isWeighted ? Float64Array.from(this.weights) : undefined,
      columns: new Map(
        [...this.columns].map(([name, values]) => [name, Float64Array.from(values)]),
      ),
      genders: this.groups,
      trueProbabilities: undefined,
    };
  }
}

/**
 * Reads a table (CSV with a header) by its definition. Columns that the definition does not name
 * are skipped. Weights are divided by their mean.
 * Throws: `TrainingError` with the first faulty lines; the error of the file system.
 */
export async function readTable(file: string, definition: Definition): Promise<Table> {
  const names = definition.columns.map(({ name }) => name);
  const rows = { known: new Columns(names), rejected: new Columns(names) };
  const codes = new Map(
    definition.columns
      .filter(({ type }) => type === 'category')
      .map(({ name }) => [name, new Map<string, number>()]),
  );
  const faults: string[] = [];
  let header: readonly string[] | undefined;
  for await (const { line, values, problem } of readCsv(file)) {
    const cells = values.map((cell) => cell.trim());
    try {
      if (problem !== undefined) throw new TrainingError(problem);
      if (header === undefined) {
        header = cells;
        requireColumns(header, definition);
      } else readRow({ cells, header, definition, codes, rows });
    } catch (error) {
      if (!(error instanceof TrainingError)) throw error;
      if (header === undefined || header === cells) throw error;
      faults.push(`line ${line}: ${error.message}`);
      if (faults.length === MAX_FAULTS_SHOWN) break;
    }
    if (line > MAX_ROWS) throw new TrainingError(`More than ${MAX_ROWS} lines.`);
  }
  if (faults.length > 0) {
    throw new TrainingError(
      `The table cannot be read:\n${faults.map((one) => `  - ${one}`).join('\n')}`,
    );
  }
  const isWeighted = definition.weight !== undefined;
  if (isWeighted) normalise(rows.known.weights, rows.rejected.weights);
  return {
    samples: rows.known.finish(isWeighted),
    rejected: rows.rejected.finish(isWeighted),
    categories: new Map([...codes].map(([name, known]) => [name, [...known.keys()]])),
  };
}

function requireColumns(header: readonly string[], definition: Definition): void {
  const { columns, outcome, date, weight, group } = definition;
  const needed = [...columns.map(({ name }) => name), outcome.column, date, weight, group];
  const missing = needed.filter((name) => name !== undefined && !header.includes(name));
  if (missing.length > 0) {
    throw new TrainingError(`The first line does not name these columns: ${missing.join(', ')}.`);
  }
}

interface Row {
  readonly cells: readonly string[];
  readonly header: readonly string[];
  readonly definition: Definition;
  readonly codes: ReadonlyMap<string, Map<string, number>>;
  readonly rows: Readonly<Record<'known' | 'rejected', Columns>>;
}

function readRow({ cells, header, definition, codes, rows }: Row): void {
  if (cells.length !== header.length) {
    throw new TrainingError(`must have ${header.length} values`);
  }
  const { outcome, date, weight, group } = definition;
  const cell = (name: string): string => cells[header.indexOf(name)]!;
  const result = cell(outcome.column);
  const isBad = outcome.bad.includes(result);
  const isRejected = outcome.rejected?.includes(result) === true;
  if (!isBad && !isRejected && !outcome.good.includes(result)) {
    throw new TrainingError(`${outcome.column}: “${result}” is not an outcome of the definition`);
  }
  // Everything is read before anything is added, so that a faulty row adds nothing.
  const month = date === undefined ? 0 : monthOf(cell(date));
  const rowWeight = weight === undefined ? 1 : weightOf(cell(weight));
  const values = definition.columns.map((column) =>
    valueOf(column, cell(column.name), codes.get(column.name)),
  );
  const to = rows[isRejected ? 'rejected' : 'known'];
  to.bad.push(isBad ? 1 : 0);
  to.months.push(month);
  to.weights.push(rowWeight);
  to.groups.push(group === undefined ? '' : cell(group));
  for (const [at, { name }] of definition.columns.entries()) {
    to.columns.get(name)!.push(values[at]!);
  }
}

/** A number, or the code of a category; `NaN`: not known. */
function valueOf(
  { name, missing = [] }: ColumnDefinition,
  text: string,
  codes: Map<string, number> | undefined,
): number {
  if (text === '' || missing.includes(text)) return NaN;
  if (codes === undefined) return numberOf(text, name);
  const known = codes.get(text);
  if (known !== undefined) return known;
  if (codes.size === MAX_CATEGORIES) {
    throw new TrainingError(`${name} has more than ${MAX_CATEGORIES} categories`);
  }
  codes.set(text, codes.size);
  return codes.size - 1;
}

/** Throws: `TrainingError`. */
export function numberOf(text: string, name: string): number {
  const value = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(value)) throw new TrainingError(`${name}: “${text}” is not a number`);
  return value;
}

function weightOf(text: string): number {
  const weight = numberOf(text, 'weight');
  if (weight <= 0) throw new TrainingError(`weight: “${text}” must be above 0`);
  return weight;
}

function monthOf(text: string): number {
  const day = parseDay(text);
  if (day === undefined) {
    throw new TrainingError(`date: “${text}” must be a date such as 2026-10-31`);
  }
  return day.getUTCFullYear() * 12 + day.getUTCMonth();
}

/** Makes the mean 1, so that weights do not depend on the number of rows. */
function normalise(...parts: readonly number[][]): void {
  const total = parts.reduce((sum, part) => part.reduce((all, one) => all + one, sum), 0);
  const count = parts.reduce((sum, part) => sum + part.length, 0);
  for (const part of parts) {
    for (const [at, weight] of part.entries()) part[at] = (weight * count) / total;
  }
}
