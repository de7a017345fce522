import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { QuarantineAnswer } from '../../src/staff/quarantine.ts';
import type { ConfigurationAnswer, SystemAnswer } from '../../src/staff/system.ts';
import type { ProposalView } from '../../src/staff/proposal-schema.ts';
import type { ProposalList } from '../../src/staff/proposals.ts';
import { createLink } from '../../src/parties/people/links.ts';
import { addPerson } from '../../src/parties/people/administer.ts';
import { findPerson } from '../../src/parties/people/read-people.ts';
import { OPERATOR, operatorChangeJson } from '../../src/payments/settings/operators.ts';
import { proposeSetting } from '../../src/payments/settings/propose.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { createProposals } from '../../src/proposal-kinds.ts';
import { confirmedBy } from '../../src/proposals/parties/person.ts';
import { openCaseByHand } from '../../src/payments/corrections/open-case.ts';
import { enterQuarantine } from '../../src/payments/quarantine/enter.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { proposeForReceipt } from '../support/receipt-decisions.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { ConsoleClient, signInAll } from '../support/console-client.ts';
import type { ConsoleAnswer, SignedIn } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { proposeEntry } from '../support/house-decisions.ts';
import { peopleDepsOf } from '../support/people-deps.ts';

const running = useService({
  environment: { CREDIT_CONTACT: 'Registry, http://asha:secret@registry.example' },
});
let owner: Pool;
let as: SignedIn;

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
});
afterAll(async () => {
  await owner.end();
});

const approvalsOf = async (login: string) =>
  (await as(login).read<ProposalList>('/proposals')).proposals;

describe('what waits for a second person', () => {
  beforeEach(async () => {
    await owner.query('truncate proposals, proposal_decisions');
  });

  const topUp = async (reference: string, by = 'finance'): Promise<string> => {
    const { proposalId } = await proposeEntry(await peopleDepsOf(running), {
      operatorCode: 'kplc',
      kind: 'top_up',
      amountCents: 5_000_00n,
      reference,
      movedAt: new Date(),
      bank: null,
      note: 'transfer slip',
      by,
    });
    return proposalId;
  };

  test('proposals are listed for those who may decide them, and who made one is told so', async () => {
    const id = await topUp('SLIP-1');
    const shown = {
      proposal: id,
      kind: 'house_entry',
      about: 'kplc',
      amount: '5000.00',
    };
    expect(await approvalsOf('admin')).toMatchObject([{ ...shown, is_own: false }]);
    expect(await approvalsOf('finance')).toMatchObject([{ is_own: true }]);
    for (const login of ['support', 'operations', 'risk']) {
      expect(await approvalsOf(login)).toEqual([]);
    }
    expect(await approvalsOf('demo-admin')).toEqual([]);
  });

  test('characters that turn the text around, or are not seen, are shown', async () => {
    const { pool } = running.service;
    const ledgerMac = await openLedgerMac(pool, running.sealing.masterKeys);
    const { masterKeys } = running.sealing;
    const tools = { pool, ledgerMac, masterKeys };
    const proposals = createProposals({ ...tools, wireTime: createWireTime('UTC') });
    const { personId = '' } = (await findPerson(pool, 'admin')) ?? {};
    const change = operatorChangeJson({ name: 'K\u{202e}PLC\u{200b}', settings: {} });
    const { row } = await proposeSetting(
      { ...tools, proposals },
      {
        ...{ setting: OPERATOR, key: { operatorCode: 'kplc' }, change },
        ...{ by: { personId, name: 'admin' }, note: 'r' },
      },
    );
    const read = await as('operations').read<ProposalView>(`/proposals/${row.proposalId}`);
    const name = read.shown.find(({ label }) => label === 'Name');
    expect(name?.text).toMatch(/ → K\u{fffd}PLC\u{fffd}$/u);
  });

  test('a receipt is approved as it was seen', async () => {
    const { pool } = running.service;
    const ledgerMac = await openLedgerMac(pool, running.sealing.masterKeys);
    const deps = { pool, ledgerMac };
    await takeReport(
      { ...deps, log: pino({ level: 'silent' }) },
      {
        ...{ issuer: 'safaricom', receipt: 'QK1', sourceCode: 'paybill', collector: 'mpesa' },
        ...{
          channel: 'pull',
          amountCents: 70_000n,
          paidAt: new Date(),
          account: null,
          payer: null,
        },
      },
    );
    const note = 'went back';
    await proposeForReceipt(deps, { receipt: 'QK1', by: 'operations', note, vid: null });
    const approvals = await approvalsOf('finance');
    expect(approvals).toMatchObject([{ kind: 'receipt', amount: '700.00' }]);
    const path = `/proposals/${approvals[0]?.proposal}`;
    const shown = await as('finance').read<ProposalView>(path);
    expect(shown.content?.[0]).toMatchObject({ text: 'QK1 (safaricom)' });
    const other = await as('finance').send('POST', `${path}/approve`, { seen: 'another' });
    expect(other.problem).toContain('has changed');
    const { seen } = shown;
    const own = await as('operations').send('POST', `${path}/approve`, { seen });
    expect(own.problem).toContain('another person');
    const rejected = await as('finance').send('POST', `${path}/reject`, { reason: 'no evidence' });
    expect(rejected.status).toBe(200);
    expect(await approvalsOf('finance')).toEqual([]);
  });

  test('cases and people are listed with the page where they are decided', async () => {
    const { pool } = running.service;
    await running.demo().call('fund', { time: String(Date.now()), currency: 'KES' });
    const reference = await running.demo().accepted({
      biller_name: 'dstv',
      amount: '100',
      account: '14000001',
      phone: '0722000001',
      merchant_reference: 'a-1',
    });
    const key = decodeReference(reference);
    if (key === undefined) throw new Error(reference);
    const { caseId } = await openCaseByHand(pool, { ...key, by: 'support', note: 'x' });
    const proposal = { resolution: 'keep_books', reason: 'seen' };
    expect((await as('support').send('POST', `/cases/${caseId}/propose`, proposal)).status).toBe(
      200,
    );
    const deps = await peopleDepsOf(running);
    await addPerson(deps, { login: 'newcomer', name: 'N', role: 'support' }, new Date());
    const { personId = '' } = (await findPerson(pool, 'operations')) ?? {};
    const by = { personId, name: 'operations' };
    const proposals = createProposals({ ...deps, wireTime: createWireTime('UTC') });
    const confirm = confirmedBy(proposals, { by, note: 'new' });
    const made = { madeBy: personId, now: new Date() };
    const token = await createLink({ ...deps, confirm }, 'newcomer', made);
    const password = 'a long enough one';
    await new ConsoleClient(running.origin).send('POST', '/links/use', { token, password });
    expect(await approvalsOf('admin')).toMatchObject([
      { kind: 'person', about: 'newcomer', proposed_by: 'operations' },
      { kind: 'case_resolution', about: 'demo', proposed_by: 'support' },
    ]);
  });
});

