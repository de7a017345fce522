import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { csvOf } from '../support/credit-files.ts';
import type { Line } from '../support/credit-files.ts';
import { PLANTED_ERRORS, rightLines } from '../support/planted-errors.ts';
import { inProcess, newMasterKey } from './cli-support.ts';
import type { Environment, Ran } from './cli-support.ts';

// A lender corrects a file with mistakes of all kinds, using only the report.

const GUIDE = new URL('../../docs/guide/credit-import.md', import.meta.url);
const LINES = 120;

let database: TestDatabase;
let environment: Environment;
let folder: string;
let file: string;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = {
    DATABASE_URL: database.url,
    MASTER_KEY: newMasterKey(),
    CREDIT_INDEX_KEY: newMasterKey(),
  };
  folder = await mkdtemp(path.join(tmpdir(), 'credit-lender-'));
  file = path.join(folder, 'loans.csv');
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function importFile(lender = 'L1'): Promise<Ran> {
  return await inProcess(
    environment,
    ...['credit', 'import', file, '--template', 'mobile', '--lender', lender],
    ...['--sector', 'mobile_lender', '--as-of', '2026-10-31', '--json'],
  );
}

interface Reported {
  readonly line: number;
  readonly field: string;
  readonly rule: string;
  readonly text: string;
}

/** The report next to the file, as a lender reads it. */
async function readReport(): Promise<Reported[]> {
  const [, ...rows] = (await readFile(`${file}.errors.csv`, 'utf8')).trimEnd().split('\n');
  return rows.map((row) => {
    const [line = '', field = '', rule = '', ...text] = row.split(',');
    return { line: Number(line), field, rule, text: text.join(',') };
  });
}

/** What the lender meant, by line of the file, header included. */
const meant: readonly Line[] = rightLines(LINES).map((line, index) => ({
  ...line,
  ...plantedErrorOf(index)?.right,
}));

/** Every other line, from the second one on, has an error, until each error has been used. */
function plantedErrorOf(index: number): (typeof PLANTED_ERRORS)[number] | undefined {
  return index % 2 === 1 ? PLANTED_ERRORS[(index - 1) / 2] : undefined;
}

/** The file with its errors, line by line without the header, and the expected findings. */
function written(): { readonly rows: string[]; readonly expected: string[] } {
  const lines = meant.map((line, index) => ({ ...line, ...plantedErrorOf(index)?.wrong }));
  const [, ...rows] = csvOf(lines).trimEnd().split('\n');
  const expected = PLANTED_ERRORS.flatMap((planted, at) =>
    planted.findings.map((one) => `${2 * at + 3} ${one}`),
  );
  const spoil = (line: number, finding: string, change: (row: string) => string): void => {
    rows[line - 2] = change(rows[line - 2] ?? '');
    expected.push(`${line} ${finding}`);
  };
  spoil(110, ' columns', (row) => row.slice(0, row.lastIndexOf(',')));
  spoil(112, ' columns', (row) => row.replace('12000.00', '12,000.00'));
  spoil(114, ' csv', (row) => row.replace(',C113,', ',C"113,'));
  spoil(116, ' csv', (row) => row.replace(',C115,', ',"C115,'));
  // A copied line with a changed amount.
  const copied = csvOf([{ ...meant[100], CurrentBalance: '1', CurrentBalanceKES: '1' }]);
  rows.push(copied.trimEnd().split('\n')[1] ?? '');
  expected.push(`${rows.length + 1} AccountNumber duplicate_account`);
  return { rows, expected };
}

/** The values of a row as written, including quotes. */
function cellsOf(row: string): string[] {
  return row.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
}

test('a file with more than fifty mistakes of all kinds is corrected from the report alone', async () => {
  const { rows, expected } = written();
  const planted = new Set(expected.map((one) => one.slice(0, one.indexOf(' '))));
  expect(planted.size).toBeGreaterThanOrEqual(50);
  const header = csvOf([]).trimEnd();
  await writeFile(file, `${[header, ...rows].join('\n')}\n`);

  const first = await importFile();
  expect(first.exitCode).toBe(1);
  const report = await readReport();
  expect(report.map(({ line, field, rule }) => `${line} ${field} ${rule}`).toSorted()).toEqual(
    expected.toSorted(),
  );
  expect(first.json()).toMatchObject({ rejected: planted.size, records: rows.length });

  // The lender looks only at the fields and the line that a finding names.
  const corrected = rows.map(cellsOf);
  for (const { line, field, rule, text } of report) {
    const right =
      csvOf([meant[line - 2] ?? {}])
        .trimEnd()
        .split('\n')[1]
        ?.split(',') ?? [];
    if (rule === 'duplicate_account') corrected[line - 2] = [];
    else if (field === '') corrected[line - 2] = right;
    else {
      for (const [column, name] of header.split(',').entries()) {
        if (`${field} ${text}`.includes(name))
          corrected[line - 2]?.splice(column, 1, right[column] ?? '');
      }
    }
  }
  const text = corrected.filter((values) => values.length > 0).map((values) => values.join(','));
  await writeFile(file, `${[header, ...text].join('\n')}\n`);
  const second = await importFile();
  expect(second.json()['findings']).toEqual([]);
  expect(second.json()).toMatchObject({
    rejected: 0,
    report: null,
    unchanged: rows.length - planted.size,
    accounts_added: planted.size - 1,
  });
  // The corrected file is the intended one.
  expect(`${text.join('\n')}\n`).toBe(csvOf(meant).slice(header.length + 1));
});

test('every rule of the guide, except about corrections and remarks, is broken by one of the mistakes', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const table = guide.slice(guide.indexOf('| Rule '), guide.indexOf('## Who is who'));
  const documented = table
    .split('\n')
    .slice(2)
    .flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, rule = '']) => rule),
    );
  const broken = new Set(written().expected.map((one) => one.slice(one.lastIndexOf(' ') + 1)));
  expect(documented.toSorted()).toEqual(
    [...broken, 'submitted_before', 'balance_and_original', 'missing'].toSorted(),
  );
});
