import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listEnquiries } from '../../src/credit/enquiries/read-enquiries.ts';
import { keepEnquiries } from '../../src/credit/enquiries/store.ts';
import { closeCase, openCases } from '../../src/credit/registry/cases-store.ts';
import { listCases } from '../../src/credit/registry/read-cases.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { newEnquiry } from '../support/credit-enquiries.ts';
import { csvOf, newVault, rightLine } from '../support/credit-files.ts';
import { inProcess, newMasterKey } from './cli-support.ts';
import type { Environment } from './cli-support.ts';

const vault = newVault();
const MASTER_KEY = newMasterKey();
let database: TestDatabase;
let pool: Pool;
let environment: Environment;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  environment = { DATABASE_URL: database.url, MASTER_KEY, CREDIT_INDEX_KEY: newMasterKey() };
  folder = await mkdtemp(path.join(tmpdir(), 'credit-lists-'));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Follows pages of two until one is empty. */
async function allPages<Row, Cursor>(
  page: (after: Cursor | undefined) => Promise<Row[]>,
  cursorOf: (row: Row) => Cursor,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let pages = 0; pages < 100; pages += 1) {
    const last = rows.at(-1);
    const more = await page(last === undefined ? undefined : cursorOf(last));
    if (more.length === 0) return rows;
    rows.push(...more);
  }
  throw new Error('The pages do not end');
}

test('enquiries are listed by vendor, time, outcome and reference, page by page', async () => {
  const { vendorId } = await addVendor(
    pool,
    { vid: 'lister', name: 'Lister', sector: 'bank' },
    {
      masterKeys: { current: Buffer.from(MASTER_KEY, 'base64'), previous: undefined },
      certain: true,
    },
  );
  // Two at the same instant, and one that was committed after a later one.
  const days = [1, 2, 2, 4, 3];
  const client = await pool.connect();
  await keepEnquiries(client, [
    ...days.map((day, at) =>
      newEnquiry(vault, {
        vendorId,
        requestReference: `Listed${at}`,
        enquiredAt: new Date(`2026-11-0${day}T08:00:00Z`),
        ...(at === 3 ? { outcome: 'not_found', crn: null, score: null, grade: null } : {}),
      }),
    ),
    newEnquiry(vault, { vendorId: vendorId + 1_000 }),
  ]);
  client.release();
  const found = await allPages(
    async (after: bigint | undefined) => await listEnquiries(pool, vendorId, { limit: 2, after }),
    ({ sequence }) => sequence,
  );
  expect(found.map(({ sequence }) => Number(sequence))).toEqual([4, 5, 3, 2, 1]);
  const list = async (...args: string[]) => {
    const ran = await inProcess(
      environment,
      ...['credit', 'enquiries', '--vid', 'lister', '--json', ...args],
    );
    return ran.json<{ enquiries: { number: number }[] }>().enquiries;
  };
  const numbers = async (...args: string[]) => (await list(...args)).map(({ number }) => number);
  expect(await list('--reference', 'Listed1')).toEqual([
    expect.objectContaining({ number: 2, grade: 'DD', outcome: 'answered', erased: false }),
  ]);
  expect(await numbers('--from', '2026-11-02', '--until', '2026-11-03')).toEqual([5, 3, 2]);
  expect(await numbers('--outcome', 'not_found')).toEqual([4]);
  expect(await numbers('--cursor', '3', '--limit', '1')).toEqual([2]);
  const shown = await inProcess(environment, 'credit', 'enquiries', '--vid', 'lister');
  expect(shown.stdout).toMatch(/4 +2026-11-04 11:00:00 +generic-score +Listed3 +2 +not_found/);
});

test('imports and their findings are listed, page by page', async () => {
  const submit = async (lender: string, balance: string) => {
    const file = path.join(folder, `${lender}-${balance}.csv`);
    const change = { CurrentBalanceKES: balance, CurrentBalance: balance };
    await writeFile(file, csvOf([rightLine(1, change), rightLine(2, change), rightLine(3)]));
    await inProcess(
      environment,
      ...['credit', 'import', file, '--template', 'mobile', '--lender', lender],
      ...['--sector', 'bank', '--as-of', '2026-10-31', '--by', 'Asha'],
    );
  };
  await submit('FIRST', '8000');
  await submit('FIRST', '7000');
  await submit('SECOND', '8000');
  interface Listed {
    readonly import: string;
    readonly lender: string;
    readonly by: string;
    readonly file: string;
    readonly rejected: number;
  }
  const list = async (...args: string[]) => {
    const ran = await inProcess(environment, 'credit', 'imports', '--json', ...args);
    return ran.json<{ imports: Listed[]; next: string | null }>();
  };
  const first = await list('--limit', '2');
  const second = await list('--limit', '2', '--cursor', first.next ?? '');
  expect(second.next).toBe(null);
  const found = [...first.imports, ...second.imports];
  expect(found.map((one) => one.lender)).toEqual(['SECOND', 'FIRST', 'FIRST']);
  expect(found.map((one) => one.rejected)).toEqual([0, 2, 0]);
  expect(await list('--lender', 'SECOND')).toMatchObject({
    imports: [{ by: 'Asha', file: 'SECOND-8000.csv' }],
  });
  const findings = async (...args: string[]): Promise<unknown> => {
    const of = ['credit', 'imports', 'findings', found[1]?.import ?? '', '--json'];
    return (await inProcess(environment, ...of, ...args)).json();
  };
  expect(await findings('--limit', '1')).toMatchObject({
    findings: [{ line: 2, rule: 'submitted_before', text: expect.stringContaining('--correct') }],
  });
  expect(await findings('--cursor', '2 z z')).toMatchObject({ findings: [{ line: 3 }] });
});

test('open and closed cases are listed separately, page by page', async () => {
  const at = new Date('2026-11-01T08:00:00Z');
  await openCases(
    pool,
    'document_shared',
    [
      [1n, 2n],
      [3n, 4n],
      [5n, 6n],
    ],
    at,
  );
  const page = async (open: boolean) =>
    await allPages(
      async (after: string | undefined) => await listCases(pool, { open, after, limit: 2 }),
      ({ caseId }) => caseId,
    );
  const open = await page(true);
  expect(new Set(open.map(({ crns }) => crns[0]))).toEqual(new Set([1n, 3n, 5n]));
  await closeCase(pool, open[1]?.caseId ?? '', 'Two people', at);
  expect(await page(true)).toHaveLength(2);
  expect(await page(false)).toMatchObject([{ resolution: 'Two people' }]);
  const shown = await inProcess(environment, 'credit', 'case', 'list', '--closed');
  expect(shown.stdout).toContain('Two people');
});
