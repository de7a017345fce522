import type { Queryable } from '../../platform/db/pool.ts';
import { listCasesOfStatement } from '../cases/read-cases.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { countVerdicts, findStatementById, listPaymentsOf, listStatements } from './store.ts';
import type { Period, StatementRow } from './store.ts';

/** A statement that was imported or pulled. */
export interface ImportedStatement extends StatementRow {
  /** Number of lines with each verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
}

export async function findImported(
  db: Queryable,
  statementId: string,
): Promise<ImportedStatement | undefined> {
  const row = await findStatementById(db, statementId);
  return row && (await withVerdicts(db, row));
}

/** The cases about its differences, in the order of its lines. */
export async function listDifferences(db: Queryable, statementId: string): Promise<CaseRow[]> {
  const contradicted = await listPaymentsOf(db, statementId, 'theirs_only');
  const settled = await listPaymentsOf(db, statementId, 'settled');
  return await listCasesOfStatement(db, statementId, { contradicted, settled });
}

/** The statements that have a part of the period. */
export async function listImported(
  db: Queryable,
  { from, to }: Period,
): Promise<ImportedStatement[]> {
  const rows = (await listStatements(db, { from, to })).filter(
    ({ periodStart, periodEnd }) => periodStart < to && periodEnd > from,
  );
  return await Promise.all(rows.map(async (row) => await withVerdicts(db, row)));
}

async function withVerdicts(db: Queryable, row: StatementRow): Promise<ImportedStatement> {
  return { ...row, verdicts: await countVerdicts(db, row.statementId) };
}
