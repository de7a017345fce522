import type { BankStatements, StatementLine } from '../../source-statements.ts';
import { MPESA } from '../../source.ts';
import type { ColumnName, TableRules } from '../statements/settings.ts';
import { readStatement } from '../statements/read.ts';
import { movementTypeOf } from './movement-type.ts';
import { darajaTime } from './payment.ts';
import { isOurs, numbersOf, readDarajaSettings } from './settings.ts';
import type { OurNumbers } from './settings.ts';

/** The columns of the statement of an organisation, as M-PESA's portal exports it. */
const COLUMNS = {
  reference: 'Receipt No.',
  time: 'Completion Time',
  text: 'Details',
  status: 'Transaction Status',
  credit: 'Paid In',
  debit: 'Withdrawn',
  balance: 'Balance',
  type: 'Reason Type',
  payer: 'Other Party Info',
  linked: 'Linked Transaction ID',
  account: 'A/C No.',
} as const satisfies Partial<Record<ColumnName, string>>;

const OPTIONAL: ReadonlySet<ColumnName> = new Set(['payer', 'linked']);

/** Failed and declined rows have amounts, too. */
const BOOKED = ['completed'];

/**
 * The statement of a pay bill, which people export from M-PESA's portal as CSV or as an Excel file. Its rows have M-PESA's
 * own numbers, so that a row and a confirmation are one receipt.
 * Throws: an `Error` naming the source and the invalid setting.
 */
export function organisationStatements(sourceCode: string, given: unknown): BankStatements {
  const settings = readDarajaSettings(sourceCode, given);
  const ours = numbersOf(settings);
  const table: TableRules = {
    columns: COLUMNS,
    optional: OPTIONAL,
    dateFormats: ['DD-MM-YYYY', 'DD/MM/YYYY'],
    decimalSeparator: '.',
    bookedStatus: BOOKED,
    checksBalances: settings.statement_balances !== 'ignored',
    checkAbove: (rows) => shortCodeProblem(rows, ours),
    typeOf: movementTypeOf,
  };
  return {
    issuer: MPESA,
    bankAccount: undefined,
    separateFrom: [],
    patterns: { account: undefined, receipt: undefined },
    numbering: MPESA,
    read: async (file, { acceptedLines }) => {
      const rules = {
        account: undefined,
        checksBalances: true,
        identifiedBy: 'AcctSvcrRef',
      } as const;
      const read = await readStatement(
        file,
        { format: 'csv', table: { ...table, acceptedLines }, statement: rules },
        darajaTime,
      );
      return { ...read, lines: read.lines.map((line) => withTill(line, ours)) };
    },
  };
}

/** A payment to a till has no account number. */
function withTill(line: StatementLine, { till }: OurNumbers): StatementLine {
  return till === null || line.account !== '' ? line : { ...line, account: till };
}

/** Account numbers of another short code may be other vendors'. */
function shortCodeProblem(
  rows: readonly (readonly string[])[],
  ours: OurNumbers,
): string | undefined {
  const above = rows.flat().map((cell) => cell.trim());
  if (above.some((cell) => digitsOf(cell).some((number) => isOurs(ours, number)))) return undefined;
  const other = rows
    .find(([label = '']) => /short ?code/i.test(label))
    ?.join(' ')
    .trim();
  return other === undefined
    ? `no line above the titles names our short code, ${ours.shortCode}: export the statement again, with its first lines`
    : `the statement is of another short code (${other}), not of ${ours.shortCode}`;
}

function digitsOf(cell: string): string[] {
  return cell.match(/\d+/g) ?? [];
}
