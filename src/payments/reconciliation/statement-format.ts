import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { listFormerVersionsOf } from '../billers/operator-versions-store.ts';
import type { FormerVersionRow } from '../billers/operator-versions-store.ts';
import { findOperator } from '../billers/store.ts';
import type { StatementFormat } from '../../connectors/operator-statements.ts';
import { statementFormatOf } from '../../connectors/registry.ts';
import type { FormerTimes } from './absences.ts';

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

/** How long instructions to former versions of the operator may have been in transit. */
export async function listFormerTimes(
  db: Queryable,
  operatorCode: string,
): Promise<readonly FormerTimes[]> {
  return (await listFormerVersionsOf(db, operatorCode)).map((former) => {
    const { acceptanceWindowMs = null, payDeadlineMs = 0 } = formerFormat(former) ?? {};
    return { version: former.version, acceptanceWindowMs, payDeadlineMs };
  });
}

/** Undefined: its protocol has no statements, or its settings cannot be read any more. Then absence proves nothing. */
function formerFormat({
  operatorCode,
  connector,
  settings,
}: FormerVersionRow): StatementFormat | undefined {
  try {
    return statementFormatOf({ operatorCode, connector, settings });
  } catch {
    return undefined;
  }
}
