import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFileOfToday, readFilesOfToday } from '../../src/credit/bureaus/registry.ts';
import { previewDispute } from '../../src/credit/decisions/preview.ts';
import {
  proposeMerge,
  proposeOutcome,
  proposeSale,
  proposeUnmerge,
  proposeWithdrawal,
} from '../../src/credit/decisions/propose.ts';
import type { Deps } from '../../src/credit/decisions/propose.ts';
import { importFile } from '../../src/credit/importing/import.ts';
import { openDispute } from '../../src/credit/registry/disputes-store.ts';
import { disputeLocation } from '../../src/credit/registry/read-disputes.ts';
import { findSubjects } from '../../src/credit/registry/read-subjects.ts';
import { addSubjectEnquiries } from '../../src/credit/registry/subject-enquiries-store.ts';
import {
  listRecipients,
  listWithdrawals,
  readShownSpans,
} from '../../src/credit/registry/read-withdrawals.ts';
import type { AccountRef } from '../../src/credit/registry/read-withdrawals.ts';
import { listWatchesDuring } from '../../src/credit/watches/read-watches.ts';
import { putWatch } from '../../src/credit/watches/store.ts';
import { scoreFile } from '../../src/credit/scorecards/score.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createMac } from '../../src/platform/base/mac.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import {
  approveProposal,
  decisionDeps,
  groundsOf,
  rejectProposal,
} from '../support/credit-decisions.ts';
import { csvOf, newVault, rightLine } from '../support/credit-files.ts';
import type { Line } from '../support/credit-files.ts';

const vault = newVault();
let database: TestDatabase;
let pool: Pool;
let folder: string;
let deps: Deps;
let now = new Date('2026-11-05T09:00:00Z');
const clock = { now: () => now };

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  deps = decisionDeps({ pool, clock, ledgerMac: createMac(randomBytes(32)) });
  folder = await mkdtemp(path.join(tmpdir(), 'credit-withdrawals-'));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function submit(lender: string, line: Line, asOf: string, corrects = false): Promise<void> {
  const file = path.join(folder, `${lender}.csv`);
  await writeFile(file, csvOf([line]));
  const wireTime = createWireTime('Africa/Nairobi');
  const how = { template: 'mobile', sector: 'mobile_lender', by: 'Asha' } as const;
  const { findings } = await importFile({
    pool,
    vault,
    clock,
    wireTime,
    file,
    lender,
    asOf,
    corrects,
    ...how,
  });
  expect(findings).toEqual([]);
}

const options = { clock, timeZone: 'Africa/Nairobi', retentionDays: 1826 };

async function crnOf({ PrimaryIDNumber: number = '' }: Line): Promise<bigint> {
  const [subject] = await findSubjects(pool, vault, [{ type: 'nationalID', number }]);
  return subject!.crn;
}

async function accountsOf(crn: bigint): Promise<string[]> {
  const { accounts } = await readFileOfToday({ ...options, pool }, crn, null);
  return accounts.map(({ key }) => key);
}

const idOf = (key: string | undefined): bigint => BigInt(key!.split(' ')[1]!);

async function ask(crn: bigint, askedBy: string, at: Date): Promise<void> {
  const about = { sector: 'bank', operation: 'generic-score', reportReason: 3 };
  const enquiry = { crn, enquiredAt: at, enquiryId: newId(), vendorId: 1, askedBy };
  await addSubjectEnquiries(pool, [{ ...enquiry, ...about, nameDiffers: false }]);
}

async function recipientsOf(ref: AccountRef) {
  return await listRecipients(pool, await readShownSpans(pool, ref));
}

const GOOD = rightLine(1);
const WRITTEN_OFF = {
  ...{ OverdueBalance: '8000', OverdueDate: '20260915', AccountStatus: 'C' },
  ...{ DaysInArrears: '45', InstalmentsInArrears: '2', PrudentialRiskClassification: 'B' },
};
/** Of somebody else. */
const WRONG = rightLine(1, { ...WRITTEN_OFF, AccountNumber: 'WRONG' });

