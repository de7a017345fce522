import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { findDecidedAbout } from '../cases/cases-store.ts';
import type { CaseKind, CaseRow } from '../cases/cases-store.ts';
import { hasCorrection } from './corrections-store.ts';
import type { Plan } from './resolutions.ts';

/**
 * If a restore loses a payment while its operator is executing it, the operator's answer opens a case, and
 * so do its callback and its statement. All of them are about the same money. (Two lines of a statement are
 * not: the operator may have paid twice. Nor is a reversal: with it the money came back.)
 */
const SAME_MONEY: Partial<Readonly<Record<CaseKind, readonly CaseKind[]>>> = {
  unmatched_callback: ['unmatched_callback', 'theirs_only'],
  theirs_only: ['unmatched_callback'],
};

/** Throws: `PlainError` if this case, or another one about the same money, has posted it already. */
export async function requireNotPosted(db: Queryable, row: CaseRow, plan: Plan): Promise<void> {
  if (plan.kind === 'nothing') return;
  await requireFirstCorrection(db, row);
  const { operatorCode, facts } = row;
  const reference = facts['reference'];
  const kinds = SAME_MONEY[row.kind];
  if (kinds === undefined || operatorCode === null || typeof reference !== 'string') return;
  if (facts['movement'] === 'reversal') return;
  const other = await findDecidedAbout(db, { kinds, operatorCode, reference });
  if (other === undefined) return;
  throw new PlainError(
    `The case ${other.caseId} about the same reference of ${operatorCode} was resolved by ${other.resolution}. Resolve this one by keep_books.`,
    { field: 'resolution' },
  );
}

/** Throws: `PlainError` if the case was resolved by a correction, and opened again in the database. */
async function requireFirstCorrection(db: Queryable, row: CaseRow): Promise<void> {
  if (!(await hasCorrection(db, row))) return;
  throw new PlainError(
    'A correction has resolved this case already, and it was opened again in the database. Choose keep_books.',
    { field: 'resolution' },
  );
}
