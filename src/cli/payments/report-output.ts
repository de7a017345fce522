import { csvLine } from '../../platform/base/csv.ts';
import { UsageError } from '../failure.ts';
import type { Answer } from '../output.ts';

/** The columns of a report, in their order: the name in JSON and CSV, and the value of a row. */
type Columns<Row> = Readonly<Record<string, (row: Row) => string | null>>;

/** A row for programs. */
export function rowOf<Row, Of extends Columns<Row>>(
  columns: Of,
  row: Row,
): { [Name in keyof Of]: ReturnType<Of[Name]> } {
  const values = Object.entries(columns).map(([name, valueOf]) => [name, valueOf(row)]);
  return Object.fromEntries(values) as { [Name in keyof Of]: ReturnType<Of[Name]> };
}

/** Titles and rows of a CSV file. */
export function linesOf<Row>(columns: Columns<Row>, rows: readonly Row[]): string[][] {
  const values = rows.map((row) => Object.values(columns).map((valueOf) => valueOf(row) ?? ''));
  return [Object.keys(columns), ...values];
}

/** `--csv` and `--json` of a report. */
export interface ReportFormat {
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** Throws: `UsageError`. */
export function requireOneFormat({ csv, json }: ReportFormat): void {
  if (csv === true && json === true) throw new UsageError('Give --csv or --json, not both.');
}

/** Titles and rows as CSV. @param exitCode see `Answer`. */
export function csvAnswer(rows: readonly (readonly string[])[], exitCode?: number): Answer {
  const text = rows.map(csvLine).join('');
  return { json: null, text, ...(exitCode === undefined ? {} : { exitCode }) };
}
