import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { approveProposal, rejectProposal } from '../../src/credit/decisions/decide.ts';
import {
  proposeCard,
  proposeClosing,
  proposeMerge,
  proposeRule,
  proposeRuleEnd,
  proposeUnmerge,
} from '../../src/credit/decisions/propose.ts';
import { PROPOSALS_AUTHENTIC } from '../../src/credit/decisions/authenticity.ts';
import type { Deps } from '../../src/credit/decisions/propose.ts';
import { findProposal, listProposals } from '../../src/credit/decisions/proposals-store.ts';
import {
  closeCase,
  findCase,
  listCases,
  openCases,
} from '../../src/credit/registry/cases-store.ts';
import { listMerges, readSurvivors } from '../../src/credit/registry/merges-store.ts';
import {
  putSuppressionRule,
  readSuppressionRules,
} from '../../src/credit/registry/suppression-store.ts';
import type { SuppressionRule } from '../../src/credit/registry/suppression.ts';
import { cardName } from '../../src/credit/scorecards/scorecard.ts';
import { shippedCards } from '../../src/credit/scorecards/score.ts';
import { readStoredCards } from '../../src/credit/governance/cards-store.ts';
import { createMac } from '../../src/platform/base/mac.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { CITUS_URL } from '../support/citus.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

let database: TestDatabase;
let pool: Pool;
let owner: Pool;
let deps: Deps;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  owner = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
  const clock = { now: () => new Date('2026-11-05T09:00:00Z') };
  deps = { pool, clock, ledgerMac: createMac(randomBytes(32)) };
  await pool.query(
    `insert into subjects (crn, sealed, created_at, updated_at)
     select crn, '', now(), now() from generate_series(1, 9) crn`,
  );
});
afterAll(async () => {
  await owner.end();
  await pool.end();
  await database.drop();
});

const GROUNDS = { by: 'Asha', reason: 'One person', evidence: 'File 7' };

const RULE: SuppressionRule = {
  rule: 'relief',
  reason: 'A notice',
  balanceUpToCents: 500_000n,
  originalUpToCents: null,
  products: ['I'],
  sectors: null,
  riskClasses: null,
  statesFrom: null,
  statesUntil: new Date('2026-12-31T00:00:00Z'),
};

test('a merge is made when another person approves it, and closes its case', async () => {
  await openCases(pool, 'document_shared', [[1n, 2n]], new Date());
  const [{ caseId } = { caseId: '' }] = await listCases(pool, { open: true, limit: 1 });
  const { proposalId } = await proposeMerge(deps, { from: 1n, into: 2n }, { ...GROUNDS, caseId });
  expect((await readSurvivors(pool, [1n])).size).toBe(0);
  for (const by of ['Asha', ' ASHA', 'asha']) {
    await expect(approveProposal(deps, { proposalId, by: by.trim() })).rejects.toThrow(
      'another person has to approve it',
    );
  }
  await approveProposal(deps, { proposalId, by: 'Baraka' });
  expect((await readSurvivors(pool, [1n])).get(1n)).toBe(2n);
  const people = 'proposed by Asha, approved by Baraka';
  expect(await listMerges(pool, 1)).toMatchObject([{ reason: `One person (${people})` }]);
  expect(await findCase(pool, caseId)).toMatchObject({
    closedAt: expect.any(Date),
    resolution: expect.stringContaining(people),
  });
  await expect(approveProposal(deps, { proposalId, by: 'Baraka' })).rejects.toThrow(
    'already approved by Baraka',
  );
  await expect(rejectProposal(deps, { proposalId, by: 'Asha' })).rejects.toThrow('already');

  const undone = await proposeUnmerge(deps, 1n, GROUNDS);
  await approveProposal(deps, { proposalId: undone.proposalId, by: 'Baraka' });
  expect((await readSurvivors(pool, [1n])).size).toBe(0);
});

test('a proposal closes only an open case about the people whom it merges', async () => {
  await openCases(pool, 'document_shared', [[3n, 4n]], new Date());
  const [{ caseId } = { caseId: '' }] = await listCases(pool, { open: true, limit: 1 });
  const grounds = { ...GROUNDS, caseId };
  const about = 'not about these people';
  await expect(proposeMerge(deps, { from: 8n, into: 9n }, grounds)).rejects.toThrow(about);
  await expect(proposeMerge(deps, { from: 3n, into: 9n }, grounds)).rejects.toThrow(about);
  await expect(proposeRule(deps, RULE, grounds)).rejects.toThrow(about);
  await closeCase(pool, caseId, 'Two people', new Date());
  for (const closed of [caseId, newId()]) {
    await expect(
      proposeMerge(deps, { from: 3n, into: 4n }, { ...GROUNDS, caseId: closed }),
    ).rejects.toMatchObject({ field: 'caseId', message: 'No open case has this id.' });
  }
  expect(await listProposals(pool, { open: true, limit: 10 })).toEqual([]);
});

