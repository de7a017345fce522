import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFileOfToday, readFilesOfToday } from '../../src/credit/bureaus/registry.ts';
import { previewDispute } from '../../src/credit/decisions/preview.ts';
import {
  proposeSale,
  proposeSaleEnd,
  proposeWithdrawal,
} from '../../src/credit/decisions/propose.ts';
import type { Deps } from '../../src/credit/decisions/propose.ts';
import { importFile } from '../../src/credit/importing/import.ts';
import { closeDispute, openDispute } from '../../src/credit/registry/disputes-store.ts';
import { findSubjects } from '../../src/credit/registry/read-subjects.ts';
import { isInDefault } from '../../src/credit/scorecards/standing.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { createMac } from '../../src/platform/base/mac.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { approveProposal, decisionDeps, groundsOf } from '../support/credit-decisions.ts';
import { csvOf, newVault, rightLine } from '../support/credit-files.ts';
import type { Line } from '../support/credit-files.ts';

const vault = newVault();
let database: TestDatabase;
let pool: Pool;
let folder: string;
let deps: Deps;
const clock = { now: () => new Date('2026-11-05T09:00:00Z') };

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  deps = decisionDeps({ pool, clock, ledgerMac: createMac(randomBytes(32)) });
  folder = await mkdtemp(path.join(tmpdir(), 'credit-sales-'));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function submit(lender: string, line: Line, asOf: string): Promise<void> {
  const file = path.join(folder, `${lender}.csv`);
  await writeFile(file, csvOf([line]));
  const wireTime = createWireTime('Africa/Nairobi');
  const how = { template: 'mobile', sector: 'mobile_lender', corrects: false, by: 'Asha' } as const;
  const { findings } = await importFile({
    ...{ pool, vault, clock, wireTime, file, lender, asOf },
    ...how,
  });
  expect(findings).toEqual([]);
}

const WRITTEN_OFF = {
  ...{ OverdueBalance: '8000', OverdueDate: '20260915', AccountStatus: 'C' },
  ...{ DaysInArrears: '45', InstalmentsInArrears: '2', PrudentialRiskClassification: 'B' },
};
const grounds = groundsOf('Sold with a portfolio', 'Notice 88');
const options = {
  ...{ clock, timeZone: 'Africa/Nairobi', retentionDays: 1826 },
};

/** A person whose debt two lenders submit. */
async function listedTwice(sequence: number) {
  const line = (number: string): Line =>
    rightLine(sequence, { ...WRITTEN_OFF, AccountNumber: number });
  await submit('SELLER', line(`S${sequence}`), '2026-10-15');
  await submit('BUYER', line(`B${sequence}`), '2026-10-31');
  const [subject] = await findSubjects(pool, vault, [
    { type: 'nationalID', number: line('').PrimaryIDNumber ?? '' },
  ]);
  const crn = subject!.crn;
  const look = async () => {
    const one = await readFileOfToday({ ...options, pool }, crn, null);
    const many = await readFilesOfToday({ ...options, pool }, [{ crn, members: [crn] }], null);
    expect(many.get(crn)).toEqual(one);
    return one.accounts;
  };
  const accounts = await look();
  const idOf = (lender: string): bigint =>
    BigInt(accounts.find((one) => one.lender === lender)!.key.split(' ')[1]!);
  return { crn, from: idOf('SELLER'), into: idOf('BUYER'), look, line };
}

