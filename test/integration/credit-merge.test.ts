import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { matchSubject } from '../../src/credit/matching/match.ts';
import { listCases } from '../../src/credit/registry/read-cases.ts';
import { findSubjects } from '../../src/credit/registry/read-subjects.ts';
import { createVault } from '../../src/credit/registry/vault.ts';
import { startOfDay } from '../../src/credit/registry/day.ts';
import { isoDay } from '../../src/platform/base/days.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { csvOf, rightLine } from '../support/credit-files.ts';
import type { Line } from '../support/credit-files.ts';
import { creditByTwo, inProcess, newMasterKey } from './cli-support.ts';
import type { Environment, Ran } from './cli-support.ts';

const MASTER_KEY = newMasterKey();
const CREDIT_INDEX_KEY = newMasterKey();
let database: TestDatabase;
let pool: Pool;
let environment: Environment;
let folder: string;
let files = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  environment = { DATABASE_URL: database.url, MASTER_KEY, CREDIT_INDEX_KEY };
  folder = await mkdtemp(path.join(tmpdir(), 'credit-merge-'));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function submit(lines: readonly Line[], asOf = '2026-10-31'): Promise<void> {
  files += 1;
  const file = path.join(folder, `${files}.csv`);
  await writeFile(file, csvOf(lines));
  const ran = await inProcess(
    environment,
    ...['credit', 'import', file, '--template', 'mobile', '--lender', 'L1'],
    ...['--sector', 'bank', '--as-of', asOf],
  );
  expect(ran.stdout).toMatch(/^rejected +0$/m);
}

async function credit(...args: string[]): Promise<Ran> {
  return await inProcess(environment, 'credit', ...args);
}

async function byTwo(...args: string[]): Promise<Ran> {
  return await creditByTwo(environment, ...args);
}

interface Report {
  readonly crn: string;
  readonly profile: { readonly documents: readonly { readonly number: string }[] };
  readonly accounts: readonly { readonly account: string; readonly as_of: string }[];
}

async function reportOf(...by: string[]): Promise<Report> {
  return (await credit('subject-report', ...by, '--json')).json<Report>();
}

/** The result of a request with both documents of the person. */
async function match(): Promise<string> {
  const key = (text: string) => ({ current: Buffer.from(text, 'base64'), previous: undefined });
  const vault = createVault({ master: key(MASTER_KEY), index: key(CREDIT_INDEX_KEY) });
  const documents = [
    { type: 'nationalID', number: '910000001' },
    { type: 'passportNo', number: 'A7654321' },
  ] as const;
  const found = await findSubjects(pool, vault, documents);
  return matchSubject({ documents, names: ['Amani', 'Baraka'], dateOfBirth: '' }, found).kind;
}

