import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type {
  LineProblem,
  StatementLine,
} from '../../../../../src/connectors/source-statements.ts';
import { readMt940 } from '../../../../../src/connectors/sources/statements/mt940.ts';
import { createWireTime } from '../../../../../src/platform/base/clock.ts';

const SAMPLE = path.resolve(
  import.meta.dirname,
  '../../../../../docs/guide/samples/bank-statement.sta',
);
const wireTime = createWireTime('Africa/Nairobi');
const RULES = { account: undefined, checksBalances: false, identifiedBy: 'AcctSvcrRef' } as const;

/** A message with these fields between its balances; the first one is on line 3. */
function message(...fields: readonly string[]): string {
  return [':20:X', ':60F:C260105KES1000,00', ...fields, ':62F:C260105KES1000,00', '-}'].join(
    '\r\n',
  );
}

function read(content: string, rules: Partial<Parameters<typeof readMt940>[1]> = {}) {
  return [...readMt940(content, { ...RULES, ...rules }, wireTime)];
}

function movement(field: string): StatementLine | LineProblem | undefined {
  return read(message(`:61:${field}`))[0];
}

test('a payment of ours that the bank returned is marked', () => {
  expect(movement('260105C20,00NRTIA//B1')).toMatchObject({ kind: 'credit', isReturn: true });
  expect(movement('260105C20,00NTRFA//B1')).not.toHaveProperty('isReturn');
});

test.each([
  ['2601050106C250,5NTRFNONREF//FT26005001', 'credit', 25_050n, 'FT26005001', '2026-01-06'],
  ['260105D20,NCHGFEE123', 'debit', 2_000n, 'FEE123', '2026-01-05'],
  ['260105RC20,00NTRFA//B1', 'credit_returned', 2_000n, 'B1', '2026-01-05'],
  ['260105RD20,00NTRFA//B1', 'debit_returned', 2_000n, 'B1', '2026-01-05'],
  ['260105D20,00NRTIA//B1', 'credit_returned', 2_000n, 'B1', '2026-01-05'],
  // A funds code; slashes in our reference; a reference longer than the 16 characters of the format.
  [
    '2601050105CS1,00S05112/34//2022070616391534000',
    'credit',
    100n,
    '2022070616391534000',
    '2026-01-05',
  ],
  // The entry is of the year before or after.
  ['2601021231C1,00NTRFA//X12345', 'credit', 100n, 'X12345', '2025-12-31'],
  ['2512310102C1,00NTRFA//X12345', 'credit', 100n, 'X12345', '2026-01-02'],
] as const)('reads the line %s', (...row) => {
  const [field, kind, amountCents, reference, day] = row;
  const at = new Date(`${day}T00:00:00+03:00`);
  expect(movement(field)).toEqual({ line: 3, at, amountCents, kind, reference, text: '' });
});

test('on a day without a midnight, the movement is dated when the day begins', () => {
  const lines = message(':61:260424C1,00NTRFA//X12345');
  const [line] = readMt940(lines, RULES, createWireTime('Africa/Cairo'));
  expect(line).toMatchObject({ at: new Date('2026-04-24T01:00:00+03:00') });
});

test.each([
  ['26010C1,00NTRFA//X12345', 'field 61'],
  ['260105C1.00NTRFX12345', 'field 61'],
  ['260105C1,001NTRFX12345', 'field 61'],
  ['260105E1,00NTRFX12345', 'field 61'],
  ['261305C1,00NTRFA//X12345', 'date'],
  ['2601050230C1,00NTRFA//X12345', 'date'],
  ['260105C1,00NTRFNONREF', 'reference'],
  ['260105C1,00NTRF', 'reference'],
  ['260105C1,00NTRFINVOICE1', 'the bank’s reference'],
  ['260105C1,00NTRFINVOICE1//', 'the bank’s reference'],
  [`260105C1,00NTRF${'X'.repeat(70)}`, 'field 61'],
])('%s is a problem of its line', (field, problem) => {
  expect(movement(field)).toEqual({ line: 3, problem: expect.stringContaining(problem) });
});

test('the owner’s reference is used for a credit if the source says so', () => {
  const content = message(':61:260105C1,00NTRFX12345');
  expect(read(content, { identifiedBy: 'OwnerRef' })).toMatchObject([{ reference: 'X12345' }]);
});

