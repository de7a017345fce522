import { csvLine } from '../../platform/base/csv.ts';
import { UsageError } from '../failure.ts';
import type { TextStream } from '../output.ts';

/** `--csv` and `--json` of a report. */
export interface ReportFormat {
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** Throws: `UsageError`. */
export function requireOneFormat({ csv, json }: ReportFormat): void {
  if (csv === true && json === true) throw new UsageError('Give --csv or --json, not both.');
}

/** Titles and rows as CSV. */
export function writeCsv(stdout: TextStream, rows: readonly (readonly string[])[]): undefined {
  stdout.write(rows.map(csvLine).join(''));
  return undefined;
}
