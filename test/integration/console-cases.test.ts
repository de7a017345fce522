import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PaymentDetail } from '../../src/staff/payment-schema.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { signInAll } from '../support/console-client.ts';
import type { ConsoleAnswer, SignedIn } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import type { ProposalView } from '../../src/staff/proposal-schema.ts';
import type { CaseDetail, CaseList } from '../../src/staff/cases.ts';
import { approveCase, approveProposal } from '../support/approve-proposal.ts';

const running = useService();
let owner: Pool;
let as: SignedIn;
let accounts = 14_000_000;

beforeAll(async () => {
  owner = createPool({ url: running.database.ownerUrl, max: 1, name: 'test' });
  as = await signInAll(running.origin, [
    'admin',
    'support',
    'operations',
    'finance',
    'risk',
    'demo-admin',
  ]);
  await running.demo().call('fund', { time: String(Date.now()), currency: 'KES' });
});
afterAll(async () => {
  await owner.end();
});

async function create(): Promise<string> {
  accounts += 1;
  const created = await running.demo().call('create', {
    biller_name: 'dstv',
    amount: '100',
    account: String(accounts),
    phone: '0722000001',
    merchant_reference: `order-${accounts}`,
  });
  return String(created.body.msg['ipay_reference']);
}

/** Creates a payment whose instruction was sent, and whose operator has not answered. */
async function createPending(): Promise<string> {
  const reference = await create();
  await owner.query(
    `update dispatch_queue set stage = 'verify', sent_at = now(), attempt_number = 1,
       operator_code = 'multichoice', due_at = now() + interval '1 hour' where payment_id = $1`,
    [decodeReference(reference)?.paymentId],
  );
  return reference;
}

const post = async (login: string, path: string, body: unknown = {}): Promise<ConsoleAnswer> =>
  await as(login).send('POST', path, body);
const read = async <Answer>(path: string, login = 'support'): Promise<Answer> =>
  await as(login).read<Answer>(path);
async function openCase(reference: string): Promise<string> {
  const opened = await post('support', '/cases', { reference, reason: 'no answer' });
  expect(opened.status).toBe(200);
  return String(opened.body['case']);
}
const wouldPost = async (id: string) =>
  (await read<ProposalView>(`/proposals/${id}`, 'finance')).would;
const auditOf = async (action: string): Promise<unknown[]> =>
  (
    await owner.query<Record<string, unknown>>(
      `select login, audit_log.target, reason, result, after from audit_log join audit_results using (audit_id)
       where action = $1 order by audit_log.at desc limit 1`,
      [action],
    )
  ).rows;

describe('a payment', () => {
  test('a payment is verified at once, but only while a result is awaited', async () => {
    const reference = await createPending();
    const before = await read<PaymentDetail>(`/payments/${reference}`);
    const answer = await post('support', `/payments/${reference}/verify`, { reason: 'urgent' });
    expect(answer.status).toBe(200);
    const after = await read<PaymentDetail>(`/payments/${reference}`);
    expect(Date.parse(String(after.next_step_at))).toBeLessThan(
      Date.parse(String(before.next_step_at)),
    );
    expect(await auditOf('payment.verify')).toMatchObject([
      { login: 'support', target: reference, reason: 'urgent', result: 'done' },
    ]);
    const queued = await create();
    const refused = await post('support', `/payments/${queued}/verify`, { reason: 'urgent' });
    expect(refused.status).toBe(400);
    expect(refused.problem).toContain('No result is awaited');
  });

  test.each([{}, { reason: '' }, { reason: '  ' }])(
    'refuses an action without a reason: %j',
    async (body) => {
      const reference = await createPending();
      const answer = await post('support', `/payments/${reference}/verify`, body);
      expect(answer).toMatchObject({ status: 400, field: 'reason' });
    },
  );

  test('has nothing to send again without a webhook', async () => {
    const answer = await post('support', `/payments/${await create()}/resend`, { reason: 'lost' });
    expect(answer.status).toBe(400);
    expect(answer.problem).toContain('has no webhook');
  });

  test('shows staff why an operator was chosen; the vendor sees only the operator', async () => {
    const reference = await createPending();
    await owner.query(
      `update dispatch_queue set route_reason = 'cheapest', note = 'no answer', operator_handle = 'h1'
       where payment_id = $1`,
      [decodeReference(reference)?.paymentId],
    );
    const entryOf = async (login: string) => {
      const { timeline } = await read<PaymentDetail>(`/payments/${reference}`, login);
      return timeline.find(({ kind }) => kind === 'attempt');
    };
    expect(await entryOf('support')).toMatchObject({
      operator: 'multichoice',
      route_reason: 'cheapest',
      note: 'no answer',
    });
    expect(await entryOf('demo-admin')).toMatchObject({
      operator: 'multichoice',
      route_reason: null,
      note: null,
      operator_handle: null,
    });
  });
});

