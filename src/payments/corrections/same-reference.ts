import { PlainError } from '../../platform/base/plain-error.ts';
import type { findDecidedAbout } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import type { CaseKind } from '../cases/kinds.ts';
import type { CaseFacts } from './case-facts.ts';

/**
 * If a restore loses a payment while its operator is executing it, the operator's answer opens a case, and
 * so do its callback and its statement. All of them are about the same money. (Two lines of a statement are
 * not: the operator may have paid twice. Nor is a reversal: with it the money came back.)
 */
const SAME_MONEY: Partial<Readonly<Record<CaseKind, readonly CaseKind[]>>> = {
  unmatched_callback: ['unmatched_callback', 'theirs_only'],
  theirs_only: ['unmatched_callback'],
};

/** The key of the case about the same money; undefined: there is none. Pure. */
export function sameMoneyOf({
  kind,
  operatorCode,
  facts,
}: CaseRow): Parameters<typeof findDecidedAbout>[1] | undefined {
  const reference = facts['reference'];
  const kinds = SAME_MONEY[kind];
  if (kinds === undefined || operatorCode === null || typeof reference !== 'string')
    return undefined;
  return facts['movement'] === 'reversal' ? undefined : { kinds, operatorCode, reference };
}

/** Throws: `PlainError` if this case, or another one about the same money, has posted it already. Pure. */
export function requireNotPosted({ row, isCorrected, decidedBefore }: CaseFacts): void {
  if (isCorrected) {
    throw new PlainError(
      'A correction has resolved this case already, and it was opened again in the database. Choose keep_books.',
      { field: 'resolution' },
    );
  }
  if (decidedBefore === undefined) return;
  throw new PlainError(
    `The case ${decidedBefore.caseId} about the same reference of ${row.operatorCode} was resolved by ${decidedBefore.resolution}. Resolve this one by keep_books.`,
    { field: 'resolution' },
  );
}
