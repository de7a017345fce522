import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStatementFormat } from '../../../../../src/connectors/operators/http-json/statement.ts';
import { readStatementFile } from '../../../../../src/payments/reconciliation/read-statement.ts';
import type { ReadStatement } from '../../../../../src/payments/reconciliation/read-statement.ts';
import { HEADER } from '../../../../support/reconciliation-fixture.ts';
import { makeTemporaryFolder, removeFolder } from '../../../../support/temporary.ts';

const format = createStatementFormat({
  absenceIsProof: false,
  acceptanceWindowMs: 0,
  payDeadlineMs: 0,
});
const from = new Date('2026-03-01T00:00:00Z');
const to = new Date('2026-03-02T00:00:00Z');

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
});
afterAll(async () => {
  await removeFolder(folder);
});

async function read(text: string, complete = true): Promise<ReadStatement> {
  const file = path.join(folder, 'statement.csv');
  await writeFile(file, text);
  return await readStatementFile({ file, format, from, to, complete });
}

const GOOD = 'payment,2026-03-01T10:00:00Z,A,,water,123,10.00,KES';

describe('a statement file', () => {
  test('reads a statement file line by line, with quotes and line ends as in RFC 4180', async () => {
    const text = [
      `\u{FEFF}${HEADER}`,
      'opening,2026-03-01T00:00:00+03:00,,,,,-5,KES',
      'payment,2026-03-01T10:00:00.5+03:00,A,REF,water,"1,2",10.5,KES',
      'top_up,2026-03-01T11:00:00Z,B,,,,100,KES',
      'closing,2026-03-02T00:00:00Z,,,,,84.50,KES',
    ].join('\r\n');
    const { problems, movements, openingCents, closingCents, sha256 } = await read(text);
    expect(problems).toEqual([]);
    expect([openingCents, closingCents, sha256.length]).toEqual([-500n, 8_450n, 32]);
    expect(movements).toMatchObject([
      {
        kind: 'payment',
        line: 3,
        at: new Date('2026-03-01T07:00:00.500Z'),
        operatorReference: 'A',
        reference: 'REF',
        billerCode: 'water',
        account: '1,2',
        amountCents: 1_050n,
      },
      { kind: 'top_up', line: 4, reference: null, account: null, amountCents: 10_000n },
    ]);
  });

  test('a statement that may be incomplete needs no balances', async () => {
    expect((await read([HEADER, GOOD].join('\n'), false)).problems).toEqual([]);
  });
});

describe('a file that is wrong', () => {
  const opening = 'opening,2026-03-01T00:00:00Z,,,,,100.00,KES';
  const closing = 'closing,2026-03-02T00:00:00Z,,,,,90.00,KES';

  test.each([
    ['no header', [GOOD], 1, 'header', 'columns'],
    ['nothing', [], 1, 'header', 'columns'],
    ['a missing value', [HEADER, opening, GOOD.replace(',KES', ''), closing], 3, 'line', 'columns'],
    [
      'an unknown type',
      [HEADER, opening, GOOD.replace('payment', 'gift'), closing],
      3,
      'type',
      'type',
    ],
    ['no amount', [HEADER, opening, GOOD.replace('10.00', '1e2'), closing], 3, 'amount', 'amount'],
    ['amount 0', [HEADER, opening, GOOD.replace('10.00', '0.00'), closing], 3, 'amount', 'amount'],
    [
      'another currency',
      [HEADER, opening, GOOD.replace('KES', 'USD'), closing],
      3,
      'currency',
      'currency',
    ],
    ['no time', [HEADER, opening, GOOD.replace('T10', ' 10'), closing], 3, 'time', 'time'],
    // `Date` would read this as 1 March.
    ['no day', [HEADER, opening, GOOD.replace('03-01', '02-29'), closing], 3, 'time', 'time'],
    [
      'a time outside',
      [HEADER, opening, GOOD.replace('03-01T10', '03-02T10'), closing],
      3,
      'time',
      'period',
    ],
    [
      'no operator reference',
      [HEADER, opening, GOOD.replace(',A,', ',,'), closing],
      3,
      'operator_reference',
      'operator_reference',
    ],
    [
      'a reference twice',
      [HEADER, opening, GOOD, GOOD, closing],
      4,
      'operator_reference',
      'unique',
    ],
    ['no opening', [HEADER, GOOD, closing], 3, 'type', 'opening'],
    ['no closing', [HEADER, opening, GOOD], 4, 'type', 'closing'],
    ['lines after the closing', [HEADER, opening, closing, GOOD], 3, 'type', 'order'],
    [
      'a closing that does not follow',
      [HEADER, opening, GOOD, closing.replace('90', '91')],
      4,
      'amount',
      'balance',
    ],
    ['an open quote', [HEADER, opening, GOOD.replace('water', '"water')], 3, 'line', 'csv'],
  ] as const)('%s: its line, field and rule are named', async (...[, lines, line, field, rule]) => {
    const { problems } = await read(lines.join('\n'));
    expect(problems).toMatchObject([{ line, field, rule }]);
  });

  test('names every problem of every line', async () => {
    const text = [HEADER, opening, 'gift,x,,,,,,'].join('\n');
    const { problems } = await read(text);
    expect(problems.map(({ field }) => field)).toEqual([
      'type',
      'currency',
      'time',
      'operator_reference',
      'amount',
    ]);
  });

  test('refuses a missing file in plain words', async () => {
    const missing = { file: `${folder}/none`, format, from, to, complete: true };
    await expect(readStatementFile(missing)).rejects.toThrow(/none cannot be read/);
  });
});
