/** Examples of the scoring operations: what the sandbox answers about its first example subject. */

const KEY = 'demo-security-key';
const NAMES = { name1: 'Amani', name2: 'Baraka', name3: 'Wanjiru' };
const NATIONAL_ID = '900000001';

const PROFILE = {
  crn: '1000001',
  dateOfBirth: '1984-03-12T00:00:00+03:00',
  fullName: 'Amani Baraka Wanjiru',
  nationalID: '900000001',
  otherNames: 'Amani Baraka',
  salutation: 'Ms',
  surname: 'Wanjiru',
  deceased: 'false',
};
const TAIL = { remarks: [], source: 'registry', computed_here: [] };
const NOTICE =
  'A customer’s credit score should not be used as the sole reason by a lender to deny a customer a loan.';

/** Text numbers of the own and the other sectors. */
function pair(mySector: string, otherSectors: string) {
  return { mySector, otherSectors };
}

const COUNTS = {
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

const MOBILE_LOANS = {
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

const STATUSES = [...Array<string>(4).fill('ACTIVE'), ...Array<string>(10).fill('CLOSED')];
const FLAGS = { disputed: 'false', deceased: 'false', asOf: '2026-10-31T00:00:00+03:00' };
const PHONES = [
  { phoneNo: '254187000001', phoneType: 'HOME' },
  { phoneNo: '254197000001', phoneType: 'MOBILE' },
];

function head(requestReference: string) {
  return { header_status: 200, text: 'Product request processed successfully', requestReference };
}

export const SCORING_EXAMPLES = {
  idDecision: {
    key: KEY,
    request: {
      vid: 'demo',
      requestReference: 'ENQ20261121A',
      reportReason: '4',
      nationalID: NATIONAL_ID,
    },
    answer: {
      ...head('ENQ20261121A'),
      profile: { ...PROFILE, gender: 'F', nationality: 'KE' },
      summary: { creditActive: 'true' },
      ...TAIL,
    },
  },
  genericScore: {
    key: KEY,
    request: {
      vid: 'demo',
      requestReference: 'ENQ20261121B',
      reportReason: '2',
      reportSector: '2',
      ...NAMES,
      nationalID: NATIONAL_ID,
    },
    answer: {
      ...head('ENQ20261121B'),
      profile: PROFILE,
      summary: COUNTS,
      account_list: STATUSES.map((accountStatus) => ({
        accountStatus,
        arrearAmount: '0.00',
        ...FLAGS,
      })),
      phone_list: PHONES,
      score: {
        grade: 'BB',
        positiveScore: '793',
        probability: '1.69',
        reasonCodeAARC1: 'One or more accounts are open',
        reasonCodeAARC2: 'Few accounts were repaid in full and on time',
        reasonCodeAARC3: 'No further reason',
        reasonCodeAARC4: 'No further reason',
      },
      notice: NOTICE,
      ...TAIL,
    },
  },
  mobileLoanScore: {
    key: KEY,
    request: {
      vid: 'demo',
      requestReference: 'ENQ20261121C',
      reportReason: '12',
      reportSector: '2',
      ...NAMES,
      nationalID: NATIONAL_ID,
    },
    answer: {
      ...head('ENQ20261121C'),
      profile: PROFILE,
      summary: { ...COUNTS, ...MOBILE_LOANS },
      account_list: STATUSES.map((accountStatus) => ({ accountStatus, ...FLAGS })),
      phone_list: PHONES.map((phone) => ({ createDate: '2021-10-31T00:00:00+03:00', ...phone })),
      score: {
        grade: 'CC',
        mobiLoansScore: '721',
        probability: '4.46',
        reasonCodeAARC1: 'One or more accounts are open',
        reasonCodeAARC2: 'Few accounts were repaid in full and on time',
        reasonCodeAARC3: 'Few mobile loans were repaid in full and on time',
        reasonCodeAARC4:
          'The largest mobile loan repaid in full and on time was small, or there was none',
      },
      notice: NOTICE,
      ...TAIL,
    },
  },
};
