import { expect, test } from 'vitest';
import { readTableStatement } from '../../../../../src/connectors/sources/statements/table.ts';
import { readStatementSettings } from '../../../../../src/connectors/sources/statements/settings.ts';
import type { TableRules } from '../../../../../src/connectors/sources/statements/settings.ts';
import { createWireTime } from '../../../../../src/platform/base/clock.ts';

const wireTime = createWireTime('Africa/Nairobi');
const NAMES = { time: 'Date', reference: 'Ref', text: 'Text' };

function rulesOf(columns: object, settings: object = {}): TableRules {
  const { table } = readStatementSettings('bank', { format: 'csv', columns, ...settings });
  if (table === undefined) throw new Error('no table');
  return table;
}

const RULES = rulesOf({ ...NAMES, amount: 'Amount' }, { decimal_separator: '.' });
const SIDES = rulesOf({ ...NAMES, credit: 'In', debit: 'Out' }, { decimal_separator: '.' });

/** Lines and problems. */
async function read(content: string | Buffer, rules: TableRules = RULES) {
  return (await readAll(content, rules)).filter((line) => !('note' in line));
}

async function readAll(content: string | Buffer, rules: TableRules = RULES) {
  const lines = [];
  for await (const line of readTableStatement(Buffer.from(content), rules, wireTime))
    lines.push(line);
  return lines;
}

/** The result of reading one row, on line 2. */
async function row(text: string, rules: TableRules = RULES) {
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
  for (const [bad, problem] of [
    ['5,5', '5 in and 5 out: a movement has one side'],
    ['-5,', '-5 in and  out: a movement has one side'],
    [',', 'the amount in the column In is missing'],
    ['x,', 'x in the column In is not a valid amount'],
    [',x', 'x in the column Out is not a valid amount'],
  ]) {
    expect(await row(`2026-01-05,${bad},FT1,`, SIDES)).toEqual({ line: 2, problem });
  }
});

test.each([
  ['2026-13-05,1,FT1,x', 'the time is not valid'],
  ['2026-02-30,1,FT1,x', 'the time is not valid'],
  ['2026-01-05 25:00,1,FT1,x', 'the time is not valid'],
  ['2026-01-05x,1,FT1,x', 'the time is not valid'],
  ['2026-01-05,"1,50",FT1,x', '1,50 in the column Amount is not a valid amount'],
  ['2026-01-05,1e3,FT1,x', '1e3 in the column Amount is not a valid amount'],
  ['2026-01-05,USD 5,FT1,x', 'the currency of USD 5 in the column Amount is USD, not KES'],
  ['05/01/2026,1,FT1,x', '05/01/2026 in the column Date is not YYYY-MM-DD'],
  ['2026-01-05,1,1.23457E+14,x', 'a number that a spreadsheet has shortened'],
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
    { line: 2, problem: 'there is no column Ref (values separated by commas, UTF-8)' },
  ]);
  expect(await read('')).toEqual([
    { line: 1, problem: expect.stringContaining('there is no column') },
  ]);
  expect(await read(`${'x\n'.repeat(60)}Date,Amount,Ref,Text\n`)).toHaveLength(1);
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
  const rules = { ...RULES, dateFormats: ['DD/MM/YYYY'], decimalSeparator: ',' } as const;
  expect(await row('05/01/2026,"1.500,50",FT1,x', rules)).toMatchObject({
    at: new Date('2026-01-05T00:00:00+03:00'),
    amountCents: 150_050n,
  });
});

test('a debit may have no reference', async () => {
  expect(await row('2026-01-05,-7,,LEDGER FEE')).toMatchObject({ kind: 'debit', reference: '' });
});

const BALANCED = rulesOf(
  { ...NAMES, credit: 'In', debit: 'Out', balance: 'Balance' },
  { date_format: 'DD/MM/YYYY' },
);
const TITLES = 'Date,Text,Ref,In,Out,Balance';

