import { DAY_MS } from '../../platform/base/days.ts';
import type { CreditAccount, CreditFile } from '../facts.ts';
import {
  daysBetween,
  isNeutral,
  hasMaterialArrears,
  isInDefault,
  isMaterialLoan,
  isNonPerforming,
  isOpen,
  isOriginalKnown,
  isWellKept,
  monthsBetween,
  scoredAccounts,
  statesOf,
  wasEverNonPerforming,
} from './standing.ts';

/** The input of a score: the file, and the accounts in it that count. */
export interface ScoredFile {
  readonly asOf: Date;
  readonly accounts: readonly CreditAccount[];
  readonly enquiries: CreditFile['enquiries'];
}

export interface Characteristic {
  /** The number and its unit; printed in the reports. */
  readonly meaning: string;
  /** A scorecard may give points in this direction only. */
  readonly better: 'higher' | 'lower';
  /**
   * The reason for lost points, in words for the person concerned; true whenever points are lost.
   */
  readonly reason: string;
  /** `null`: it never happened, which is better than any number. Only if `canBeNever`. */
  readonly measure: (file: ScoredFile) => number | null;
  readonly canBeNever?: true;
}

/** Report reasons that are not applications for credit: account opening, monitoring, verification. */
export const NOT_APPLICATIONS: ReadonlySet<number> = new Set([1, 3, 4]);

/** Enquiries for one purpose within this many days are one application: people compare lenders. */
export const ONE_APPLICATION_DAYS = 14;

/** A loan held for less time is no evidence of how its holder repays. */
const REPAID_MIN_DAYS = 28;
/**
 * An account counts in its holder's favour only so long after it was opened. A series of small
 * loans, taken and repaid to raise a score, does so at the earliest half a year later.
 */
const SEASONING_DAYS = 180;

/**
 * The characteristics that scorecards may use. Each is chosen so that, for any file, one more
 * account in default can only make it worse, and repaying can only make it better: lengths, shares
 * and amounts only count well-kept accounts, and counts of negative events grow only with such
 * events. If the points follow `better` (checked when a card is read), the score has the same
 * property.
 *
 * The order of this table is the order of reasons with equal weight.
 */
