import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importFile } from '../../src/credit/importing/import.ts';
import type { ImportOptions } from '../../src/credit/importing/import.ts';
import { listImports } from '../../src/credit/importing/read-imports.ts';
import { readDefaults } from '../../src/credit/importing/pre-listing.ts';
import { setAmountUnit } from '../../src/credit/registry/lenders-store.ts';
import type { SuppressionRule } from '../../src/credit/registry/suppression.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { makeXlsx } from '../support/make-xlsx.ts';
import { csvOf, newVault, rightLine } from '../support/credit-files.ts';

const IN_CENTS = path.join(import.meta.dirname, '../data/credit/amounts-in-cents.csv');
const vault = newVault();
let database: TestDatabase;
let pool: Pool;
let folder: string;
let file: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  folder = await mkdtemp(path.join(tmpdir(), 'credit-unit-'));
  file = path.join(folder, 'loans.csv');
  await copyFile(IN_CENTS, file);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function run(lender: string, change: Partial<ImportOptions> = {}) {
  return await importFile({
    pool,
    vault,
    clock: { now: () => new Date('2026-11-05T09:00:00Z') },
    wireTime: createWireTime('Africa/Nairobi'),
    file,
    template: 'mobile',
    lender,
    sector: 'mobile_lender',
    asOf: '2026-10-31',
    corrects: false,
    by: 'Asha',
    ...change,
  });
}

async function amountsOf(lender: string): Promise<string[]> {
  const read = await pool.query<Record<string, bigint>>(
    `select original_cents, balance_cents, overdue_cents, instalment_cents, last_payment_cents
     from credit_accounts a join account_states s using (crn, account_id) where lender = $1`,
    [lender],
  );
  return read.rows.flatMap((row) => Object.values(row).map(String));
}

const REAL = ['150000', '120050', '50025', '150000', '30000'];
const HUNDREDFOLD = REAL.map((cents) => `${cents}00`);

test('a file with the regulator’s titles is read, and one that is refused leaves no import', async () => {
  const [own = '', ...lines] = (await readFile(IN_CENTS, 'utf8')).split('\n');
  const titles = own.replace('PrimaryIDNumber', 'Primary Identification Document Number');
  const official = titles.replaceAll(/Forename(?=\d)/g, 'FORENAME ');
  const named = path.join(folder, 'named.csv');
  await writeFile(named, [official.replace('Surname', 'Family Name'), ...lines].join('\n'));
  await expect(run('TITLES', { file: named })).rejects.toThrow('there is no column Surname');
  await expect(run('TITLES', { file: named, amounts: 'cents' })).rejects.toThrow('“Family Name”');
  expect(await listImports(pool, { lender: 'TITLES', limit: 1 })).toEqual([]);
  await writeFile(named, [official, ...lines].join('\n'));
  await run('TITLES', { file: named, amounts: 'cents' });
  expect(await amountsOf('TITLES')).toEqual(REAL);
});

test('a file of a lender’s program with the regulator’s titles is read as its lender means it', async () => {
  const official = path.join(folder, 'official.csv');
  await copyFile(path.join(path.dirname(IN_CENTS), 'regulators-titles.csv'), official);
  await expect(run('PROGRAM', { file: official })).rejects.toThrow('in shillings or in cents');
  await run('PROGRAM', { file: official, amounts: 'cents' });
  expect(await amountsOf('PROGRAM')).toEqual(REAL);
});

test('a file without a decimal point is refused, and nothing of it is kept', async () => {
  for (const dryRun of [true, false]) {
    await expect(run('UNSAID', { dryRun })).rejects.toMatchObject({
      field: 'amounts',
      message: expect.stringContaining('in shillings or in cents') as string,
    });
  }
  expect(await amountsOf('UNSAID')).toEqual([]);
});

test('the unit is the one that the import declares, or else the lender’s setting', async () => {
  expect(await run('CENTS', { amounts: 'cents' })).toMatchObject({ amounts: 'cents' });
  expect(await amountsOf('CENTS')).toEqual(REAL);
  await run('SHILLINGS', { amounts: 'shillings' });
  expect(await amountsOf('SHILLINGS')).toEqual(HUNDREDFOLD);

  await expect(run('SETTING')).rejects.toThrow('decimal point');
  expect(await setAmountUnit(pool, 'SETTING', 'cents')).toBe(true);
  await run('SETTING');
  expect(await amountsOf('SETTING')).toEqual(REAL);
});