test('two merged subjects are answered as one, stay separate on file, and can be separated again', async () => {
  const byCard = rightLine(1);
  // Only the name Amani is the same: a new account is matched by the names of the merged subject.
  const names = { Surname: 'Odhiambo', Forename2: 'Achieng' };
  const passport = { PrimaryIDType: '002', PrimaryIDNumber: 'A7654321', ...names };
  const byPassport = rightLine(2, passport);
  await submit([byCard, byPassport]);
  const [card, pass] = [
    await reportOf('--number', '910000001'),
    await reportOf('--type', 'passportNo', '--number', 'A7654321'),
  ];
  expect(card.crn).not.toBe(pass.crn);
  expect(await match()).toBe('conflict');

  const merging = ['merge', 'subjects', '--from', pass.crn, '--into', card.crn, '--reason', 'Seen'];
  expect((await byTwo(...merging)).exitCode).toBe(0);
  expect(await match()).toBe('match');
  const both = await reportOf('--crn', pass.crn);
  expect(both.crn).toBe(card.crn);
  expect(both.accounts.map(({ account }) => account).toSorted()).toEqual(
    [...card.accounts, ...pass.accounts].map(({ account }) => account).toSorted(),
  );
  expect(both.profile.documents.map(({ number }) => number)).toEqual(['910000001', 'A7654321']);
  const disputed = pass.accounts[0]?.account ?? '';
  const dispute = ['dispute', 'open', '--crn', card.crn, '--account', disputed];
  expect((await credit(...dispute, '--statement', 'Not mine')).exitCode).toBe(0);

  // The next month: the known accounts continue, and a new one belongs to the surviving subject, without a case.
  const moved = { MobilePhone: '254733000111' };
  const added = rightLine(3, passport);
  const next = [{ ...byCard, ...moved }, { ...byPassport, ...moved }, added].map((line) => ({
    ...line,
    AccountStatusDate: '20261101',
  }));
  await submit(next, '2026-11-15');
  const later = await reportOf('--crn', card.crn);
  expect(later.accounts.map((account) => account.as_of)).toEqual(Array(3).fill('2026-11-15'));
  expect(await listCases(pool, { open: true, limit: 10 })).toEqual([]);

  const undoing = ['merge', 'undo', '--from', pass.crn, '--reason', 'Twins'];
  expect((await byTwo(...undoing)).exitCode).toBe(0);
  expect(await match()).toBe('conflict');
  const apart = await reportOf('--crn', pass.crn);
  expect(apart.accounts.map(({ account }) => account)).toEqual(
    pass.accounts.map(({ account }) => account),
  );
  expect((await reportOf('--crn', card.crn)).accounts).toHaveLength(2);
  expect((await credit('merge', 'list')).stdout).toMatch(/Seen \(.+Baraka\) +\S+ \S+ +Twins \(/);
});

test('merges have one level, and unknown subjects are refused', async () => {
  await submit([rightLine(11), rightLine(12), rightLine(13)]);
  const [a, b, c] = await Promise.all(
    [11, 12, 13].map(
      async (number) => (await reportOf('--number', String(910_000_000 + number))).crn,
    ),
  );
  const merge = async (from = '', into = '') =>
    await byTwo('merge', 'subjects', '--from', from, '--into', into, '--reason', 'One person');
  expect((await merge(a, b)).exitCode).toBe(0);
  expect((await merge(a, c)).stderr).toContain('merged into another already');
  expect((await merge(c, a)).stderr).toContain('merge into that one');
  expect((await merge(b, c)).stderr).toContain('Others are merged into the first');
  expect((await merge(c, '5')).stderr).toContain('not on file');
  expect((await merge(c, c)).stderr).toContain('the same');
  const undo = ['merge', 'undo', '--from', c ?? '', '--reason', 'None'];
  expect((await byTwo(...undo)).stderr).toContain('not merged');
});

test('a death is recorded with evidence, holds for merged subjects, and is refuted by a later record', async () => {
  // One account each; the lender of the last one reports a death.
  const reportedDead = { ...rightLine(23), AccountStatus: 'L' };
  await submit([rightLine(21), rightLine(22), reportedDead, rightLine(24)]);
  const crnOf = async (number: number): Promise<string> =>
    (await reportOf('--number', String(910_000_000 + number))).crn;
  const [first, second, third] = [await crnOf(21), await crnOf(22), await crnOf(23)];
  const scoreOf = async (crn: string): Promise<string> =>
    (await credit('score', '--crn', crn, '--kind', 'generic')).stdout;
  const reported = async (crn: string) =>
    JSON.parse((await credit('subject-report', '--crn', crn, '--json')).stdout) as {
      deceased: boolean;
      life_records: object[];
    };
  expect(await reported(first)).toMatchObject({ deceased: false, life_records: [] });
  expect(await scoreOf(first)).not.toContain('deceased');

  const set = ['deceased', 'set', '--crn', first, '--reason', 'Certificate 7'];
  expect((await byTwo(...set, '--died-on', '2099-01-01')).stderr).toContain('be in the future');
  // Today is that of the service: at any time, the one zone is a day ahead of the other.
  const today = isoDay(startOfDay(new Date(), 'Pacific/Kiritimati'));
  for (const [TIME_ZONE, exitCode] of [
    ['Pacific/Kiritimati', 0],
    ['Pacific/Pago_Pago', 1],
  ] as const) {
    const zoned = { ...environment, TIME_ZONE };
    const crn = await crnOf(24);
    const died = ['deceased', 'set', '--crn', crn, '--reason', 'X', '--died-on', today];
    expect((await creditByTwo(zoned, ...died)).exitCode, TIME_ZONE).toBe(exitCode);
  }
  const grounds = ['--evidence', 'File 7', '--by', 'Asha', '--json'];
  const asked = await credit(...set, '--died-on', '2026-11-02', ...grounds);
  const { proposal, seen } = asked.json<{ proposal: string; seen: string }>();
  const approve = ['proposal', 'approve', proposal, '--seen', seen, '--by'];
  expect((await inProcess(environment, ...approve, 'Asha')).stderr).toContain('another person');
  expect(await scoreOf(first)).not.toContain('deceased');
  expect((await inProcess(environment, ...approve, 'Baraka')).exitCode).toBe(0);
  expect(await scoreOf(first)).toContain('recorded as deceased');
  expect(await reported(first)).toMatchObject({
    deceased: true,
    life_records: [{ status: 'deceased', died_on: '2026-11-02', evidence: 'File 7' }],
  });

  // For a person with two references, the record counts under the surviving one.
  expect(await reported(second)).toMatchObject({ deceased: false });
  const merging = ['merge', 'subjects', '--from', first, '--into', second, '--reason', 'One'];
  expect((await byTwo(...merging)).exitCode).toBe(0);
  expect(await reported(second)).toMatchObject({ deceased: true });
  const clear = ['deceased', 'clear', '--reason', 'Came with the ID'];
  expect((await byTwo(...clear, '--crn', second)).exitCode).toBe(0);
  expect(await reported(second)).toMatchObject({
    deceased: false,
    life_records: [{ status: 'living' }, { status: 'deceased' }],
  });

  expect(await scoreOf(third)).toContain('recorded as deceased');
  expect((await byTwo(...clear, '--number', '910000023')).exitCode).toBe(0);
  expect(await scoreOf(third)).toContain('no credit history');
  // The lender repeats its report, which is already refuted. A later report is a new one.
  await submit([{ ...rightLine(23), AccountStatus: 'L' }], '2026-11-15');
  expect(await reported(third)).toMatchObject({ deceased: false });

  const bare = await credit('deceased', 'set', '--crn', first, '--reason', 'X');
  expect(bare.stderr).toContain('--evidence');
  expect((await byTwo(...clear, '--crn', '5')).stderr).toContain('No subject');
});
