import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readOpening } from '../../../../src/payments/house/read-opening.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'malipo-test-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

const read = async (text: string) => {
  const file = join(folder, 'opening.csv');
  await writeFile(file, text);
  return await readOpening(file);
};

test('reads the balances of an opening trial balance, without accounts that have none', async () => {
  const text =
    'account,debit,credit\nbank:kcb,100.50,\nincome:other,0,0.00\nequity:capital,,100.5\n';
  expect(await read(text)).toEqual([
    { account: 'bank:kcb', side: 'debit', amountCents: 10_050n },
    { account: 'equity:capital', side: 'credit', amountCents: 10_050n },
  ]);
});

test.each([
  ['konto,soll,haben\n', 'Line 1: it must be account,debit,credit'],
  ['account,debit,credit\nsuspense,"1,000.00",\n', 'Line 2: 1,000.00 is no amount'],
  ['account,debit,credit\nsuspense,1\n', 'Line 2: 2 values, 3 are required'],
])('refuses a file that is not one, and names the line', async (text, problem) => {
  await expect(read(text)).rejects.toThrow(problem);
});
