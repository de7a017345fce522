import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { importFile } from '../../src/credit/importing/import.ts';
import { listImports } from '../../src/credit/importing/read-imports.ts';
import type { ImportOptions, ImportResult } from '../../src/credit/importing/import.ts';
import type { SubmittedAccount } from '../../src/credit/importing/record.ts';
import { SeenAccounts } from '../../src/credit/importing/seen-accounts.ts';
import { accountLocation } from '../../src/credit/registry/account.ts';
import { lockRegistry } from '../../src/credit/registry/counters-store.ts';
import { registerLender } from '../../src/credit/registry/lenders-store.ts';
import { MOBILE_COLUMNS } from '../../src/credit/importing/template.ts';
import { createValidator } from '../../src/credit/importing/validate.ts';
import { indexAccount, writeBatch } from '../../src/credit/importing/write.ts';
import { listCases } from '../../src/credit/registry/read-cases.ts';
import { mergeSubjects } from '../../src/credit/registry/merges-store.ts';
import { createVault } from '../../src/credit/registry/vault.ts';
import { readCreditFiles } from '../../src/credit/registry/files-store.ts';
import { findSubjects, readCreditFile } from '../../src/credit/registry/read-subjects.ts';
import type { FoundSubject } from '../../src/credit/registry/read-subjects.ts';
import type { CreditFile } from '../../src/credit/facts.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Pool, Queryable } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { csvOf, newVault, rightLine, valuesOf, placesOf } from '../support/credit-files.ts';
import type { Line } from '../support/credit-files.ts';

const vault = newVault();
let database: TestDatabase;
let pool: Pool;
let folder: string;
let file: string;
let lenders = 0;
let lender: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  folder = await mkdtemp(path.join(tmpdir(), 'credit-import-'));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  lenders += 1;
  lender = `LENDER_${lenders}`;
  file = path.join(folder, `${lender}.csv`);
});

