import { rightLine } from './credit-files.ts';
import type { Line } from './credit-files.ts';

/** An account in arrears, right in every rule. */
export const LATE: Line = {
  OverdueBalance: '3000',
  OverdueDate: '20260722',
  DaysInArrears: '101',
  InstalmentsInArrears: '3',
  PrudentialRiskClassification: 'C',
  DisbursementDate: '20260401',
  AccountStatusDate: '20260401',
};

/** A slip a lender makes: what it writes instead, and the rules that tell it, `field rule`. */
export interface Mistake {
  readonly wrong: Line;
  readonly told: readonly string[];
  /** What the right line has other than the usual one. */
  readonly right?: Line;
}

/** Mistakes of all kinds within a line; each is the only one on its line. */
export const MISTAKES: readonly Mistake[] = [
  { wrong: { Surname: '' }, told: ['Surname required'] },
  { wrong: { Surname: '0712000111' }, told: ['Surname name'] },
  { wrong: { Surname: 'Mw\ufffdngi' }, told: ['Surname text'] },
  { wrong: { Surname: 'B'.repeat(60) }, told: ['Surname text'] },
  { wrong: { Forename1: '' }, told: ['Forename1 required'] },
  { wrong: { Forename1: '.' }, told: ['Forename1 name'] },
  { wrong: { Forename2: 'W4njiru' }, told: ['Forename2 name'] },
  { wrong: { DateOfBirth: '' }, told: ['DateOfBirth required'] },
  { wrong: { DateOfBirth: '14/03/1985' }, told: ['DateOfBirth date'] },
  { wrong: { DateOfBirth: '19850230' }, told: ['DateOfBirth date'] },
  { wrong: { DateOfBirth: '20150314' }, told: ['DateOfBirth age'] },
  { wrong: { DateOfBirth: '19050314' }, told: ['DateOfBirth age'] },
  { wrong: { ClientNumber: '' }, told: ['ClientNumber required'] },
  { wrong: { AccountNumber: '' }, told: ['AccountNumber required'] },
  { wrong: { Gender: 'Female' }, told: ['Gender code'] },
  { wrong: { Gender: '' }, told: ['Gender required'] },
  { wrong: { Nationality: 'Kenya' }, told: ['Nationality country'] },
  { wrong: { PrimaryIDType: 'ID' }, told: ['PrimaryIDType code'] },
  { wrong: { PrimaryIDType: '005' }, told: ['PrimaryIDType code'] },
  { wrong: { PrimaryIDNumber: '' }, told: ['PrimaryIDNumber required'] },
  { wrong: { PrimaryIDNumber: '9100000X1' }, told: ['PrimaryIDNumber id_number'] },
  { wrong: { PrimaryIDType: '003' }, told: ['PrimaryIDNumber id_number'] },
  { wrong: { MobilePhone: '07123' }, told: ['MobilePhone phone'] },
  { wrong: { AccountProductType: 'Mobile' }, told: ['AccountProductType code'] },
  { wrong: { InstalmentDueDate: '20261131' }, told: ['InstalmentDueDate date'] },
  { wrong: { OriginalAmount: '' }, told: ['OriginalAmount required'] },
  { wrong: { OriginalAmount: '12,000.00' }, told: ['OriginalAmount amount'] },
  { wrong: { OriginalAmount: 'KES 12000' }, told: ['OriginalAmount amount'] },
  { wrong: { InstalmentAmount: '-2000' }, told: ['InstalmentAmount amount'] },
  { wrong: { Currency: 'KSH.' }, told: ['Currency currency'] },
  { wrong: { CurrentBalanceKES: '800' }, told: ['CurrentBalanceKES kes_equality'] },
  {
    right: { Currency: 'USD', CurrentBalanceKES: '1032000' },
    wrong: { CurrentBalanceKES: '1032000000000' },
    told: ['CurrentBalanceKES rate'],
  },
  { wrong: { OriginalAmount: '0' }, told: ['OriginalAmount original_amount'] },
  { wrong: { OriginalAmount: '12.00' }, told: ['CurrentBalance balance_and_original'] },
  { wrong: { AccountStatus: 'A' }, told: ['CurrentBalance closed_balance'] },
  { wrong: { AccountStatus: 'C' }, told: ['OverdueBalance due_needs_overdue'] },
  {
    right: LATE,
    wrong: { OverdueBalance: '30000' },
    told: ['OverdueBalance overdue_within_balance'],
  },
  { right: LATE, wrong: { OverdueDate: '' }, told: ['OverdueDate overdue_needs_date'] },
  {
    right: { ...LATE, DaysInArrears: '12', PrudentialRiskClassification: 'A' },
    wrong: { DaysInArrears: '0' },
    told: ['DaysInArrears overdue_needs_days', 'InstalmentsInArrears instalments_and_days'],
  },
  {
    right: LATE,
    wrong: { InstalmentsInArrears: '0' },
    told: [
      'InstalmentsInArrears overdue_needs_instalments',
      'InstalmentsInArrears instalments_and_days',
    ],
  },
  { right: LATE, wrong: { OverdueBalance: '0' }, told: ['OverdueBalance days_need_overdue'] },
  { right: LATE, wrong: { InstalmentsInArrears: 'three' }, told: ['InstalmentsInArrears count'] },
  {
    right: LATE,
    wrong: { PrudentialRiskClassification: 'A' },
    told: ['PrudentialRiskClassification class_and_days'],
  },
  {
    wrong: { PrudentialRiskClassification: 'Normal' },
    told: ['PrudentialRiskClassification code'],
  },
  { wrong: { AccountStatus: 'N' }, told: ['AccountStatus code'] },
  { wrong: { AccountStatus: 'Active' }, told: ['AccountStatus code'] },
  { wrong: { AccountStatusDate: '20261224' }, told: ['AccountStatusDate future_date'] },
  {
    wrong: { AccountStatusDate: '20260831' },
    told: ['AccountStatusDate before_disbursement'],
  },
  { wrong: { LatestPaymentDate: '20270105' }, told: ['LatestPaymentDate future_date'] },
  { wrong: { LatestPaymentDate: '' }, told: ['LatestPaymentDate payment_needs_date'] },
  { wrong: { RepaymentPeriod: '6 months' }, told: ['RepaymentPeriod count'] },
  { wrong: { DisbursementDate: '' }, told: ['DisbursementDate required'] },
  {
    right: { DateOfBirth: '20010901' },
    wrong: { DisbursementDate: '20010801' },
    told: ['DisbursementDate before_birth'],
  },
  // The account of another line: the number was copied along.
  { wrong: { AccountNumber: 'A1' }, told: ['AccountNumber account_holder'] },
];

/** A right line each, of a person each. */
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