test('a debt that two lenders submit counts once when two people find that it was sold', async () => {
  const { look, line, ...debt } = await listedTwice(1);
  expect((await look()).filter(isInDefault)).toHaveLength(2);
  const { proposalId } = await proposeSale(deps, { ...debt, soldOn: '2026-10-20' }, grounds);
  await expect(approveProposal(deps, { proposalId, by: 'asha' })).rejects.toThrow('another person');
  expect(await look()).toHaveLength(2);
  await approveProposal(deps, { proposalId, by: 'Baraka' });
  const [one, ...others] = await look();
  expect(others).toEqual([]);
  expect(one).toMatchObject({ lender: 'BUYER', soldOn: [new Date('2026-10-20T00:00:00Z')] });
  expect(one?.boughtFrom).toEqual([`SELLER ${debt.from}`]);
  expect(one?.history).toHaveLength(1);

  // The person disputes what the seller submitted.
  const previewOf = async (accountId: bigint, disputeId: string | undefined) =>
    await previewDispute(
      { ...options, pool, vault },
      { crn: debt.crn, accountId, disputeId: disputeId ?? '' },
    );
  const open = async (accountId: bigint) => {
    const words = { crn: debt.crn, accountId, statement: 'Paid to the seller', at: clock.now() };
    return await openDispute(pool, vault, words);
  };
  const disputeId = await open(debt.from);
  const shown = { account: String(debt.into), lender: 'BUYER', before: { disputed: 1 } };
  expect(await previewOf(debt.from, disputeId)).toMatchObject({ ...shown, after: { disputed: 0 } });
  const second = await open(debt.into);
  expect(await previewOf(debt.from, disputeId)).toMatchObject({ ...shown, after: { disputed: 1 } });
  for (const each of [disputeId, second]) {
    await closeDispute(pool, each ?? '', 'rejected', clock.now());
  }

  // The seller goes on submitting it.
  await submit('SELLER', line('S1'), '2026-11-04');
  expect(await look()).toEqual([one]);
  await expect(proposeSale(deps, { ...debt, soldOn: '2026-10-25' }, grounds)).rejects.toThrow(
    'sold already',
  );
  const back = { crn: debt.crn, from: debt.into, into: debt.from };
  await expect(proposeSale(deps, { ...back, soldOn: '2026-11-01' }, grounds)).rejects.toThrow(
    /later than the one before|before the sale/,
  );
  // It is one debt: its parts are not withdrawn apart.
  const ref = (accountId: bigint) => ({ crn: debt.crn, accountId });
  await expect(proposeWithdrawal(deps, ref(debt.from), grounds)).rejects.toThrow('was sold');
  const withdrawal = await proposeWithdrawal(deps, ref(debt.into), grounds);
  const { lines } = await deps.proposals.preview(withdrawal.proposalId);
  expect(lines[0]?.text).toContain(`with what was sold into it (${debt.from}), is withdrawn`);
  await approveProposal(deps, { proposalId: withdrawal.proposalId, by: 'Baraka' });
  expect(await look()).toEqual([]);
});

test('a sale that was recorded wrongly is undone by two people, and the right one can be recorded', async () => {
  const { look, line, ...debt } = await listedTwice(5);
  const ref = { crn: debt.crn, accountId: debt.from };
  await expect(proposeSaleEnd(deps, ref, grounds)).rejects.toThrow('No sale of this account');
  const apart = await look();
  const sell = async (soldOn: string): Promise<void> => {
    const { proposalId } = await proposeSale(deps, { ...debt, soldOn }, grounds);
    await approveProposal(deps, { proposalId, by: 'Baraka' });
  };
  await sell('2026-10-20');
  expect(await look()).toHaveLength(1);
  // What was seen as one debt is not withdrawn as another one.
  const whole = await proposeWithdrawal(deps, { ...ref, accountId: debt.into }, grounds);
  const undone = await proposeSaleEnd(deps, ref, grounds);
  const { lines, problem } = await deps.proposals.preview(undone.proposalId);
  expect(problem).toBeNull();
  expect(lines[0]?.text).toContain(`it and account ${debt.into} of BUYER count apart again`);
  const { proposalId } = undone;
  await expect(approveProposal(deps, { proposalId, by: 'asha' })).rejects.toThrow('another person');
  await approveProposal(deps, { proposalId, by: 'Baraka' });
  expect(await look()).toEqual(apart);
  await expect(
    approveProposal(deps, { proposalId: whole.proposalId, by: 'Baraka' }),
  ).rejects.toThrow('has changed since');
  await expect(proposeSaleEnd(deps, ref, grounds)).rejects.toThrow('No sale of this account');
  await submit('SELLER', line('S5'), '2026-11-04');
  expect(await look()).toHaveLength(2);
  await sell('2026-10-21');
  const [one, ...others] = await look();
  expect(others).toEqual([]);
  expect(one?.soldOn).toEqual([new Date('2026-10-21T00:00:00Z')]);
});

