import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changePerson } from '../../../src/parties/people/administer.ts';
import { listAudit } from '../../../src/parties/people/read-audit.ts';
import { DEMO_STAFF_TOKEN } from '../../../src/parties/people/tokens.ts';
import { openLedgerMac } from '../../../src/parties/ledger-key.ts';
import type { TestDatabase } from '../../support/cluster.ts';
import { createServiceDatabase, startInProcess } from '../../support/in-process-service.ts';
import type { InProcessService } from '../../support/in-process-service.ts';
import { StaffClient, staffSignedIn } from '../../support/staff-client.ts';

// The staff API as a company's own developer uses it, with a token alone.

let database: TestDatabase;
let running: InProcessService;
let admin: StaffClient;
let finance: StaffClient;

beforeAll(async () => {
  database = await createServiceDatabase();
  // One test reads every list and every file at once.
  const environment = { CONSOLE_CHANGES_PER_SECOND: '0' };
  running = await startInProcess(database.url, { environment });
  admin = await staffSignedIn(running.origin, 'admin');
  finance = await staffSignedIn(running.origin, 'finance');
});
afterAll(async () => {
  await running.stop();
  await database.drop();
});

const newToken = async (
  by: StaffClient,
  given: Readonly<Record<string, unknown>> = {},
): Promise<StaffClient & { readonly name: string }> => {
  const name = `program-${randomUUID().slice(0, 8)}`;
  const made = await by.post('/tokens', { name, role: 'administrator', ...given });
  if (made.status !== 200) throw new Error(made.text);
  return Object.assign(new StaffClient(running.origin, String(made.body['token'])), { name });
};
const PAYOUT = { vid: 'demo', amount: '20', bank_account: 'KCB 1', evidence: 'x', reason: 'x' };
let number = 0;
const journal = () => {
  number += 1;
  return {
    lines: [
      { account: 'suspense', side: 'debit', amount: '3.00' },
      { account: 'expense:bank-fees', side: 'credit', amount: '3' },
    ],
    ...{ reference: `S-${number}`, evidence: 'mail', reason: 'the bank told us' },
  };
};

test.each([[undefined], ['malipo_x'], ['nothing'], ['demo-staff-token2']])(
  'without a valid token (%s) everything is refused, and nothing tells which paths exist',
  async (token) => {
    const stranger = new StaffClient(running.origin, token);
    for (const path of ['/payouts', '/nothing', '/session', '/payouts.csv']) {
      expect(await stranger.get(path)).toMatchObject({ status: 401, code: 'not_signed_in' });
    }
    expect(await stranger.post('/journals', journal())).toMatchObject({ status: 401 });
  },
);

test('a person’s token is a session that password and code begin and that can be ended', async () => {
  const person = await staffSignedIn(running.origin, 'finance');
  expect(await person.get('/session')).toMatchObject({
    status: 200,
    body: { login: 'finance', token: null, role: 'finance' },
  });
  expect(await person.send('DELETE', '/session')).toMatchObject({ status: 204 });
  expect(await person.get('/session')).toMatchObject({ status: 401 });
  const wrong = { login: 'finance', password: 'x' };
  expect(await new StaffClient(running.origin).post('/session', wrong)).toMatchObject({
    code: 'sign_in_failed',
  });
});

test('nobody of a vendor gets a token for this API', async () => {
  const given = { login: 'demo-admin', password: 'demo-console-password' };
  const refused = await new StaffClient(running.origin).post('/session', given);
  expect(refused).toMatchObject({ status: 403, code: 'not_permitted' });
});

test('a refusal names the permission that the token lacks, and what is wrong within a list', async () => {
  const program = await newToken(admin);
  const narrow = await newToken(admin, { scopes: ['home.read'] });
  expect(await narrow.get('/journals')).toMatchObject({
    ...{ status: 403, code: 'not_permitted' },
    text: expect.stringContaining('needs the permission finance.read, which the token') as unknown,
  });
  const prices = [{ biller: 'dstv', flatt: '10' }];
  const asked = { name: 'Shop', sector: 'retail', prices };
  expect(await program.post('/vendors/shop/propose', asked)).toMatchObject({
    ...{ status: 400, code: 'invalid_field', field: 'prices' },
    text: expect.stringContaining('each entry must not have flatt') as unknown,
  });
});

