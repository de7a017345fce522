import { DAY_MS } from '../../platform/base/days.ts';
import type {
  AccountState,
  AccountStatus,
  CreditAccount,
  CreditFile,
  RiskClass,
} from '../facts.ts';

type Terms = Pick<CreditAccount, 'product' | 'sector'>;

/** Negative information exists only from KES 1,000 overdue (Kenyan credit reference practice). */
const LISTING_MINIMUM_CENTS = 100_000n;
const DAYS_UNTIL_NON_PERFORMING = 90;
/** Microfinance and mobile loans are short: 30 days unpaid is what 90 are to a bank. */
const DAYS_UNTIL_SHORT_LOAN_NON_PERFORMING = 30;

const ABANDONED: ReadonlySet<AccountStatus> = new Set(['C', 'D', 'E', 'J']);
const ENDED: ReadonlySet<AccountStatus> = new Set(['A', 'H']);
const SUBSTANDARD: ReadonlySet<RiskClass> = new Set(['C', 'D', 'E']);
const KEPT_MAX_DAYS = 30;

export function isOpen(account: CreditAccount): boolean {
  return !ENDED.has(account.current.status);
}

/**
 * Whether an account in this state counts as non-performing: written off, called up or in the hands
 * of collectors or lawyers with a balance left; or at least KES 1,000 overdue and either classed
 * substandard or worse, or late for more than 90 days (30 for mobile loans and microfinance).
 */
export function isNonPerforming(terms: Terms, state: AccountState): boolean {
  if (ABANDONED.has(state.status) && state.balanceCents > 0n) return true;
  if (state.overdueCents < LISTING_MINIMUM_CENTS) return false;
  return SUBSTANDARD.has(state.riskClass) || state.daysInArrears > daysUntilNonPerforming(terms);
}

function daysUntilNonPerforming({ product, sector }: Terms): number {
  const isShortLoan = product === 'I' || sector === 'microfinance' || sector === 'mobile_lender';
  return isShortLoan ? DAYS_UNTIL_SHORT_LOAN_NON_PERFORMING : DAYS_UNTIL_NON_PERFORMING;
}

/** Every state the file holds of the account, the newest last. */
export function statesOf(account: CreditAccount): readonly AccountState[] {
  return [...account.history, account.current];
}

export function wasEverNonPerforming(account: CreditAccount): boolean {
  return statesOf(account).some((state) => isNonPerforming(account, state));
}

/** Whether a state tells of no trouble: at most 30 days late, not classed worse than watch, not abandoned. */
export function isKept(state: AccountState): boolean {
  return (
    state.daysInArrears <= KEPT_MAX_DAYS &&
    !SUBSTANDARD.has(state.riskClass) &&
    !ABANDONED.has(state.status)
  );
}

/**
 * Whether the account was kept well all along, what is suppressed included. Stricter than “never
 * non-performing”, which has a minimum amount: only well-kept accounts earn points, so that no
 * account in arrears, however small, can ever help.
 */
export function isWellKept(account: CreditAccount): boolean {
  return account.troubleSuppressed !== true && statesOf(account).every(isKept);
}

/** Whether all trouble with an account is suppressed: it speaks neither for the subject nor against. */
export function isNeutral(account: CreditAccount): boolean {
  return account.troubleSuppressed === true && statesOf(account).every(isKept);
}

/** The subject disputes it here (the flag) or with the lender (status P). */
export function isDisputed({ disputed, current }: CreditAccount): boolean {
  return disputed || current.status === 'P';
}

/** The lender reports the subject's death with this account. */
export function reportsDeath({ current }: CreditAccount): boolean {
  return current.status === 'L';
}

/**
 * Whether the subject is dead: a person recorded it, or a lender reports it and no person has
 * refuted that since the date of the account's status.
 */
export function isDeceased({ life, accounts }: CreditFile): boolean {
  if (life?.status === 'deceased') return true;
  return accounts.some(
    (account) =>
      reportsDeath(account) && !(life !== undefined && account.current.statusOn <= life.recordedAt),
  );
}

/**
 * The accounts a score rests on: neither disputed by the subject nor with a death reported. None of
 * a deceased, who gets no score.
 */
export function scoredAccounts(file: CreditFile): readonly CreditAccount[] {
  if (isDeceased(file)) return [];
  return file.accounts.filter((account) => !isDisputed(account) && !reportsDeath(account));
}

/** Whole calendar months (UTC) from one date to a later one; 0 when it is not later. */
export function monthsBetween(from: Date, to: Date): number {
  const months =
    (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  return Math.max(0, to.getUTCDate() < from.getUTCDate() ? months - 1 : months);
}

/** Whole days from one instant to a later one; 0 when it is not later. */
export function daysBetween(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / DAY_MS));
}

/** False when an account in another currency came without a rate; a known amount is above 0. */
export function isOriginalKnown({ originalCents }: CreditAccount): boolean {
  return originalCents > 0n;
}
