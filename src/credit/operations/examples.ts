import { SUCCESS_TEXT } from './answers.ts';

/** Parts of the examples: the sandbox's answer about its first example subject. */

export const NAMES = { name1: 'Amani', name2: 'Baraka', name3: 'Wanjiru' };
export const NATIONAL_ID = '900000001';

export const PROFILE = {
  crn: '1000001',
  dateOfBirth: '1984-03-12T00:00:00+03:00',
  fullName: 'Amani Baraka Wanjiru',
  nationalID: '900000001',
  otherNames: 'Amani Baraka',
  salutation: 'Ms',
  surname: 'Wanjiru',
  deceased: 'false',
  nameDiffers: 'false',
  alsoKnownAs: [],
};
export const TAIL = { remarks: [], source: 'registry', computed_here: [] };

/** Numbers, as text, for the requester's sector and for all others. */
function pair(mySector: string, otherSectors: string) {
  return { mySector, otherSectors };
}

export const COUNTS = {
  creditHistory: pair('45', '46'),
  npaAccounts: pair('0', '0'),
  paAccounts: pair('8', '6'),
  paAccountsWithDh: pair('0', '0'),
  paClosedAccounts: pair('5', '5'),
  paClosedAccountsWithDh: pair('0', '0'),
  paOpenAccounts: pair('3', '1'),
  paOpenAccountsWithDh: pair('0', '0'),
  disputedAccounts: pair('0', '0'),
};

export const MOBILE_LOANS = {
  avgMobiLoanPrincipalAmount: pair('14600.00', '7050.00'),
  lastMobiLoanPrincipalAmount: pair('25000.00', '12000.00'),
  maxMobiLoanPrincipalAmount: pair('25000.00', '12000.00'),
  minMobiLoanPrincipalAmount: pair('5000.00', '3000.00'),
  mobiLoanAccounts: pair('5', '3'),
  npaClosedAccounts: pair('0', '0'),
  npaClosedMobiLoanAccounts: pair('0', '0'),
  npaOpenAccounts: pair('0', '0'),
  npaOpenMobiLoanAccounts: pair('0', '0'),
  paClosedMobiLoanAccounts: pair('4', '3'),
  paClosedMobiLoanAccountsWithDh: pair('0', '0'),
  paOpenMobiLoanAccounts: pair('1', '0'),
  paOpenMobiLoanAccountsWithDh: pair('0', '0'),
  lastMobileLoanListingDate: { otherSectors: '2026-02-28T00:00:00+03:00' },
};

export const DETAILS = {
  arrearsNone: pair('8', '6'),
  arrears30Days: pair('0', '0'),
  arrears60Days: pair('0', '0'),
  arrears90Days: pair('0', '0'),
  arrearsGT90Days: pair('0', '0'),
  currentAccountsInArrears: pair('0', '0'),
  maxArrearDays: pair('0', '0'),
  staleAccounts: pair('0', '0'),
  maxArrears: pair('0.00', '0.00'),
  totalArrears: pair('0.00', '0.00'),
  totalBalance: pair('268400.00', '91000.00'),
  enquiries30Days: pair('0', '1'),
  enquiries90Days: pair('0', '1'),
  enquiries365Days: pair('1', '2'),
  guaranteedAccounts: pair('0', '1'),
  guaranteedBalance: pair('0.00', '45000.00'),
};

export const STATUSES = [...Array<string>(4).fill('ACTIVE'), ...Array<string>(10).fill('CLOSED')];
export const FLAGS = { disputed: 'false', deceased: 'false', asOf: '2026-10-31T00:00:00+03:00' };
export const ACCOUNT_DETAILS = {
  accountType: 'MOBILE_LOAN',
  openedDate: '2026-09-04T00:00:00+03:00',
  accountAge: '1',
  originalAmount: '25000.00',
  currentBalance: '8400.00',
  arrearDays: '0',
  stale: 'false',
  jointHolders: '',
};
export const PHONES = [
  { phoneNo: '254187000001', phoneType: 'HOME' },
  { phoneNo: '254197000001', phoneType: 'MOBILE' },
];

export function head(requestReference: string) {
  return { header_status: 200, text: SUCCESS_TEXT, requestReference };
}