test('a program proposes, and neither it nor its owner approves; another person does', async () => {
  const program = await newToken(admin);
  const proposed = await program.post('/journals', journal());
  expect(proposed).toMatchObject({
    status: 200,
    body: { proposed_by: `admin (${program.name})`, decision: null, amount: '3.00' },
  });
  const id = String(proposed.body['journal']);
  const { proposals } = await proposalsOf();
  const { seen } = await proposals.preview(id);
  const admins = await personIdOf('admin');
  await expect(
    proposals.approve({ proposalId: id, by: { personId: admins, name: 'admin' }, seen }),
  ).rejects.toThrow('another person');
  const asProgram = { personId: admins, name: 'admin', program: program.name };
  await expect(proposals.approve({ proposalId: id, by: asProgram, seen })).rejects.toThrow(
    'not a program',
  );
  const by = { personId: await personIdOf('finance'), name: 'finance' };
  expect(await proposals.approve({ proposalId: id, by, seen })).toMatchObject({
    decision: 'approved',
  });
  const [entry] = await listAudit(running.service.pool, { action: 'journal.propose', limit: 1 });
  expect(entry).toMatchObject({
    ...{ login: 'admin', token: program.name, channel: 'api', target: id, result: 'done' },
    reason: 'the bank told us',
  });
});

test('what books money after a decision is for people, and so are tokens', async () => {
  const program = await newToken(admin);
  const paid = await program.post(`/payouts/${randomUUID()}/paid`, { reference: 'FT1' });
  expect(paid).toMatchObject({ status: 403, problem: 'A person does this, not a program' });
  const more = await program.post('/tokens', { name: 'more', role: 'administrator' });
  expect(more).toMatchObject({ status: 403, code: 'not_permitted' });
});

test('the sandbox’s public token reads and proposes as admin', async () => {
  const program = new StaffClient(running.origin, DEMO_STAFF_TOKEN);
  expect(await program.get('/session')).toMatchObject({
    body: { login: 'admin', token: DEMO_STAFF_TOKEN },
  });
  expect(await program.post('/payouts', PAYOUT)).toMatchObject({
    status: 200,
    body: { state: 'waits', amount: '20.00', vid: 'demo' },
  });
});

test('scopes, the role and the owner’s role now narrow a token', async () => {
  const reader = await newToken(admin, { scopes: ['finance.read'] });
  expect((await reader.get('/payouts')).status).toBe(200);
  expect(await reader.post('/payouts', PAYOUT)).toMatchObject({ code: 'not_permitted' });
  const support = await newToken(admin, { role: 'support' });
  expect(await support.get('/payouts')).toMatchObject({ code: 'not_permitted' });
  const beyond = { name: 'beyond', role: 'support', scopes: ['finance.read'] };
  expect(await admin.post('/tokens', beyond)).toMatchObject({ field: 'scopes' });
  expect(await finance.post('/tokens', { name: 'f', role: 'finance' })).toMatchObject({
    code: 'not_permitted',
  });
});

test.each([
  [
    'expired',
    async () => await newToken(admin, { expires: '1d' }),
    'update program_tokens set expires_at = now() where name = $1',
  ],
  [
    'altered',
    async () => await newToken(admin, { role: 'finance' }),
    "update program_tokens set role = 'administrator' where name = $1",
  ],
])('a token that is %s in the database is refused', async (_, make, sql) => {
  const program = await make();
  expect((await program.get('/payouts')).status).toBe(200);
  await database.asOwner(sql, [program.name]);
  expect(await program.get('/payouts')).toMatchObject({ status: 401 });
});

