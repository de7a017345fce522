import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { findDecidedAbout } from '../cases/cases-store.ts';
import type { CaseKind, CaseRow } from '../cases/cases-store.ts';
import type { Plan } from './resolutions.ts';

/**
 * If a restore loses a payment while its operator is executing it, the operator's answer opens a case, and
 * so does its statement. Both are about the same money.
 */
const OTHER_KIND: Partial<Readonly<Record<CaseKind, CaseKind>>> = {
  unmatched_callback: 'theirs_only',
  theirs_only: 'unmatched_callback',
};

/** Throws: `PlainError` if a case about the same money has posted it already. */
export async function requireNotPosted(db: Queryable, row: CaseRow, plan: Plan): Promise<void> {
  const { operatorCode, facts } = row;
  const reference = facts['reference'];
  const kind = OTHER_KIND[row.kind];
  if (plan.kind === 'nothing' || kind === undefined) return;
  if (operatorCode === null || typeof reference !== 'string') return;
  const other = await findDecidedAbout(db, { kind, operatorCode, reference });
  if (other === undefined) return;
  throw new PlainError(
    `The case ${other.caseId} about the same reference of ${operatorCode} was resolved by ${other.resolution}. Resolve this one by keep_books.`,
    { field: 'resolution' },
  );
}
