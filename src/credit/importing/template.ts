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

/** In the unit of the file. */
export const AMOUNT_COLUMNS: ReadonlySet<Column> = new Set([
  'OriginalAmount',
  'CurrentBalanceKES',
  'CurrentBalance',
  'OverdueBalance',
  'InstalmentAmount',
  'LastPaymentAmount',
]);

export type Column = (typeof MOBILE_COLUMNS)[number] | (typeof INDIVIDUAL_EXTRAS)[number];

export const TEMPLATES = {
  mobile: MOBILE_COLUMNS,
  individual: [...MOBILE_COLUMNS, ...INDIVIDUAL_EXTRAS],
} as const satisfies Record<string, readonly Column[]>;

export type TemplateName = keyof typeof TEMPLATES;

/** The regulator's titles that differ from ours in more than spaces. */
const OFFICIAL_TITLES: Partial<Record<Column, string>> = {
  PrimaryIDType: 'Primary Identification Document Type',
  PrimaryIDNumber: 'Primary Identification Document Number',
  MobilePhone: 'Mobile Phone Number',
  Currency: 'Currency of Facility',
  CurrentBalanceKES: 'Current Balance in Kenya Shillings',
  DaysInArrears: 'Number of Days in Arrears',
  InstalmentsInArrears: 'Number of Instalments in Arrears',
  LatestPaymentDate: 'Date of Latest Payment',
};

/** True if a title is a column's own or the regulator's, whatever the capitals and spaces. */
function isTitleOf(column: Column, title: string): boolean {
  return [column, OFFICIAL_TITLES[column] ?? column].some(
    (known) => compactTitle(known) === compactTitle(title),
  );
}

function compactTitle(title: string): string {
  return title.replaceAll(/\s/g, '').toLowerCase();
}

/** The columns of a file with this header, if it is the template's. */
export function columnsOf(header: readonly string[], template: TemplateName): readonly Column[] {
  const columns: readonly Column[] = TEMPLATES[template];
  const isShort = header.length === columns.length - 1 && columns.at(-1) === 'Role';
  return isShort ? columns.slice(0, -1) : columns;
}

/** Describes the first fault of a header; undefined if it is the template's. */
export function headerProblem(
  header: readonly string[],
  template: TemplateName,
): string | undefined {
  const columns = columnsOf(header, template);
  for (const [index, column] of columns.entries()) {
    if (isTitleOf(column, header[index] ?? '')) continue;
    const found = header[index] === undefined ? 'nothing' : `“${header[index].slice(0, 40)}”`;
    return `column ${index + 1} must be ${column}, found ${found}`;
  }
  return header.length === columns.length
    ? undefined
    : `the ${template} template has ${columns.length} columns, found ${header.length}`;
}