test('opening rows, totals, repeated titles and footers are listed, and are no movements', async () => {
  const lines = await readAll(
    [
      `${TITLES}\n05/01/2026,Balance b/f,,,,"1,000.00"`,
      '05/01/2026,ACC 1,FT1,"1,500.00",,"2,500.00"',
      `${TITLES}\n06/01/2026,FEE,,,50.00,"2,450.00"`,
      ',Total,,"1,500.00",50.00,"2,450.00"\n06/01/2026,Closing balance,,,,"2,450.00"\n*** End ***',
    ].join('\n'),
    BALANCED,
  );
  expect(lines).toMatchObject([
    { line: 1, note: 'form', text: 'values separated by commas, UTF-8, decimal point' },
    { line: 2, note: 'balance' },
    { line: 4, note: 'text' },
    { line: 6, note: 'total' },
    { line: 7, note: 'balance' },
    { line: 8, note: 'text', text: '*** End ***' },
    { line: 3, kind: 'credit', amountCents: 150_000n, balanceCents: 250_000n },
    { line: 5, kind: 'debit', amountCents: 5_000n },
  ]);
});

test('a total that is not that of the rows above it is refused', async () => {
  const rows = '05/01/2026,x,FT1,7.00,,\n05/01/2026,x,FT2,8.00,,\n';
  const pages = `${rows},Page total,,15.00,0.00,\n05/01/2026,x,FT3,1.00,,\n,Page total,,1.00,,\n,Total,,16.00,,`;
  const rules = { ...BALANCED, checksBalances: false };
  expect(await read(`${TITLES}\n${pages}`, rules)).toHaveLength(3);
  expect((await read(`${TITLES}\n${rows},Total,,16.00,,`, rules)).at(-1)).toEqual({
    line: 4,
    problem:
      'the total is 16.00 in and 0.00 out, and the rows above it are 15.00 in and 0.00 out: lines are missing or were changed',
  });
});

test('a row with an amount and neither date nor reference is a total only if it says so', async () => {
  expect(await read(`${TITLES}\n,Something,,7.00,,`, BALANCED)).toEqual([
    { line: 2, problem: 'the time in the column Date is missing' },
  ]);
  // A payer may write such words; the row has a reference.
  expect(
    await read(`${TITLES}\n05/01/2026,Total balance b/f,FT1,7.00,,7.00`, BALANCED),
  ).toMatchObject([{ kind: 'credit', text: 'Total balance b/f' }]);
});

test.each(['', 'newest first'])(
  'a row that is missing is found by the balances %s',
  async (order) => {
    const rows = [
      '05/01/2026,x,FT1,7.00,,107.00',
      '05/01/2026,x,FT2,8.00,,115.00',
      '05/01/2026,FEE,,,1.00,114.00',
      '05/01/2026,x,FT3,9.00,,123.00',
    ];
    const listed = order === '' ? rows : rows.toReversed();
    expect(await read([TITLES, ...listed].join('\n'), BALANCED)).toHaveLength(4);
    const cut = listed.toSpliced(2, 1);
    expect((await read([TITLES, ...cut].join('\n'), BALANCED)).at(-1)).toMatchObject({
      problem: expect.stringContaining('lines are missing or were changed'),
    });
    const changed = listed.with(
      1,
      listed[1]?.replace('8.00', '9.00').replace('1.00', '2.00') ?? '',
    );
    expect((await read([TITLES, ...changed].join('\n'), BALANCED)).at(-1)).toHaveProperty(
      'problem',
    );
    const ignored = { ...BALANCED, checksBalances: false };
    expect(await read([TITLES, ...cut].join('\n'), ignored)).toHaveLength(3);
  },
);

