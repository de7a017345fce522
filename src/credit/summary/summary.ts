import { formatMoney } from '../../platform/base/money.ts';
import type { Sector } from '../../parties/vendor.ts';
import type { CreditAccount, CreditFile } from '../facts.ts';
import {
  isDisputed,
  isInDefault,
  isOpen,
  isOriginalKnown,
  monthsBetween,
  reportsDeath,
  statesOf,
  wasEverNonPerforming,
} from '../scorecards/standing.ts';
import { pairOf } from './sectors.ts';
import type { SectorPair, SummaryScope } from './sectors.ts';

/** Counts of specification §2.8, and `disputedAccounts`; see docs/reference/credit-fields.md. */
export const GENERIC_COUNTS = [
  'creditHistory',
  'npaAccounts',
  'paAccounts',
  'paAccountsWithDh',
  'paClosedAccounts',
  'paClosedAccountsWithDh',
  'paOpenAccounts',
  'paOpenAccountsWithDh',
  'disputedAccounts',
] as const;

export const MOBILE_COUNTS = [
  'creditHistory',
  'mobiLoanAccounts',
  'npaAccounts',
  'npaClosedAccounts',
  'npaClosedMobiLoanAccounts',
  'npaOpenAccounts',
  'npaOpenMobiLoanAccounts',
  'paAccounts',
  'paAccountsWithDh',
  'paClosedAccounts',
  'paClosedAccountsWithDh',
  'paClosedMobiLoanAccounts',
  'paClosedMobiLoanAccountsWithDh',
  'paOpenAccounts',
  'paOpenAccountsWithDh',
  'paOpenMobiLoanAccounts',
  'paOpenMobiLoanAccountsWithDh',
  'disputedAccounts',
] as const;

export const MOBILE_AMOUNTS = [
  'avgMobiLoanPrincipalAmount',
  'lastMobiLoanPrincipalAmount',
  'maxMobiLoanPrincipalAmount',
  'minMobiLoanPrincipalAmount',
] as const;

type CountName = (typeof GENERIC_COUNTS)[number] | (typeof MOBILE_COUNTS)[number];
type AmountName = (typeof MOBILE_AMOUNTS)[number];

export type GenericSummary = Record<(typeof GENERIC_COUNTS)[number], SectorPair>;
export type MobileSummary = Record<(typeof MOBILE_COUNTS)[number] | AmountName, SectorPair> & {
  /** Midnight UTC of the day; null without such a loan, or if only the requester's sector was requested. */
  readonly lastMobileLoanListingDate: { readonly otherSectors: Date | null };
};

/** An account with the values that summaries need. */
interface Standing {
  readonly sector: Sector;
  readonly account: CreditAccount;
  readonly mobile: boolean;
  readonly open: boolean;
  readonly npa: boolean;
  readonly disputed: boolean;
  /** Performing now, but not always. */
  readonly withDh: boolean;
}

/** True when any account is open (specification §4.10). */
export function isCreditActive(file: CreditFile): boolean {
  return file.accounts.some(isOpen);
}

export function genericSummary(file: CreditFile, scope: SummaryScope): GenericSummary {
  return countPairs(GENERIC_COUNTS, file, scope);
}

export function mobileSummary(file: CreditFile, scope: SummaryScope): MobileSummary {
  const amounts = Object.fromEntries(
    MOBILE_AMOUNTS.map((name) => [
      name,
      pair(file, scope, (accounts) => formatMoney(AMOUNTS[name](loansOldestFirst(accounts)))),
    ]),
  ) as Record<AmountName, SectorPair>;
  const others = file.accounts.filter(({ sector }) => sector !== scope.mySector);
  return {
    ...amounts,
    ...countPairs(MOBILE_COUNTS, file, scope),
    lastMobileLoanListingDate: {
      otherSectors: scope.reportSector === 1 ? null : lastListing(others),
    },
  };
}

export type OutwardStatus = 'ACTIVE' | 'CLOSED' | 'DEFAULT';

export interface ListedAccount {
  readonly status: OutwardStatus;
  /** Overdue, in cents; 0 for a disputed account. */
  readonly arrearCents: bigint;
  readonly disputed: boolean;
  /** Its lender reports the subject's death. */
  readonly deceased: boolean;
  /** The day its newest state was submitted for. */
  readonly asOf: Date;
  readonly account: CreditAccount;
}

/** The accounts in scope, oldest first; accounts of the same day by key. */
export function listAccounts(file: CreditFile, scope: SummaryScope): ListedAccount[] {
  return file.accounts
    .filter(({ sector }) => scope.reportSector === 2 || sector === scope.mySector)
    .toSorted(byOpening)
    .map((account) => {
      const { npa, open, disputed } = standingOf(account);
      const closed = open ? 'ACTIVE' : 'CLOSED';
      return {
        status: npa ? 'DEFAULT' : closed,
        arrearCents: disputed ? 0n : account.current.overdueCents,
        disputed,
        deceased: reportsDeath(account),
        asOf: account.current.asOf,
        account,
      };
    });
}

