import { csvLine } from '../../platform/base/csv.ts';
import { UsageError } from '../failure.ts';
import type { Answer } from '../output.ts';

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
