import { lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { csvOf, rightLine } from '../support/credit-files.ts';
import type { Line } from '../support/credit-files.ts';
import { creditByTwo, inProcess, newMasterKey } from './cli-support.ts';
import type { Environment, Ran } from './cli-support.ts';

let database: TestDatabase;
let environment: Environment;
let folder: string;
let file: string;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = {
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    MASTER_KEY: newMasterKey(),
    CREDIT_INDEX_KEY: newMasterKey(),
  };
  folder = await mkdtemp(path.join(tmpdir(), 'credit-cli-'));
  file = path.join(folder, 'loans.csv');
  await writeFile(file, csvOf([rightLine(1), rightLine(2, { Gender: 'X' }), rightLine(3)]));
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function importLoans(...more: string[]): Promise<Ran> {
  return await inProcess(
    environment,
    ...['credit', 'import', file, '--template', 'mobile', '--lender', 'L1'],
    ...['--sector', 'mobile_lender', '--as-of', '2026-10-31', ...more],
  );
}

test('lenders import, correct the file by the report and import again', async () => {
  const first = await importLoans();
  expect(first.exitCode).toBe(1);
  expect(first.stdout).toMatch(/records +3\nadded +2\nrejected +1\n/);
  expect(first.stdout).toMatch(/3 +Gender +code +Gender must be one of M, F/);
  expect(await readFile(`${file}.errors.csv`, 'utf8')).toBe(
    'line,field,rule,text\n3,Gender,code,"Gender must be one of M, F"\n',
  );
  await writeFile(file, csvOf([rightLine(1), rightLine(2), rightLine(3)]));
  const tried = await importLoans('--dry-run', '--json');
  expect(tried.json()).toMatchObject({ records: 3, accounts_added: 1, unchanged: 2 });
  const second = await importLoans('--json');
  expect(second.exitCode).toBe(0);
  expect(JSON.parse(second.stdout)).toMatchObject({
    records: 3,
    accounts_added: 1,
    unchanged: 2,
    rejected: 0,
    report: null,
    findings: [],
  });
});

test('a person’s report shows accounts and disputes; an unknown person is an error', async () => {
  const by = async (...args: string[]): Promise<Ran> =>
    await inProcess(environment, 'credit', 'subject-report', ...args);
  const report = await by('--number', '910000001', '--json');
  const { crn, accounts } = JSON.parse(report.stdout) as {
    crn: string;
    accounts: { account: string; balance: string }[];
  };
  expect(accounts).toMatchObject([{ lender: 'L1', balance: '8000.00', disputed: false }]);
  const opened = await inProcess(
    environment,
    ...['credit', 'dispute', 'open', '--crn', crn, '--account', accounts[0]?.account ?? ''],
    ...['--statement', 'This is not my loan.', '--json'],
  );
  const { dispute } = JSON.parse(opened.stdout) as { dispute: string };
  expect((await by('--crn', crn)).stdout).toContain('open     This is not my loan.');
  const close = ['dispute', 'close', dispute, '--reason', 'Seen', '--outcome', 'rejected'];
  expect((await creditByTwo(environment, ...close)).exitCode).toBe(0);
  expect((await creditByTwo(environment, ...close)).stderr).toContain(
    'No open dispute has this id',
  );
  expect((await by('--number', '999999999')).stderr).toContain('No subject has this document');
});

test('a person’s report has the history of accounts and lenders’ corrections', async () => {
  const one = rightLine(7);
  const less = { ...one, CurrentBalanceKES: '5000', CurrentBalance: '5000' };
  const own = path.join(folder, 'own.csv');
  for (const [line, asOf, ...more] of [
    [one, '2026-10-31'],
    [less, '2026-10-31', '--correct'],
    [less, '2026-11-15'],
  ] as const) {
    await writeFile(own, csvOf([line]));
    const ran = await inProcess(
      environment,
      ...['credit', 'import', own, '--template', 'mobile', '--lender', 'L2'],
      ...['--sector', 'bank', '--as-of', asOf, ...more],
    );
    expect(ran.exitCode).toBe(0);
  }
  const args = ['credit', 'subject-report', '--number', '910000007'];
  const report = (await inProcess(environment, ...args, '--json')).json();
  expect(report).toMatchObject({
    accounts: [
      { as_of: '2026-11-15', history: [{ as_of: '2026-10-31', balance: '5000.00', status: 'F' }] },
    ],
    corrections: [{ former: { balance: '8000.00', as_of: '2026-10-31' } }],
  });
  expect((await inProcess(environment, ...args)).stdout).toMatch(
    /Corrections by lenders\n.* balance 8000\.00, /s,
  );
});

test('the report leaves out an amount that is not known in KES', async () => {
  const dollars = path.join(folder, 'dollars.csv');
  const paid = { Currency: 'USD', CurrentBalance: '0', CurrentBalanceKES: '0', AccountStatus: 'A' };
  await writeFile(dollars, csvOf([rightLine(8, { ...paid, AccountStatusDate: '20261030' })]));
  const ran = await inProcess(
    environment,
    ...['credit', 'import', dollars, '--template', 'mobile', '--lender', 'L8'],
    ...['--sector', 'bank', '--as-of', '2026-10-31'],
  );
  expect(ran.exitCode).toBe(0);
  const args = ['credit', 'subject-report', '--number', '910000008'];
  const report = (await inProcess(environment, ...args, '--json')).json();
  expect(report).toMatchObject({ accounts: [{ original_amount: null, balance: '0.00' }] });
  expect((await inProcess(environment, ...args)).stdout).not.toContain('null');
});

test('a score is explained point by point', async () => {
  const by = async (...args: string[]): Promise<Ran> =>
    await inProcess(environment, 'credit', 'score', ...args);
  const ran = await by('--number', '910000001', '--kind', 'mobile', '--json');
  const explained = JSON.parse(ran.stdout) as {
    score: string;
    scorecard: string;
    base_points: number;
    characteristics: { name: string; points: number; most_points: number }[];
  };
  const points = explained.characteristics.map((one) => one.points);
  expect(String(points.reduce((sum, one) => sum + one, explained.base_points))).toBe(
    explained.score,
  );
  expect(explained.scorecard).toMatch(/^malipo-mobile@/);
  const text = (await by('--number', '910000001')).stdout;
  expect(text).toMatch(/probability of default +\d+\.\d\d %/);
  expect(text).toMatch(/accounts in default now +0 +(\d+) +\1\n/);
  expect((await by('--crn', '999')).stderr).toContain('No subject has this reference');
  expect((await by('--number', '123')).stderr).toContain('No subject has this document');
});

test('the chain is verified, and keys are required', async () => {
  const verified = await inProcess(environment, 'credit', 'verify-chain', '--json');
  expect(JSON.parse(verified.stdout)).toMatchObject({ violations: 0, enquiries: 0 });
  const kept = 'a'.repeat(64);
  const compared = await inProcess(
    environment,
    ...['credit', 'verify-chain', '--json', '--head', kept],
  );
  expect(compared.exitCode).toBe(1);
  expect(JSON.parse(compared.stdout)).toMatchObject({ violations: 1, missing_heads: [kept] });
  const { CREDIT_INDEX_KEY: _key, ...without } = environment;
  const refused = await inProcess(without, 'credit', 'verify-chain');
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('CREDIT_INDEX_KEY is not set');
  const rotation = await inProcess(environment, 'credit', 'rotate-keys');
  expect(rotation.stderr).toContain('_PREVIOUS');
  const former = environment['CREDIT_INDEX_KEY'] ?? '';
  const newer = { ...environment, CREDIT_INDEX_KEY: newMasterKey() };
  const rotated = await inProcess(
    { ...newer, CREDIT_INDEX_KEY_PREVIOUS: former },
    ...['credit', 'rotate-keys', '--json'],
  );
  expect(JSON.parse(rotated.stdout)).toMatchObject({ subjects: 5, accounts: 5 });
  // Under the former key, or any other, an import would treat everybody as new.
  const stale = await inProcess(environment, 'credit', 'verify-chain');
  expect(stale.exitCode).toBe(1);
  expect(stale.stderr).toContain('written under another CREDIT_INDEX_KEY');
  const other = await inProcess({ ...newer, MASTER_KEY: newMasterKey() }, 'credit', 'verify-chain');
  expect(other.stderr).toContain('written under another MASTER_KEY');
  environment = newer;
  const cases = await inProcess(environment, 'credit', 'case', 'list', '--json');
  expect(JSON.parse(cases.stdout)).toEqual({ cases: [], next: null });
});

test('suppression rules are set and removed, count at once, and every change is recorded', async () => {
  const late = rightLine(8, {
    OverdueBalance: '8000.00',
    OverdueDate: '20260701',
    DaysInArrears: '120',
    InstalmentsInArrears: '3',
    PrudentialRiskClassification: 'C',
    DisbursementDate: '20260601',
    AccountStatusDate: '20260601',
  });
  const own = path.join(folder, 'late.csv');
  await writeFile(own, csvOf([late]));
  const imported = await inProcess(
    environment,
    ...['credit', 'import', own, '--template', 'mobile', '--lender', 'L1'],
    ...['--sector', 'mobile_lender', '--as-of', '2026-10-31'],
  );
  expect(imported.stderr).toBe('');
  const rules = async (...args: string[]): Promise<Ran> =>
    await inProcess(environment, 'credit', 'suppression', ...args);
  const byTwo = async (...args: string[]): Promise<Ran> =>
    await creditByTwo(environment, 'suppression', ...args);
  const score = async (): Promise<unknown> => {
    const args = ['--number', '910000008', '--kind', 'mobile', '--json'];
    return (await inProcess(environment, 'credit', 'score', ...args)).json();
  };
  const before = (await score()) as { score: string };

  const setting = ['set', 'relief', '--reason', 'A notice', '--original-up-to', '12000'];
  const set = await byTwo(...setting, '--products', 'I,H', '--states-until', '2026-12-31');
  expect(set.stdout).toContain('rule relief is put into force');
  expect((await rules('list')).stdout).toContain(
    'original amount up to 12000.00; product I, H; until 2026-12-31',
  );
  expect(Number(((await score()) as { score: string }).score)).toBeGreaterThan(
    Number(before.score),
  );
  expect((await rules('list')).stdout).toMatch(/small_amount +balance up to 1000\.00/);

  expect((await byTwo('remove', 'relief', '--reason', 'It ended')).exitCode).toBe(0);
  expect(await score()).toEqual(before);
  expect((await rules('changes', '--json')).json()).toMatchObject({
    changes: [
      { rule: 'relief', reason: expect.stringMatching(/^It ended .*Asha.*Baraka/), became: null },
      {
        rule: 'relief',
        reason: expect.stringMatching(/^A notice .*Asha.*Baraka/),
        became: { reason: 'A notice', original_up_to: '12000.00' },
      },
    ],
  });

  for (const [args, complaint] of [
    [['set', 'all', '--reason', 'None'], 'At least one of --balance-up-to'],
    [['set', 'x', '--reason', 'r', '--products', 'I,Z'], 'some of A, B'],
    [
      ['set', 'x', '--reason', 'r', '--states-from', '2026-02-02', '--states-until', '2026-02-01'],
      'must not be after',
    ],
    [['remove', 'none', '--reason', 'r'], 'Rule none does not exist'],
  ] as const) {
    const refused = await byTwo(...args);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain(complaint);
  }
});

test('reports replace a symbolic link in their place, and write nothing through it', async () => {
  const own = await mkdtemp(path.join(folder, 'link-'));
  const [loans, other] = [path.join(own, 'loans.csv'), path.join(own, 'other.txt')];
  await writeFile(loans, csvOf([rightLine(1, { Gender: 'X' })]));
  await writeFile(other, 'keep');
  await symlink(other, `${loans}.errors.csv`);
  const { exitCode } = await inProcess(
    environment,
    ...['credit', 'import', loans, '--template', 'mobile', '--lender', 'L9'],
    ...['--sector', 'mobile_lender', '--as-of', '2026-10-31'],
  );
  expect(exitCode).toBe(1);
  expect(await readFile(other, 'utf8')).toBe('keep');
  expect((await lstat(`${loans}.errors.csv`)).isFile()).toBe(true);
  expect((await readdir(own)).toSorted()).toEqual([
    'loans.csv',
    'loans.csv.errors.csv',
    'other.txt',
  ]);
});

test('a report file is readable only by its owner, and never overwrites another file', async () => {
  await importLoans();
  const output = path.join(folder, 'report.pdf');
  const args = ['credit', 'subject-document', '--number', '910000001', '--out', output];
  const written = await inProcess(environment, ...args, '--format', 'pdf', '--language', 'sw');
  expect(written).toMatchObject({ exitCode: 0 });
  expect((await readFile(output)).subarray(0, 5).toString()).toBe('%PDF-');
  expect((await lstat(output)).mode & 0o777).toBe(0o600);
  const text = args.slice(0, -2);
  expect((await inProcess(environment, ...text)).stdout).toContain('8,000.00');
  expect((await inProcess(environment, ...text, '--format', 'pdf')).stderr).toContain('--out');
  const again = await inProcess(environment, ...args, '--format', 'html');
  expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('EEXIST') });
});