test('a case is closed by two people, and only while it is open', async () => {
  await openCases(pool, 'documents_conflict', [[4n, 5n]], new Date());
  const [{ caseId } = { caseId: '' }] = await listCases(pool, { open: true, limit: 1 });
  const merge = await proposeMerge(deps, { from: 4n, into: 5n }, { ...GROUNDS, caseId });
  const { proposalId } = await proposeClosing(deps, caseId, GROUNDS);
  await expect(proposeClosing(deps, caseId, GROUNDS)).rejects.toThrow('waits');
  await expect(approveProposal(deps, { proposalId, by: 'ASHA' })).rejects.toThrow(
    'another person has to approve it',
  );
  expect(await findCase(pool, caseId)).toMatchObject({ closedAt: null });
  await approveProposal(deps, { proposalId, by: 'Baraka' });
  expect(await findCase(pool, caseId)).toMatchObject({
    closedAt: deps.clock.now(),
    resolution: 'One person (proposed by Asha, approved by Baraka)',
  });
  for (const of of [caseId, newId()]) {
    await expect(proposeClosing(deps, of, GROUNDS)).rejects.toMatchObject({ field: 'caseId' });
  }
  await rejectProposal(deps, { proposalId: merge.proposalId, by: 'Asha' });
});

test('a card is approved as it was when it was proposed, whatever its file is then', async () => {
  const [card] = shippedCards();
  if (card === undefined) throw new Error('no card is shipped');
  const [name, score] = [cardName(card), card.kind];
  const asked = { score, role: 'challenger', card: name } as const;
  const { proposalId } = await proposeCard(deps, asked, GROUNDS);
  await rejectProposal(deps, { proposalId, by: 'Asha' });
  expect(await readStoredCards(pool)).toEqual([card]);
});

test('one proposal at a time waits for the same subject; a rejected one changes nothing', async () => {
  const first = await proposeMerge(deps, { from: 3n, into: 4n }, GROUNDS);
  await expect(proposeMerge(deps, { from: 3n, into: 5n }, GROUNDS)).rejects.toThrow('waits');
  await rejectProposal(deps, { proposalId: first.proposalId, by: 'Asha' });
  expect((await readSurvivors(pool, [3n])).size).toBe(0);
  expect(await findProposal(pool, first.proposalId)).toMatchObject({ decision: 'rejected' });
  const second = await proposeMerge(deps, { from: 3n, into: 5n }, GROUNDS);
  const open = await listProposals(pool, { open: true, limit: 10 });
  expect(open.map(({ proposalId }) => proposalId)).toEqual([second.proposalId]);
  await rejectProposal(deps, { proposalId: second.proposalId, by: 'Asha' });
});

test('a merge that is impossible by the time of its approval stays undecided', async () => {
  const there = await proposeMerge(deps, { from: 6n, into: 7n }, GROUNDS);
  const back = await proposeMerge(deps, { from: 7n, into: 6n }, GROUNDS);
  await approveProposal(deps, { proposalId: there.proposalId, by: 'Baraka' });
  await expect(
    approveProposal(deps, { proposalId: back.proposalId, by: 'Baraka' }),
  ).rejects.toThrow('merged into another');
  expect(await findProposal(pool, back.proposalId)).toMatchObject({ decision: null });
});