test('a token is revoked at once, listed with its use, and refused from elsewhere', async () => {
  const program = await newToken(admin);
  await program.get('/payouts');
  const listed = async (of: string): Promise<Record<string, unknown> | undefined> => {
    const { tokens } = (await admin.get('/tokens')).body as { tokens: Record<string, unknown>[] };
    expect(JSON.stringify(tokens)).not.toContain(program.token);
    return tokens.find(({ name }) => name === of);
  };
  const used = { state: 'valid', owner: 'admin', used_at: expect.any(String) as unknown };
  expect(await listed(program.name)).toMatchObject(used);
  const revoked = await admin.post(`/tokens/${program.name}/revoke`);
  expect(revoked).toMatchObject({ status: 200, body: { state: 'ended' } });
  expect(await program.get('/payouts')).toMatchObject({ status: 401 });
  const elsewhere = await newToken(admin, { addresses: ['192.0.2.0/24'] });
  const forwarded = { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.7' };
  expect(await elsewhere.send('GET', '/payouts', undefined, forwarded)).toMatchObject({
    status: 401,
  });
  // An attempt from where it is not valid is no use of it.
  expect(await listed(elsewhere.name)).toMatchObject({ used_at: null });
  const here = await newToken(admin, { addresses: ['127.0.0.0/8', '::1'] });
  expect((await here.get('/payouts')).status).toBe(200);
});

test('tokens end for good when their owner is disabled', async () => {
  const { pool } = running.service;
  const ledgerMac = await openLedgerMac(pool, running.sealing.masterKeys);
  const deps = { pool, ledgerMac };
  await changePerson(deps, 'risk2', { role: 'administrator' });
  const owner = await staffSignedIn(running.origin, 'risk2');
  const program = await newToken(owner);
  expect((await program.get('/payouts')).status).toBe(200);
  await changePerson(deps, 'risk2', { role: 'support' });
  expect(await program.get('/payouts')).toMatchObject({ status: 403 });
  await changePerson(deps, 'risk2', { status: 'disabled' });
  expect(await program.get('/payouts')).toMatchObject({ status: 401 });
  await changePerson(deps, 'risk2', { status: 'active' });
  expect(await program.get('/payouts')).toMatchObject({ status: 401 });
});

test('a repeat with the same key gets the first answer, and nothing is done again', async () => {
  const program = await newToken(admin);
  const asked = journal();
  const key = { 'idempotency-key': randomUUID() };
  const first = await program.post('/journals', asked, key);
  expect(first.status).toBe(200);
  const again = await program.post('/journals', asked, key);
  expect(again).toMatchObject({ status: 200, body: first.body });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  // The key is of its caller alone: others neither see the answer nor take the key.
  for (const caller of [await newToken(admin), admin]) {
    const own = await caller.post('/journals', journal(), key);
    expect(own.status, own.text).toBe(200);
    expect(own.headers.get('idempotency-replayed')).toBeNull();
    expect(own.body).not.toEqual(first.body);
  }
  const narrowed = await newToken(admin);
  const once = { 'idempotency-key': randomUUID() };
  const proposed = journal();
  expect((await narrowed.post('/journals', proposed, once)).status).toBe(200);
  await admin.post(`/tokens/${narrowed.name}/revoke`);
  expect(await narrowed.post('/journals', proposed, once)).toMatchObject({ status: 401 });
  const other = await program.post('/journals', journal(), key);
  expect(other).toMatchObject({ status: 409, code: 'reference_reused' });
  const unkeyed = await program.post('/journals', asked);
  expect(unkeyed.status).toBe(400);
  const refused = { 'idempotency-key': randomUUID() };
  expect((await program.post('/journals', asked, refused)).status).toBe(400);
  expect((await program.post('/journals', journal(), refused)).status).toBe(200);
  const secret = { 'idempotency-key': randomUUID() };
  const token = { name: `t-${randomUUID().slice(0, 8)}`, role: 'support' };
  const made = await admin.post('/tokens', token, secret);
  expect(made.status).toBe(200);
  expect(await admin.post('/tokens', token, secret)).toMatchObject({ status: 409 });
  const stored = await running.service.pool.query(
    'select answer::text as answer from action_answers',
  );
  expect(JSON.stringify(stored.rows)).not.toContain(String(made.body['token']));
});

test('an enquiry that finds nobody is made once under a key, and the same answer comes again', async () => {
  const risk = await staffSignedIn(running.origin, 'risk');
  const ask = {
    ...{ vid: 'demo', operation: 'generic-score', reason: 'applied at the branch' },
    fields: {
      ...{ requestReference: 'once1', reportReason: '2', reportSector: '2' },
      ...{ nationalID: '90000009', name1: 'Nobody', name2: 'Anywhere' },
      ...{ consentReference: 'FORM-17', consentDate: '2026-01-05' },
    },
  };
  const key = { 'idempotency-key': randomUUID() };
  const first = await risk.post('/credit/enquiries', ask, key);
  expect(first).toMatchObject({ status: 404, code: 'subject_not_found' });
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  const again = await risk.post('/credit/enquiries', ask, key);
  expect(again).toMatchObject({ status: 404, code: 'subject_not_found' });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const entries = await listAudit(running.service.pool, { action: 'credit-enquiry.ask', limit: 9 });
  expect(entries).toMatchObject([{ result: 'done' }]);
});

test('a list has pages whose cursors nobody can make, and a file has every row', async () => {
  for (let more = 0; more < 3; more += 1) await finance.post('/journals', journal());
  const first = await finance.get('/journals?limit=2');
  expect(first.body['journals']).toHaveLength(2);
  const next = String(first.body['next']);
  const second = await finance.get(`/journals?limit=2&cursor=${encodeURIComponent(next)}`);
  expect(second.body['journals']).not.toEqual(first.body['journals']);
  expect(await finance.get('/journals?cursor=2026-01-01T00:00:00.000Z')).toMatchObject({
    ...{ status: 400, field: 'cursor' },
  });
  expect(await finance.get('/journals?limit=1001')).toMatchObject({ status: 400, field: 'limit' });
  expect(await finance.get('/journals?color=red')).toMatchObject({ code: 'unknown_field' });
  const file = await finance.get('/journals.csv?state=all');
  const all = await finance.get('/journals?state=all&limit=200');
  const [titles, ...lines] = file.text.replace('\ufeff', '').trim().split('\r\n');
  expect(titles).toBe('Journal,Moved,Amount,Reference,State,Note,Evidence');
  expect(lines).toHaveLength((all.body['journals'] as unknown[]).length);
  expect((await finance.get('/journals.xlsx')).status).toBe(200);
  const [entry] = await listAudit(running.service.pool, { action: 'journal.export', limit: 1 });
  expect(entry).toMatchObject({ login: 'finance', channel: 'api' });
});

test('the OpenAPI document describes every route', async () => {
  const { body } = await new StaffClient(running.origin).get('/openapi.json');
  const paths = body['paths'] as Record<string, Record<string, { operationId: string }>>;
  expect(paths['/admin/v1/payouts/{payout}/paid']?.['post']?.operationId).toBe('payout.paid');
  expect(paths['/admin/v1/journals.csv']?.['get']?.operationId).toBe('journal.list.csv');
});

interface CollectedRequest {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly url: {
      readonly raw: string;
      readonly query: readonly { key: string; value: string; disabled?: true }[];
    };
    readonly body?: { readonly mode: string; readonly raw?: string };
  };
}

