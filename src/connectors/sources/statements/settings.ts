import { Type } from 'typebox';
import type { Static } from 'typebox';
import { codeField, strict } from '../../../platform/base/json-fields.ts';
import { jsonText } from '../../../platform/base/proposal.ts';
import { createSettingsReader } from '../../settings.ts';
import type { LinePatterns, StatementReading } from '../../source-statements.ts';

const title = Type.String({ minLength: 1, maxLength: 100 });
const pattern = Type.String({ maxLength: 200 });

const COLUMNS = strict({
  time: title,
  /** Absent: the bank gives none. Its credits wait for people. */
  reference: Type.Optional(title),
  text: title,
  /** Negative amounts are debits. */
  amount: Type.Optional(title),
  /** Instead of `amount`: one column for each side. */
  credit: Type.Optional(title),
  debit: Type.Optional(title),
  currency: Type.Optional(title),
  /** Says if the money moved. */
  status: Type.Optional(title),
  /** The balance after the row: the rows must lead from one to the next. */
  balance: Type.Optional(title),
  /** The account number that the customer gave, if it is not in the text. */
  account: Type.Optional(title),
});

const SETTINGS = strict({
  format: Type.Enum(['csv', 'mt940', 'camt053']),
  /** Titles of the columns of CSV, or of an Excel file. */
  columns: Type.Optional(COLUMNS),
  /** Order of day, month and year in CSV, such as DD/MM/YYYY; MMM is a month such as Jan. */
  date_format: Type.Optional(
    Type.String({
      pattern: '^(?=.*DD)(?=.*MM)(?=.*YY)(?:DD|MMM?|YY(?:YY)?)(?:[ ./-](?:DD|MMM?|YY(?:YY)?)){2}$',
    }),
  ),
  /** Values of the column `status` for movements that were made. Every other row is not booked. */
  booked_status: Type.Optional(Type.Array(title, { minItems: 1 })),
  /** Decimal sign of amounts in CSV. Absent: recognised from them. */
  decimal_separator: Type.Optional(Type.Enum(['.', ','])),
  /** Which reference of an entry is unique; `OwnerRef` is that of MT940 before the `//`. */
  identified_by: Type.Optional(Type.Enum(['AcctSvcrRef', 'NtryRef', 'OwnerRef'])),
  /** Our account as MT940 and camt.053 name it. Statements of other accounts are refused. */
  bank_account: Type.Optional(Type.String({ minLength: 4, maxLength: 40 })),
  /** Codes of sources whose payments this account never lists. */
  separate_from: Type.Optional(Type.Array(codeField, { minItems: 1, maxItems: 100 })),
  /** Who numbers the receipts, if it is not this bank: `mpesa`, or the code of another source. */
  issuer: Type.Optional(codeField),
  /** `checked`: the movements must add up to the closing balance, or to the column `balance`. */
  balances: Type.Optional(Type.Enum(['checked', 'ignored'])),
  /** A regular expression whose first group is the account number in the purpose. */
  account_pattern: Type.Optional(pattern),
  /** A pattern for M-PESA's receipt number. Such a line is the same receipt as a confirmation. */
  receipt_pattern: Type.Optional(pattern),
});
type StatementSettings = Static<typeof SETTINGS>;
const checkSettings = createSettingsReader(SETTINGS, 'source');

/** Names of columns: those of the settings, and of a provider's own statement. */
export type ColumnName = keyof Static<typeof COLUMNS> | 'type' | 'payer' | 'linked';
/** Titles of the columns. Either `amount`, or both `credit` and `debit`. */
export type Columns = Readonly<Partial<Record<ColumnName, string>>> & {
  readonly time: string;
  readonly text: string;
};

/** Rules for reading a table: CSV, or an Excel file. */
export interface TableRules {
  readonly columns: Columns;
  /** Columns that a file may do without. */
  readonly optional: ReadonlySet<ColumnName>;
  readonly dateFormats: readonly string[];
  /** Undefined: recognised from the amounts. */
  readonly decimalSeparator: '.' | ',' | undefined;
  /** In lower case. Undefined: the file has no column for it. */
  readonly bookedStatus: readonly string[] | undefined;
  readonly checksBalances: boolean;
  /** Finds the problem of what is above the titles. */
  readonly checkAbove?: (rows: readonly (readonly string[])[]) => string | undefined;
  /** The meaning of each word that the provider has for a movement. */
  readonly typeOf?: (type: string) => MovementType;
  readonly acceptedLines?: StatementReading['acceptedLines'];
}

