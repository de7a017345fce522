import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  proposeCard,
  proposeClosing,
  proposeMerge,
  proposeRule,
  proposeRuleEnd,
  proposeUnmerge,
} from '../../src/credit/decisions/propose.ts';
import type { Deps } from '../../src/credit/decisions/propose.ts';
import { closeCase, openCases } from '../../src/credit/registry/cases-store.ts';
import { findCase, listCases } from '../../src/credit/registry/read-cases.ts';
import { listMerges, readSurvivors } from '../../src/credit/registry/read-merges.ts';
import { putSuppressionRule } from '../../src/credit/registry/suppression-store.ts';
import { readSuppressionRules } from '../../src/credit/registry/read-suppression.ts';
import type { SuppressionRule } from '../../src/credit/registry/suppression.ts';
import { cardName } from '../../src/credit/scorecards/scorecard.ts';
import { shippedCards } from '../../src/credit/scorecards/score.ts';
import { readStoredCards } from '../../src/credit/governance/read-cards.ts';
import { createMac } from '../../src/platform/base/mac.ts';
import { newId } from '../../src/platform/base/ids.ts';
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
import { named } from '../support/payouts.ts';

let database: TestDatabase;
let pool: Pool;
let deps: Deps;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  const clock = { now: () => new Date('2026-11-05T09:00:00Z') };
  deps = decisionDeps({ pool, clock, ledgerMac: createMac(randomBytes(32)) });
  await pool.query(
    `insert into subjects (crn, sealed, created_at, updated_at)
     select crn, '', now(), now() from generate_series(1, 9) crn`,
  );
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const GROUNDS = groundsOf('One person');

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
  expect(await listMerges(pool, { limit: 1 })).toMatchObject([
    { reason: `One person (${people})` },
  ]);
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
    ).rejects.toMatchObject({ field: 'case', message: 'No open case has this id.' });
  }
  expect(await deps.proposals.list({ open: true, limit: 10 })).toEqual([]);
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
    closedAt: expect.any(Date),
    resolution: 'One person (proposed by Asha, approved by Baraka)',
  });
  for (const other of [caseId, newId()]) {
    await expect(proposeClosing(deps, other, GROUNDS)).rejects.toMatchObject({ field: 'case' });
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
  await rejectProposal(deps, { proposalId: first.proposalId, by: 'Baraka' });
  expect((await readSurvivors(pool, [3n])).size).toBe(0);
  expect(await deps.proposals.find(first.proposalId)).toMatchObject({ decision: 'rejected' });
  const second = await proposeMerge(deps, { from: 3n, into: 5n }, GROUNDS);
  const open = await deps.proposals.list({ open: true, limit: 10 });
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
  expect(await deps.proposals.find(back.proposalId)).toMatchObject({ decision: null });
});

test('only one of two approvals at once carries the proposal out', async () => {
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
  for (const [field, wrong] of Object.entries({ reason: '…', evidence: ' ', by: named('') })) {
    await expect(
      proposeMerge(deps, { from: 3n, into: 4n }, { ...GROUNDS, [field]: wrong }),
    ).rejects.toMatchObject({ field });
  }
});