const late = {
  CurrentBalance: '60000',
  CurrentBalanceKES: '60000',
  OverdueBalance: '50000',
  DisbursementDate: '20260101',
  OverdueDate: '20260601',
  DaysInArrears: '152',
  InstalmentsInArrears: '5',
  PrudentialRiskClassification: 'C',
};

test('a list of notices that may be incomplete fails, and names the lines at fault', async () => {
  const notify = async (...lines: Line[]) => {
    const submitted = path.join(folder, 'notices.csv');
    await writeFile(submitted, csvOf(lines, 'individual'));
    return await inProcess(
      environment,
      ...['credit', 'letter', 'pre-listing', submitted, '--template', 'individual'],
      ...['--lender-name', 'Lender Ltd', '--sector', 'bank', '--as-of', '2026-10-31'],
    );
  };
  const faulty = { ...rightLine(3, late), DaysInArrears: 'many' };
  const incomplete = await notify(rightLine(1), faulty);
  expect(incomplete.exitCode).toBe(1);
  expect(incomplete.stdout).toContain('(no account in a line without errors is in default)');
  expect(incomplete.stdout).toMatch(/Correct these lines.*\n3 +DaysInArrears +count/s);
  const some = await notify(rightLine(2, late), faulty);
  expect(some.exitCode).toBe(1);
  expect(some.stdout).toContain('50,000.00');
  // A guarantor gets no notice of somebody else's default.
  const none = await notify(rightLine(1), { ...rightLine(2, late), Role: 'G' });
  expect(none).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('no account') });
});