export const CHARACTERISTICS = {
  nonPerformingAccounts: {
    meaning: 'accounts in default now',
    better: 'lower',
    reason: 'One or more accounts are in default',
    measure: ({ accounts }) => count(accounts, isInDefault),
  },
  everNonPerformingAccounts: {
    meaning: 'accounts in default now or at any earlier time on file',
    better: 'lower',
    reason: 'One or more accounts are or were in default',
    measure: ({ accounts }) => count(accounts, wasEverNonPerforming),
  },
  monthsSinceNonPerforming: {
    meaning: 'months since any account was last in default; never is best',
    better: 'higher',
    canBeNever: true,
    reason: 'An account is in default, or was not long ago',
    measure: monthsSinceNonPerforming,
  },
  accountsWrittenOff: {
    meaning: 'accounts ever written off',
    better: 'lower',
    reason: 'A lender wrote off an account',
    measure: ({ accounts }) =>
      count(accounts, (account) => statesOf(account).some(({ status }) => status === 'C')),
  },
  worstArrearsDays12: {
    meaning:
      'highest number of days that KES 1,000 or more were in arrears on any account in the last 12 months',
    better: 'lower',
    reason: 'Payments were late in the last 12 months',
    measure: (file) => worstArrearsDays(file, 12),
  },
  worstArrearsDays24: {
    meaning:
      'highest number of days that KES 1,000 or more were in arrears on any account in the last 24 months',
    better: 'lower',
    reason: 'Payments were late in the last 24 months',
    measure: (file) => worstArrearsDays(file, 24),
  },
  worstMobileArrearsDays12: {
    meaning:
      'highest number of days that KES 1,000 or more were in arrears on a mobile loan in the last 12 months',
    better: 'lower',
    reason: 'Mobile loans were repaid late in the last 12 months',
    measure: (file) =>
      worstArrearsDays({ ...file, accounts: file.accounts.filter(isMobileLoan) }, 12),
  },
  instalmentsInArrears: {
    meaning: 'instalments in arrears now, over all accounts with KES 1,000 or more in arrears',
    better: 'lower',
    reason: 'Instalments are unpaid',
    measure: ({ accounts }) =>
      accounts
        .filter(({ current }) => hasMaterialArrears(current))
        .reduce((sum, { current }) => sum + current.instalmentsInArrears, 0),
  },
  repaidSharePercent: {
    meaning: 'share of everything borrowed that was repaid on well-kept accounts, in percent',
    better: 'higher',
    reason: 'Part of what was borrowed is still to be repaid, or was not repaid on time',
    measure: repaidSharePercent,
  },
  monthsOfGoodHistory: {
    meaning: 'months since the oldest well-kept account was opened, from half a year on',
    better: 'higher',
    reason: 'The history of accounts kept well is not long yet',
    measure: ({ accounts, asOf }) =>
      largest(
        accounts
          .filter((account) => isSeasoned(account, asOf) && isWellKept(account))
          .map((account) => faded(account, monthsBetween(account.openedOn, asOf))),
      ),
  },
  accountsRepaid: {
    meaning: 'months in which a well-kept loan was repaid in full',
    better: 'higher',
    reason: 'Few accounts were repaid in full and on time',
    measure: ({ accounts, asOf }) => monthsOfRepayment(accounts.filter(isRepaidWell(asOf))),
  },
  mobileLoansRepaid: {
    meaning: 'months in which a mobile loan was repaid in full and on time',
    better: 'higher',
    reason: 'Few mobile loans were repaid in full and on time',
    measure: ({ accounts, asOf }) =>
      monthsOfRepayment(accounts.filter(isMobileLoan).filter(isRepaidWell(asOf))),
  },
  largestMobileLoanRepaid: {
    meaning: 'principal of the largest mobile loan repaid in full and on time, in KES',
    better: 'higher',
    reason: 'The largest mobile loan repaid in full and on time was small, or there was none',
    measure: ({ accounts, asOf }) =>
      largest(
        accounts
          .filter(isMobileLoan)
          .filter(isRepaidWell(asOf))
          .map((account) => faded(account, Number(account.originalCents / 100n))),
      ),
  },
  openAccounts: {
    meaning: 'accounts open, or closed in default, now',
    better: 'lower',
    reason: 'One or more accounts are open',
    measure: ({ accounts }) => count(accounts, isOwed),
  },
  openMobileLoans: {
    meaning: 'mobile loans open, or closed in default, now',
    better: 'lower',
    reason: 'One or more mobile loans are open',
    measure: ({ accounts }) =>
      count(accounts, (account) => isMobileLoan(account) && isOwed(account)),
  },
  mobileLoansOpened90Days: {
    meaning: 'mobile loans taken in the last 90 days',
    better: 'lower',
    reason: 'Mobile loans were taken in the last 90 days',
    measure: ({ accounts, asOf }) =>
      count(
        accounts,
        (account) => isMobileLoan(account) && daysBetween(account.openedOn, asOf) <= 90,
      ),
  },
  lendersOfNewAccounts12: {
    meaning: 'different lenders of accounts opened in the last 12 months',
    better: 'lower',
    reason: 'New accounts were opened with one or more lenders in the last 12 months',
    measure: ({ accounts, asOf }) =>
      new Set(
        accounts
          .filter(({ openedOn }) => monthsBetween(openedOn, asOf) < 12)
          .map(({ lender }) => lender),
      ).size,
  },
  applications30Days: {
    meaning: 'applications for credit in the last 30 days, one for each purpose and 14 days',
    better: 'lower',
    reason: 'One or more applications for credit in the last 30 days',
    measure: (file) => applications(file, 30),
  },
  applications90Days: {
    meaning: 'applications for credit in the last 90 days, one for each purpose and 14 days',
    better: 'lower',
    reason: 'One or more applications for credit in the last 90 days',
    measure: (file) => applications(file, 90),
  },
} as const satisfies Readonly<Record<string, Characteristic>>;

export type CharacteristicName = keyof typeof CHARACTERISTICS;

export const CHARACTERISTIC_NAMES = Object.keys(CHARACTERISTICS) as CharacteristicName[];

/** The table as plain characteristics, for code that works on any of them. */
export function characteristic(name: CharacteristicName): Characteristic {
  return CHARACTERISTICS[name];
}

/** The part of a file that scores may use. */
export function scoredFile(file: CreditFile): ScoredFile {
  return { asOf: file.asOf, accounts: scoredAccounts(file), enquiries: file.enquiries };
}

function isMobileLoan({ product }: CreditAccount): boolean {
  return product === 'I';
}

/**
 * A lender may close an account that it has given up, but an amount in default is still owed. If
 * that is suppressed, only the balance counts.
 */
function isOwed(account: CreditAccount): boolean {
  const { current, troubleSuppressed } = account;
  return (
    isOpen(account) ||
    isInDefault(account) ||
    (troubleSuppressed === true && current.balanceCents > 0n)
  );
}

/** A repaid account is a loan of some size and length, kept well, and seasoned. */
function isRepaidWell(asOf: Date): (account: CreditAccount) => boolean {
  return (account) =>
    !isOpen(account) &&
    account.current.balanceCents <= 0n &&
    isMaterialLoan(account) &&
    daysBetween(account.openedOn, account.current.statusOn) >= REPAID_MIN_DAYS &&
    isSeasoned(account, asOf) &&
    isWellKept(account);
}

function isSeasoned({ openedOn }: CreditAccount, asOf: Date): boolean {
  return daysBetween(openedOn, asOf) >= SEASONING_DAYS;
}

/**
 * One for each calendar month in which any was repaid, however many: several loans at once show no
 * more than one.
 */
