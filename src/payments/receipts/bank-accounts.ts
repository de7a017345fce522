import { statementsOf } from '../../connectors/registry.ts';
import { isSameAccount } from '../../connectors/source-statements.ts';
import type { SourceRow } from './sources-store.ts';

/** The bank accounts whose statements people import, from the settings of sources. Pure. */

type ListedBy = Pick<SourceRow, 'sourceCode' | 'kind' | 'settings'>;

/**
 * Whether a source of statements numbers its receipts in another way after a change. Then a line that it lists again
 * is not recognised by its number.
 */
export function isRenumbered(before: ListedBy, after: ListedBy): boolean {
  return statementsOf(before)?.numbering !== statementsOf(after)?.numbering;
}

/**
 * Whether what two sources list is never the same money: one says so, or both name a bank account, and not the same
 * one. A pay bill's payments may be listed by the bank it belongs to, so its number alone does not tell.
 */
export function areSeparate(one: ListedBy, other: ListedBy): boolean {
  const [own, others] = [statementsOf(one), statementsOf(other)];
  if (own?.separateFrom.includes(other.sourceCode) === true) return true;
  if (others?.separateFrom.includes(one.sourceCode) === true) return true;
  const [account, named] = [own?.bankAccount, others?.bankAccount];
  return account !== undefined && named !== undefined && !isSameAccount(named, account);
}
