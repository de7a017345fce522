import { DAY_MS } from '../../platform/base/days.ts';
import type {
  AccountState,
  AccountStatus,
  CreditAccount,
  CreditFile,
  RiskClass,
} from '../facts.ts';

type Terms = Pick<CreditAccount, 'product' | 'sector'>;

/** The parts of a state that decide whether it is non-performing. */
type StateFacts = Pick<
  AccountState,
  'status' | 'balanceCents' | 'overdueCents' | 'riskClass' | 'daysInArrears'
>;

/**
 * A smaller overdue amount is not negative information, and a smaller loan is no evidence of
 * creditworthiness (Kenyan credit reference practice).
 */
const LISTING_MINIMUM_CENTS = 100_000n;
/** Arrears below the minimum are trifling up to this part of the loan, one in so many. */
const TRIFLING_PART = 20n;
/** A default that was rescheduled ends once the account has performed for so long. */
const CURE_MONTHS = 6;
const DAYS_UNTIL_NON_PERFORMING = 90;
/** Microfinance and mobile loans are short: 30 days unpaid correspond to 90 days of a bank loan. */
const DAYS_UNTIL_SHORT_LOAN_NON_PERFORMING = 30;

const ABANDONED: ReadonlySet<AccountStatus> = new Set(['C', 'D', 'E', 'J']);
/** Rescheduled, deferred: the debt is not paid, but no longer due. */
const NEW_TERMS: ReadonlySet<AccountStatus> = new Set(['G', 'M']);
const ENDED: ReadonlySet<AccountStatus> = new Set(['A', 'H']);
const SUBSTANDARD: ReadonlySet<RiskClass> = new Set(['C', 'D', 'E']);
const KEPT_MAX_DAYS = 30;

export function isOpen(account: CreditAccount): boolean {
  return !ENDED.has(account.current.status);
}

/**
 * True if an account in this state counts as non-performing. It does if it was written off, called up,
 * or is in collection or legal action, with a balance left. It also does if at least KES 1,000 are
 * overdue and it is either classed substandard or worse, or late by more than 90 days (30 for mobile
 * loans and microfinance).
 */
export function isNonPerforming(terms: Terms, state: StateFacts): boolean {
  if (ABANDONED.has(state.status) && state.balanceCents > 0n) return true;
  if (state.overdueCents < LISTING_MINIMUM_CENTS) return false;
  return SUBSTANDARD.has(state.riskClass) || state.daysInArrears > daysUntilNonPerforming(terms);
}

function daysUntilNonPerforming({ product, sector }: Terms): number {
  const isShortLoan = product === 'I' || sector === 'microfinance' || sector === 'mobile_lender';
  return isShortLoan ? DAYS_UNTIL_SHORT_LOAN_NON_PERFORMING : DAYS_UNTIL_NON_PERFORMING;
}

/**
 * True if an account is in default now: it is non-performing, or it was when it was rescheduled, and
 * has not performed for six months since. Otherwise new terms for an unpaid debt would end its default
 * on the same day.
 */
export function isInDefault(account: CreditAccount): boolean {
  return isNonPerforming(account, account.current) || isBeingCured(account);
}

function isBeingCured(account: CreditAccount): boolean {
  const { current } = account;
  if (ENDED.has(current.status) || current.balanceCents < LISTING_MINIMUM_CENTS) return false;
  const states = statesOf(account);
  const lastDefault = states.findLastIndex((state) => isNonPerforming(account, state));
  if (lastDefault === -1) return false;
  // In the month of the new terms a lender may still submit the old arrears.
  const rescheduled = states.slice(lastDefault).find(({ status }) => NEW_TERMS.has(status));
  return rescheduled !== undefined && monthsBetween(rescheduled.asOf, current.asOf) < CURE_MONTHS;
}

/** True if the arrears of a state are large enough to count against the subject. */
export function hasMaterialArrears({ overdueCents }: Pick<AccountState, 'overdueCents'>): boolean {
  return overdueCents >= LISTING_MINIMUM_CENTS;
}

/** True if the loan is large enough to count in the subject's favour once it is repaid. */
export function isMaterialLoan({ originalCents }: Pick<CreditAccount, 'originalCents'>): boolean {
  return originalCents >= LISTING_MINIMUM_CENTS;
}

/** Every state of the account in the file, newest last. */
export function statesOf(account: CreditAccount): readonly AccountState[] {
  return [...account.history, account.current];
}

export function wasEverNonPerforming(account: CreditAccount): boolean {
  return statesOf(account).some((state) => isNonPerforming(account, state));
}

/**
 * A state without problems: not abandoned, and at most 30 days late and not classed worse than watch,
 * or with no more than a trifle overdue.
 */
export function isKept(
  account: Pick<CreditAccount, 'originalCents'>,
  state: AccountState,
): boolean {
  if (ABANDONED.has(state.status)) return false;
  const isOnTime = state.daysInArrears <= KEPT_MAX_DAYS && !SUBSTANDARD.has(state.riskClass);
  return isOnTime || isTrifling(account, state);
}

/** A few shillings late. The class of a rescheduled account says more than its arrears. */
function isTrifling(
  { originalCents }: Pick<CreditAccount, 'originalCents'>,
  { overdueCents, status }: AccountState,
): boolean {
  return (
    status !== 'G' &&
    overdueCents > 0n &&
    overdueCents < LISTING_MINIMUM_CENTS &&
    overdueCents * TRIFLING_PART <= originalCents
  );
}

/**
 * True if the account was always kept well, including suppressed data. Stricter than “never
 * non-performing”, which has a minimum amount: only well-kept accounts earn points, so an account of
 * which more than a trifle is in arrears can never help.
 */
export function isWellKept(account: CreditAccount): boolean {
  return (
    account.troubleSuppressed !== true && statesOf(account).every((state) => isKept(account, state))
  );
}

/**
 * True if all negative information about an account is suppressed: it counts neither for nor against
 * the subject.
 */
export function isNeutral(account: CreditAccount): boolean {
  return (
    account.troubleSuppressed === true && statesOf(account).every((state) => isKept(account, state))
  );
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
 * True if the subject is dead: a person recorded it, or a lender reports it and no person has refuted
 * that since the date of the account's status.
 */
export function isDeceased({ life, accounts }: CreditFile): boolean {
  if (life?.status === 'deceased') return true;
  return accounts.some(
    (account) =>
      reportsDeath(account) && !(life !== undefined && account.current.statusOn <= life.recordedOn),
  );
}

/**
 * The accounts that a score uses: not disputed by the subject, and without a reported death. None
 * for a deceased subject, who gets no score.
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

/** False if an account in another currency came without a rate; a known amount is above 0. */
export function isOriginalKnown({ originalCents }: CreditAccount): boolean {
  return originalCents > 0n;
}