async function run(
  lines: readonly Line[] | string,
  change: Partial<ImportOptions> = {},
): Promise<ImportResult> {
  await writeFile(file, typeof lines === 'string' ? lines : csvOf(lines));
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

/** A line with a number that no other test uses. */
function line(number: number, change: Line = {}): Line {
  return rightLine(lenders * 1_000 + number, change);
}

async function find(one: Line): Promise<FoundSubject[]> {
  return await findSubjects(pool, vault, [
    { type: 'nationalID', number: one.PrimaryIDNumber ?? '' },
  ]);
}

const WINDOW = {
  asOf: new Date('2026-11-05T00:00:00Z'),
  timeZone: 'Africa/Nairobi',
  keptFrom: new Date(0),
  enquiriesUntil: new Date(),
  ownVendorId: 1,
  ownEnquiriesFrom: new Date(),
};

async function readFileOf(crn: bigint): Promise<CreditFile> {
  return await readCreditFile(pool, { crn, ...WINDOW });
}

describe('a file of another form', () => {
  const wrong = (count: number): string =>
    `${MOBILE_COLUMNS.join(',')}\n${`${MOBILE_COLUMNS.map(() => 'x').join(',')}\n`.repeat(count)}`;

  test('has several findings on each line: the first ones are returned, and all are in the report', async () => {
    const { counts, findings, findingCount, reportFile } = await run(wrong(400));
    expect(counts).toMatchObject({ records: 400, rejected: 400 });
    expect(findings).toHaveLength(1_000);
    expect(findingCount).toBeGreaterThan(5_000);
    const report = (await readFile(reportFile ?? '', 'utf8')).trimEnd().split('\n');
    expect(report).toHaveLength(findingCount + 1);
    expect(new Set(report).size).toBe(report.length);
  });

  test('ends its trial early, in which other imports wait', async () => {
    await expect(run(wrong(20_000), { dryRun: true })).rejects.toThrow(
      /findings in 6000 records: the file is of another form. On line \d+: /,
    );
    const left = await pool.query('select from credit_imports where lender = $1', [lender]);
    expect(left.rowCount).toBe(0);
  });
});

describe('an imported file', () => {
  test('makes subjects and accounts; a repeat changes nothing', async () => {
    const lines = [line(1), line(2), line(1, { AccountNumber: 'SECOND' })];
    const first = await run(lines);
    expect(first.counts).toEqual({
      records: 3,
      accountsAdded: 3,
      statesAdded: 3,
      corrected: 0,
      unchanged: 0,
      rejected: 0,
    });
    expect(first.reportFile).toBeNull();
    const [subject, ...others] = await find(lines[0] ?? {});
    expect(others).toEqual([]);
    const before = await readFileOf(subject?.crn ?? 0n);
    expect(before.accounts).toHaveLength(2);
    expect(before.accounts[0]).toMatchObject({ lender, sector: 'mobile_lender', product: 'I' });

    for (const repeated of [lines, lines.toReversed()]) {
      const again = await run(repeated);
      expect(again.counts).toMatchObject({ statesAdded: 0, unchanged: 3 });
    }
    expect(await readFileOf(subject?.crn ?? 0n)).toEqual(before);
  });

  test('distinguishes missing amounts from those of 0', async () => {
    const none = { InstalmentAmount: '', LatestPaymentDate: '', LastPaymentAmount: '' };
    const amounts = [none, {}, { ...none, InstalmentAmount: '0', LastPaymentAmount: '0' }];
    await run(amounts.map((change, at) => line(1, { ...change, AccountNumber: `A${at}` })));
    const [subject] = await find(line(1));
    const { accounts } = await readFileOf(subject?.crn ?? 0n);
    expect(
      accounts.map(({ instalmentCents, lastPaymentCents }) => [instalmentCents, lastPaymentCents]),
    ).toEqual([
      [null, null],
      [200_000n, 200_000n],
      [0n, 0n],
    ]);
  });

  test('the next month’s file adds a state and keeps the history', async () => {
    const one = line(1);
    await run([one]);
    const next = { ...one, CurrentBalanceKES: '6000', CurrentBalance: '6000' };
    const result = await run([next], { asOf: '2026-11-04' });
    expect(result.counts).toMatchObject({ accountsAdded: 0, statesAdded: 1 });
    const [subject] = await find(one);
    const [account] = (await readFileOf(subject?.crn ?? 0n)).accounts;
    expect(account?.current.balanceCents).toBe(600_000n);
    expect(account?.history.map(({ balanceCents }) => balanceCents)).toEqual([800_000n]);
  });

  test('a file that comes late does not replace terms that a newer one has confirmed', async () => {
    const one = line(1);
    await run([one], { asOf: '2026-10-10' });
    await run([one], { asOf: '2026-10-31' });
    const late = { ...one, OriginalAmount: '13000' };
    expect((await run([late], { asOf: '2026-10-20' })).counts).toMatchObject({ statesAdded: 1 });
    const [subject] = await find(one);
    const [account] = (await readFileOf(subject?.crn ?? 0n)).accounts;
    expect(account).toMatchObject({ originalCents: 1_200_000n, history: [{}, {}] });
    await run([late], { asOf: '2026-11-04' });
    const [later] = (await readFileOf(subject?.crn ?? 0n)).accounts;
    expect(later).toMatchObject({ originalCents: 1_300_000n });
  });

  test('a file with other content for the same day is refused, unless it corrects', async () => {
    const one = line(1);
    await run([one]);
    const other = {
      ...one,
      CurrentBalanceKES: '1.00',
      CurrentBalance: '1.00',
      OriginalAmount: '13000',
    };
    const refused = await run([other]);
    expect(refused.findings).toMatchObject([
      { line: 2, field: 'AccountNumber', rule: 'submitted_before' },
    ]);
    const corrected = await run([other], { corrects: true });
    expect(corrected.findings).toEqual([]);
    expect(corrected.counts).toMatchObject({ corrected: 1, unchanged: 0 });
    const [subject] = await find(one);
    const [account] = (await readFileOf(subject?.crn ?? 0n)).accounts;
    expect(account).toMatchObject({ originalCents: 1_300_000n, current: { balanceCents: 100n } });
    const kept = await pool.query<{ former: { balanceCents?: string; originalCents?: string } }>(
      'select former from account_corrections where crn = $1',
      [subject?.crn],
    );
    expect(
      new Set(kept.rows.map(({ former }) => former.balanceCents ?? former.originalCents)),
    ).toEqual(new Set(['1200000', '800000']));
    const terms = await run([{ ...other, OriginalAmount: '14000' }], { corrects: true });
    expect(terms.counts).toMatchObject({ corrected: 1, unchanged: 0 });
  });

  test('may repeat a line, but not contradict itself about one account, even in a correction', async () => {
    const one = line(1);
    const other = { ...one, CurrentBalanceKES: '1', CurrentBalance: '1' };
    for (const batchRecords of [1, 100]) {
      for (const corrects of [false, true]) {
        const result = await run([one, one, other], { batchRecords, corrects });
        expect(result.findings).toMatchObject([
          { line: 4, field: 'AccountNumber', rule: 'duplicate_account' },
        ]);
      }
    }
    const [subject] = await find(one);
    const [account] = (await readFileOf(subject?.crn ?? 0n)).accounts;
    expect(account?.current.balanceCents).toBe(800_000n);
  });

  test('a file with mistakes is imported without the wrong lines; corrected from the report alone, it is complete', async () => {
    const mistakes: Line[] = [
      { Nationality: 'KEN' },
      { DateOfBirth: '20200101' },
      { PrimaryIDNumber: 'ABC' },
      { OverdueBalance: '100' },
      { AccountStatusDate: '20270101' },
    ];
    const right = Array.from({ length: 50 }, (_, index) => line(index));
    const wrong = right.map((one, index) => ({
      ...one,
      ...(index % 10 === 3 ? mistakes[(index - 3) / 10] : {}),
    }));
    const first = await run(wrong, { batchRecords: 8 });
    expect(first).toMatchObject({ counts: { records: 50, accountsAdded: 45, rejected: 5 } });
    const report = await readFile(first.reportFile ?? '', 'utf8');
    const [header, ...rows] = report.trimEnd().split('\n');
    expect(header).toBe('line,field,rule,text');
    expect(new Set(rows.map((row) => row.split(',')[0]))).toEqual(
      new Set(['5', '15', '25', '35', '45']),
    );
    expect(report).not.toContain('ABC');
    const second = await run(right, { batchRecords: 8 });
    expect(second).toMatchObject({
      reportFile: null,
      counts: { accountsAdded: 5, unchanged: 45, rejected: 0 },
    });
    await expect(readFile(`${file}.errors.csv`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a file with unusual accounts and names is imported whole, with remarks', async () => {
    const unusual: Line[] = [
      { OriginalAmount: '0' },
      { OriginalAmount: '799.99' },
      { CurrentBalance: '-500', CurrentBalanceKES: '-500' },
      { Forename1: 'K', Forename2: '' },
      { Forename1: '', Forename2: '' },
    ];
    const lines = unusual.map((change, index) => line(index, change));
    const first = await run(lines, { batchRecords: 2 });
    expect(first).toMatchObject({ counts: { records: 5, accountsAdded: 5, rejected: 0 } });
    expect(first.findings).toMatchObject([
      { line: 3, field: 'CurrentBalance', rule: 'balance_and_original', imported: true },
    ]);
    expect((await run(lines)).counts).toMatchObject({ unchanged: 5, rejected: 0 });
    const balances = await Promise.all(
      lines.map(async (one) => {
        const [subject] = await find(one);
        const { accounts } = await readFileOf(subject?.crn ?? 0n);
        return accounts.map(({ current }) => current.balanceCents);
      }),
    );
    expect(balances).toEqual(
      [800_000n, 800_000n, -50_000n, 800_000n, 800_000n].map((one) => [one]),
    );
    // A remark on a line that is refused for another reason does not say that it was imported.
    const both = await run([line(6, { OriginalAmount: '799.99' }), line(6)]);
    expect(both.findings).toHaveLength(2);
  });

  test('a file is read as CSV is written, and a broken quote is a finding', async () => {
    const quoted = csvOf([line(1, { TradingAs: 'Duka, "Mama Njeri"' })]).replaceAll('\n', '\r\n');
    expect((await run(`\ufeff${quoted}`)).findings).toEqual([]);
    const folded = csvOf([line(5, { TradingAs: 'two\nlines' }), line(6, { Gender: '' })]);
    for (const text of [folded, folded.replaceAll('\n', '\r\n')]) {
      expect((await run(text)).findings.map((one) => [one.line, one.rule])).toEqual([
        [2, 'csv'],
        [3, 'csv'],
        [4, 'required'],
      ]);
    }
    // Neither error hides the lines after it.
    for (const slip of ['C"3,', '"C3,']) {
      const lines = csvOf([line(2), line(3), line(4)]).replace(`C${lenders * 1_000 + 3},`, slip);
      const { findings, counts } = await run(lines);
      expect(findings).toMatchObject([{ line: 3, rule: 'csv' }]);
      expect([counts.records, counts.accountsAdded + counts.unchanged]).toEqual([3, 2]);
    }
  });

  test('a file that is not an import file is refused as a whole', async () => {
    await expect(run('')).rejects.toThrow('The file is empty');
    await expect(run('a,b\n1,2\n')).rejects.toThrow('there is no column Surname');
    await expect(run([line(1)], { asOf: '2026-11-06' })).rejects.toThrow('in the future');
    // In Nairobi it is already the sixth.
    const clock = { now: () => new Date('2026-11-05T21:30:00Z') };
    expect((await run([line(1)], { asOf: '2026-11-06', clock })).findings).toEqual([]);
    await run([line(1)]);
    await expect(run([line(1)], { sector: 'bank' })).rejects.toThrow('in the sector mobile_lender');
    await expect(run([line(1)], { file: path.join(folder, 'none.csv') })).rejects.toThrow('ENOENT');
  });
});

test('files that are imported again after a rotation of the keys change nothing', async () => {
  const master = { current: randomBytes(32), previous: undefined };
  const index = { current: randomBytes(32), previous: undefined };
  const lines = [line(1), line(2)];
  await run(lines, { vault: createVault({ master, index }) });
  const newer = { current: randomBytes(32), previous: index.current };
  // Only rows of this test: the others are under another key.
  const rotating = createVault({ master, index: newer });
  await run(lines, { vault: rotating });
  const rotated = await run(lines, { vault: rotating });
  expect(rotated).toMatchObject({ findings: [], counts: { unchanged: 2, statesAdded: 0 } });
  const next = await run(lines, { vault: rotating, asOf: '2026-11-01' });
  expect(next).toMatchObject({ findings: [], counts: { accountsAdded: 0, statesAdded: 2 } });
  const changed = { ...line(1), Forename2: 'Njoki' };
  const told = await run([changed], { vault: rotating, asOf: '2026-11-01' });
  expect(told.findings).toMatchObject([{ rule: 'submitted_before' }]);
});

describe('a dry run', () => {
  test('tells what the import then does, batch by batch, and changes nothing', async () => {
    await run([line(1), line(2)]);
    const lines = [
      line(1),
      line(2, { CurrentBalanceKES: '7000', CurrentBalance: '7000' }),
      line(3),
      line(3),
      line(4, { Gender: 'X' }),
    ];
    const tried = await run(lines, { dryRun: true, batchRecords: 2 });
    expect(await find(line(3))).toEqual([]);
    expect(await listImports(pool, { lender, limit: 5 })).toHaveLength(1);
    const { counts, findings } = await run(lines, { batchRecords: 2 });
    expect(counts).toMatchObject({ accountsAdded: 1, unchanged: 2, rejected: 2 });
    expect({ counts: tried.counts, findings: tried.findings }).toEqual({ counts, findings });
  });

  test('changes nothing if the file cannot be read further while a batch is being written', async () => {
    const lines = [501, 502, 503, 504].map((index) => line(index));
    const one = createPool({ url: database.url, max: 1, name: 'test' });
    let read = 0;
    const breaking: typeof vault = {
      ...vault,
      indexKeys: (...given) => {
        if (given[0] === 'account') read += 1;
        if (read === lines.length) throw new Error('broken');
        return vault.indexKeys(...given);
      },
    };
    const tried = run(lines, { pool: one, dryRun: true, batchRecords: 1, vault: breaking });
    await expect(tried).rejects.toThrow('broken');
    // On the same connection, so after anything that still goes on.
    for (let turn = 0; turn < 100; turn += 1) await one.query('select 1');
    await one.end();
    expect(await listImports(pool, { lender, limit: 5 })).toEqual([]);
    for (const person of lines) expect(await find(person)).toEqual([]);
  });
});

describe('an import that is interrupted', () => {
  test('continues after its last commit, with the complete report', async () => {
    const lines = Array.from({ length: 40 }, (_, index) =>
      line(index, index % 10 === 0 ? { Gender: 'X' } : {}),
    );
    let batches = 0;
    const killed = run(lines, {
      batchRecords: 10,
      onProgress: () => {
        batches += 1;
        if (batches === 2) throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    const before = await countStates();
    expect(before).toBe(18);
    const result = await run(lines, { batchRecords: 10 });
    expect(result).toMatchObject({
      resumedAfter: 20,
      counts: { records: 40, accountsAdded: 36, unchanged: 0, rejected: 4 },
    });
    expect(result.findings.map((finding) => finding.line)).toEqual([2, 12, 22, 32]);
    expect(await countStates()).toBe(36);
  });

  test('remarks once for each column on values that are missing in many lines', async () => {
    const lines = [
      line(0),
      ...[1, 2, 3, 4].map((number) => line(number, { MobilePhone: 'N/A' })),
      line(5, { LastPaymentAmount: '', LatestPaymentDate: '-' }),
    ];
    const killed = run(lines, {
      batchRecords: 2,
      onProgress: () => {
        throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    const remark = { line: 1, rule: 'missing', imported: true };
    const phone = 'MobilePhone has no value in 4 lines, first in line 3, and was read as empty';
    const paid = 'LatestPaymentDate has no value in line 7, and was read as empty';
    const { findings, counts } = await run(lines, { batchRecords: 2 });
    expect(findings).toEqual([
      { ...remark, field: 'LatestPaymentDate', text: paid },
      { ...remark, field: 'MobilePhone', text: phone },
    ]);
    expect(counts).toMatchObject({ records: 6, accountsAdded: 6, rejected: 0 });
  });

  test('leaves nothing of the batch that failed', async () => {
    const lines = Array.from({ length: 10 }, (_, index) => line(index));
    const failing = {
      ...vault,
      seal: (text: string, location: string) => {
        if (location.startsWith('credit_accounts')) throw new Error('broken');
        return vault.seal(text, location);
      },
    };
    await expect(run(lines, { vault: failing })).rejects.toThrow('broken');
    expect(await find(lines[0] ?? {})).toEqual([]);
    expect((await run(lines)).counts.accountsAdded).toBe(10);
  });

  async function countStates(): Promise<number> {
    const read = await pool.query<{ count: bigint }>(
      `select count(*) from account_states s join credit_accounts a using (crn, account_id)
       where a.lender = $1`,
      [lender],
    );
    return Number(read.rows[0]?.count ?? 0n);
  }
});

describe('a batch of the writer', () => {
  test('may add an account and change it: the account exists once, in its last state', async () => {
    const one = submittedOf(line(1));
    const later = submittedOf(
      { ...line(1), ClientNumber: 'LATER', OriginalAmount: '13000' },
      '2026-11-01',
    );
    const seen = new SeenAccounts();
    await registerLender(pool, { lender, sector: 'mobile_lender', at: new Date() });
    await databaseTransaction(pool, async (client) => {
      const indexed = [one, later].map((each) => indexAccount(each, { vault, lender }, seen));
      const context = { vault, lender, importId: newId(), corrects: false, at: new Date() };
      await writeBatch(client, indexed, context);
    });
    const [subject] = await find(line(1));
    const { accounts } = await readFileOf(subject?.crn ?? 0n);
    expect(accounts).toMatchObject([{ originalCents: 1_300_000n, history: [{}] }]);
    const read = await pool.query<{ crn: bigint; sealed: Buffer }>(
      'select crn, sealed from credit_accounts where lender = $1',
      [lender],
    );
    expect(read.rows.map((row) => vault.unseal(row.sealed, accountLocation(row.crn)))).toEqual([
      expect.stringContaining('LATER'),
    ]);
  });

  test('never reads a whole table, and leaves the connection as it was', async () => {
    const shown = async (client: Queryable): Promise<unknown> =>
      (await client.query('show enable_seqscan')).rows[0];
    const client = await pool.connect();
    try {
      await client.query('begin');
      await lockRegistry(client);
      expect(await shown(client)).toEqual({ enable_seqscan: 'off' });
      await client.query('commit');
      expect(await shown(client)).toEqual({ enable_seqscan: 'on' });
    } finally {
      client.release();
    }
  });

  function submittedOf(one: Line, asOf = '2026-10-31'): SubmittedAccount {
    const { account } = createValidator(placesOf('mobile'), asOf).validate(2, valuesOf(one));
    if (account === undefined) throw new Error('The line is not right');
    return account;
  }
});

describe('people in files', () => {
  test('people are one subject by document and names, whatever the lender and the spelling', async () => {
    const one = line(1, { Surname: 'Wanjiku', Forename1: 'Grace', Forename2: 'Akinyi' });
    await run([one]);
    const other = { ...one, Surname: 'Akinyi', Forename1: 'Wanjiko', Forename2: '' };
    const second = `${lender}_B`;
    await run([{ ...other, MobilePhone: '0733000111' }], { lender: second, sector: 'bank' });
    const [subject, ...others] = await find(one);
    expect(others).toEqual([]);
    expect(subject?.profile.phones.map(({ number }) => number)).toContain('254733000111');
    expect(subject?.profile.alsoKnownAs).toHaveLength(1);
    const { accounts } = await readFileOf(subject?.crn ?? 0n);
    expect(accounts.map(({ sector }) => sector).toSorted()).toEqual(['bank', 'mobile_lender']);
  });

  test('people with one document and other names are two subjects and a case', async () => {
    const one = line(1);
    await run([
      one,
      { ...one, AccountNumber: 'OTHER', Surname: 'Otieno', Forename1: 'Juma', Forename2: '' },
    ]);
    const found = await find(one);
    expect(found).toHaveLength(2);
    const cases = await listCases(pool, { open: true, limit: 1_000 });
    expect(cases).toContainEqual(
      expect.objectContaining({ kind: 'document_shared', crns: found.map(({ crn }) => crn) }),
    );
  });

  test('people with one document and a sibling’s names are two subjects and a case', async () => {
    const names = { Surname: 'Wanjala', Forename2: 'Kamau' };
    const one = line(1, { ...names, Forename1: 'Joseph' });
    await run([one, { ...one, AccountNumber: 'OTHER', Forename1: 'Josephine' }]);
    const found = await find(one);
    expect(found.map(({ profile }) => profile.name.forenames[0])).toEqual(['Joseph', 'Josephine']);
    const cases = await listCases(pool, { open: true, limit: 1_000 });
    expect(cases).toContainEqual(
      expect.objectContaining({ kind: 'document_shared', crns: found.map(({ crn }) => crn) }),
    );
  });

  test('an account keeps its holder', async () => {
    const one = line(1);
    await run([one]);
    const stolen = {
      ...line(2),
      AccountNumber: one.AccountNumber ?? '',
      Surname: 'Otieno',
      Forename1: 'Juma',
      Forename2: 'Ali',
    };
    const result = await run([stolen], { asOf: '2026-11-01' });
    expect(result.findings).toMatchObject([{ line: 2, rule: 'account_holder' }]);
    expect(await find(stolen)).toEqual([]);
    const renewed = { ...one, PrimaryIDType: '002', PrimaryIDNumber: `P${lender}`.slice(0, 9) };
    const passport = renewed.PrimaryIDNumber.replace('_', '1');
    const taken = await run([{ ...renewed, PrimaryIDNumber: passport }], { asOf: '2026-11-02' });
    expect(taken.findings).toEqual([]);
  });

  const peter: Line = {
    Surname: 'Wanjala',
    Forename1: 'Peter',
    Forename2: 'Kamau',
    DateOfBirth: '19880412',
    Gender: 'M',
  };

  test('an account is not taken over by a relative, whatever the names and the date', async () => {
    const one = line(60, { ...peter, AccountNumber: 'SIB1' });
    const paul = { ...peter, Forename1: 'Paul', DateOfBirth: '19990105' };
    const other = line(61, { ...paul, AccountNumber: 'SIB1' });
    await run([one]);
    const [holder] = await find(one);
    const attempts: Line[] = [
      other,
      { ...other, Forename1: 'Peter' },
      { ...other, DateOfBirth: '19880412' },
      { ...other, Forename1: 'Peter', DateOfBirth: '19880412' },
      { ...one, DateOfBirth: '19880413' },
    ];
    for (const corrects of [false, true]) {
      for (const [at, attempt] of attempts.entries()) {
        const result = await run([attempt], { asOf: `2026-11-0${(at % 4) + 1}`, corrects });
        expect(result.findings, String(at)).toMatchObject([
          { line: 2, field: 'AccountNumber', rule: 'account_holder' },
        ]);
        expect(result.counts).toMatchObject({ statesAdded: 0, corrected: 0 });
      }
    }
    expect(await find(other)).toEqual([]);
    expect(await find(one)).toEqual([holder]);
    const opened = (await listCases(pool, { open: true, limit: 1_000 })).filter(
      ({ crns }) => crns.length === 1 && crns[0] === holder?.crn,
    );
    expect(opened).toMatchObject([{ kind: 'account_holder' }]);
    // With a different number it is another person's account.
    expect((await run([{ ...other, AccountNumber: 'SIB2' }])).findings).toEqual([]);
    expect(await find(other)).toMatchObject([
      { profile: { name: { forenames: ['Paul', 'Kamau'] } } },
    ]);
  });

  test('one document with two birth dates is two people until a person merges them', async () => {
    const one = line(1, { DateOfBirth: '19600101' });
    const other = { ...one, AccountNumber: 'OTHER', DateOfBirth: '20010101' };
    expect((await run([one, other])).findings).toEqual([]);
    const crns = (await find(one)).map(({ crn }) => crn);
    expect(crns).toHaveLength(2);
    const cases = await listCases(pool, { open: true, limit: 1_000 });
    expect(cases).toContainEqual(expect.objectContaining({ kind: 'document_shared', crns }));
    const [into = 0n, from = 0n] = crns;
    await databaseTransaction(pool, async (client) => {
      await mergeSubjects(client, { from, into, reason: 'a slip', at: new Date() });
    });
    const changed = { ...one, MobilePhone: '0733000222' };
    const lines = [changed, { ...other, AccountNumber: 'THIRD' }];
    expect((await run(lines, { asOf: '2026-11-01' })).findings).toEqual([]);
    expect(await find(one)).toMatchObject([
      { crn: into, birthDates: ['1960-01-01', '2001-01-01'] },
    ]);
  });

  test('a new account does not give a person a second national ID or tax PIN', async () => {
    const individual = { template: 'individual' } as const;
    const pin = `A${String(lenders).padStart(9, '0')}B`;
    const one = line(1, { TaxPIN: pin });
    await run(csvOf([one], 'individual'), individual);
    await run(csvOf([line(2, { TaxPIN: pin })], 'individual'), individual);
    const found = await findSubjects(pool, vault, [{ type: 'taxID', number: pin }]);
    expect(found.map(({ profile }) => profile.documents.length)).toEqual([2, 2]);
    expect(await find(one)).toMatchObject([{ crn: found[0]?.crn }]);
  });
});

test('a joint account is on file for each holder, and is nobody else’s', async () => {
  const first = line(1, { AccountNumber: 'JOINT', JointHolders: '1' });
  const second = line(2, {
    ...{ AccountNumber: 'JOINT', JointHolders: '1', Forename2: 'Otieno', Gender: 'M' },
    DateOfBirth: '19790909',
  });
  const both = csvOf([first, second], 'individual');
  const template = { template: 'individual' } as const;
  const made = await run(both, { ...template, batchRecords: 1 });
  expect(made).toMatchObject({ findings: [], counts: { accountsAdded: 2, statesAdded: 2 } });
  expect((await run(both, template)).counts).toMatchObject({ unchanged: 2, rejected: 0 });
  const accountsOf = async (one: Line) => {
    const [subject] = await find(one);
    return (await readFileOf(subject?.crn ?? 0n)).accounts;
  };
  for (const one of [first, second]) {
    expect(await accountsOf(one)).toMatchObject([{ jointHolders: 1, history: [] }]);
  }

  // Each holder's line goes on with its own account, in one batch, and corrects only that.
  const less = { CurrentBalance: '7000', CurrentBalanceKES: '7000' };
  const later = csvOf(
    [second, first].map((one) => ({ ...one, ...less })),
    'individual',
  );
  const next = await run(later, { ...template, asOf: '2026-11-04' });
  expect(next).toMatchObject({ findings: [], counts: { accountsAdded: 0, statesAdded: 2 } });
  for (const one of [first, second]) {
    expect(await accountsOf(one)).toMatchObject([
      { current: { balanceCents: 700_000n }, history: [{ balanceCents: 800_000n }] },
    ]);
  }
  const corrected = csvOf(
    [first, { ...second, CurrentBalance: '6000', CurrentBalanceKES: '6000' }],
    'individual',
  );
  const correction = await run(corrected, { ...template, corrects: true });
  expect(correction).toMatchObject({ findings: [], counts: { corrected: 1, unchanged: 1 } });

  // Without saying that it is joint, a third person's line is refused, and a case names all holders.
  const third = line(3, { AccountNumber: 'JOINT', Forename2: 'Mutua', DateOfBirth: '19700101' });
  const refused = await run(csvOf([third], 'individual'), { ...template, asOf: '2026-11-04' });
  expect(refused.findings).toMatchObject([{ rule: 'account_holder' }]);
  const holders = await Promise.all([first, second].map(async (one) => (await find(one))[0]?.crn));
  const opened = await listCases(pool, { open: true, limit: 100 });
  expect(opened).toContainEqual(expect.objectContaining({ kind: 'account_holder', crns: holders }));
});

test('a guaranteed loan is on file with its guarantor, and counts with its holder only', async () => {
  const template = { template: 'individual' } as const;
  const own = { AccountNumber: 'BACKED' };
  const late = {
    ...{ DisbursementDate: '20250601', OverdueBalance: '3000', OverdueDate: '20260601' },
    ...{ DaysInArrears: '152', InstalmentsInArrears: '5', PrudentialRiskClassification: 'C' },
  };
  const holder = line(1, { ...own, ...late });
  const guarantor = line(2, {
    ...{ ...own, ...late, Role: 'G', Forename2: 'Cheruiyot', DateOfBirth: '19750303' },
  });
  const made = await run(csvOf([guarantor, holder], 'individual'), {
    ...template,
    batchRecords: 1,
  });
  expect(made).toMatchObject({ findings: [], counts: { accountsAdded: 2, statesAdded: 2 } });
  const fileOf = async (one: Line) => {
    const [subject] = await find(one);
    return await readFileOf(subject?.crn ?? 0n);
  };
  expect((await fileOf(holder)).accounts).toMatchObject([{ current: { daysInArrears: 152 } }]);
  expect((await fileOf(holder)).guarantees).toBeUndefined();
  const { accounts, guarantees } = await fileOf(guarantor);
  expect(accounts).toEqual([]);
  expect(guarantees).toMatchObject([{ current: { daysInArrears: 152 } }]);
  const crn = (await find(guarantor))[0]?.crn ?? 0n;
  const many = (await readCreditFiles(pool, [{ crn, members: [crn] }], WINDOW)).get(crn);
  expect(many).toMatchObject({ accounts: [], guarantees: [{ current: { daysInArrears: 152 } }] });

  // The role stays when a later line does not say it, as in the mobile template.
  const { Role: _, ...unsaid } = guarantor;
  const later = await run([unsaid, holder], { asOf: '2026-11-04' });
  expect(later).toMatchObject({ findings: [], counts: { accountsAdded: 0, statesAdded: 2 } });
  expect((await fileOf(guarantor)).guarantees).toMatchObject([{ history: [{}] }]);

  // Nobody becomes the holder by the number of the account; a second guarantor is one more.
  const stranger = line(3, { ...own, Forename2: 'Mutua', DateOfBirth: '19700101' });
  const refused = await run(csvOf([stranger], 'individual'), { ...template, asOf: '2026-11-04' });
  expect(refused.findings).toMatchObject([{ rule: 'account_holder' }]);
  const second = { ...stranger, Role: 'G' };
  const added = await run(csvOf([second], 'individual'), { ...template, asOf: '2026-11-04' });
  expect(added).toMatchObject({ findings: [], counts: { accountsAdded: 1 } });

  // What was submitted as a loan by mistake becomes a guarantee.
  const corrected = csvOf([{ ...holder, Role: 'G' }], 'individual');
  await run(corrected, { ...template, asOf: '2026-11-05' });
  expect(await fileOf(holder)).toMatchObject({ accounts: [], guarantees: [{}] });
});

test('a file of the individual template may lack the column of roles', async () => {
  const without = csvOf([line(1)], 'individual')
    .split('\n')
    .map((row) => row.replace(/,(Role)?$/, ''))
    .join('\n');
  expect(without).toContain('JointHolders\n');
  const made = await run(without, { template: 'individual' });
  expect(made).toMatchObject({ findings: [], counts: { accountsAdded: 1 } });
  const wrong = await run(csvOf([line(2, { Role: 'X' })], 'individual'), {
    template: 'individual',
  });
  expect(wrong.findings).toMatchObject([{ field: 'Role', rule: 'code' }]);
});

test('joint holders are counted, and stay when a later line does not say', async () => {
  const jointHolders = async (): Promise<unknown> => {
    const read = await pool.query(
      'select joint_holders from credit_accounts order by account_id desc limit 1',
    );
    return read.rows[0].joint_holders;
  };
  await run(csvOf([line(1, { JointHolders: '1' })], 'individual'), { template: 'individual' });
  expect(await jointHolders()).toBe(1);
  await run([line(1)], { asOf: '2026-11-01' });
  expect(await jointHolders()).toBe(1);
  const wrong = csvOf([line(2, { JointHolders: 'wife' })], 'individual');
  expect((await run(wrong, { template: 'individual' })).findings).toMatchObject([
    { field: 'JointHolders', rule: 'count' },
  ]);
});

describe('an account in another currency', () => {
  const dollars: Line = { Currency: 'USD', CurrentBalance: '100', CurrentBalanceKES: '12900' };
  const closed: Line = {
    ...dollars,
    CurrentBalance: '0',
    CurrentBalanceKES: '0',
    AccountStatus: 'A',
    AccountStatusDate: '20261030',
  };

  test('can be closed, and keeps the amounts it had in KES', async () => {
    await run([line(1, dollars)]);
    const last = await run([line(1, closed)], { asOf: '2026-11-01' });
    expect(last).toMatchObject({ findings: [], counts: { statesAdded: 1 } });
    const again = await run([line(1, closed)], { asOf: '2026-11-01' });
    expect(again).toMatchObject({ findings: [], counts: { unchanged: 1 } });
    const [subject] = await find(line(1));
    expect((await readFileOf(subject?.crn ?? 0n)).accounts).toMatchObject([
      { originalCents: 154_800_000n, instalmentCents: 25_800_000n, current: { status: 'A' } },
    ]);
  });

  test('a new account in another currency without a balance is imported with unknown amounts', async () => {
    expect((await run([line(1, closed)])).findings).toEqual([]);
    const [subject] = await find(line(1));
    expect((await readFileOf(subject?.crn ?? 0n)).accounts).toMatchObject([
      { originalCents: 0n, instalmentCents: null, lastPaymentCents: null },
    ]);
  });

  test('an account with absurd amounts is a finding, and the other lines are imported', async () => {
    const absurd: Line[] = [
      { ...dollars, CurrentBalance: '0.01', CurrentBalanceKES: '9999999999999.99' },
      { ...dollars, OriginalAmount: '9999999999999.99' },
      { ...dollars, InstalmentAmount: '9999999999999.99' },
      { ...dollars, LastPaymentAmount: '9999999999999.99' },
    ];
    const lines = absurd.flatMap((change, at) => [line(2 * at, change), line(2 * at + 1)]);
    const result = await run(lines);
    expect(result).toMatchObject({ counts: { accountsAdded: 4, rejected: 4 } });
    expect(result.findings.map((one) => `${one.line} ${one.field} ${one.rule}`)).toEqual([
      '2 CurrentBalanceKES rate',
      '4 OriginalAmount amount',
      '6 InstalmentAmount amount',
      '8 LastPaymentAmount amount',
    ]);
  });
});

test('no personal text is stored in the clear', async () => {
  const canary = line(1, {
    Surname: 'Zanzibarcanary',
    PrimaryIDNumber: '987654301',
    MobilePhone: '254799887766',
    AccountNumber: 'ACCTCANARY1',
    ClientNumber: 'CLIENTCANARY1',
  });
  await run([canary]);
  const tables = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables.rows) {
    const read = await pool.query<{ row: string }>(`select t::text as row from "${name}" t`);
    const text = read.rows.map(({ row }) => row).join('\n');
    for (const secret of [
      'Zanzibarcanary',
      '987654301',
      '799887766',
      'ACCTCANARY1',
      'CLIENTCANARY1',
    ]) {
      expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
      expect(text.includes(Buffer.from(secret).toString('hex')), `${secret} in ${name}`).toBe(
        false,
      );
    }
  }
});