test('a wrong listing leaves every figure when two people withdraw it, also if it is submitted again', async () => {
  await submit('RIGHT', GOOD, '2026-10-31');
  const crn = await crnOf(GOOD);
  const look = async () => {
    const one = await readFileOfToday({ ...options, pool }, crn, null);
    const many = await readFilesOfToday({ ...options, pool }, [{ crn, members: [crn] }], null);
    expect(many.get(crn)).toEqual(one);
    return { accounts: one.accounts.length, score: scoreFile(one, 'generic').score };
  };
  const clean = await look();
  await ask(crn, 'BEFORE', new Date('2026-11-05T08:00:00Z'));
  await submit('OTHER', WRONG, '2026-10-31');
  await ask(crn, 'BANK', new Date('2026-11-05T09:10:00Z'));
  await ask(crn, 'BANK', new Date('2026-11-05T09:20:00Z'));
  now = new Date('2026-11-05T10:00:00Z');
  const listed = await look();
  expect(listed.accounts).toBe(2);
  expect(Number(listed.score)).toBeLessThan(Number(clean.score) - 100);

  const key = (await accountsOf(crn)).find((one) => one.startsWith('OTHER'));
  const ref = { crn, accountId: idOf(key) };
  const grounds = groundsOf('Somebody else’s loan', 'Letter 7');
  const rejected = await proposeWithdrawal(deps, ref, grounds);
  await rejectProposal(deps, { proposalId: rejected.proposalId, by: 'Baraka' });
  const { proposalId } = await proposeWithdrawal(deps, ref, grounds);
  await expect(proposeWithdrawal(deps, ref, grounds)).rejects.toThrow('waits for a decision');
  await expect(approveProposal(deps, { proposalId, by: 'asha' })).rejects.toThrow('another person');
  expect(await look()).toEqual(listed);
  await approveProposal(deps, { proposalId, by: 'Baraka' });
  expect(await look()).toEqual(clean);

  // Whoever was answered with it is told; who asked before or later was not.
  now = new Date('2026-11-05T11:00:00Z');
  await ask(crn, 'LATER', new Date(Date.now() + 3_600_000));
  expect(await recipientsOf(ref)).toMatchObject([{ askedBy: 'BANK', answers: 2 }]);
  expect(await listWithdrawals(pool, { limit: 10 })).toMatchObject([
    {
      ...{ crn, accountId: ref.accountId, lender: 'OTHER' },
      reason: 'Somebody else’s loan (proposed by Asha, approved by Baraka)',
    },
  ]);

  // The lender submits it for another day; it stays on record, and out of every figure.
  await submit('OTHER', { ...WRONG, DaysInArrears: '50' }, '2026-11-04');
  expect(await look()).toEqual(clean);
  const states = await pool.query('select from account_states where account_id = $1', [
    ref.accountId,
  ]);
  expect(states.rowCount).toBe(2);
  await expect(proposeWithdrawal(deps, ref, grounds)).rejects.toThrow('withdrawn already');
  const unknown = { crn: crn + 1n, accountId: ref.accountId };
  await expect(proposeWithdrawal(deps, unknown, grounds)).rejects.toThrow('no such account');
});

