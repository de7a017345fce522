import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCsvStatement } from '../../../../../src/connectors/sources/statements/csv.ts';
import type { CsvRules } from '../../../../../src/connectors/sources/statements/settings.ts';
import { createWireTime } from '../../../../../src/platform/base/clock.ts';
import { makeTemporaryFolder, removeFolder } from '../../../../support/temporary.ts';

const wireTime = createWireTime('Africa/Nairobi');
const NAMES = { time: 'Date', reference: 'Ref', text: 'Text' };
const RULES: CsvRules = {
  columns: { ...NAMES, amount: 'Amount' },
  dateFormat: 'YYYY-MM-DD',
  decimalSeparator: '.',
  bookedStatus: undefined,
};
const SIDES: CsvRules = { ...RULES, columns: { ...NAMES, credit: 'In', debit: 'Out' } };

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
});
afterAll(async () => {
  await removeFolder(folder);
});

let files = 0;

async function read(content: string, rules: CsvRules = RULES) {
  files += 1;
  const file = { path: path.join(folder, `${files}.csv`), encoding: 'utf8' } as const;
  await writeFile(file.path, content);
  const lines = [];
  for await (const line of readCsvStatement(file, rules, wireTime)) lines.push(line);
  return lines;
}

/** The result of reading one row, on line 2. */
async function row(text: string, rules: CsvRules = RULES) {
  const titles = rules === SIDES ? 'Date,In,Out,Ref,Text' : 'Date,Amount,Ref,Text';
  return (await read(`${titles}\n${text}\n`, rules))[0];
}

test('a row is a credit, or a debit if its amount is negative', async () => {
  expect(await row('2026-01-05 10:15,"1,500.50", FT1 ,RENT')).toEqual({
    line: 2,
    at: new Date('2026-01-05T10:15:00+03:00'),
    amountCents: 150_050n,
    kind: 'credit',
    reference: 'FT1',
    text: 'RENT',
  });
  expect(await row('2026-01-05T10:15:00Z,-7,FT1,')).toMatchObject({
    at: new Date('2026-01-05T10:15:00Z'),
    amountCents: 700n,
    kind: 'debit',
  });
});

test('credits and debits may have columns of their own', async () => {
  expect(await row('2026-01-05,5,,FT1,', SIDES)).toMatchObject({
    kind: 'credit',
    amountCents: 500n,
  });
  expect(await row('2026-01-05,0.00,5,FT1,', SIDES)).toMatchObject({ kind: 'debit' });
  expect(await row('2026-01-05,,-5,FT1,', SIDES)).toMatchObject({ kind: 'debit' });
  expect(await row('2026-01-05,0,0,FT1,', SIDES)).toBeUndefined();
  for (const bad of ['5,5', '-5,', ',', 'x,', ',x']) {
    expect(await row(`2026-01-05,${bad},FT1,`, SIDES)).toEqual({
      line: 2,
      problem: 'the amount is not valid',
    });
  }
});

test.each([
  ['2026-13-05,1,FT1,x', 'the time is not valid'],
  ['2026-02-30,1,FT1,x', 'the time is not valid'],
  ['2026-01-05 25:00,1,FT1,x', 'the time is not valid'],
  ['2026-01-05x,1,FT1,x', 'the time is not valid'],
  ['2026-01-05,"1,50",FT1,x', 'the amount is not valid'],
  ['2026-01-05,1e3,FT1,x', 'the amount is not valid'],
  ['2026-01-05,1,,x', 'the reference is missing'],
  // A comma that is not quoted would move the text into another column.
  ['2026-01-05,1,FT1,rent, may', 'it has 5 values, and there are 4 titles'],
  ['2026-01-05,1,FT1', 'it has 3 values, and there are 4 titles'],
  ['2026-01-05,1,FT1,"x', 'quote'],
])('the row %s is a problem of its line', async (text, problem) => {
  expect(await row(text)).toEqual({ line: 2, problem: expect.stringContaining(problem) });
});

test('an amount that may mean thousands is refused with its column and what to do', async () => {
  expect(await row('2026-01-05,1.500,FT1,x')).toEqual({
    line: 2,
    problem:
      '1.500 in the column Amount is ambiguous: “.” may be the decimal separator or the separator of thousands. If it separates thousands, set decimal_separator to “,” in the settings of the source. If not, export the file with exactly two decimals',
  });
  const comma = { ...RULES, decimalSeparator: ',' } as const;
  expect(await row('2026-01-05,"1,500",FT1,x', comma)).toMatchObject({
    problem: expect.stringContaining('set decimal_separator to “.” in the settings'),
  });
  expect(await row('2026-01-05,1.500,,FT1,x', SIDES)).toMatchObject({
    problem: expect.stringContaining('1.500 in the column In is ambiguous'),
  });
  expect(await row('2026-01-05,0.00,1.500,FT1,x', SIDES)).toMatchObject({
    problem: expect.stringContaining('1.500 in the column Out is ambiguous'),
  });
  expect(await row('2026-01-05,1.500,FT1,x', comma)).toMatchObject({ amountCents: 150_000n });
});

test('what is above the titles and empty rows are skipped; trailing commas do not matter', async () => {
  const above = 'Statement\nAccount,01100,,\n';
  const rows = '2026-01-05,1,FT1,x,,\n,,,\n\n2026-01-05,2,FT2,x\n';
  expect(await read(`\ufeff${above} Date ,Amount,Ref,Text\n${rows}`)).toMatchObject([
    { line: 4, reference: 'FT1' },
    { line: 7, reference: 'FT2' },
  ]);
});

test('a missing title is named with the line that comes closest', async () => {
  expect(await read('x\nDate,Amount,Reference,Text\n2026-01-05,1,FT1,x\n')).toEqual([
    { line: 2, problem: 'there is no column Ref' },
  ]);
  expect(await read('')).toEqual([
    { line: 1, problem: expect.stringContaining('there is no column') },
  ]);
  expect(await read(`${'x\n'.repeat(60)}Date,Amount,Ref,Text\n`)).toHaveLength(1);
});

test.each([
  [';', 'semicolons'],
  ['\t', 'tabs'],
])('the delimiter is named if it is no comma: %j', async (sign, name) => {
  const lines = ['Account,01100', 'Date,Amount,Ref,Text', '05/01/2026,"1.500,00",FT1,x'];
  const [above = '', ...others] = lines;
  const content = [above, ...others.map((line) => line.replaceAll(/,(?!\d\d")/g, sign))];
  expect(await read(content.join('\n'))).toEqual([
    {
      line: 2,
      problem: `the values are separated by ${name}, not by commas: export the file again with commas`,
    },
  ]);
});

test('another currency is refused if there is a column for it', async () => {
  const rules = { ...RULES, columns: { ...RULES.columns, currency: 'Ccy' } };
  const content = 'Date,Amount,Ref,Text,Ccy\n2026-01-05,1,FT1,x,kes\n2026-01-05,1,FT2,x,USD\n';
  expect(await read(content, rules)).toMatchObject([
    { reference: 'FT1' },
    { line: 3, problem: 'the currency is not KES' },
  ]);
});

test('dates and decimals are read as the source says', async () => {
  const rules = { ...RULES, dateFormat: 'DD/MM/YYYY', decimalSeparator: ',' } as const;
  expect(await row('05/01/2026,"1.500,50",FT1,x', rules)).toMatchObject({
    at: new Date('2026-01-05T00:00:00+03:00'),
    amountCents: 150_050n,
  });
});
