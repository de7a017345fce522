import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFileOfToday } from '../../src/credit/bureaus/registry.ts';
import { proposeSale, proposeWithdrawal } from '../../src/credit/decisions/propose.ts';
import type { Deps } from '../../src/credit/decisions/propose.ts';
import type { CreditFile } from '../../src/credit/facts.ts';
import { importFile } from '../../src/credit/importing/import.ts';
import { openDispute } from '../../src/credit/registry/disputes-store.ts';
import { findSubjects } from '../../src/credit/registry/read-subjects.ts';
import { characteristic, scoredFile } from '../../src/credit/scorecards/characteristics.ts';
import { detailsOf } from '../../src/credit/summary/details.ts';
import { genericSummary, listAccounts } from '../../src/credit/summary/summary.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { createMac } from '../../src/platform/base/mac.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { approveProposal, decisionDeps, groundsOf } from '../support/credit-decisions.ts';
import { csvOf, newVault, rightLine } from '../support/credit-files.ts';
import type { Line } from '../support/credit-files.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

// Whole files, from the lenders' lines to the figures of an answer, which were computed by hand from
// docs/reference/credit-fields.md, docs/reference/scorecards.md and docs/guide/credit-registry.md, as of 5 November 2026.

const clock = { now: () => new Date('2026-11-05T09:00:00Z') };
const vault = newVault();
let database: TestDatabase;
let pool: Pool;
let folder: string;
let deps: Deps;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  deps = decisionDeps({ pool, clock, ledgerMac: createMac(randomBytes(32)) });
  folder = await makeTemporaryFolder();
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const BANK_LOAN = {
  ...{ AccountProductType: 'H', DisbursementDate: '20250110', AccountStatusDate: '20250110' },
  ...{ OriginalAmount: '100000.00', CurrentBalance: '60000.00', CurrentBalanceKES: '60000.00' },
  ...{ InstalmentAmount: '5000.00', RepaymentPeriod: '24', LatestPaymentDate: '20260605' },
};
const owes = (amount: string): Line => ({ CurrentBalance: amount, CurrentBalanceKES: amount });
const CLOSED = { ...owes('0'), AccountStatus: 'A', AccountStatusDate: '20260915' };
const late = (days: number, riskClass: string): Line => ({
  ...{ OverdueBalance: '20000.00', OverdueDate: '20260401', DaysInArrears: String(days) },
  ...{ InstalmentsInArrears: '4', PrudentialRiskClassification: riskClass },
});
/** In arrears since April, at the end of three months. */
const DEFAULT = { july: late(120, 'C'), august: late(151, 'C'), october: late(212, 'D') };

let people = 0;
/** A new person's line for a loan of a bank. */
function person(): Line {
  people += 1;
  return rightLine(700 + people, BANK_LOAN);
}

async function submit(lender: string, asOf: string, ...lines: readonly Line[]): Promise<void> {
  const file = path.join(folder, `${lender}.csv`);
  await writeFile(file, csvOf(lines, 'individual'));
  const how = { template: 'individual', sector: 'bank', corrects: false, by: 'Asha' } as const;
  const made = await importFile({
    ...{ pool, vault, clock, wireTime: createWireTime('Africa/Nairobi') },
    ...{ file, lender, asOf, ...how },
  });
  expect(made.findings).toEqual([]);
}

async function crnOf(line: Line): Promise<bigint> {
  const number = line.PrimaryIDNumber ?? '';
  const [found] = await findSubjects(pool, vault, [{ type: 'nationalID', number }]);
  return found!.crn;
}

async function fileOf(line: Line): Promise<CreditFile> {
  const options = { pool, clock, timeZone: 'Africa/Nairobi', retentionDays: 1826 };
  return await readFileOfToday(options, await crnOf(line), null);
}

/** The account of a lender, by its number in the registry. */
async function accountOf(line: Line, lender: string): Promise<bigint> {
  const { accounts, guarantees = [] } = await fileOf(line);
  const found = [...accounts, ...guarantees].find((one) => one.lender === lender);
  return BigInt(found!.key.split(' ')[1]!);
}

