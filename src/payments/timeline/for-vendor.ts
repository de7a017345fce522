import { HOUSE } from '../cases/cases-store.ts';
import { isOwnTermsAccount } from '../ledger/account.ts';
import type { TimelineEntry } from './assemble.ts';

/** Events that only staff may see: who resolved a case, and the operator's messages to us. */
const STAFF_ONLY: ReadonlySet<string> = new Set([
  'case',
  'unmatched_callback',
  'statement_entry',
  'correction',
]);

/** The part of a timeline that is the vendor's business. */
export function forVendor(timeline: readonly TimelineEntry[]): TimelineEntry[] {
  return timeline.filter(isForVendor).map(withoutInternals);
}

/** True: the transfer is between our own accounts. */
export const isOfHouse = ({ vendorId }: { readonly vendorId: number }): boolean =>
  vendorId === HOUSE;

/** Our terms with operators are not. */
function isForVendor(entry: TimelineEntry): boolean {
  if (entry.kind !== 'transfer') return !STAFF_ONLY.has(entry.kind);
  const { debitAccount, creditAccount } = entry;
  const isOurs = isOwnTermsAccount(debitAccount) || isOwnTermsAccount(creditAccount);
  return !isOfHouse(entry) && !isOurs;
}

/** A vendor sees which operator got its payment, but not how we choose operators or communicate with them. */
function withoutInternals(entry: TimelineEntry): TimelineEntry {
  if (entry.kind === 'details') return { ...entry, asked: 0, note: null };
  if (entry.kind !== 'attempt') return entry;
  return { ...entry, routeReason: null, note: null, operatorHandle: null, operatorVersion: null };
}
