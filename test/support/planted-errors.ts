import { rightLine } from './credit-files.ts';
import type { Line } from './credit-files.ts';

/** An account in arrears that satisfies every rule. */
export const LATE: Line = {
  OverdueBalance: '3000',
  OverdueDate: '20260722',
  DaysInArrears: '101',
  InstalmentsInArrears: '3',
  PrudentialRiskClassification: 'C',
  DisbursementDate: '20260401',
  AccountStatusDate: '20260401',
};

/** An error planted in a line: the wrong values, and the findings expected for it, `field rule`. */
export interface PlantedError {
  readonly wrong: Line;
  readonly findings: readonly string[];
  /** Differences between the valid line and the usual one. */
  readonly right?: Line;
}

/** Errors of all kinds that need only one line; each is the only one on its line. */
export const PLANTED_ERRORS: readonly PlantedError[] = [
  {
    right: { Forename1: '', Forename2: '' },
    wrong: { Surname: '' },
    findings: ['Surname required'],
  },
  {
    right: { Forename1: '', Forename2: '' },
    wrong: { Surname: '0712000111' },
    findings: ['Surname name'],
  },
  { wrong: { Surname: 'Mw\ufffdngi' }, findings: ['Surname text'] },
  { wrong: { Surname: 'B'.repeat(60) }, findings: ['Surname text'] },
  { wrong: { Forename1: 'Am\ufffdni' }, findings: ['Forename1 text'] },
  { wrong: { Forename2: 'W'.repeat(60) }, findings: ['Forename2 text'] },
  { wrong: { DateOfBirth: '' }, findings: ['DateOfBirth required'] },
  { wrong: { PrimaryIDNumber: '9.1E+08' }, findings: ['PrimaryIDNumber spreadsheet'] },
  { wrong: { DateOfBirth: '14/03/1985' }, findings: ['DateOfBirth date'] },
  { wrong: { DateOfBirth: '19850230' }, findings: ['DateOfBirth date'] },
  { wrong: { DateOfBirth: '20150314' }, findings: ['DateOfBirth age'] },
  { wrong: { DateOfBirth: '19050314' }, findings: ['DateOfBirth age'] },
  { wrong: { ClientNumber: 'C'.repeat(60) }, findings: ['ClientNumber text'] },
  { wrong: { AccountNumber: '' }, findings: ['AccountNumber required'] },
  { wrong: { Gender: 'Female' }, findings: ['Gender code'] },
  { wrong: { Gender: '' }, findings: ['Gender required'] },
  { wrong: { Nationality: 'Kenya' }, findings: ['Nationality country'] },
  { wrong: { PrimaryIDType: 'ID' }, findings: ['PrimaryIDType code'] },
  { wrong: { PrimaryIDType: '005' }, findings: ['PrimaryIDType code'] },
  { wrong: { PrimaryIDNumber: '' }, findings: ['PrimaryIDNumber required'] },
  { wrong: { PrimaryIDNumber: '9100000X1' }, findings: ['PrimaryIDNumber id_number'] },
  { wrong: { PrimaryIDType: '003' }, findings: ['PrimaryIDNumber id_number'] },
  { wrong: { MobilePhone: '07123' }, findings: ['MobilePhone phone'] },
  { wrong: { AccountProductType: 'Mobile' }, findings: ['AccountProductType code'] },
  { wrong: { InstalmentDueDate: '20261131' }, findings: ['InstalmentDueDate date'] },
  { wrong: { OriginalAmount: '' }, findings: ['OriginalAmount required'] },
  { wrong: { OriginalAmount: '12,000' }, findings: ['OriginalAmount amount'] },
  { wrong: { OriginalAmount: 'KES 12000' }, findings: ['OriginalAmount amount'] },
  { wrong: { InstalmentAmount: '-2000' }, findings: ['InstalmentAmount amount'] },
  { wrong: { Currency: 'KSH.' }, findings: ['Currency currency'] },
  { wrong: { CurrentBalanceKES: '800' }, findings: ['CurrentBalanceKES kes_equality'] },
  {
    right: { Currency: 'USD', CurrentBalanceKES: '1032000' },
    wrong: { CurrentBalanceKES: '1032000000000' },
    findings: ['CurrentBalanceKES rate'],
  },
  { wrong: { AccountStatus: 'A' }, findings: ['CurrentBalance closed_balance'] },
  { wrong: { AccountStatus: 'C' }, findings: ['OverdueBalance due_needs_overdue'] },
  {
    right: LATE,
    wrong: { OverdueBalance: '30000' },
    findings: ['OverdueBalance overdue_within_balance'],
  },
  { right: LATE, wrong: { OverdueDate: '' }, findings: ['OverdueDate overdue_needs_date'] },
  {
    right: { ...LATE, DaysInArrears: '12', PrudentialRiskClassification: 'A' },
    wrong: { DaysInArrears: '0' },
    findings: ['DaysInArrears overdue_needs_days', 'InstalmentsInArrears instalments_and_days'],
  },
  {
    right: LATE,
    wrong: { InstalmentsInArrears: '0' },
    findings: [
      'InstalmentsInArrears overdue_needs_instalments',
      'InstalmentsInArrears instalments_and_days',
    ],
  },
  { right: LATE, wrong: { OverdueBalance: '0' }, findings: ['OverdueBalance days_need_overdue'] },
  {
    right: LATE,
    wrong: { InstalmentsInArrears: 'three' },
    findings: ['InstalmentsInArrears count'],
  },
  {
    right: LATE,
    wrong: { PrudentialRiskClassification: 'A' },
    findings: ['PrudentialRiskClassification class_and_days'],
  },
  {
    wrong: { PrudentialRiskClassification: 'Normal' },
    findings: ['PrudentialRiskClassification code'],
  },
  { wrong: { AccountStatus: 'N' }, findings: ['AccountStatus code'] },
  { wrong: { AccountStatus: 'Active' }, findings: ['AccountStatus code'] },
  { wrong: { AccountStatusDate: '20261224' }, findings: ['AccountStatusDate future_date'] },
  {
    wrong: { AccountStatusDate: '20260831' },
    findings: ['AccountStatusDate before_disbursement'],
  },
  { wrong: { LatestPaymentDate: '20270105' }, findings: ['LatestPaymentDate future_date'] },
  { wrong: { LatestPaymentDate: '' }, findings: ['LatestPaymentDate payment_needs_date'] },
  { wrong: { RepaymentPeriod: '6 months' }, findings: ['RepaymentPeriod count'] },
  { wrong: { DisbursementDate: '' }, findings: ['DisbursementDate required'] },
  {
    right: { DateOfBirth: '20010901' },
    wrong: { DisbursementDate: '20010801' },
    findings: ['DisbursementDate before_birth'],
  },
  // The account number of another line, as if copied by mistake.
  { wrong: { AccountNumber: 'A1' }, findings: ['AccountNumber account_holder'] },
];

/** Valid lines, each about another person. */
export function rightLines(lines: number): Line[] {
  return Array.from({ length: lines }, (_, index) =>
    rightLine(index + 1, {
      Surname: SURNAMES[index % SURNAMES.length] ?? '',
      Forename1: FORENAMES[index % FORENAMES.length] ?? '',
      Forename2: '',
    }),
  );
}

const SURNAMES = ['Mwangi', 'Otieno', 'Kiprop', 'Mutua', 'Achieng', 'Barasa', 'Njeri'];
const FORENAMES = ['Grace', 'Daniel', 'Halima', 'Felix', 'Tabitha'];