/** `movement`: of money of ours. */
export type MovementType = 'payment' | 'reversal' | 'movement' | 'unknown';

/** Rules for statements that name their account and their balances. */
export interface AccountRules {
  /** Undefined: any. */
  readonly account: string | undefined;
  readonly checksBalances: boolean;
  readonly identifiedBy: 'AcctSvcrRef' | 'NtryRef' | 'OwnerRef';
  readonly acceptedLines?: StatementReading['acceptedLines'];
}

export interface StatementRules {
  readonly format: StatementSettings['format'];
  /** Set only for CSV. */
  readonly table: TableRules | undefined;
  /** Null: the bank. */
  readonly issuer: string | null;
  readonly statement: AccountRules;
  readonly separateFrom: readonly string[];
  readonly patterns: LinePatterns;
}

const NOTHING: ReadonlySet<ColumnName> = new Set();

/** Which settings only some formats have. */
const ONLY_FOR = {
  columns: ['csv'],
  date_format: ['csv'],
  decimal_separator: ['csv'],
  booked_status: ['csv'],
  identified_by: ['mt940', 'camt053'],
  bank_account: ['mt940', 'camt053'],
  issuer: ['csv'],
} as const satisfies Partial<Record<keyof StatementSettings, readonly string[]>>;

/** Throws an `Error` naming the source and the invalid setting. */
export function readStatementSettings(sourceCode: string, given: unknown): StatementRules {
  const settings = checkSettings(sourceCode, given);
  const { format, columns } = settings;
  const refuse = (problem: string): never => {
    throw new Error(`source ${sourceCode}: ${problem}`);
  };
  for (const [name, formats] of Object.entries(ONLY_FOR)) {
    if (settings[name as keyof typeof ONLY_FOR] === undefined) continue;
    if (!(formats as readonly string[]).includes(format)) refuse(`${name} is not for ${format}`);
  }
  const other = format === 'mt940' ? 'NtryRef' : 'OwnerRef';
  if (settings.identified_by === other) refuse(`identified_by cannot be ${other} for ${format}`);
  if (format === 'csv' && columns === undefined) refuse('columns is missing');
  if ((columns?.status === undefined) !== (settings.booked_status === undefined)) {
    refuse('columns.status and booked_status are given together');
  }
  if (columns !== undefined) {
    const { amount, credit, debit } = columns;
    const sides =
      amount === undefined ? credit !== undefined && debit !== undefined : !(credit ?? debit);
    if (!sides) refuse('columns needs either amount, or credit and debit');
  }
  const compile = (text: string | undefined): RegExp | undefined => {
    try {
      return text === undefined ? undefined : new RegExp(text, 'du');
    } catch {
      return refuse(`${text} is not a regular expression`);
    }
  };
  const checksBalances = settings.balances !== 'ignored';
  return {
    format,
    table: columns && {
      columns,
      optional: NOTHING,
      dateFormats: [settings.date_format ?? 'YYYY-MM-DD'],
      decimalSeparator: settings.decimal_separator,
      bookedStatus: settings.booked_status?.map((status) => status.trim().toLowerCase()),
      checksBalances,
    },
    issuer: settings.issuer ?? null,
    statement: {
      account: settings.bank_account,
      checksBalances,
      identifiedBy: settings.identified_by ?? 'AcctSvcrRef',
    },
    separateFrom: settings.separate_from ?? [],
    patterns: {
      account: compile(settings.account_pattern),
      receipt: compile(settings.receipt_pattern),
    },
  };
}

/** Settings that decide which number a line has. */
const NUMBERING = ['format', 'columns', 'identified_by', 'issuer', 'receipt_pattern'] as const;

/** Another text if lines get other numbers. */
export function numberingOf(settings: Readonly<Record<string, unknown>>): string {
  return jsonText(NUMBERING.map((name) => settings[name] ?? null));
}
