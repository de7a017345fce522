import { formatMoney } from '../../platform/base/money.ts';
import type { CreditAccount, CreditFile } from '../facts.ts';
import { applicationsOf } from '../scorecards/characteristics.ts';
import {
  daysBetween,
  isDisputed,
  isOpen,
  monthsBetween,
  statesOf,
} from '../scorecards/standing.ts';
import { pairOf } from './sectors.ts';
import type { SectorPair, SummaryScope } from './sectors.ts';

/**
 * The fields of answers beyond the specification: arrears, balances and applications of the whole file,
 * and the age of each account. docs/reference/credit-fields.md defines each field.
 */

/** Lenders submit every month, by the tenth: an older state means a missed submission. */
const STALE_AFTER_DAYS = 62;

export const ARREARS_COUNTS = [
  'arrearsNone',
  'arrears30Days',
  'arrears60Days',
  'arrears90Days',
  'arrearsGT90Days',
  'currentAccountsInArrears',
  'maxArrearDays',
  'staleAccounts',
] as const;

export const BALANCE_AMOUNTS = ['maxArrears', 'totalArrears', 'totalBalance'] as const;

export const APPLICATION_COUNTS = [
  'enquiries30Days',
  'enquiries90Days',
  'enquiries365Days',
] as const;

/** Figures about loans that the subject guarantees and that are not repaid. */
export const GUARANTEE_NAMES = ['guaranteedAccounts', 'guaranteedBalance'] as const;

export const DETAIL_NAMES = [
  ...ARREARS_COUNTS,
  ...BALANCE_AMOUNTS,
  ...APPLICATION_COUNTS,
  ...GUARANTEE_NAMES,
] as const;

type DetailName = (typeof DETAIL_NAMES)[number];
type AccountDetail = (typeof ARREARS_COUNTS)[number] | (typeof BALANCE_AMOUNTS)[number];

/** @param isRegistry false: an upstream bureau, which reports no enquiries and no guarantees: their texts are empty. */
export function detailsOf(
  file: CreditFile,
  scope: SummaryScope,
  isRegistry: boolean,
): Record<DetailName, SectorPair> {
  const accountPairs = [...ARREARS_COUNTS, ...BALANCE_AMOUNTS].map((name) => [
    name,
    pairOf(file.accounts, scope, (accounts) => MEASURES[name](accounts, file.asOf)),
  ]);
  const windows = { enquiries30Days: 30, enquiries90Days: 90, enquiries365Days: 365 };
  const enquiryPairs = APPLICATION_COUNTS.map((name) => [
    name,
    isRegistry
      ? pairOf(file.enquiries, scope, (enquiries) =>
          String(applicationsOf(enquiries, file.asOf, windows[name])),
        )
      : UNKNOWN,
  ]);
  const guarantees = (file.guarantees ?? []).filter(isOpen);
  const guaranteePairs = GUARANTEE_NAMES.map((name) => [
    name,
    isRegistry
      ? pairOf(guarantees, scope, (some) =>
          name === 'guaranteedAccounts' ? String(some.length) : sum(some, owedOf),
        )
      : UNKNOWN,
  ]);
  return Object.fromEntries([...accountPairs, ...enquiryPairs, ...guaranteePairs]) as Record<
    DetailName,
    SectorPair
  >;
}

const UNKNOWN: SectorPair = { mySector: '', otherSectors: '' };

type Measure = (accounts: readonly CreditAccount[], asOf: Date) => string;

const MEASURES: Readonly<Record<AccountDetail, Measure>> = {
  arrearsNone: count((days) => days === 0),
  arrears30Days: count((days) => days >= 1 && days <= 30),
  arrears60Days: count((days) => days > 30 && days <= 60),
  arrears90Days: count((days) => days > 60 && days <= 90),
  arrearsGT90Days: count((days) => days > 90),
  currentAccountsInArrears: count((days) => days > 0),
  maxArrearDays: (accounts) =>
    String(Math.max(0, ...countedStates(accounts).map(({ daysInArrears }) => daysInArrears))),
  staleAccounts: (accounts, asOf) =>
    String(accounts.filter((account) => isStale(account, asOf)).length),
  maxArrears: (accounts) =>
    formatMoney(
      countedStates(accounts).reduce(
        (most, { overdueCents }) => (overdueCents > most ? overdueCents : most),
        0n,
      ),
    ),
  totalArrears: (accounts) => sum(accounts, arrearsOf),
  totalBalance: (accounts) => sum(accounts, owedOf),
};

function count(counts: (days: number) => boolean): Measure {
  return (accounts) => String(accounts.filter((account) => counts(arrearDaysOf(account))).length);
}

function sum(
  accounts: readonly CreditAccount[],
  centsOf: (account: CreditAccount) => bigint,
): string {
  return formatMoney(accounts.reduce((total, account) => total + centsOf(account), 0n));
}

// While a dispute is open, no arrears of the account count against the subject.
function countedStates(accounts: readonly CreditAccount[]): CreditAccount['history'] {
  return accounts.filter((account) => !isDisputed(account)).flatMap(statesOf);
}

/** A lender's debt to the subject does not reduce the subject's debts to others. */
function owedOf({ current }: CreditAccount): bigint {
  return current.balanceCents < 0n ? 0n : current.balanceCents;
}

function arrearsOf(account: CreditAccount): bigint {
  return isDisputed(account) ? 0n : account.current.overdueCents;
}

/** Days in arrears now; 0 for a disputed account. */
export function arrearDaysOf(account: CreditAccount): number {
  return isDisputed(account) ? 0 : account.current.daysInArrears;
}

/** Whole months since it was opened. */
export function ageInMonths(account: CreditAccount, asOf: Date): number {
  return monthsBetween(account.openedOn, asOf);
}

/** An open account whose lender has missed at least one monthly submission. */
export function isStale(account: CreditAccount, asOf: Date): boolean {
  return isOpen(account) && daysBetween(account.current.asOf, asOf) > STALE_AFTER_DAYS;
}
