import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLenderFile } from '../../../../src/credit/importing/lender-file.ts';
import type { Finding, SubmittedAccount } from '../../../../src/credit/importing/record.ts';
import { CONSUMER_COLUMNS, MOBILE_COLUMNS } from '../../../../src/credit/importing/template.ts';
import type { Column, TemplateName } from '../../../../src/credit/importing/template.ts';
import { amountFormOf } from '../../../../src/credit/importing/unit.ts';
import { createValidator } from '../../../../src/credit/importing/validate.ts';
import { rightLine } from '../../../support/credit-files.ts';
import type { Line } from '../../../support/credit-files.ts';
import { makeXlsx } from '../../../support/make-xlsx.ts';
import type { MadeCell } from '../../../support/make-xlsx.ts';
import { CONSUMER_TITLES, OFFICIAL_TITLES } from '../../../support/lender-titles.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lender-'));
});

afterAll(async () => await rm(folder, { recursive: true }));

interface Read {
  readonly form: string;
  readonly accounts: readonly Omit<SubmittedAccount, 'line'>[];
  readonly findings: readonly Finding[];
  readonly remarks: readonly Finding[];
}

async function read(
  bytes: Buffer | string,
  template: TemplateName = 'mobile',
  declared?: 'shillings' | 'cents',
): Promise<Read> {
  const file = path.join(folder, 'loans');
  await writeFile(file, bytes);
  const opened = await openLenderFile(file, template);
  const amounts = await amountFormOf(opened, declared);
  const validator = createValidator(opened.places, '2026-10-31', amounts, opened.columnCount);
  const accounts: Omit<SubmittedAccount, 'line'>[] = [];
  const findings: Finding[] = [];
  const remarks: Finding[] = [];
  for await (const { line, values, numbers, problem } of opened.rows()) {
    if (problem !== undefined) {
      findings.push({ line, field: '', rule: 'csv', text: problem });
      continue;
    }
    const validated = validator.validate(line, values, numbers);
    if (validated.account === undefined) findings.push(...validated.findings);
    else {
      const { line: _, ...account } = validated.account;
      accounts.push(account);
      remarks.push(...validated.remarks);
    }
  }
  return { form: opened.form, accounts, findings, remarks };
}

const cell = (text: string, delimiter: string): string =>
  new RegExp(`["\\n${delimiter}]`).test(text) ? `"${text.replaceAll('"', '""')}"` : text;

function table(rows: readonly (readonly string[])[], delimiter = ',', end = '\n'): string {
  return rows.map((row) => row.map((text) => cell(text, delimiter)).join(delimiter) + end).join('');
}

function rowsOf(lines: readonly Line[], columns: readonly Column[] = MOBILE_COLUMNS): string[][] {
  return lines.map((line) => columns.map((column) => line[column] ?? ''));
}

const ENCODINGS = {
  'UTF-8': (text: string) => Buffer.from(text),
  'UTF-8 with a byte order mark': (text: string) => Buffer.from(`\ufeff${text}`),
  'UTF-16': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16 without a byte order mark': (text: string) => Buffer.from(text, 'utf16le'),
  'UTF-16, high byte first': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'Windows-1252': (text: string) => Buffer.from(text, 'latin1'),
} as const;
const DELIMITERS = [',', ';', '\t', '|'] as const;
const AMOUNTS: readonly Column[] = [
  ...(['OriginalAmount', 'CurrentBalanceKES', 'CurrentBalance', 'OverdueBalance'] as const),
  ...(['InstalmentAmount', 'LastPaymentAmount'] as const),
];

function changed(line: Line, columns: readonly Column[], change: (text: string) => string): Line {
  return Object.fromEntries(
    Object.entries(line).map(([column, text]) => [
      column,
      columns.includes(column as Column) && text !== '' ? change(text) : text,
    ]),
  );
}

const withComma = (line: Line): Line => changed(line, AMOUNTS, (text) => text.replace('.', ','));
const inCents = (line: Line): Line =>
  changed(line, AMOUNTS, (text) => String(Math.round(Number(text) * 100)));