test('the collection for Postman has every operation, and what it reads without input is answered', async () => {
  const nobody = new StaffClient(running.origin);
  const { body } = await nobody.get('/postman.json');
  const folders = body['item'] as { item: CollectedRequest[] }[];
  const items = folders.flatMap(({ item }) => item);
  const { body: document } = await nobody.get('/openapi.json');
  const described = Object.values(document['paths'] as Record<string, Record<string, object>>)
    .flatMap((methods) => Object.values(methods) as { operationId: string }[])
    .map(({ operationId }) => operationId)
    .filter((id) => !id.startsWith('session.') && !id.endsWith('.xlsx'));
  expect(items.map(({ name }) => name).toSorted()).toEqual(described.toSorted());
  expect(JSON.stringify(body)).not.toContain(DEMO_STAFF_TOKEN);
  const simple = items.filter(({ request: { method, url } }) => {
    const isEmpty = url.query.some(({ value, disabled }) => disabled !== true && value === '');
    return method === 'GET' && !isEmpty && !/\{\{(?!origin)/.test(url.raw);
  });
  expect(simple.length).toBeGreaterThan(20);
  for (const { name, request } of simple) {
    const { status, text } = await admin.get(request.url.raw.replace('{{origin}}/admin/v1', ''));
    // Some are for another role.
    expect([200, 403], `${name}: ${text}`).toContain(status);
  }
});

async function personIdOf(login: string): Promise<string> {
  const found = await running.service.pool.query<{ id: string }>(
    'select person_id as id from people where login = $1',
    [login],
  );
  return found.rows[0]?.id ?? '';
}

async function proposalsOf() {
  const { createProposals } = await import('../../../src/proposal-kinds.ts');
  const { createWireTime } = await import('../../../src/platform/base/clock.ts');
  const { pool } = running.service;
  const ledgerMac = await openLedgerMac(pool, running.sealing.masterKeys);
  const wireTime = createWireTime('Africa/Nairobi');
  return { proposals: createProposals({ pool, ledgerMac, wireTime }) };
}
