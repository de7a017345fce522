import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { findOperator } from '../billers/store.ts';
import type { StatementFormat } from '../../connectors/operator-statements.ts';
import { statementFormatOf } from '../../connectors/registry.ts';

/**
 * Returns the reader of an operator's statements.
 * Throws: `PlainError` (field `operator`) if it does not exist, or its protocol has no statements.
 */
export async function requireStatementFormat(
  db: Queryable,
  operatorCode: string,
): Promise<StatementFormat> {
  const row = await findOperator(db, operatorCode);
  if (row === undefined) {
    throw new PlainError(`Operator ${operatorCode} does not exist.`, { field: 'operator' });
  }
  const { connector, settings } = row;
  const format = statementFormatOf({ operatorCode, connector, settings });
  if (format !== undefined) return format;
  throw new PlainError(`The connector ${connector} cannot read statements.`, {
    field: 'operator',
  });
}