async function sold(line: Line, from: string, into: string, soldOn: string): Promise<void> {
  const debt = { from: await accountOf(line, from), into: await accountOf(line, into), soldOn };
  const row = await proposeSale(deps, { crn: await crnOf(line), ...debt }, groundsOf('Sold'));
  await approveProposal(deps, { proposalId: row.proposalId, by: 'Baraka' });
}

async function withdrawn(line: Line, lender: string): Promise<void> {
  const ref = { crn: await crnOf(line), accountId: await accountOf(line, lender) };
  const row = await proposeWithdrawal(deps, ref, groundsOf('A namesake'));
  await approveProposal(deps, { proposalId: row.proposalId, by: 'Baraka' });
}

/** Accounts in default, worst days of 24 months, instalments late, months kept well, repaid, open. */
type Figures = readonly [number, number, number, number, number, number];
const MEASURED = [
  ...(['nonPerformingAccounts', 'worstArrearsDays24', 'instalmentsInArrears'] as const),
  ...(['monthsOfGoodHistory', 'accountsRepaid', 'openAccounts'] as const),
] as const;

interface Expected {
  /** By lender, the oldest first: `BANK DEFAULT`. */
  readonly listed: string;
  readonly figures: Figures;
  /** NPA, PA, PA with default history, months of history. */
  readonly counts: readonly [number, number, number, number];
  /** Number and balance. Default: none. */
  readonly guaranteed?: readonly [string, string];
}

async function expectFile(line: Line, expected: Expected): Promise<void> {
  const file = await fileOf(line);
  const scope = { mySector: 'bank', reportSector: 2 } as const;
  const listed = listAccounts(file, scope);
  const scored = scoredFile(file);
  const { npaAccounts, paAccounts, paAccountsWithDh, creditHistory } = genericSummary(file, scope);
  const { guaranteedAccounts, guaranteedBalance } = detailsOf(file, scope, true);
  expect({
    listed: listed.map(({ account, status }) => `${account.lender} ${status}`).join(', '),
    figures: MEASURED.map((name) => characteristic(name).measure(scored)),
    counts: [npaAccounts, paAccounts, paAccountsWithDh, creditHistory].map((pair) =>
      Number(pair.mySector),
    ),
    guaranteed: [guaranteedAccounts.mySector, guaranteedBalance.mySector],
  }).toEqual({ guaranteed: ['0', '0.00'], ...expected });
}

const GOOD: Figures = [0, 0, 0, 21, 0, 1];
const NOTHING: Figures = [0, 0, 0, 0, 0, 0];

test('a loan that was sold on time is the buyer’s, as old as it is, and was not repaid', async () => {
  const loan = person();
  await submit('SELLER', '2026-07-31', loan);
  const bought = { ...loan, DisbursementDate: '20260915', AccountStatusDate: '20260915' };
  const terms = {
    ...bought,
    OriginalAmount: '60000.00',
    LatestPaymentDate: '',
    LastPaymentAmount: '',
  };
  await submit('BUYER', '2026-09-30', { ...terms, ...owes('58000.00') });
  await submit('SELLER', '2026-09-30', { ...loan, ...CLOSED });
  // Two accounts, one of them repaid: the registry does not know better.
  await expectFile(loan, {
    ...{ listed: 'SELLER CLOSED, BUYER ACTIVE', figures: [0, 0, 0, 21, 1, 1] },
    counts: [0, 2, 0, 21],
  });
  await sold(loan, 'SELLER', 'BUYER', '2026-09-15');
  await submit('BUYER', '2026-10-31', { ...terms, ...owes('55000.00') });
  await expectFile(loan, { listed: 'BUYER ACTIVE', figures: GOOD, counts: [0, 1, 0, 21] });
  const [account] = (await fileOf(loan)).accounts;
  expect(account).toMatchObject({
    originalCents: 10_000_000n,
    current: { balanceCents: 5_500_000n },
  });
});