test('a quoted value may have line breaks, and one that nothing closes swallows no line', async () => {
  expect(await row('2026-01-05,1,FT1,"ACC 100200\nJANE"')).toMatchObject({
    text: 'ACC 100200\nJANE',
  });
  expect(
    await read('Date,Amount,Ref,Text\n2026-01-05,1,FT1,"x\n2026-01-05,2,FT2,y\n'),
  ).toMatchObject([
    { line: 2, problem: expect.stringContaining('quote') },
    { line: 3, reference: 'FT2' },
  ]);
});

test('a row that payers’ quotes may have put into another one is held', async () => {
  const rules = rulesOf({ ...NAMES, amount: 'Amount' });
  const content =
    'Date,Text,Ref,Amount\n2026-01-05,"ACC 1,FT1,100.00\n2026-01-05,ACC 2,FT2,900.00\n2026-01-05,",FT3,1.00\n';
  const [line] = await read(content, rules);
  expect(line).toMatchObject({ line: 2, problem: expect.stringContaining('--accept-line 2') });
  const accepted = { ...rules, acceptedLines: new Set([2]) };
  expect(await read(content, accepted)).toMatchObject([{ reference: 'FT3', amountCents: 100n }]);
});

test('the rest of a text in a row of its own belongs to the row above', async () => {
  const rows = '05/01/2026,ACC 100,FT1,7.00,,7.00\n,200 THANKS,,,,\n';
  expect(await read(`${TITLES}\n${rows}`, BALANCED)).toMatchObject([
    { text: 'ACC 100\n200 THANKS' },
  ]);
});

test('two columns of one title are refused', async () => {
  expect(await read('Date,Amount,Ref,Ref,Text\n2026-01-05,1,FT1,FT2,x\n')).toEqual([
    { line: 1, problem: 'there are two columns Ref' },
  ]);
});

test('a file that was cut off within a row is refused', async () => {
  const content = `${TITLES}\n05/01/2026,ACC 1,FT1,7.00,,7.00`;
  for (let length = TITLES.length + 2; length < content.length - '.00,,7.00'.length; length += 1) {
    const lines = await read(content.slice(0, length), BALANCED);
    expect(
      lines.some((line) => 'problem' in line),
      `after ${length} characters`,
    ).toBe(true);
  }
});

const DAYS = ['05/11/26', '5-Nov-2026', '05 November 2026', '2026-11-05'];
test.each(DAYS)('the day %s is read in its format', async (day) => {
  const format =
    DAYS.indexOf(day) === 0 ? 'DD/MM/YY' : day.includes('-N') ? 'DD-MMM-YYYY' : 'DD MMM YYYY';
  const rules = { ...RULES, dateFormats: [format] };
  for (const [time, iso] of [
    ['', '00:00:00'],
    [' 9:15', '09:15:00'],
    [' 02:30 PM', '14:30:00'],
    [' 12:05:09 am', '00:05:09'],
    [' 12:05 p.m.', '12:05:00'],
  ]) {
    expect(await row(`${day}${time},1,FT1,x`, rules)).toMatchObject({
      at: new Date(`2026-11-05T${iso}+03:00`),
    });
  }
  expect(await row(`${day} 13:05 PM,1,FT1,x`, rules)).toHaveProperty('problem');
});

test('a column of its own may have the account number', async () => {
  const rules = rulesOf({ ...NAMES, amount: 'Amount', account: 'Account' });
  const content = 'Date,Amount,Ref,Text,Account\n2026-01-05,1,FT1,x,100200\n';
  expect(await read(content, rules)).toMatchObject([{ account: '100200' }]);
});

test('a file whose amounts have two decimal signs is refused', async () => {
  const rules = rulesOf({ ...NAMES, amount: 'Amount' });
  const content = 'Date,Amount,Ref,Text\n2026-01-05,1.50,FT1,x\n2026-01-05,"1,5",FT2,x\n';
  expect(await read(content, rules)).toEqual([
    {
      line: 3,
      problem: expect.stringContaining(
        'line 2 has a decimal point (1.50), and line 3 a decimal comma (1,5)',
      ),
    },
  ]);
});