test('after an undone merge each person has their own debt, withdrawn alone, and whoever saw it is listed', async () => {
  const [hers, his] = [rightLine(2, WRITTEN_OFF), rightLine(3, WRITTEN_OFF)];
  now = new Date();
  await submit('SELLER', hers, '2026-10-15');
  await submit('BUYER', his, '2026-10-31');
  const [her, him] = [await crnOf(hers), await crnOf(his)];
  const [sold, bought] = [idOf((await accountsOf(her))[0]), idOf((await accountsOf(him))[0])];
  const decide = async (proposed: Promise<{ readonly proposalId: string }>): Promise<Date> => {
    const { proposalId } = await proposed;
    const { decidedAt } = await approveProposal(deps, { proposalId, by: 'Baraka' });
    return decidedAt ?? now;
  };
  const grounds = groundsOf('Two of one name', 'Letter 8');
  const merged = await decide(proposeMerge(deps, { from: her, into: him }, grounds));
  const sale = { crn: him, from: sold, into: bought, soldOn: '2026-10-20' };
  await decide(proposeSale(deps, sale, grounds));
  expect(await accountsOf(him)).toEqual([`BUYER ${bought}`]);
  const watch = { vendorId: 7, requestReference: 'R7', crn: him, scoreDrop: 20, at: merged };
  await putWatch(pool, watch);
  await ask(him, 'DURING', merged);
  const undone = await decide(proposeUnmerge(deps, her, grounds));
  await ask(him, 'ABOUT HIM', new Date(undone.getTime() + 1));
  await ask(her, 'ABOUT HER', new Date(undone.getTime() + 1));

  expect([await accountsOf(her), await accountsOf(him)]).toEqual([
    [`SELLER ${sold}`],
    [`BUYER ${bought}`],
  ]);
  await decide(proposeWithdrawal(deps, { crn: him, accountId: bought }, grounds));
  expect([await accountsOf(her), await accountsOf(him)]).toEqual([[`SELLER ${sold}`], []]);
  const ref = { crn: her, accountId: sold };
  await decide(proposeWithdrawal(deps, ref, grounds));
  expect(await accountsOf(her)).toEqual([]);
  const askedBy = (await recipientsOf(ref)).map((one) => one.askedBy);
  expect(askedBy).toEqual(['ABOUT HER', 'DURING']);
  const watches = await listWatchesDuring(pool, await readShownSpans(pool, ref));
  expect(watches).toMatchObject([{ vendorId: 7 }]);
});

test('an account has one open dispute, which is shown however many were closed, and upheld once it was corrected', async () => {
  const line = rightLine(4, WRITTEN_OFF);
  now = new Date();
  await submit('RIGHT', line, '2026-10-31');
  const crn = await crnOf(line);
  const accountId = idOf((await accountsOf(crn))[0]);
  // More than a report shows.
  const ids = Array.from({ length: 1_000 }, () => newId());
  await pool.query(
    `insert into account_disputes (crn, account_id, dispute_id, opened_at, sealed_statement, closed_at, outcome)
     select $1, $2, id, now() - interval '1 day', statement, now(), 'withdrawn'
     from unnest($3::uuid[], $4::bytea[]) d (id, statement)`,
    [crn, accountId, ids, ids.map((id) => vault.seal('Not mine', disputeLocation(id)))],
  );
  const open = async () =>
    await openDispute(pool, vault, { crn, accountId, statement: 'Paid', at: new Date() });
  const opened = await Promise.all([open(), open(), open()]);
  const [dispute = '', ...others] = opened.filter((id) => id !== undefined);
  expect(others).toEqual([]);
  const about = { crn, accountId, disputeId: dispute };
  const preview = await previewDispute({ ...options, pool, vault }, about);
  expect(preview).toMatchObject({ statement: 'Paid', before: { disputed: 1 } });

  const grounds = groundsOf('The receipt', 'File 9');
  const asked = { dispute, outcome: 'upheld' } as const;
  await expect(proposeOutcome(deps, asked, grounds)).rejects.toThrow('would count again');
  // The next month changes nothing about the one that is wrong.
  await submit('RIGHT', line, '2026-11-02');
  await expect(proposeOutcome(deps, asked, grounds)).rejects.toThrow('would count again');
  now = new Date();
  await submit('RIGHT', rightLine(4), '2026-11-02', true);
  const { proposalId } = await proposeOutcome(deps, asked, grounds);
  await approveProposal(deps, { proposalId, by: 'Baraka' });
  expect(await open()).toBeDefined();
});