describe('the system', () => {
  const systemOf = async (): Promise<SystemAnswer> =>
    await as('operations').read<SystemAnswer>('/system');
  const quarantineOf = async (): Promise<QuarantineAnswer> =>
    await as('operations').read<QuarantineAnswer>('/quarantine');

  test('its checks, and a quarantine that two people end', async () => {
    const before = await systemOf();
    expect(before.missing).toBeNull();
    expect(before.checks.find(({ code }) => code === 'ready')?.state).toBe('ok');
    expect((await quarantineOf()).quarantine).toBeNull();
    await enterQuarantine(running.service.pool, {
      entryId: newId(),
      lostFrom: new Date(Date.now() - 3_600_000),
      lostUntil: null,
      by: 'Asha',
      reason: 'restored',
    });
    const during = await systemOf();
    expect(during.checks.find(({ code }) => code === 'quarantine')?.state).toBe('failed');
    const { quarantine } = await quarantineOf();
    expect(quarantine?.operators.some(({ covered }) => !covered)).toBe(true);
    // It may be one of the missing payments.
    const unknown = await as('operations').get('/payments/UNKNOWN');
    expect([unknown.status, unknown.code]).toEqual([503, 'quarantine']);

    const end = async (login: string): Promise<ConsoleAnswer> =>
      await as(login).send('POST', '/quarantine/propose', { reason: 'known' });
    expect((await end('finance')).code).toBe('not_permitted');
    const alone = await as('operations').send('POST', '/quarantine/release', { reason: 'known' });
    expect(alone.problem).toContain('no complete statement covers');
    expect((await end('operations')).body).toMatchObject({ decision: null });
    const proposed = { kind: 'quarantine_release', proposed_by: 'operations', note: 'known' };
    const waiting = (await approvalsOf('admin')).find((each) => each.kind === proposed.kind);
    expect(waiting).toMatchObject(proposed);
    const one = `/proposals/${waiting?.proposal}`;
    const { seen } = await as('admin').read<ProposalView>(one);
    const approve = async (login: string): Promise<ConsoleAnswer> =>
      await as(login).send('POST', `${one}/approve`, { seen });
    expect((await approve('operations')).problem).toContain('another person');
    expect((await approve('admin')).status).toBe(200);
    const { quarantine: left, events } = await quarantineOf();
    expect(left).toBeNull();
    expect(events.map(({ action }) => action)).toEqual(['released', 'entered']);
  });

  test('its configuration has no secrets', async () => {
    const answer = await as('operations').get('/system/configuration');
    const { variables } = answer.body as unknown as ConfigurationAnswer;
    const byName = new Map(variables.map((variable) => [variable.name, variable]));
    expect(byName.get('ROLES')).toMatchObject({ value: 'api', is_set: true });
    expect(byName.get('DATABASE_POOL_SIZE')).toMatchObject({ value: '8', is_set: false });
    expect(byName.get('MASTER_KEY')).toMatchObject({ value: null, is_secret: true });
    expect(byName.get('CREDIT_CONTACT')?.value).toBe('Registry, http://***@registry.example');
    expect(answer.text).not.toContain('secret@');
    const file = await as('operations').get('/system/configuration.csv');
    expect(file.text).not.toContain('secret@');
    expect((await as('finance').get('/system/configuration')).code).toBe('not_permitted');
  });
});