function monthsOfRepayment(repaid: readonly CreditAccount[]): number {
  const shares = new Map<number, number>();
  for (const { current, retainedPermille = WHOLE_PERMILLE } of repaid) {
    const month = current.statusOn.getUTCFullYear() * 12 + current.statusOn.getUTCMonth();
    shares.set(month, Math.max(shares.get(month) ?? 0, retainedPermille));
  }
  return Math.ceil([...shares.values()].reduce((sum, share) => sum + share, 0) / WHOLE_PERMILLE);
}

const WHOLE_PERMILLE = 1_000;

/** A number that an account earns, less as the account approaches the end of its retention. */
function faded({ retainedPermille }: CreditAccount, value: number): number {
  return retainedPermille === undefined
    ? value
    : Math.ceil((value * retainedPermille) / WHOLE_PERMILLE);
}

function monthsSinceNonPerforming({ accounts, asOf }: ScoredFile): number | null {
  let fewest: number | null = null;
  for (const account of accounts) {
    for (const state of statesOf(account)) {
      if (!isNonPerforming(account, state)) continue;
      // An unresolved default counts as of today, however long ago the lender reported it.
      const stands = state === account.current || isInDefault(account);
      const months = stands ? 0 : monthsBetween(state.asOf, asOf);
      if (fewest === null || months < fewest) fewest = months;
    }
  }
  return fewest;
}

function worstArrearsDays({ accounts, asOf }: ScoredFile, months: number): number {
  let worst = 0;
  for (const account of accounts) {
    for (const state of statesOf(account)) {
      const stands = state === account.current && isOwed(account);
      if (!stands && monthsBetween(state.asOf, asOf) >= months) continue;
      if (!hasMaterialArrears(state)) continue;
      worst = Math.max(worst, state.daysInArrears);
    }
  }
  return worst;
}

/**
 * Two decimals, rounded down in integer arithmetic, so that the order of accounts does not matter.
 */
function repaidSharePercent({ accounts }: ScoredFile): number {
  let borrowedCents = 0n;
  let repaidCents = 0n;
  const neutral: { readonly borrowedCents: bigint; readonly repaidCents: bigint }[] = [];
  for (const account of accounts) {
    if (!isOriginalKnown(account)) continue;
    if (isNeutral(account)) {
      neutral.push({
        borrowedCents: shareOf(account, account.originalCents),
        repaidCents: shareOf(account, repaidOf(account)),
      });
      continue;
    }
    borrowedCents += shareOf(account, account.originalCents);
    if (isWellKept(account)) repaidCents += shareOf(account, repaidOf(account));
  }
  // The amount still owed on a neutral account may count, but never in the subject's favour.
  neutral.sort((a, b) => Number(a.repaidCents * b.borrowedCents - b.repaidCents * a.borrowedCents));
  for (const one of neutral) {
    if (one.repaidCents * borrowedCents >= repaidCents * one.borrowedCents) break;
    borrowedCents += one.borrowedCents;
    repaidCents += one.repaidCents;
  }
  return borrowedCents === 0n ? 0 : Number((repaidCents * 10_000n) / borrowedCents) / 100;
}

/** The part of an amount that still counts, in thousandths of cents. */
function shareOf({ retainedPermille = WHOLE_PERMILLE }: CreditAccount, cents: bigint): bigint {
  return cents * BigInt(retainedPermille);
}

function repaidOf({ originalCents, current }: CreditAccount): bigint {
  const leftCents = current.balanceCents < 0n ? 0n : current.balanceCents;
  return leftCents < originalCents ? originalCents - leftCents : 0n;
}

/**
 * Applications in the last days. Enquiries for one purpose within 14 days of the first are one
 * application, whichever lenders were asked: the smallest number of 14-day spans that contain them
 * all.
 */
function applications({ enquiries, asOf }: ScoredFile, days: number): number {
  return applicationsOf(enquiries, asOf, days);
}

/** Counts the applications in a list of enquiries. */
export function applicationsOf(
  enquiries: ScoredFile['enquiries'],
  asOf: Date,
  days: number,
): number {
  const recent = enquiries.filter(
    ({ at, reason }) => !NOT_APPLICATIONS.has(reason) && daysBetween(at, asOf) <= days,
  );
  const byPurpose = Map.groupBy(recent, ({ reason }) => reason);
  return [...byPurpose.values()].reduce((sum, of) => sum + spansOf(of), 0);
}

function spansOf(enquiries: ScoredFile['enquiries']): number {
  let spans = 0;
  let endsMs = -Infinity;
  for (const ms of enquiries.map(({ at }) => at.getTime()).toSorted((a, b) => a - b)) {
    if (ms < endsMs) continue;
    spans += 1;
    endsMs = ms + ONE_APPLICATION_DAYS * DAY_MS;
  }
  return spans;
}

function count(
  accounts: readonly CreditAccount[],
  counts: (account: CreditAccount) => boolean,
): number {
  return accounts.filter(counts).length;
}

function largest(values: readonly number[]): number {
  return values.reduce((max, value) => Math.max(max, value), 0);
}