test('a constant 0.00 does not say that the other amounts are in shillings', async () => {
  const zeros = path.join(folder, 'zeros.csv');
  const [header = '', line = ''] = (await readFile(IN_CENTS, 'utf8')).split('\n');
  await writeFile(zeros, [header, line.replace(/,30000(?=,|$)/, ',0.00'), ''].join('\n'));
  await expect(run('ZEROS', { file: zeros })).rejects.toThrow('in shillings or in cents');
  await expect(run('ZEROS', { file: zeros, amounts: 'cents' })).rejects.toThrow('line 2');
  expect(await amountsOf('ZEROS')).toEqual([]);
});

test('one decimal point says that the amounts are in shillings, and contradicts cents', async () => {
  const decimals = path.join(folder, 'decimals.csv');
  await writeFile(decimals, csvOf([rightLine(1, { OriginalAmount: '12000' }), rightLine(2)]));
  await expect(run('DECIMALS', { file: decimals, amounts: 'cents' })).rejects.toThrow('line 2');
  expect((await run('DECIMALS', { file: decimals })).amounts).toBe('shillings');
});

test('a declared unit that contradicts the accounts on file holds the file, unless it corrects them', async () => {
  await run('CHANGED', { amounts: 'cents' });
  const later = { asOf: '2026-11-01', amounts: 'shillings' } as const;
  for (const dryRun of [true, false]) {
    await expect(run('CHANGED', { ...later, dryRun })).rejects.toMatchObject({
      field: 'amounts',
      message: expect.stringContaining('a hundred times the original amount') as string,
    });
  }
  expect(await amountsOf('CHANGED')).toEqual(REAL);
  await run('CHANGED', { amounts: 'shillings', corrects: true });
  expect(await amountsOf('CHANGED')).toEqual(HUNDREDFOLD);
  await expect(run('CHANGED', { ...later, amounts: 'cents' })).rejects.toThrow('a hundredth of');
});

test('an import says how the file is written, and takes an Excel file', async () => {
  const [titles = '', line = ''] = (await readFile(IN_CENTS, 'utf8')).split('\n');
  const excel = path.join(folder, 'loans.xlsx');
  await writeFile(excel, await makeXlsx([titles.split(','), line.split(',')]));
  const { form, counts } = await run('EXCEL', { file: excel, amounts: 'cents' });
  expect({ form, counts }).toMatchObject({
    ...{ form: 'sheet “Data” of an Excel file', counts: { statesAdded: 1, rejected: 0 } },
  });
  expect(await amountsOf('EXCEL')).toEqual(REAL);
  expect((await run('CSV', { amounts: 'cents' })).form).toBe('values separated by commas, UTF-8');
});

test('an interrupted import cannot continue in the other unit', async () => {
  const fails = run('KILLED', {
    amounts: 'cents',
    onProgress: () => {
      throw new Error('killed');
    },
  });
  await expect(fails).rejects.toThrow('killed');
  await expect(run('KILLED', { amounts: 'shillings' })).rejects.toThrow('amounts in cents');
  await run('KILLED', { amounts: 'cents' });
  expect(await amountsOf('KILLED')).toEqual(REAL);
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const LATE = {
  DisbursementDate: '20260101',
  DaysInArrears: '95',
  InstalmentsInArrears: '3',
  OverdueDate: '20260728',
  PrudentialRiskClassification: 'C',
};
const SMALL: SuppressionRule = {
  ...{ rule: 'small_amount', reason: 'KES 1,000', balanceUpToCents: 100_000n },
  ...{ originalUpToCents: null, products: null, sectors: null, riskClasses: null },
  ...{ statesFrom: null, statesUntil: null },
};

test('before a listing, whoever a rule hides is not notified, and faulty lines are reported', async () => {
  const lines = [
    rightLine(1, { ...LATE, OverdueBalance: '6000' }),
    rightLine(2, {
      ...{ ...LATE, OriginalAmount: '2000', OverdueBalance: '1000' },
      ...{ CurrentBalance: '1000', CurrentBalanceKES: '1000' },
    }),
    rightLine(3, { ...LATE, OverdueBalance: '6000', Gender: 'X' }),
    rightLine(4),
  ];
  const loans = path.join(folder, 'notices.csv');
  await writeFile(loans, csvOf(lines));
  const of = { template: 'mobile', sector: 'bank', asOf: '2026-10-31' } as const;
  const noticed = await collect(readDefaults(loans, of, [SMALL]));
  expect(noticed.map(({ account, findings }) => account?.line ?? findings)).toMatchObject([
    2,
    [{ line: 4, field: 'Gender', rule: 'code' }],
  ]);
  expect(await collect(readDefaults(loans, of, []))).toHaveLength(3);
  await expect(collect(readDefaults(file, of, []))).rejects.toThrow('decimal point');
});
