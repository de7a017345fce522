import { plainTitle } from '../../platform/base/tables.ts';
import type { TitleMatch } from '../../platform/base/tables.ts';

/** The mobile template of the Kenyan data specification: its columns, in order. */
export const MOBILE_COLUMNS = [
  'Surname',
  'Forename1',
  'Forename2',
  'Forename3',
  'TradingAs',
  'DateOfBirth',
  'ClientNumber',
  'AccountNumber',
  'Gender',
  'Nationality',
  'PrimaryIDType',
  'PrimaryIDNumber',
  'MobilePhone',
  'AccountProductType',
  'InstalmentDueDate',
  'OriginalAmount',
  'Currency',
  'CurrentBalanceKES',
  'CurrentBalance',
  'OverdueBalance',
  'OverdueDate',
  'DaysInArrears',
  'InstalmentsInArrears',
  'PrudentialRiskClassification',
  'AccountStatus',
  'AccountStatusDate',
  'RepaymentPeriod',
  'DisbursementDate',
  'InstalmentAmount',
  'LatestPaymentDate',
  'LastPaymentAmount',
] as const;

/** Columns that the individual template adds at the end; all may be empty, and a file may lack the last one. */
export const INDIVIDUAL_EXTRAS = [
  'Salutation',
  'PassportNumber',
  'ServiceID',
  'AlienID',
  'TaxPIN',
  'HomePhone',
  'WorkPhone',
  'PostalAddress',
  'PostalTown',
  'PostalCountry',
  'PhysicalAddress',
  'PhysicalTown',
  'PhysicalCountry',
  'JointHolders',
  'Role',
] as const;

/**
 * The consumer template, which banks and microfinance lenders use, with the columns of both of its versions that are in
 * use. A file has one of `CurrentBalanceKES` and `AmountKES`.
 */
export const CONSUMER_COLUMNS = [
  'Surname',
  'Forename1',
  'Forename2',
  'Forename3',
  'Salutation',
  'TradingAs',
  'DateOfBirth',
  'ClientNumber',
  'AccountNumber',
  'OldAccountNumber',
  'Gender',
  'Nationality',
  'MaritalStatus',
  'PrimaryIDType',
  'PrimaryIDNumber',
  'SecondaryIDType',
  'SecondaryIDNumber',
  'OtherIDType',
  'OtherIDNumber',
  'PassportCountry',
  'MobilePhone',
  'HomePhone',
  'WorkPhone',
  'PostalAddress',
  'PostalAddress2',
  'PostalTown',
  'PostalCountry',
  'PostCode',
  'PhysicalAddress',
  'PhysicalAddress2',
  'PlotNumber',
  'PhysicalTown',
  'PhysicalCountry',
  'AtAddressSince',
  'Residence',
  'TaxPIN',
  'WorkEmail',
  'EmployerName',
  'EmployerIndustry',
  'EmploymentDate',
  'EmploymentType',
  'Income',
  'LenderName',
  'LenderTradingName',
  'BranchName',
  'BranchCode',
  'JointOrSingle',
  'AccountProductType',
  'OpenedDate',
  'InstalmentDueDate',
  'OriginalAmount',
  'Currency',
  'CurrentBalanceKES',
  'AmountKES',
  'CurrentBalance',
  'OverdueBalance',
  'OverdueDate',
  'DaysInArrears',
  'InstalmentsInArrears',
  'PrudentialRiskClassification',
  'AccountStatus',
  'AccountStatusDate',
  'ClosureReason',
  'RepaymentPeriod',
  'DeferredDate',
  'DeferredAmount',
  'PaymentFrequency',
  'DisbursementDate',
  'InstalmentAmount',
  'LatestPaymentDate',
  'LastPaymentAmount',
  'SecurityType',
  'GroupID',
] as const;

/** In the unit of the file. */
export const AMOUNT_COLUMNS: ReadonlySet<Column> = new Set([
  'OriginalAmount',
  'CurrentBalanceKES',
  'AmountKES',
  'CurrentBalance',
  'OverdueBalance',
  'InstalmentAmount',
  'LastPaymentAmount',
]);

export type Column =
  | (typeof MOBILE_COLUMNS)[number]
  | (typeof INDIVIDUAL_EXTRAS)[number]
  | (typeof CONSUMER_COLUMNS)[number];

export const TEMPLATES = {
  mobile: MOBILE_COLUMNS,
  individual: [...MOBILE_COLUMNS, ...INDIVIDUAL_EXTRAS],
  consumer: CONSUMER_COLUMNS,
} as const satisfies Record<string, readonly Column[]>;

export type TemplateName = keyof typeof TEMPLATES;

/** Columns that a file may do without. In the consumer template: all but those that the mobile one has as well. */
const OPTIONAL: Readonly<Record<TemplateName, ReadonlySet<Column>>> = {
  mobile: new Set(),
  individual: new Set(['Role']),
  consumer: new Set(
    CONSUMER_COLUMNS.filter(
      (column) =>
        !(MOBILE_COLUMNS as readonly Column[]).includes(column) ||
        ['TradingAs', 'CurrentBalanceKES'].includes(column),
    ),
  ),
};

/** Columns of the consumer template that the registry has no use for. */
export const UNREAD: ReadonlySet<Column> = new Set<Column>([
  ...(['OldAccountNumber', 'MaritalStatus', 'PassportCountry', 'PostalAddress2'] as const),
  ...(['PostCode', 'PhysicalAddress2', 'PlotNumber', 'AtAddressSince', 'Residence'] as const),
  ...(['WorkEmail', 'EmployerName', 'EmployerIndustry', 'EmploymentDate'] as const),
  ...(['EmploymentType', 'Income', 'LenderName', 'LenderTradingName', 'BranchName'] as const),
  ...(['BranchCode', 'OpenedDate', 'ClosureReason', 'DeferredDate', 'DeferredAmount'] as const),
  ...(['PaymentFrequency', 'SecurityType', 'GroupID'] as const),
]);