function standingOf(account: CreditAccount): Standing {
  // A disputed account is shown, but no default counts against the subject until the dispute is
  // decided.
  const disputed = isDisputed(account);
  const npa = !disputed && isInDefault(account);
  return {
    sector: account.sector,
    account,
    mobile: account.product === 'I',
    open: isOpen(account),
    npa,
    disputed,
    withDh: !disputed && !npa && wasEverNonPerforming(account),
  };
}

const COUNTED: Readonly<Record<Exclude<CountName, 'creditHistory'>, (s: Standing) => boolean>> = {
  disputedAccounts: (s) => s.disputed,
  mobiLoanAccounts: (s) => s.mobile,
  npaAccounts: (s) => s.npa,
  npaClosedAccounts: (s) => s.npa && !s.open,
  npaClosedMobiLoanAccounts: (s) => s.npa && !s.open && s.mobile,
  npaOpenAccounts: (s) => s.npa && s.open,
  npaOpenMobiLoanAccounts: (s) => s.npa && s.open && s.mobile,
  paAccounts: (s) => !s.npa,
  paAccountsWithDh: (s) => s.withDh,
  paClosedAccounts: (s) => !s.npa && !s.open,
  paClosedAccountsWithDh: (s) => s.withDh && !s.open,
  paClosedMobiLoanAccounts: (s) => !s.npa && !s.open && s.mobile,
  paClosedMobiLoanAccountsWithDh: (s) => s.withDh && !s.open && s.mobile,
  paOpenAccounts: (s) => !s.npa && s.open,
  paOpenAccountsWithDh: (s) => s.withDh && s.open,
  paOpenMobiLoanAccounts: (s) => !s.npa && s.open && s.mobile,
  paOpenMobiLoanAccountsWithDh: (s) => s.withDh && s.open && s.mobile,
};

function countPairs<Name extends CountName>(
  names: readonly Name[],
  file: CreditFile,
  scope: SummaryScope,
): Record<Name, SectorPair> {
  const standings = file.accounts.map(standingOf);
  const pairs = names.map((name) => [name, pairOf(standings, scope, measureOf(name, file.asOf))]);
  return Object.fromEntries(pairs) as Record<Name, SectorPair>;
}

function measureOf(name: CountName, asOf: Date): (standings: readonly Standing[]) => string {
  if (name === 'creditHistory') return (standings) => String(monthsOfHistory(standings, asOf));
  const isCounted = COUNTED[name];
  return (standings) => String(standings.filter(isCounted).length);
}

function pair(
  file: CreditFile,
  scope: SummaryScope,
  measure: (accounts: readonly CreditAccount[]) => string,
): SectorPair {
  return pairOf(file.accounts, scope, measure);
}

/** Whole months since the oldest account was opened; 0 without one. */
function monthsOfHistory(standings: readonly Standing[], asOf: Date): number {
  return Math.max(0, ...standings.map(({ account }) => monthsBetween(account.openedOn, asOf)));
}

/** The known principals of the mobile loans in cents, by the day they were taken. */
function loansOldestFirst(accounts: readonly CreditAccount[]): bigint[] {
  return accounts
    .filter((account) => account.product === 'I' && isOriginalKnown(account))
    .toSorted(byOpening)
    .map(({ originalCents }) => originalCents);
}

// The key orders accounts of the same day, so that their order in the file does not matter.
function byOpening(a: CreditAccount, b: CreditAccount): number {
  const days = a.openedOn.getTime() - b.openedOn.getTime();
  if (days !== 0 || a.key === b.key) return days;
  return a.key < b.key ? -1 : 1;
}

const AMOUNTS: Readonly<Record<AmountName, (cents: readonly bigint[]) => bigint>> = {
  avgMobiLoanPrincipalAmount: (cents) => {
    const count = BigInt(cents.length);
    // Half a cent is rounded up.
    return count === 0n
      ? 0n
      : (cents.reduce((sum, one) => sum + one, 0n) * 2n + count) / (2n * count);
  },
  lastMobiLoanPrincipalAmount: (cents) => cents.at(-1) ?? 0n,
  maxMobiLoanPrincipalAmount: (cents) => cents.reduce((max, one) => (one > max ? one : max), 0n),
  minMobiLoanPrincipalAmount: (cents) =>
    cents.reduce((least, one) => (one < least ? one : least), cents[0] ?? 0n),
};

/** The last day on which a mobile loan was submitted for the first time. */
function lastListing(accounts: readonly CreditAccount[]): Date | null {
  const listings = accounts
    .filter(({ product }) => product === 'I')
    .map((account) => Math.min(...statesOf(account).map(({ asOf }) => asOf.getTime())));
  return listings.length === 0 ? null : new Date(Math.max(...listings));
}