test('a debt that was sold in default is in default once, and stays so when both submit it', async () => {
  const loan = person();
  await submit('SELLER', '2026-07-31', { ...loan, ...DEFAULT.july });
  const bought = { ...loan, ...DEFAULT.october, DisbursementDate: '20260815' };
  const dates = { AccountStatusDate: '20260815', OverdueDate: '20260815' };
  const terms = { ...bought, ...dates, LatestPaymentDate: '', LastPaymentAmount: '' };
  await submit('BUYER', '2026-10-31', terms);
  await submit('SELLER', '2026-10-31', { ...loan, ...DEFAULT.october });
  await expectFile(loan, {
    ...{ listed: 'SELLER DEFAULT, BUYER DEFAULT', figures: [2, 212, 8, 0, 0, 2] },
    counts: [2, 0, 0, 21],
  });
  await sold(loan, 'SELLER', 'BUYER', '2026-08-15');
  const once = { listed: 'BUYER DEFAULT', figures: [1, 212, 4, 0, 0, 1] } as const;
  await expectFile(loan, { ...once, counts: [1, 0, 0, 21] });
});

test('a default that its buyer submits as a new loan on time keeps its history', async () => {
  const loan = person();
  await submit('SELLER', '2026-07-31', { ...loan, ...DEFAULT.july });
  await submit('SELLER', '2026-08-31', { ...loan, ...DEFAULT.august });
  const dates = { DisbursementDate: '20260815', AccountStatusDate: '20260815' };
  const fresh = { ...loan, ...dates, LatestPaymentDate: '', LastPaymentAmount: '' };
  await submit('BUYER', '2026-09-30', fresh);
  await sold(loan, 'SELLER', 'BUYER', '2026-08-15');
  await expectFile(loan, {
    ...{ listed: 'BUYER ACTIVE', figures: [0, 151, 0, 0, 0, 1] },
    counts: [0, 1, 1, 21],
  });
});

test('a debt that was sold twice is the last buyer’s', async () => {
  const loan = person();
  await submit('FIRST', '2026-06-30', loan);
  const of = (day: string): Line => ({
    ...{ ...loan, DisbursementDate: day, AccountStatusDate: day },
    ...{ LatestPaymentDate: '', LastPaymentAmount: '' },
  });
  await submit('SECOND', '2026-08-31', of('20260801'));
  await submit('THIRD', '2026-10-31', of('20261001'));
  await expectFile(loan, {
    ...{ listed: 'FIRST ACTIVE, SECOND ACTIVE, THIRD ACTIVE', figures: [0, 0, 0, 21, 0, 3] },
    counts: [0, 3, 0, 21],
  });
  await sold(loan, 'FIRST', 'SECOND', '2026-08-01');
  await sold(loan, 'SECOND', 'THIRD', '2026-10-01');
  await expectFile(loan, { listed: 'THIRD ACTIVE', figures: GOOD, counts: [0, 1, 0, 21] });
});

test('a withdrawn default was never listed, also when it is submitted again', async () => {
  const own = person();
  const wrong = { ...own, AccountNumber: 'WRONG' };
  await submit('GOOD', '2026-10-31', own);
  const clean = { listed: 'GOOD ACTIVE', figures: GOOD, counts: [0, 1, 0, 21] } as const;
  await expectFile(own, clean);
  await submit('WRONG', '2026-09-30', { ...wrong, ...DEFAULT.august });
  await expectFile(own, {
    ...{ listed: 'GOOD ACTIVE, WRONG DEFAULT', figures: [1, 151, 4, 21, 0, 2] },
    counts: [1, 1, 0, 21],
  });
  await withdrawn(own, 'WRONG');
  await expectFile(own, clean);
  await submit('WRONG', '2026-10-31', { ...wrong, ...DEFAULT.october });
  await expectFile(own, clean);
});

test('a sold debt that is withdrawn leaves with its seller’s part', async () => {
  const loan = person();
  await submit('SELLER', '2026-07-31', { ...loan, ...DEFAULT.july });
  const dates = { DisbursementDate: '20260815', AccountStatusDate: '20260815' };
  const bought = { ...loan, ...dates, LatestPaymentDate: '', LastPaymentAmount: '' };
  await submit('BUYER', '2026-10-31', bought);
  await sold(loan, 'SELLER', 'BUYER', '2026-08-15');
  await withdrawn(loan, 'BUYER');
  await expectFile(loan, { listed: '', figures: NOTHING, counts: [0, 0, 0, 0] });
});

