import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { CaseRow, Proposal } from '../cases/cases-store.ts';
import { factCents, givenCents } from './facts.ts';

/**
 * The amount that a proposal posts to our own accounts: that of the case, or a smaller one. Pure.
 * Throws: `PlainError` (field `amount`) if it is above the case's, or the case has none.
 */
export function houseAmount(row: Pick<CaseRow, 'kind' | 'facts'>, proposal: Proposal): bigint {
  const maxCents = caseCents(row);
  if (maxCents === undefined || maxCents <= 0n) {
    throw new PlainError(
      'The case does not have an amount. Choose keep_books; the operator’s statement, once it is imported, opens a case with the amount.',
      { field: 'amount' },
    );
  }
  const amountCents = givenCents(proposal) ?? maxCents;
  if (amountCents > 0n && amountCents <= maxCents) return amountCents;
  throw new PlainError(
    `It must be above zero and at most ${formatMoney(maxCents)}, the amount of the case.`,
    { field: 'amount' },
  );
}

/** What the case is about, in cents; undefined: the facts do not say. */
function caseCents(row: Pick<CaseRow, 'kind' | 'facts'>): bigint | undefined {
  if (row.kind !== 'float_difference') return factCents(row, 'paid_cents');
  const closingCents = factCents(row, 'closing_cents');
  const openingCents = factCents(row, 'opening_cents');
  if (closingCents === undefined || openingCents === undefined) return undefined;
  return closingCents > openingCents ? closingCents - openingCents : openingCents - closingCents;
}