test('the purpose has the lines of field 86 and the further ones of field 61', () => {
  const fields = [
    ':61:260105C1,00NTRFA//X12345',
    '/TRCD/00112/',
    ':NS:22bank',
    ':86:RENT',
    '-CHQ 7',
    'MAY',
  ];
  const balance = [':86:of the statement'];
  expect(read(message(...fields) + balance.join(''))).toMatchObject([
    { text: 'RENT\n-CHQ 7\nMAY\n/TRCD/00112/' },
  ]);
});

test('each message is checked: account, currency, balances', () => {
  const good = message(
    ':25:BANK/01-100',
    ':61:260105C1,00NTRFA//X12345',
    ':61:260105D1,00NTRFX12346',
  );
  const rules = { account: 'bank 01100', checksBalances: true };
  expect(read(good + '\n' + good, rules)).toHaveLength(4);
  const problems = (content: string) => read(content, rules).filter((line) => 'problem' in line);
  expect(problems(good.replace('01-100', '01-101'))).toMatchObject([
    { line: 1, problem: expect.stringContaining('BANK/01-101') },
  ]);
  expect(problems(good.replace('D1,00', 'D2,00'))).toMatchObject([
    { problem: expect.stringContaining('999.00') },
  ]);
  expect(problems(good.replace(':62F:C260105KES', ':62F:D260105KES'))).toMatchObject([
    { problem: expect.stringContaining('-1000.00') },
  ]);
  expect(problems(good.replaceAll('KES', 'USD'))).toMatchObject([
    { problem: 'the currency is USD, not KES' },
  ]);
  expect(problems(good.replace(/:60F.*/, ''))).toMatchObject([
    { problem: expect.stringContaining('field 60') },
  ]);
  // A second message that is truncated.
  expect(problems(`${good}\n${good.slice(0, good.indexOf(':62F'))}`)).toMatchObject([
    { line: 8, problem: expect.stringContaining('field 62') },
  ]);
});

test('what is not MT940 is a problem', () => {
  for (const content of ['', 'Date,Amount\n', '<Document/>']) {
    expect(read(content)).toEqual([{ line: 1, problem: 'it has no MT940 statement' }]);
  }
});

/** A payment whose text the bank breaks at this width; its pieces are the payer's. */
function carrier(number: number, ...pieces: readonly string[]): string[] {
  return [`:61:260105C1,00NTRFNONREF//FTREAL000${number}`, ':86:RENT', ...pieces];
}
const held = (lines: readonly (StatementLine | LineProblem)[]) =>
  lines.flatMap((line) => ('problem' in line ? [line.line] : []));

test.each([27, 35, 50])(
  'a payer’s text never becomes movements if the bank breaks it at %i',
  (width) => {
    const forged = (mark: string) => `:61:260105${mark}9,00NTRFX//FAKE1${mark}`.padEnd(width, 'x');
    const rest = 'THANKS';
    // Both in one text, with other widths of the line before, because blanks at its end may be cut off.
    for (const before of ['', ' HOUSE', '.'.repeat(width)]) {
      const lines = read(message(...carrier(1, `R${before}`, forged('C'), forged('D'), rest)));
      expect(held(lines)).toContain(5 + 1);
    }
    // One in each of two texts.
    const full = 'R'.repeat(width);
    const two = message(
      ...carrier(1, full, forged('C'), rest),
      ...carrier(2, full, forged('D'), rest),
    );
    expect(held(read(two))).toEqual(expect.arrayContaining([6, 11]));
    const accepted = { acceptedLines: new Set([6, 11]) };
    expect(held(read(two, accepted))).toEqual([]);
  },
);

test('movements that a payer cannot have written are read', () => {
  const sample = readFileSync(SAMPLE, 'utf8');
  expect(held(read(sample, { checksBalances: true }))).toEqual([]);
  // The account is emptied each day; a charge is given back; nothing has a text.
  const swept = message(...carrier(1), ...carrier(2), ':61:260105D2,00NTRFX//SWEEP1', ':86:SWEEP');
  const charge = [':61:260105D3,00NCHGX//FEE001', ':86:FEE', ':61:260105RD3,00NCHGX//FEE001'];
  const bare = [':61:260105C5,00NTRFX//BARE01', ':61:260105RC5,00NTRFX//BARE01'];
  for (const lines of [swept, message(...carrier(1), ...charge), message(...bare, ...bare)]) {
    expect(held(read(lines))).toEqual([]);
  }
});