test('a debt that is sold while a withdrawal waits is not withdrawn unseen', async () => {
  const { look, line: _line, ...debt } = await listedTwice(4);
  const ref = { crn: debt.crn, accountId: debt.into };
  const { proposalId } = await proposeWithdrawal(deps, ref, grounds);
  // The proposals are of one kind about two accounts: only one waits for each.
  const sale = await proposeSale(deps, { ...debt, soldOn: '2026-10-20' }, grounds);
  await approveProposal(deps, { proposalId: sale.proposalId, by: 'Baraka' });
  await expect(approveProposal(deps, { proposalId, by: 'Baraka' })).rejects.toThrow(
    'has changed since',
  );
  expect(await look()).toHaveLength(1);
});

test('an account stays disputed after a dispute while its lender reports it as disputed', async () => {
  const line = rightLine(3, { AccountStatus: 'P' });
  await submit('SELLER', line, '2026-10-15');
  const [subject] = await findSubjects(pool, vault, [
    { type: 'nationalID', number: line.PrimaryIDNumber ?? '' },
  ]);
  const { crn } = subject!;
  const [account] = (await readFileOfToday({ ...options, pool }, crn, null)).accounts;
  const about = { crn, accountId: BigInt(account!.key.split(' ')[1]!) };
  const words = { ...about, statement: 'Paid', at: clock.now() };
  const disputeId = (await openDispute(pool, vault, words)) ?? '';
  const preview = await previewDispute({ ...options, pool, vault }, { ...about, disputeId });
  expect(preview).toMatchObject({ before: { disputed: 1 }, after: { disputed: 1 } });
  expect(preview?.after).toEqual(preview?.before);
});

test('a sale that cannot be so is refused, when it is proposed and when it is approved', async () => {
  const { look, line, ...debt } = await listedTwice(2);
  const proposed = async (change: Partial<typeof debt & { soldOn: string }>) =>
    await proposeSale(deps, { ...debt, soldOn: '2026-10-20', ...change }, grounds);
  await expect(proposed({ soldOn: '2026-11-06' })).rejects.toThrow('future');
  await expect(proposed({ soldOn: '2020-01-01' })).rejects.toThrow('opened after');
  await expect(proposed({ soldOn: '2026-11-01' })).rejects.toThrow('before the sale');
  await expect(proposed({ into: debt.from })).rejects.toThrow('to itself');
  await expect(proposed({ crn: debt.crn + 1_000n })).rejects.toThrow('no such account');
  await expect(proposed({ into: 999n })).rejects.toThrow('no such account of the buyer');
  // To itself, under another number.
  await submit('SELLER', line('S2b'), '2026-10-31');
  const own = (await look()).filter(({ lender }) => lender === 'SELLER');
  const other = own.map(({ key }) => BigInt(key.split(' ')[1]!)).find((id) => id !== debt.from)!;
  await expect(proposed({ into: other })).rejects.toThrow('to itself');

  // The buyer's account is withdrawn before the approval.
  const { proposalId } = await proposed({});
  const ref = { crn: debt.crn, accountId: debt.into };
  const withdrawal = await proposeWithdrawal(deps, ref, grounds);
  await approveProposal(deps, { proposalId: withdrawal.proposalId, by: 'Baraka' });
  await expect(approveProposal(deps, { proposalId, by: 'Baraka' })).rejects.toThrow('withdrawn');
  expect((await look()).map(({ lender }) => lender)).toEqual(['SELLER', 'SELLER']);
});
