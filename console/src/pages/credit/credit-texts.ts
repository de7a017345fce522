import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';
import type { EnquiryList } from '../../../../src/staff/credit-enquiries.ts';
import type { EnquiryReport } from '../../../../src/staff/credit-report-schema.ts';

export type Product = EnquiryReport['operation'];

export const PRODUCT_NAMES: Readonly<Record<Product, MessageDescriptor>> = {
  'id-decision': msg`Identity decision`,
  'generic-score': msg`Generic score`,
  'mobile-loan-score': msg`Mobile-loan score`,
};

/** Why somebody asks, by the code of the contract. */
export const PURPOSES: Readonly<Record<string, MessageDescriptor>> = {
  2: msg`Loan application`,
  12: msg`Mobile banking loan`,
  1: msg`Account opening`,
  3: msg`Monitoring credit`,
  4: msg`Verification`,
  5: msg`Overdraft`,
  6: msg`Credit card`,
  7: msg`Working capital of a business`,
  8: msg`Expansion of a business`,
  9: msg`Mortgage`,
  10: msg`Asset finance`,
  11: msg`Trade finance`,
};

export const OUTCOMES: Readonly<
  Record<EnquiryList['enquiries'][number]['outcome'], MessageDescriptor>
> = {
  answered: msg`Answered`,
  not_found: msg`Nobody found`,
  mismatch: msg`Names differ`,
  conflict: msg`Documents of several people`,
  unknown: msg`Result unknown`,
};

const FIGURES: Readonly<Record<string, MessageDescriptor>> = {
  creditHistory: msg`Months of credit history`,
  npaAccounts: msg`Accounts in default`,
  npaOpenAccounts: msg`Accounts in default, open`,
  npaClosedAccounts: msg`Accounts in default, closed`,
  npaOpenMobiLoanAccounts: msg`Mobile loans in default, open`,
  npaClosedMobiLoanAccounts: msg`Mobile loans in default, closed`,
  paAccounts: msg`Accounts that perform`,
  paAccountsWithDh: msg`Accounts that perform, with a past default`,
  paOpenAccounts: msg`Accounts that perform, open`,
  paOpenAccountsWithDh: msg`Accounts that perform, open, with a past default`,
  paClosedAccounts: msg`Accounts repaid`,
  paClosedAccountsWithDh: msg`Accounts repaid, with a past default`,
  mobiLoanAccounts: msg`Mobile loans`,
  paOpenMobiLoanAccounts: msg`Mobile loans that perform, open`,
  paOpenMobiLoanAccountsWithDh: msg`Mobile loans that perform, open, with a past default`,
  paClosedMobiLoanAccounts: msg`Mobile loans repaid`,
  paClosedMobiLoanAccountsWithDh: msg`Mobile loans repaid, with a past default`,
  disputedAccounts: msg`Accounts under dispute`,
  arrearsNone: msg`Accounts without arrears now`,
  arrears30Days: msg`Accounts 1 to 30 days in arrears`,
  arrears60Days: msg`Accounts 31 to 60 days in arrears`,
  arrears90Days: msg`Accounts 61 to 90 days in arrears`,
  arrearsGT90Days: msg`Accounts over 90 days in arrears`,
  currentAccountsInArrears: msg`Accounts in arrears now`,
  maxArrearDays: msg`Most days in arrears, ever`,
  maxArrears: msg`Highest overdue amount, ever (KES)`,
  totalArrears: msg`Overdue now (KES)`,
  totalBalance: msg`Balances now (KES)`,
  guaranteedAccounts: msg`Loans guaranteed for others`,
  guaranteedBalance: msg`Balances guaranteed for others (KES)`,
  staleAccounts: msg`Accounts with an old state`,
  enquiries30Days: msg`Applications in 30 days`,
  enquiries90Days: msg`Applications in 90 days`,
  enquiries365Days: msg`Applications in 365 days`,
  avgMobiLoanPrincipalAmount: msg`Average mobile loan (KES)`,
  lastMobiLoanPrincipalAmount: msg`Last mobile loan (KES)`,
  maxMobiLoanPrincipalAmount: msg`Largest mobile loan (KES)`,
  minMobiLoanPrincipalAmount: msg`Smallest mobile loan (KES)`,
  lastMobileLoanListingDate: msg`Last mobile loan on`,
};

/** Types of accounts, as the contract names them. */
export const ACCOUNT_TYPES: Readonly<Record<string, MessageDescriptor>> = {
  OVERDRAFT: msg`Overdraft`,
  CREDIT_CARD: msg`Credit card`,
  BUSINESS_WORKING_CAPITAL: msg`Working capital of a business`,
  BUSINESS_EXPANSION: msg`Expansion of a business`,
  MORTGAGE: msg`Mortgage`,
  ASSET_FINANCE: msg`Asset finance`,
  TRADE_FINANCE: msg`Trade finance`,
  PERSONAL_LOAN: msg`Personal loan`,
  MOBILE_LOAN: msg`Mobile loan`,
  INSURANCE_PREMIUM: msg`Insurance premium`,
  GROUP_LOAN: msg`Group loan`,
  UNCLEARED_EFFECTS: msg`Uncleared cheques`,
};

/** The name of a figure of a summary, in words. */
export function useFigureName(): (name: string) => string {
  const { i18n } = useLingui();
  return (name) => {
    const known = FIGURES[name];
    return known === undefined
      ? name
          .replaceAll(/([A-Z]|\d+)/g, ' $1')
          .trim()
          .toLowerCase()
      : i18n._(known);
  };
}

/** The names of a table of texts, by key, in its order. */
export function useNames(
  texts: Readonly<Record<string, MessageDescriptor>>,
): Readonly<Record<string, string>> {
  const { i18n } = useLingui();
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, i18n._(text)]));
}
