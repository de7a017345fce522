import { importRead } from '../../src/payments/reconciliation/import.ts';
import type { Imported, StatementImport } from '../../src/payments/reconciliation/import.ts';
import { readStatementFile } from '../../src/payments/reconciliation/read-statement.ts';
import { readReports, takeLines } from '../../src/payments/receipts/statements/import.ts';
import type {
  StatementFormat,
  StatementProblem,
} from '../../src/connectors/operator-statements.ts';
import type { Pool } from '../../src/platform/db/pool.ts';

// What two people decide in production (`src/payments/uploads`), in one step.

export interface ImportRequest extends Omit<StatementImport, 'onProgress'> {
  readonly pool: Pool;
  readonly file: string;
  readonly format: StatementFormat;
}

type ImportResult =
  | { readonly kind: 'refused'; readonly problems: readonly StatementProblem[] }
  | Imported;

/** Imports an operator's statement. */
export async function importOperatorStatement(request: ImportRequest): Promise<ImportResult> {
  const read = await readStatementFile(request);
  if (read.problems.length > 0) return { kind: 'refused', problems: read.problems };
  return await importRead(request, { ...read, pulled: false });
}

/** Takes every credit of a bank statement. Throws: `PlainError` with the problems. */
export async function importBankStatement(
  deps: Parameters<typeof takeLines>[0],
  source: Parameters<typeof takeLines>[1],
  by: Parameters<typeof readReports>[1],
): ReturnType<typeof takeLines> {
  return await takeLines(deps, source, (await readReports(source, by)).lines);
}