test('of two approvals at once, one carries it out', async () => {
  const { proposalId } = await proposeMerge(deps, { from: 8n, into: 9n }, GROUNDS);
  const made = await Promise.allSettled(
    ['Baraka', 'Chao', 'Dalila'].map((by) => approveProposal(deps, { proposalId, by })),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a rule is approved as it was shown, or not at all', async () => {
  const { proposalId } = await proposeRule(deps, RULE, GROUNDS);
  await approveProposal(deps, { proposalId, by: 'Baraka' });
  const inForce = await readSuppressionRules(pool);
  expect(inForce.find(({ rule }) => rule === 'relief')).toEqual(RULE);

  const end = await proposeRuleEnd(deps, 'relief', GROUNDS);
  const other = { ...RULE, balanceUpToCents: 1n };
  await putSuppressionRule(pool, other, { reason: 'by hand', at: new Date() });
  await expect(approveProposal(deps, { proposalId: end.proposalId, by: 'Baraka' })).rejects.toThrow(
    'changed since it was proposed',
  );
  await putSuppressionRule(pool, RULE, { reason: 'by hand', at: new Date() });
  await approveProposal(deps, { proposalId: end.proposalId, by: 'Baraka' });
  expect(await readSuppressionRules(pool)).toHaveLength(1);
});

test.each([
  [{ rule: 'Two Words' }, 'name'],
  [{ balanceUpToCents: null, products: null, statesUntil: null }, 'needs a condition'],
  [{ products: [] }, 'not be empty'],
  [{ statesFrom: new Date('2027-01-01T00:00:00Z') }, 'must not be after'],
])('a rule with %j is refused', async (change, text) => {
  await expect(proposeRule(deps, { ...RULE, ...change }, GROUNDS)).rejects.toThrow(text);
});

test('what is not so, or is so already, is not proposed', async () => {
  const card = { score: 'generic', role: 'challenger' } as const;
  await expect(proposeCard(deps, { ...card, card: null }, GROUNDS)).rejects.toThrow('already');
  await expect(proposeCard(deps, { ...card, card: 'none@1' }, GROUNDS)).rejects.toThrow('exist');
  await expect(proposeRuleEnd(deps, 'none', GROUNDS)).rejects.toThrow('does not exist');
  await expect(proposeUnmerge(deps, 3n, GROUNDS)).rejects.toThrow('not merged');
  await expect(proposeMerge(deps, { from: 3n, into: 3n }, GROUNDS)).rejects.toThrow('same');
  await expect(proposeMerge(deps, { from: 3n, into: 77n }, GROUNDS)).rejects.toThrow('on file');
  for (const [field, wrong] of Object.entries({ reason: '…', evidence: ' ', by: '' })) {
    await expect(
      proposeMerge(deps, { from: 3n, into: 4n }, { ...GROUNDS, [field]: wrong }),
    ).rejects.toMatchObject({ field });
  }
});

test('the database refuses an approval by who proposed it', async () => {
  const { proposalId } = await proposeMerge(deps, { from: 3n, into: 4n }, GROUNDS);
  const approve = `update credit_proposals set decision = 'approved', decided_by = 'ASHA',
    decided_at = now() where proposal_id = $1`;
  await expect(pool.query(approve, [proposalId])).rejects.toThrow('two_people');
});

// On a cluster the service is the owner of its tables.
test.skipIf(CITUS_URL !== undefined)(
  'the service can change nothing else of a proposal',
  async () => {
    for (const change of [`content = '{"kind":"merge"}'`, `proposed_by = 'Chao'`, `reason = 'x'`]) {
      await expect(pool.query(`update credit_proposals set ${change}`)).rejects.toThrow('denied');
    }
    await expect(pool.query('delete from credit_proposals')).rejects.toThrow('denied');
  },
);

// A cluster does not take all of these updates.
test.skipIf(CITUS_URL !== undefined)(
  'what is altered by SQL is found, and cannot be decided',
  async () => {
    const find = async (): Promise<string[]> =>
      await PROPOSALS_AUTHENTIC.find(pool, deps.ledgerMac);
    expect(await find()).toEqual([]);
    const { proposalId } = await proposeMerge(deps, { from: 2n, into: 9n }, GROUNDS);
    const decided = await proposeMerge(deps, { from: 5n, into: 9n }, GROUNDS);
    await rejectProposal(deps, { proposalId: decided.proposalId, by: 'Asha' });
    expect(await find()).toEqual([]);
    const other = `mac = (select mac from credit_proposals where proposal_id = '${proposalId}')`;
    for (const [id, change] of [
      [proposalId, `content = jsonb_set(content, '{into}', '"8"')`],
      [proposalId, `about = 'subject 4711'`],
      [proposalId, `proposed_by = 'Chao'`],
      [proposalId, `reason = 'none'`],
      [proposalId, `evidence = 'none'`],
      [proposalId, `case_id = gen_random_uuid()`],
      [proposalId, `proposed_at = proposed_at + interval '1 millisecond'`],
      [proposalId, `mac = '\\x00'`],
      [proposalId, `decision = 'approved', decided_by = 'Baraka', decided_at = now()`],
      [decided.proposalId, `decision = 'approved', decided_by = 'Baraka'`],
      [decided.proposalId, `decision = null, decided_by = null, decided_at = null`],
      [decided.proposalId, `decided_at = decided_at + interval '1 millisecond'`],
      [decided.proposalId, other],
    ] as const) {
      await owner.query('create table saved as select * from credit_proposals');
      await owner.query(`update credit_proposals set ${change} where proposal_id = $1`, [id]);
      expect([change, await find()]).toEqual([change, [expect.stringContaining(id)]]);
      await expect(approveProposal(deps, { proposalId: id, by: 'Dalila' })).rejects.toThrow(
        'altered in the database',
      );
      await owner.query(
        `delete from credit_proposals; insert into credit_proposals select * from saved;
       drop table saved`,
      );
    }
    expect(await find()).toEqual([]);
  },
);