describe('a case', () => {
  test('two people resolve a case, and the second approves what they saw', async () => {
    const reference = await createPending();
    const caseId = await openCase(reference);
    const paid = {
      resolution: 'paid',
      reason: 'confirmed by telephone',
      operator_reference: 'OP-1',
    };
    expect((await post('support', `/cases/${caseId}/propose`, paid)).status).toBe(200);
    const seen = await read<CaseDetail>(`/cases/${caseId}`);
    expect(seen).toMatchObject({
      kind: 'no_answer',
      vid: 'demo',
      operator: 'multichoice',
      reference,
      facts: { note: 'no answer', source: 'person' },
      payment: { reference, amount: '100.00', status: 'PENDING' },
      proposal: {
        note: paid.reason,
      },
      proposed: 'paid',
      proposed_by: 'support',
      events: [
        { action: 'opened', actor: 'support' },
        { action: 'proposed', actor: 'support', note: 'confirmed by telephone' },
      ],
    });
    const proposal = seen.proposal?.proposal ?? '';
    expect(await wouldPost(proposal)).toEqual([
      { label: 'Settled as paid', text: null, amount: '100.00' },
      { label: 'Posted', text: 'from reserved to operator:multichoice', amount: '100.00' },
    ]);
    const same = await approveProposal(as('support'), proposal);
    expect([same.status, same.problem]).toEqual([400, expect.stringContaining('another person')]);

    // Meanwhile the proposal is replaced.
    const other = { ...paid, operator_reference: 'OP-2' };
    await post('finance', `/cases/${caseId}/propose`, other);
    const stale = await approveProposal(as('operations'), proposal);
    expect([stale.status, stale.problem]).toEqual([
      400,
      expect.stringContaining('already withdrawn by finance'),
    ]);

    const current = (await read<CaseDetail>(`/cases/${caseId}`)).proposal?.proposal;
    expect((await approveCase(as('operations'), caseId)).status).toBe(200);
    expect(await read<PaymentDetail>(`/payments/${reference}`)).toMatchObject({
      status: 'SUCCESS',
      biller_reference: 'OP-2',
      settled_by: 'person',
    });
    expect(await auditOf('proposal.approve')).toContainEqual(
      expect.objectContaining({ login: 'operations', target: current, result: 'done' }),
    );
    expect(await read<CaseDetail>(`/cases/${caseId}`)).toMatchObject({
      resolution: 'paid',
      resolved_by: 'operations',
    });
  });

  test('two people return a payment that succeeded to the vendor', async () => {
    const reference = await createPending();
    const first = await openCase(reference);
    const paid = { resolution: 'paid', reason: 'on the portal', operator_reference: 'OP-3' };
    await post('support', `/cases/${first}/propose`, paid);
    await approveCase(as('finance'), first);

    const caseId = await openCase(reference);
    const refund = { resolution: 'return_to_vendor', reason: 'reversed by the operator' };
    await post('finance', `/cases/${caseId}/propose`, refund);
    const seen = await read<CaseDetail>(`/cases/${caseId}`);
    expect(seen).toMatchObject({
      kind: 'contradiction',
      facts: { books_say: 'success', operator_says: 'failed', amount: '100.00' },
      related: [{ case: first }],
    });
    expect(await wouldPost(seen.proposal?.proposal ?? '')).toContainEqual({
      ...{ label: 'The vendor sees', text: 'FAILED', amount: null },
    });
    await approveCase(as('support'), caseId);
    const payment = await read<PaymentDetail>(`/payments/${reference}`);
    expect(payment).toMatchObject({ status: 'FAILED', failure_code: 'corrected' });
    expect(payment.timeline.map(({ kind }) => kind)).toContain('correction');
  });

  test('a proposal that replaced the one that was seen is not rejected', async () => {
    const caseId = await openCase(await createPending());
    const path = `/cases/${caseId}`;
    await post('support', `${path}/propose`, { resolution: 'failed', reason: 'guess' });
    const seen = (await read<CaseDetail>(path)).proposal?.proposal;
    const better = { resolution: 'paid', reason: 'their receipt', operator_reference: 'OP-2' };
    await post('support', `${path}/propose`, better);
    const why = { reason: 'no proof' };
    const rejected = await post('finance', `/proposals/${seen}/reject`, why);
    expect(rejected.problem).toContain('already withdrawn');
    const { proposal, proposed } = await read<CaseDetail>(path);
    expect(proposed).toBe('paid');
    expect((await post('finance', `/proposals/${proposal?.proposal}/reject`, why)).status).toBe(
      200,
    );
  });

  test('a rejected proposal leaves it open', async () => {
    const caseId = await openCase(await createPending());
    await post('support', `/cases/${caseId}/propose`, { resolution: 'failed', reason: 'guess' });
    const { proposal } = await read<CaseDetail>(`/cases/${caseId}`);
    const why = { reason: 'no proof' };
    expect((await post('finance', `/proposals/${proposal?.proposal}/reject`, why)).status).toBe(
      200,
    );
    expect(await read<CaseDetail>(`/cases/${caseId}`)).toMatchObject({
      proposal: null,
      resolution: null,
    });
  });

  test('cases are listed by state, kind, vendor and operator', async () => {
    const open = await openCase(await createPending());
    const proposed = await openCase(await createPending());
    await post('support', `/cases/${proposed}/propose`, { resolution: 'keep_books', reason: 'ok' });
    const listed = async (query: string): Promise<string[]> =>
      (await read<CaseList>(`/cases${query}`)).cases.map((row) => row.case);
    const all = await listed('');
    expect(all.slice(-2)).toEqual([open, proposed]);
    expect((await listed('?state=proposed')).at(-1)).toBe(proposed);
    expect(await listed('?state=proposed')).not.toContain(open);
    expect(await listed('?state=resolved')).not.toContain(open);
    const { cases: worklist } = await read<CaseList>('/cases');
    expect(new Set(worklist.map(({ amount }) => amount))).toEqual(new Set(['100.00']));
    expect(await listed('?kind=no_answer&vid=demo&operator=multichoice')).toEqual(all);
    for (const none of ['?kind=exposure', '?vid=demo2', '?operator=kplc']) {
      expect(await listed(none)).toEqual([]);
    }
    const { open: counts } = await read<CaseList>('/cases');
    expect(counts).toMatchObject([{ kind: 'no_answer', count: all.length }]);
  });

  test.each([
    [{ resolution: 'paid', reason: 'x' }, 'operator_reference'],
    [{ resolution: 'take_back', reason: 'x' }, 'resolution'],
    [{ resolution: 'guess', reason: 'x' }, 'resolution'],
    [{ resolution: 'failed', reason: '' }, 'reason'],
    [{ resolution: 'paid', reason: 'x', amount: '1.234', operator_reference: 'x' }, 'amount'],
    [{ resolution: 'paid', reason: 'x', operator_reference: 'a\nb' }, 'operator_reference'],
    [{ resolution: 'paid', reason: 'x', details: { 'a b': 'c' } }, 'details'],
  ])('the proposal %j is refused, naming %s', async (body, field) => {
    const caseId = await openCase(await createPending());
    const answer = await post('support', `/cases/${caseId}/propose`, body);
    expect(answer).toMatchObject({ status: 400, field });
  });

  test('a second one of the same kind is refused', async () => {
    const reference = await createPending();
    await openCase(reference);
    const again = await post('support', '/cases', { reference, reason: 'again' });
    expect([again.status, again.problem]).toEqual([400, expect.stringContaining('already open')]);
  });
});