test('pre-listing notices go to holders of accounts in default, 30 days ahead', async () => {
  const inDefault = path.join(folder, 'default.csv');
  await writeFile(inDefault, csvOf([rightLine(1), rightLine(2, late)]));
  const ran = await inProcess(
    environment,
    ...['credit', 'letter', 'pre-listing', inDefault, '--template', 'mobile', '--json'],
    ...['--lender-name', 'Lender Ltd', '--sector', 'bank', '--as-of', '2026-10-31'],
  );
  const { notices } = ran.json<{
    notices: { line: number; submit_from: string; text: string }[];
  }>();
  expect(notices.map(({ line }) => line)).toEqual([3]);
  const ahead = Date.parse(notices[0]?.submit_from ?? '') - Date.now();
  expect(ahead / 86_400_000).toBeGreaterThan(28);
  expect(notices[0]?.text).toContain('50,000.00');
});

// As an argument it comes after `--`, because it begins as an option does.
const NO_ID = '-'.repeat(36);
const GROUNDS = ['--reason', 'Seen', '--evidence', 'Letter 7', '--by', 'Asha'];

test.each([
  ['case', ['case', 'close', ...GROUNDS, '--', NO_ID]],
  ['dispute', ['dispute', 'close', '--outcome', 'upheld', ...GROUNDS, '--', NO_ID]],
  ['import', ['imports', 'findings', '--', NO_ID]],
])('36 dashes are not the id of a %s: %j', async (what, args) => {
  const ran = await inProcess(environment, 'credit', ...args);
  expect(ran).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`<${what}> must be the ${what}’s id`),
  });
});
