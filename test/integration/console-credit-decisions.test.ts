import { beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type {
  CreditCase,
  CreditCaseList,
  DisputeDetail,
  DisputeList,
} from '../../src/staff/credit-cases.ts';
import type { CreditProposal, CreditProposalList } from '../../src/staff/credit-proposals.ts';
import type { RuleList } from '../../src/staff/credit-rules.ts';
import type { ProposalList } from '../../src/staff/proposals.ts';
import { openCases } from '../../src/credit/registry/cases-store.ts';
import { openDispute } from '../../src/credit/registry/disputes-store.ts';
import { createVault, creditKeysOf } from '../../src/credit/registry/vault.ts';
import { readSurvivors } from '../../src/credit/registry/read-merges.ts';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { signInAll } from '../support/console-client.ts';
import type { SignedIn } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';

const running = useService();
let as: SignedIn;

beforeAll(async () => {
  as = await signInAll(running.origin, ['admin', 'risk', 'risk2']);
});

const read = async <Answer>(login: string, path: string): Promise<Answer> =>
  await as(login).read<Answer>(path);
const GROUNDS = { evidence: 'File 7', reason: 'seen at the branch' };
const propose = async (what: string, body: object): Promise<string> => {
  const answer = await as('risk').send('POST', `/credit/proposals/${what}`, {
    ...body,
    ...GROUNDS,
  });
  expect(answer.code).toBeUndefined();
  return String(answer.body['proposal']);
};
const approve = async (login: string, id: string) => {
  const { seen } = await read<CreditProposal>('risk2', `/credit/proposals/${id}`);
  return await as(login).send('POST', `/proposals/${id}/approve`, { seen: seen ?? '-' });
};

test('a merge is proposed from its case, shown before and after, and approved by another', async () => {
  const { pool } = running.service;
  await openCases(pool, 'document_shared', [[1_000_001n, 1_000_003n]], new Date());
  const { cases } = await read<CreditCaseList>('admin', '/credit/cases');
  expect(cases).toMatchObject([{ kind: 'document_shared', customers: ['001', '003'] }]);
  const caseId = cases[0]?.case ?? '';
  expect((await as('admin').get(`/credit/cases/${caseId}`)).code).toBe('not_permitted');
  const shown = await read<CreditCase>('risk', `/credit/cases/${caseId}`);
  expect(shown.people).toMatchObject([
    { crn: '1000001', name: 'Amani Baraka Wanjiru', standing: { in_default: 0 } },
    { crn: '1000003' },
  ]);
  expect(JSON.stringify(shown)).not.toContain('900000001');

  const id = await propose('merge', { from: '1000003', into: '1000001', case: caseId });
  const before = await read<CreditProposal>('risk2', `/credit/proposals/${id}`);
  const { from, into, together } = before.merge!;
  expect(together.accounts).toBe(from.standing.accounts + into.standing.accounts);
  expect(before).toMatchObject({ is_own: false, proposed_by: 'risk', decision: null });

  const waiting = await read<ProposalList>('risk2', '/proposals');
  expect(waiting.proposals).toMatchObject([{ kind: 'credit_merge', proposal: id, is_own: false }]);
  expect(await read<ProposalList>('risk', '/proposals')).toMatchObject({
    proposals: [{ is_own: true }],
  });
  expect(await read<ProposalList>('admin', '/proposals')).toMatchObject({ proposals: [] });
  // Who may not see reports sees what waits, and nothing about whom.
  const listed = await read<CreditProposalList>('admin', '/credit/proposals');
  expect(listed.proposals).toEqual([
    {
      ...{ proposal: id, what: 'merge', reason: null, proposed_by: 'risk' },
      ...{ proposed_at: expect.any(String), decision: null },
    },
  ]);
  const known = await read<CreditProposalList>('risk2', '/credit/proposals');
  expect(known.proposals).toMatchObject([{ proposal: id, reason: GROUNDS.reason }]);

  expect((await approve('risk', id)).code).toBe('invalid_field');
  expect((await approve('admin', id)).status).toBe(404);
  expect((await readSurvivors(pool, [1_000_003n])).size).toBe(0);
  expect((await approve('risk2', id)).status).toBe(200);
  expect((await readSurvivors(pool, [1_000_003n])).get(1_000_003n)).toBe(1_000_001n);
  expect(await read<CreditCaseList>('risk', '/credit/cases')).toMatchObject({ cases: [] });
  const closed = async (login: string): Promise<CreditCaseList['cases']> =>
    (await read<CreditCaseList>(login, '/credit/cases?state=closed')).cases;
  expect(await closed('risk')).toMatchObject([
    { case: caseId, resolution: expect.stringContaining('1000003 is answered under 1000001') },
  ]);
  expect(await closed('admin')).toMatchObject([{ case: caseId, resolution: null }]);
  const after = await read<CreditCase>('risk', `/credit/cases/${caseId}`);
  expect(after.people).toMatchObject([{ crn: '1000001', standing: together }]);

  const undo = await propose('unmerge', { from: '1000003' });
  const apart = await read<CreditProposal>('risk2', `/credit/proposals/${undo}`);
  expect(apart.merge).toEqual(before.merge);
  expect((await approve('risk2', undo)).status).toBe(200);
  for (const action of ['credit-case.show', 'credit-proposal.show', 'proposal.approve']) {
    expect(await listAudit(pool, { action, limit: 9 })).not.toHaveLength(0);
  }
  const log = await listAudit(pool, { limit: 99 });
  expect(JSON.stringify(log.map(({ before: was, after: is }) => [was, is]))).not.toContain('10000');
});

test('a case is closed by two people', async () => {
  const { pool } = running.service;
  await openCases(pool, 'documents_conflict', [[1_000_001n, 1_000_003n]], new Date());
  const { cases } = await read<CreditCaseList>('risk', '/credit/cases');
  const caseId = cases[0]?.case ?? '';
  const alone = await as('risk').send('POST', `/credit/cases/${caseId}/close`, GROUNDS);
  expect(alone.status).toBe(404);
  const id = await propose('case', { case: caseId });
  expect((await approve('risk', id)).code).toBe('invalid_field');
  expect((await approve('risk2', id)).status).toBe(200);
  const { resolution } = await read<CreditCase>('risk', `/credit/cases/${caseId}`);
  expect(resolution).toBe(`${GROUNDS.reason} (proposed by risk, approved by risk2)`);
});

test('a dispute shows what its end changes', async () => {
  const { pool } = running.service;
  const keys = creditKeysOf(readConfig('sandbox', {}), running.sealing.masterKeys, true);
  const vault = createVault(keys!);
  const found = await pool.query<{ crn: bigint; account_id: bigint }>(
    `select s.crn, s.account_id from account_states s where s.days_in_arrears > 120
     order by s.as_of desc, s.crn limit 1`,
  );
  const { crn = 0n, account_id: accountId = 0n } = found.rows[0] ?? {};
  await openDispute(pool, vault, { crn, accountId, statement: 'Not my loan', at: new Date() });
  const { disputes } = await read<DisputeList>('admin', '/credit/disputes');
  const dispute = disputes[0]?.dispute ?? '';
  expect(JSON.stringify(disputes)).not.toContain('Not my');
  const { preview } = await read<DisputeDetail>('risk', `/credit/disputes/${dispute}`);
  expect(preview).toMatchObject({ statement: 'Not my loan', before: { disputed: 1 } });
  expect(preview?.after.disputed).toBe(0);
  const id = await propose('dispute', { dispute, outcome: 'rejected' });
  expect((await approve('risk2', id)).status).toBe(200);
  expect(await read<DisputeList>('admin', '/credit/disputes')).toMatchObject({ disputes: [] });
});

const RULE = {
  rule: 'relief',
  balance_up_to: '5000.00',
  products: ['I'],
  states_until: '2026-12-31',
};

test('a suppression rule is put into force and ended by two people', async () => {
  const id = await propose('rule', RULE);
  const proposal = await read<CreditProposal>('risk2', `/credit/proposals/${id}`);
  expect(proposal.content).toMatchObject({
    kind: 'suppression',
    former: null,
    rule: { rule: 'relief', balance_up_to: '5000.00', reason: GROUNDS.reason },
  });
  expect((await approve('risk2', id)).status).toBe(200);
  const { rules } = await read<RuleList>('admin', '/credit/rules');
  expect(rules.map(({ rule }) => rule)).toEqual(['relief', 'small_amount']);
  const end = await propose('rule-end', { rule: 'relief' });
  const reject = { reason: 'it stays' };
  const path = `/proposals/${end}/reject`;
  expect((await as('risk').send('POST', path, reject)).status).toBe(200);
  expect((await approve('risk2', end)).code).toBe('invalid_field');
});

test('an account is withdrawn by two people, who see what lenders learn before and after', async () => {
  const { pool } = running.service;
  const found = await pool.query<{ crn: bigint; account_id: bigint; into: bigint }>(
    `select a.crn, a.account_id, b.account_id as into from credit_accounts a
       join credit_accounts b on b.crn = a.crn and b.lender <> a.lender and b.opened_on >= a.opened_on
       join account_states s on s.crn = a.crn and s.account_id = a.account_id
     where a.crn > 1000005 order by s.days_in_arrears desc, a.crn, a.account_id limit 1`,
  );
  const { crn = 0n, account_id: account = 0n, into = 0n } = found.rows[0] ?? {};
  const about = { crn: String(crn), account: String(account) };
  const id = await propose('withdrawal', about);
  const shown = await read<CreditProposal>('risk2', `/credit/proposals/${id}`);
  expect(shown.content).toMatchObject({ kind: 'withdrawal', ...about });
  expect(shown).toMatchObject({ problem: null, seen: expect.any(String) });
  const { before, after } = shown.account!;
  expect(after.accounts).toBe(before.accounts - 1);
  const sale = { ...about, into: String(into), sold_on: '2026-02-30' };
  expect(
    (await as('risk').send('POST', '/credit/proposals/sale', { ...GROUNDS, ...sale })).field,
  ).toBe('sold_on');
  expect((await approve('risk', id)).code).toBe('invalid_field');
  expect((await approve('risk2', id)).status).toBe(200);
  const again = await as('risk').send('POST', '/credit/proposals/withdrawal', {
    ...about,
    ...GROUNDS,
  });
  expect(again).toMatchObject({ status: 400, field: 'account' });
  const file = await read<CreditProposal>('risk2', `/credit/proposals/${id}`);
  expect(file).toMatchObject({ account: null, seen: null, decision: 'approved' });
});

test.each([
  ['merge', { from: '1', into: '2' }, 'from'],
  ['merge', { from: 'x', into: '2' }, 'from'],
  ['unmerge', { from: '1000001' }, 'from'],
  ['case', { case: 'x' }, 'case'],
  ['case', { case: '018f0000-0000-7000-8000-000000000000' }, 'case'],
  ['rule', { ...RULE, states_until: '2026-02-30' }, 'states_until'],
  ['rule', { ...RULE, balance_up_to: '1.234' }, 'balance_up_to'],
  ['rule', { ...RULE, products: ['Z'] }, 'products'],
  ['rule', { ...RULE, evidence: '' }, 'evidence'],
  ['rule-end', { rule: 'none' }, 'rule'],
  ['champion', { score: 'generic', card: 'default' }, 'card'],
])('%s %j is refused, naming %s', async (what, body, field) => {
  const answer = await as('risk').send('POST', `/credit/proposals/${what}`, {
    ...GROUNDS,
    ...body,
  });
  expect(answer).toMatchObject({ status: 400, field });
});