/** The regulator's titles, and those of lenders' programs, that differ from ours in more than `titleKey` does. */
const OTHER_TITLES: Partial<Record<Column, readonly string[]>> = {
  PrimaryIDType: ['Primary Identification Document Type'],
  PrimaryIDNumber: ['Primary Identification Document Number', 'Primary Identification'],
  SecondaryIDType: ['Secondary Identification Document Type'],
  SecondaryIDNumber: ['Secondary Identification Document Number', 'Secondary Identification'],
  // One program writes both titles alike.
  OtherIDType: ['Other Identification Document Type', 'Other Identification'],
  OtherIDNumber: ['Other Identification Document Number', 'Other Identification'],
  PassportCountry: ['Passport Country Code'],
  MobilePhone: ['Mobile Phone Number'],
  HomePhone: ['Home Phone Number'],
  WorkPhone: ['Work Phone Number'],
  PostalAddress: ['Postal Address 1'],
  PostalTown: ['Postal Location Town'],
  PostalCountry: ['Postal Location Country'],
  PhysicalAddress: ['Physical Address 1'],
  PhysicalTown: ['Location Town'],
  PhysicalCountry: ['Location Country'],
  AtAddressSince: ['Date at Physical Address'],
  Residence: ['Type of Residence', 'Type of Residency'],
  TaxPIN: ['PIN Number'],
  WorkEmail: ['Consumer Work E-Mail', 'Customer Work E-Mail'],
  EmployerIndustry: ['Employer Industry Type', 'Occupational Industry Type'],
  Income: ['Income Amount', 'Salary Band'],
  LenderName: ['Lenders Registered Name', 'Lenders Registered'],
  LenderTradingName: ['Lenders Trading Name'],
  BranchName: ['Lenders Branch Name'],
  BranchCode: ['Lenders Branch Code'],
  JointOrSingle: ['Account Joint/Single Indicator', 'Account Joint/Single'],
  OpenedDate: ['Date Account Opened'],
  Currency: ['Currency of Facility'],
  CurrentBalanceKES: ['Current Balance in Kenya Shillings', 'Current Balance in KE Shillings'],
  AmountKES: ['Amount in Kenya Shillings', 'Amount in KE Shillings'],
  DaysInArrears: ['Number of Days in Arrears'],
  InstalmentsInArrears: ['Number of Instalments in Arrears', 'Number of Instalments in'],
  ClosureReason: ['Account Closure Reason'],
  DeferredDate: ['Deferred Payment Date'],
  DeferredAmount: ['Deferred Payment Amount', 'Deferred Payment'],
  LatestPaymentDate: ['Date of Latest Payment', 'Date of Last Payment'],
  SecurityType: ['Type of Security'],
};

/** A column that only counts the rows. */
const ROW_NUMBERS: ReadonlySet<string> = new Set(['#', 'No.', 'S/N', 'Row'].map(titleKey));

/** A title without what differs from program to program: capitals, spaces, line breaks, two spellings, abbreviations. */
function titleKey(title: string): string {
  return plainTitle(title)
    .replaceAll('installment', 'instalment')
    .replaceAll('telephone', 'phone')
    .replace(/doc(?=number|type)/, 'document')
    .replace(/^(?:no|nr)of/, 'numberof');
}

const KEYS = new Map<Column, ReadonlySet<string>>(
  Object.values(TEMPLATES)
    .flat()
    .map((column) => [
      column,
      new Set([column, ...(OTHER_TITLES[column] ?? [])].map((title) => titleKey(title))),
    ]),
);

/**
 * The columns of a file with these titles, in any order.
 * A title that is none of the template’s is a problem: what stands below it may be what the lender means.
 */
export function matchTitles(
  titles: readonly string[],
  template: TemplateName,
): TitleMatch<Column> & { readonly places: ReadonlyMap<Column, number> } {
  const places = new Map<Column, number>();
  let problem: string | undefined;
  const width = titles.findLastIndex((title) => title.trim() !== '') + 1;
  for (const [index, title] of titles.slice(0, width).entries()) {
    const key = titleKey(title);
    if (ROW_NUMBERS.has(key)) continue;
    const named = TEMPLATES[template].filter((column) => KEYS.get(column)?.has(key));
    const column = named.find((each) => !places.has(each));
    if (column !== undefined) places.set(column, index);
    else {
      const shown = title.replaceAll(/\s+/g, ' ').trim().slice(0, 40);
      problem ??=
        named.length > 0
          ? `there are two columns ${named[0]}`
          : `“${shown}”, the title of column ${index + 1}, is none of the ${template} template’s`;
    }
  }
  const missing = TEMPLATES[template].filter(
    (column) => !places.has(column) && !OPTIONAL[template].has(column),
  );
  if (problem === undefined && template === 'consumer') problem = balanceProblem(places);
  return { places, missing, problem };
}

/** Its two versions disagree about what is in shillings. */
function balanceProblem(places: ReadonlyMap<Column, number>): string | undefined {
  const [balance, amount] = [places.has('CurrentBalanceKES'), places.has('AmountKES')];
  if (balance !== amount) return undefined;
  return `there must be one of the columns CurrentBalanceKES and AmountKES${balance ? ', not both' : ''}`;
}