test('joint holders are both in default; the dispute of one and the withdrawal of one are not the other’s', async () => {
  const shared = { AccountNumber: 'SHARED', JointHolders: '1', ...DEFAULT.october };
  const [one, other] = [
    { ...person(), ...shared },
    { ...person(), ...shared },
  ];
  await submit('JOINT', '2026-10-31', one, other);
  const inDefault: Expected = {
    ...{ listed: 'JOINT DEFAULT', figures: [1, 212, 4, 0, 0, 1] },
    counts: [1, 0, 0, 21],
  };
  await expectFile(one, inDefault);
  await expectFile(other, inDefault);
  const ref = { crn: await crnOf(one), accountId: await accountOf(one, 'JOINT') };
  await openDispute(pool, vault, { ...ref, statement: 'not mine', at: clock.now() });
  await expectFile(one, { listed: 'JOINT ACTIVE', figures: NOTHING, counts: [0, 1, 0, 21] });
  await expectFile(other, inDefault);
  await withdrawn(one, 'JOINT');
  await expectFile(one, { listed: '', figures: NOTHING, counts: [0, 0, 0, 0] });
  await expectFile(other, inDefault);
});

test('a guarantor owes nothing while the holder is in default, and is free when the holder has paid', async () => {
  const loan = { ...person(), AccountNumber: 'BACKED' };
  const backing = { ...person(), AccountNumber: 'BACKED', Role: 'G' };
  await submit(
    'LENDER',
    '2026-09-30',
    { ...loan, ...DEFAULT.august },
    { ...backing, ...DEFAULT.august },
  );
  const nothing = { listed: '', figures: NOTHING, counts: [0, 0, 0, 0] } as const;
  await expectFile(backing, { ...nothing, guaranteed: ['1', '60000.00'] });
  await expectFile(loan, {
    ...{ listed: 'LENDER DEFAULT', figures: [1, 151, 4, 0, 0, 1] },
    counts: [1, 0, 0, 21],
  });
  await submit('LENDER', '2026-10-31', { ...loan, ...CLOSED }, { ...backing, ...CLOSED });
  await expectFile(backing, nothing);
});

test('a guarantee that is called is the guarantor’s own default, beside the guarantee', async () => {
  const loan = { ...person(), AccountNumber: 'CALLED' };
  const backing = { ...person(), AccountNumber: 'CALLED', Role: 'G' };
  const called = {
    ...{ ...backing, Role: '', AccountNumber: 'CALLED-G', AccountStatus: 'J' },
    ...{ DisbursementDate: '20260901', AccountStatusDate: '20260901', OverdueDate: '20260901' },
    ...{ OverdueBalance: '60000.00', DaysInArrears: '60', InstalmentsInArrears: '2' },
    ...{ PrudentialRiskClassification: 'B', LatestPaymentDate: '', LastPaymentAmount: '' },
  };
  await submit(
    'CALLER',
    '2026-10-31',
    { ...loan, ...DEFAULT.october },
    { ...backing, ...DEFAULT.october },
    called,
  );
  await expectFile(backing, {
    ...{ listed: 'CALLER DEFAULT', figures: [1, 60, 2, 0, 0, 1] },
    ...{ counts: [1, 0, 0, 2], guaranteed: ['1', '60000.00'] },
  });
});

test('one person may hold, share and guarantee loans at once', async () => {
  const [own, partner, friend] = [person(), person(), person()];
  const shared = { AccountNumber: 'OURS', JointHolders: '1' };
  const theirs = { ...DEFAULT.october, AccountNumber: 'THEIRS' };
  await submit('OWN', '2026-10-31', own);
  await submit('OURS', '2026-10-31', { ...own, ...shared }, { ...partner, ...shared });
  await submit('THEIRS', '2026-10-31', { ...friend, ...theirs }, { ...own, ...theirs, Role: 'G' });
  await expectFile(own, {
    ...{ listed: 'OURS ACTIVE, OWN ACTIVE', figures: [0, 0, 0, 21, 0, 2] },
    ...{ counts: [0, 2, 0, 21], guaranteed: ['1', '60000.00'] },
  });
  await withdrawn(own, 'THEIRS');
  await expectFile(own, {
    ...{ listed: 'OURS ACTIVE, OWN ACTIVE', figures: [0, 0, 0, 21, 0, 2] },
    counts: [0, 2, 0, 21],
  });
});