/** Loans with shillings and cents, with and without arrears. */
const book = fc.array(
  fc.record({
    balance: fc.integer({ min: 10_000, max: 90_000_000 }),
    overdue: fc.integer({ min: 1, max: 9_999 }),
    days: fc.constantFrom(0, 12, 45, 120, 400),
    surname: fc.constantFrom('Wekesa', 'Né', 'O’Brien', 'Muñoz', 'Wanjikü'),
    id: fc.integer({ min: 1, max: 99_999_999 }),
    shared: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

function linesOf(loans: typeof book extends fc.Arbitrary<infer Loans> ? Loans : never): Line[] {
  return loans.map(({ balance, overdue, days, surname, id }, index) => {
    const shillings = (cents: number): string => (cents / 100).toFixed(2);
    const isLate = days > 0;
    const riskClass = ['A', 'B', 'C', 'D', 'E'][
      [30, 90, 180, 360].filter((max) => days > max).length
    ];
    return rightLine(index + 1, {
      ...{ Surname: surname.replace('’', "'"), PrimaryIDNumber: String(id) },
      ...{ OriginalAmount: shillings(balance + 33), InstalmentAmount: '2000.05' },
      ...{ CurrentBalance: shillings(balance), CurrentBalanceKES: shillings(balance) },
      ...{ OverdueBalance: isLate ? shillings(overdue) : '0.00', LastPaymentAmount: '10.10' },
      ...{ OverdueDate: isLate ? '20260915' : '', DaysInArrears: String(days) },
      ...{ InstalmentsInArrears: isLate ? '2' : '0', PrudentialRiskClassification: riskClass! },
    });
  });
}

describe('a random book of accounts is read as the plain file', () => {
  const plain = async (lines: readonly Line[]): Promise<Read> =>
    await read(table([[...MOBILE_COLUMNS], ...rowsOf(lines)]));

  test('in every encoding, with every delimiter, with either decimal sign, in any order of its columns', async () => {
    await fc.assert(
      fc.asyncProperty(
        book,
        fc.shuffledSubarray([...MOBILE_COLUMNS], { minLength: MOBILE_COLUMNS.length }),
        async (loans, columns) => {
          const lines = linesOf(loans);
          const { accounts, findings } = await plain(lines);
          expect(findings).toEqual([]);
          for (const [name, encode] of Object.entries(ENCODINGS)) {
            for (const delimiter of DELIMITERS) {
              for (const write of [(line: Line) => line, withComma]) {
                const rows = [columns, ...rowsOf(lines.map(write), columns)];
                const result = await read(encode(table(rows, delimiter, '\r\n')));
                expect(result, `${name} ${delimiter}`).toMatchObject({ accounts, findings: [] });
              }
            }
          }
        },
      ),
      { numRuns: 3 },
    );
  });

  test('with the regulator’s titles, wrapped and under other lines, in cents, and as an Excel file of numbers, texts and dates', async () => {
    await fc.assert(
      fc.asyncProperty(book, async (loans) => {
        const lines = linesOf(loans);
        const { accounts } = await plain(lines);
        const titles = MOBILE_COLUMNS.map((column) => OFFICIAL_TITLES[column] ?? column);
        const wrapped = titles.map((title) => title.replaceAll(' ', '\n'));
        const above = [['Example Lender Ltd'], ['October 2026', 'CRB']];
        const rows = rowsOf(lines);
        for (const text of [
          table([titles, ...rows]),
          table([...above, wrapped, ...rows, titles.map(() => '')]),
        ]) {
          expect(await read(text)).toMatchObject({ accounts, findings: [] });
        }
        const cents = table([titles, ...rowsOf(lines.map(inCents))]);
        expect(await read(cents, 'mobile', 'cents')).toMatchObject({ accounts, findings: [] });
        await expect(read(cents)).rejects.toThrow('in shillings or in cents');
        const cells = lines.map((line) => MOBILE_COLUMNS.map((column) => excelCell(column, line)));
        const excel = await makeXlsx([...above, wrapped, ...cells], { dateFormat: 'dd/mm/yyyy' });
        const result = await read(excel);
        expect(result).toMatchObject({ accounts, findings: [] });
        expect(result.form).toBe('sheet “Data” of an Excel file');
      }),
      { numRuns: 10 },
    );
  });

  test('in the consumer template of both versions', async () => {
    await fc.assert(
      fc.asyncProperty(book, async (loans) => {
        const lines = linesOf(loans);
        const { accounts } = await plain(lines);
        for (const titles of CONSUMER_TITLES) {
          const columns = titles.map(([column]) => column);
          const values = lines.map((line, index) =>
            columns.map((column) => consumerValue(column, line, loans[index]!.shared)),
          );
          const file = await read(table([titles.map(([, title]) => title), ...values]), 'consumer');
          expect(file.findings).toEqual([]);
          expect(file.accounts).toEqual(
            accounts.map((account, index) => ({
              ...account,
              terms: { ...account.terms, jointHolders: loans[index]!.shared ? 1 : 0 },
            })),
          );
        }
      }),
      { numRuns: 10 },
    );
  });
});

function consumerValue(column: Column, line: Line, isJoint: boolean): string {
  if (column === 'JointOrSingle') return isJoint ? 'J' : 'S';
  if (column === 'AmountKES') return (isJoint ? line.OriginalAmount : line.CurrentBalance) ?? '';
  if (column === 'LenderName') return 'Example Lender; Ltd';
  if (column === 'SecondaryIDType') return '1';
  // The same document once more.
  if (column === 'SecondaryIDNumber') return line.PrimaryIDNumber ?? '';
  return line[column] ?? '';
}

/** As Excel changes the values when somebody types them in. */
function excelCell(column: Column, line: Line): MadeCell {
  const text = line[column] ?? '';
  if (text === '') return null;
  if (/Date|DateOfBirth/.test(column) && /^\d{8}$/.test(text)) {
    return new Date(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}T00:00:00Z`);
  }
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

describe('a value that a spreadsheet changed', () => {
  const SHAPES: readonly (readonly [Line, string])[] = [
    [{ PrimaryIDNumber: '3.12E+07' }, 'PrimaryIDNumber spreadsheet 1.23E+08'],
    [{ AccountNumber: '1.00234E+11' }, 'AccountNumber spreadsheet 1.23E+08'],
    [{ MobilePhone: '2,54712E+11' }, 'MobilePhone spreadsheet 1.23E+08'],
    [{ OriginalAmount: '1.2E+04' }, 'OriginalAmount spreadsheet 1.23E+08'],
    [{ DateOfBirth: '########' }, 'DateOfBirth spreadsheet ####'],
    [{ ClientNumber: '#REF!' }, 'ClientNumber spreadsheet name of an error'],
    [{ DateOfBirth: '31120' }, 'DateOfBirth date number of a day'],
    [{ DateOfBirth: '14/02/1990' }, 'DateOfBirth date order of its parts'],
    [{ DateOfBirth: '2-14-90' }, 'DateOfBirth date order of its parts'],
    [{ DateOfBirth: '14-Feb-90' }, 'DateOfBirth date order of its parts'],
    [{ DateOfBirth: '14021990' }, 'DateOfBirth date YYYYMMDD'],
  ];

  test.each(SHAPES)(
    '%o is refused with its line, its column and its form',
    async (change, said) => {
      const text = table([[...MOBILE_COLUMNS], ...rowsOf([rightLine(1), rightLine(2, change)])]);
      const { accounts, findings } = await read(text);
      expect(accounts).toHaveLength(1);
      const [{ line, field, rule, text: told } = {}] = findings;
      const [wantedField, wantedRule, ...words] = said.split(' ');
      expect([line, field, rule]).toEqual([3, wantedField, wantedRule]);
      expect(told).toContain(words.join(' '));
      expect(told).not.toContain(Object.values(change)[0]);
    },
  );

  test('is read where nothing is lost, with a remark', async () => {
    const change = { PrimaryIDType: '1', DateOfBirth: '1985-03-14', OverdueDate: '' };
    const { accounts, remarks } = await read(
      table([[...MOBILE_COLUMNS], ...rowsOf([rightLine(1, change)])]),
    );
    expect(accounts[0]?.profile).toMatchObject({
      dateOfBirth: '1985-03-14',
      documents: [{ type: 'nationalID' }],
    });
    expect(remarks.map(({ field, rule }) => `${field} ${rule}`).toSorted()).toEqual([
      'DateOfBirth spreadsheet',
      'PrimaryIDType spreadsheet',
    ]);
  });

  test('as a number of an Excel file, a passport is refused, a long number too, and an account gets a remark', async () => {
    const xlsx = async (change: Line, numbers: readonly Column[]) => {
      const line = rightLine(1, change);
      const cells = MOBILE_COLUMNS.map((column) =>
        numbers.includes(column) ? Number(line[column]) : (line[column] ?? ''),
      );
      return await read(await makeXlsx([[...MOBILE_COLUMNS], cells]));
    };
    const passport = { PrimaryIDType: '002', PrimaryIDNumber: '1234567' };
    expect((await xlsx(passport, [])).findings).toEqual([]);
    expect((await xlsx(passport, ['PrimaryIDNumber'])).findings).toMatchObject([
      { line: 2, field: 'PrimaryIDNumber', rule: 'spreadsheet' },
    ]);
    const long = { AccountNumber: '1234567890123456' };
    expect((await xlsx(long, ['AccountNumber'])).findings).toMatchObject([
      { line: 2, field: 'AccountNumber', rule: 'spreadsheet' },
    ]);
    const { remarks } = await xlsx({ AccountNumber: '77001' }, ['AccountNumber']);
    expect(remarks).toMatchObject([{ field: 'AccountNumber', rule: 'spreadsheet' }]);
  });
});

test('a file of another form is refused by what it is', async () => {
  const titles = [...MOBILE_COLUMNS];
  const row = rowsOf([rightLine(1)]);
  await expect(read(Buffer.from('d0cf11e0a1b11ae1', 'hex'))).rejects.toThrow('.xls');
  await expect(read(Buffer.from('PK\u0003\u0004 damaged'))).rejects.toThrow('cannot be read');
  await expect(read(table([titles.slice(1), ...row], ';'))).rejects.toThrow(
    'there is no column Surname (values separated by semicolons, UTF-8)',
  );
  await expect(read(table([[...titles, 'Score'], ...row]))).rejects.toThrow('“Score”');
  await expect(read(table([[...CONSUMER_COLUMNS]]), 'consumer')).rejects.toThrow('not both');
});

test('amounts with the other decimal sign than the rest of the file are refused line by line', async () => {
  const lines = [rightLine(1), rightLine(2, { OriginalAmount: '12.000,50' })];
  const { findings } = await read(table([[...MOBILE_COLUMNS], ...rowsOf(lines)]));
  expect(findings).toMatchObject([{ line: 3, field: 'OriginalAmount', rule: 'amount' }]);
});

test('AmountKES of a foreign loan is refused, because it may be of two amounts', async () => {
  const columns = CONSUMER_COLUMNS.filter((column) => column !== 'CurrentBalanceKES');
  const foreign = rightLine(1, { Currency: 'USD', AmountKES: '100000.00' });
  const { findings } = await read(table([columns, ...rowsOf([foreign], columns)]), 'consumer');
  expect(findings).toMatchObject([{ field: 'AmountKES', rule: 'rate' }]);
});

test('a damaged file in UTF-8 is not taken for Windows-1252', async () => {
  const text = table([
    [...MOBILE_COLUMNS],
    ...rowsOf([rightLine(1, { Surname: 'Muñoz' }), rightLine(2, { Surname: 'XXbrien' })]),
  ]);
  const bytes = Buffer.from(text);
  bytes[bytes.indexOf('XXbrien')] = 0xe9;
  const { accounts, findings } = await read(bytes);
  expect(accounts.map(({ profile }) => profile.name.surname)).toEqual(['Muñoz']);
  expect(findings).toMatchObject([{ line: 3, field: 'Surname', rule: 'text' }]);
});
