import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWireTime, systemClock } from '../../src/platform/base/clock.ts';
import { compose } from '../../src/service.ts';
import type { Service } from '../../src/service.ts';
import { readConfig } from '../../src/config.ts';
import { importFile } from '../../src/credit/importing/import.ts';
import { createVault } from '../../src/credit/registry/vault.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { csvOf, rightLine } from '../support/credit-files.ts';
import type { Line } from '../support/credit-files.ts';
import { LATE } from '../support/planted-errors.ts';
import { signed } from '../support/vendor-client.ts';

// The properties of scores (test/property/scorecard.test.ts) also hold for answers: from a lender's file
// to the body of the response.

const masterKeys = { current: randomBytes(32), previous: undefined };
const index = { current: randomBytes(32), previous: undefined };
let database: TestDatabase;
let service: Service;
let folder: string;
let key: string;
let asked = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'credit-metamorphic-'));
  service = await compose({
    config: readConfig('sandbox', {
      ROLES: 'api',
      MASTER_KEY: masterKeys.current.toString('base64'),
      CREDIT_INDEX_KEY: index.current.toString('base64'),
    }),
    databaseUrl: database.url,
    masterKeys,
    log: pino({ level: 'silent' }),
  });
  const vendor = { vid: 'm', name: 'M', sector: 'bank', enquiryPolicy: 'open' } as const;
  key = (await addVendor(service.pool, vendor, { masterKeys, certain: true })).securityKey;
  await service.directory.reload();
});

afterAll(async () => {
  await service.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function submit(lines: readonly Line[], asOf = '2026-10-31'): Promise<void> {
  const file = path.join(folder, 'loans.csv');
  await writeFile(file, csvOf(lines));
  const { findings } = await importFile({
    pool: service.pool,
    vault: createVault({ master: masterKeys, index }),
    clock: systemClock,
    wireTime: createWireTime('Africa/Nairobi'),
    file,
    template: 'mobile',
    lender: 'L',
    sector: 'bank',
    asOf,
    corrects: false,
    by: 'Asha',
  });
  expect(findings).toEqual([]);
}

interface Answered {
  readonly summary: object;
  readonly account_list: object;
  readonly score: Readonly<Record<string, string>>;
}

const SCORES = { 'generic-score': 'positiveScore', 'mobile-loan-score': 'mobiLoansScore' } as const;
type Path = keyof typeof SCORES;
const PATHS = Object.keys(SCORES) as Path[];

/** The answer without what identifies the person. */
async function ask(operation: Path, line: Line): Promise<Answered> {
  asked += 1;
  const params = {
    vid: 'm',
    requestReference: `M${asked}`,
    // Monitoring: an enquiry that is not an application.
    reportReason: '3',
    reportSector: '2',
    nationalID: line.PrimaryIDNumber ?? '',
    name1: line.Surname ?? '',
    name2: line.Forename1 ?? '',
  };
  const payload = signed(params, key);
  const answer = await service.app.inject({ method: 'POST', url: `/${operation}`, payload });
  expect(answer.statusCode, answer.body).toBe(200);
  const { summary, account_list, score } = answer.json<Answered>();
  return { summary, account_list, score };
}

async function scoreOf(operation: Path, line: Line): Promise<number> {
  return Number((await ask(operation, line)).score[SCORES[operation]]);
}

/** Three accounts of one person. */
function accountsOf(person: Line, number: number): Line[] {
  return [
    { ...person, AccountNumber: `${number}a` },
    { ...person, ...LATE, AccountNumber: `${number}b`, AccountProductType: 'H' },
    {
      ...person,
      AccountNumber: `${number}c`,
      AccountStatus: 'A',
      CurrentBalance: '0',
      CurrentBalanceKES: '0',
    },
  ];
}

test('neither a person’s identity nor the order of accounts changes an answer', async () => {
  const one = rightLine(1);
  const other = rightLine(2, {
    Surname: 'Nakato',
    Forename1: 'Okello',
    Forename2: '',
    Gender: 'M',
    Nationality: 'UG',
    DateOfBirth: '19551231',
  });
  await submit([...accountsOf(one, 1), ...accountsOf(other, 2).toReversed()]);
  for (const operation of PATHS) {
    expect(await ask(operation, other)).toEqual({
      ...(await ask(operation, one)),
      account_list: expect.any(Array),
    });
  }
});

test('suppressed defaults never raise a score', async () => {
  const person = rightLine(4);
  const [open = {}, late = {}] = accountsOf(person, 4);
  await submit([open]);
  const before = await Promise.all(PATHS.map(async (one) => await scoreOf(one, person)));
  const small = {
    ...late,
    DisbursementDate: '20120101',
    CurrentBalance: '900',
    CurrentBalanceKES: '900',
    OverdueBalance: '900',
  };
  await submit([small]);
  for (const [at, operation] of PATHS.entries()) {
    expect(await scoreOf(operation, person)).toBeLessThanOrEqual(before[at] ?? 0);
  }
});

test('one more account in default never raises a score, repaying never lowers it', async () => {
  const person = rightLine(3);
  const [open = {}, late = {}] = accountsOf(person, 3);
  await submit([open]);
  for (const operation of PATHS) {
    const before = await scoreOf(operation, person);
    await submit([{ ...late, AccountNumber: `3${operation}` }]);
    const inDefault = await scoreOf(operation, person);
    expect(inDefault).toBeLessThan(before);
  }
  const inDefault = await Promise.all(PATHS.map(async (one) => await scoreOf(one, person)));
  const repaid = { CurrentBalance: '0', CurrentBalanceKES: '0', AccountStatus: 'A' };
  await submit([{ ...open, ...repaid }], '2026-11-10');
  for (const [at, operation] of PATHS.entries()) {
    expect(await scoreOf(operation, person)).toBeGreaterThanOrEqual(inDefault[at] ?? 0);
  }
});
