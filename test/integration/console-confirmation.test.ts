import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { definedRoutes } from '../support/defined-routes.ts';
import type { PeopleAnswer } from '../../src/staff/people.ts';
import type { ProposalView } from '../../src/staff/proposal-schema.ts';
import type { ProposalList } from '../../src/staff/proposals.ts';
import { addPerson, changePerson } from '../../src/parties/people/administer.ts';
import { createLink } from '../../src/parties/people/links.ts';
import { findPerson } from '../../src/parties/people/read-people.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createProposals } from '../../src/proposal-kinds.ts';
import { COMMAND_LINE } from '../../src/proposals/actors.ts';
import { confirmedBy } from '../../src/proposals/parties/person.ts';
import { ConsoleClient, signInAll } from '../support/console-client.ts';
import type { SignedIn } from '../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';

// An administrator who wants to be two people, or somebody else.

let running: InProcessService;
let owner: Pool;
let as: SignedIn;

beforeAll(async () => {
  const environment = { CONSOLE_CHANGES_PER_SECOND: '0', CONSOLE_READS_PER_SECOND: '0' };
  const database = await createServiceDatabase();
  running = await startInProcess(database.url, { environment });
  owner = createPool({ url: database.ownerUrl, max: 1, name: 'owner' });
  as = await signInAll(running.origin, ['admin', 'demo-admin', 'demo2-admin']);
});
afterAll(async () => {
  await owner.end();
  await running.stop();
});

const peopleOf = async (client: ConsoleClient): Promise<PeopleAnswer> =>
  await client.read<PeopleAnswer>('/people');

/** The proposal that confirms the person, as this one sees it. */
async function confirmationOf(client: ConsoleClient, login: string): Promise<ProposalView> {
  const found = (await peopleOf(client)).people.find((person) => person.login === login);
  return await client.read<ProposalView>(`/proposals/${found?.waits_for ?? 'none'}`);
}

/** Approves what was seen. */
const approve = async (client: ConsoleClient, { proposal: id, seen }: ProposalView) =>
  await client.send('POST', `/proposals/${id}/approve`, { seen });

/** Uses the link of an invitation as the person who received it. */
async function useLink(path: unknown, password: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(running.origin);
  const token = String(path).split('#')[1];
  const used = await client.send('POST', '/links/use', { token, password });
  expect(used.status).toBe(200);
  return client;
}

test('a vendor’s administrator neither learns which logins exist, nor takes one from somebody else', async () => {
  const client = as('demo-admin');
  const person = { name: 'Same', role: 'vendor_viewer', reason: 'x' };
  for (const login of ['admin', 'demo2-admin', 'demo-viewer', 'Nobody@pay.example']) {
    const added = await client.send('POST', '/people', { ...person, login });
    expect(added).toMatchObject({ status: 200, body: { login: `demo:${login.toLowerCase()}` } });
  }
  const again = await client.send('POST', '/people', { ...person, login: 'demo:admin' });
  expect(again).toMatchObject({ status: 400, field: 'login' });
  const foreign = await client.send('POST', '/people', { ...person, login: 'demo2:admin' });
  expect(foreign).toMatchObject({ status: 400, field: 'login' });
  expect(foreign.text).not.toContain('exists');
  // No other vendor shares this space.
  const twin = { vid: 'Demo', name: 'Twin', sector: 'bank', reason: 'x' };
  const added = await as('admin').send('POST', '/vendors', twin);
  expect(added).toMatchObject({ status: 400, field: 'vid' });
  // Each signs in with the own name.
  const invited = await client.send('POST', '/people', { ...person, login: 'finance' });
  const finance = await useLink(invited.body['link'], 'the finance of a vendor');
  expect((await finance.get('/session')).body['person']).toMatchObject({
    ...{ login: 'demo:finance', vid: 'demo' },
  });
  const fresh = new ConsoleClient(running.origin);
  expect((await fresh.signIn('DEMO:finance', 'the finance of a vendor')).status).toBe(200);
  expect((await fresh.signIn('finance', 'the finance of a vendor')).code).toBe('sign_in_failed');
  const admin = as('admin');
  const colleague = { login: 'nobody@pay.example', name: 'N', role: 'support', reason: 'x' };
  expect((await admin.send('POST', '/people', colleague)).status).toBe(200);
  const staff = { ...colleague, login: 'demo:colleague' };
  expect(await admin.send('POST', '/people', staff)).toMatchObject({ status: 400, field: 'login' });
});

test('whom staff invite for a vendor pays nothing before the vendor’s administrator, or another administrator, confirms', async () => {
  const admin = as('admin');
  const own = as('demo-admin');
  const role = 'vendor_administrator';
  const invite = { name: 'Till', role: 'vendor_cashier', vid: 'demo', reason: 'x' };
  const invited = await admin.send('POST', '/people', { ...invite, login: 'till-3' });
  const till = await useLink(invited.body['link'], 'a password for the till');
  const pay = { billerCode: 'kplc_prepaid', account: '14234560001', amount: '100', phone: '' };
  await running.demo().fund();
  const floatOf = async () => (await running.demo().call('balance')).body.balance;
  const float = await floatOf();
  expect(float).toBeGreaterThan(100);
  for (const [method, path] of [
    ['POST', '/pay'],
    ['GET', '/payments'],
    ['GET', '/vendors/demo'],
  ] as const) {
    const answer = await till.send(method, path, method === 'GET' ? undefined : pay);
    expect(answer.code).toBe('not_confirmed');
  }
  // Nor does a second person whom the same administrator invites help.
  const also = await admin.send('POST', '/people', { ...invite, role, login: 'till-4' });
  const puppet = await useLink(also.body['link'], 'a password for the till');
  const shown = await confirmationOf(own, 'till-3');
  const who = [
    { label: 'Login', text: 'till-3', amount: null },
    { label: 'Name', text: 'Till', amount: null },
    { label: 'Role', text: 'vendor_cashier', amount: null },
    { label: 'Vendor', text: 'demo', amount: null },
  ];
  // A vendor does not learn the logins of staff.
  expect(shown).toMatchObject({ content: who, proposed_by: 'staff', is_own: false });
  expect((await approve(puppet, shown)).code).toBe('not_confirmed');
  expect((await approve(admin, shown)).text).toContain('another person has to approve it');
  expect((await approve(as('demo2-admin'), shown)).code).toBe('not_found');
  // What was confirmed is not changed by the same hand afterwards, or meanwhile.
  expect((await admin.send('POST', '/people/till-3', { role, reason: 'x' })).status).toBe(200);
  const late = await approve(own, shown);
  expect(late.text).toContain('already withdrawn');
  expect(late.text).not.toContain('by admin');
  const back = { role: 'vendor_cashier', reason: 'x' };
  expect((await admin.send('POST', '/people/till-3', back)).status).toBe(200);
  // The vendor is told what staff did, and not what it did itself.
  const told = await running.service.pool.query<{ route: string }>(
    `select route from request_log where method = 'STAFF'`,
  );
  expect(told.rows).toEqual(Array.from({ length: 4 }, () => ({ route: 'people' })));
  // Until here nobody could spend anything.
  expect(await floatOf()).toBe(float);
  expect((await approve(own, await confirmationOf(own, 'till-3'))).status).toBe(200);
  const signedInAgain = new ConsoleClient(running.origin);
  await signedInAgain.signIn('till-3', 'a password for the till');
  expect((await signedInAgain.get('/payments')).status).toBe(200);
  expect((await admin.send('POST', '/people/till-3', { role, reason: 'x' })).status).toBe(200);
  await signedInAgain.signIn('till-3', 'a password for the till');
  expect((await signedInAgain.get('/payments')).code).toBe('not_confirmed');
});

test('a role that reads credit reports, given to somebody who was confirmed with another, waits for a second person', async () => {
  const deps = await peopleDepsOf(running);
  const admin = as('admin');
  for (const login of ['fourth', 'fifth']) {
    await addPerson(deps, { login, name: login, role: 'support' }, new Date());
    const token = await createLink(deps, login, { madeBy: null, now: new Date() });
    await useLink(`#${token}`, 'not known to anybody else');
  }
  const change = { role: 'risk', reason: 'x' };
  expect((await admin.send('POST', '/people/fourth', change)).status).toBe(200);
  const fourth = new ConsoleClient(running.origin);
  await fourth.signIn('fourth', 'not known to anybody else');
  expect((await fourth.get('/credit/enquiries')).code).toBe('not_confirmed');
  await changePerson(deps, 'fifth', { role: 'administrator' });
  const fifth = new ConsoleClient(running.origin);
  await fifth.signIn('fifth', 'not known to anybody else');
  // Who waits because of one administrator gets no other role from another, who could then be the second person.
  const other = await fifth.send('POST', '/people/fourth', { role: 'finance', reason: 'x' });
  expect(other).toMatchObject({ status: 400, field: 'role' });
  const shown = await confirmationOf(fifth, 'fourth');
  expect((await approve(admin, shown)).status).toBe(400);
  expect((await approve(fifth, shown)).status).toBe(200);
  expect((await fourth.get('/credit/enquiries')).code).not.toBe('not_confirmed');
});

test('a confirmation is refused after the name, the role, the vendor or the login changed, or before the link is used', async () => {
  const deps = await peopleDepsOf(running);
  const [admin, own] = [as('admin'), as('demo-admin')];
  const invite = { role: 'vendor_cashier', vid: 'demo', reason: 'a till of its own' };
  const invited = await admin.send('POST', '/people', { ...invite, login: 'till-8', name: 'Till' });
  const waiting = await admin.read<ProposalList>('/proposals');
  const { proposal: id = '' } = waiting.proposals.find(({ note }) => note === invite.reason) ?? {};
  const problem = async (): Promise<string | null | undefined> =>
    (await own.read<ProposalView>(`/proposals/${id}`)).problem;
  expect(await problem()).toBe('till-8 has not used the link yet.');
  await useLink(invited.body['link'], 'a password for the till');
  const shown = await confirmationOf(own, 'till-8');
  expect([shown.proposal, await problem()]).toEqual([id, null]);
  await changePerson(deps, 'till-8', { name: 'Somebody else' });
  expect((await approve(own, shown)).text).toContain('The name of till-8 changed');
  await changePerson(deps, 'till-8', { role: 'vendor_viewer' });
  expect(await problem()).toContain('The name and role of till-8 changed');
  await changePerson(deps, 'till-8', { name: 'Till', role: 'vendor_cashier' });
  for (const change of [
    `name = 'T'`,
    `role = 'vendor_administrator'`,
    'vendor_id = vendor_id + 1',
    `credentials_at = now()`,
  ]) {
    await using kept = await changed('till-8', change);
    expect(await problem(), change).toMatch(/was changed in the database|changed after/);
    expect((await approve(own, shown)).status).toBe(400);
    expect(kept).toBeDefined();
  }
  await using renamed = await changed('till-8', `login = 'till-9'`);
  expect(await problem()).toBe('There is no person till-8.');
  expect(renamed).toBeDefined();
});

/** Changes the row as its owner until it goes out of scope. */
async function changed(login: string, change: string): Promise<AsyncDisposable> {
  const { rows } = await owner.query<{ row: { person_id: string } }>(
    'select to_jsonb(p) as row from people p where login = $1',
    [login],
  );
  const row = rows[0]?.row;
  await owner.query(`update people set ${change} where login = $1`, [login]);
  return {
    [Symbol.asyncDispose]: async () => {
      await owner.query(
        `update people p set name = f.name, role = f.role, vendor_id = f.vendor_id, login = f.login,
           credentials_at = f.credentials_at
         from jsonb_populate_record(null::people, $1) f where p.person_id = f.person_id`,
        [row],
      );
    },
  };
}

test('two administrators who make links for each other at once do not stop each other', async () => {
  const deps = await peopleDepsOf(running);
  await addPerson(deps, { login: 'tenth', name: 'Tenth', role: 'administrator' }, new Date());
  const token = await createLink(deps, 'tenth', { madeBy: null, now: new Date() });
  const tenth = await useLink(`#${token}`, 'not known to anybody else');
  for (let round = 0; round < 8; round += 1) {
    const answers = await Promise.all([
      as('admin').send('POST', '/people/tenth/link', { reason: 'x' }),
      tenth.send('POST', '/people/admin/link', { reason: 'x' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  }
});

test('a change on the command line does not confirm whom somebody else invited', async () => {
  const deps = await peopleDepsOf(running);
  const invite = { login: 'ninth', name: 'Ninth', role: 'support', reason: 'x' };
  await useLink((await as('admin').send('POST', '/people', invite)).body['link'], 'some password');
  const waitsFor = async () => (await findPerson(deps.pool, 'ninth'))?.waitsFor;
  const before = await waitsFor();
  expect(before).not.toBeNull();
  const proposals = createProposals({ ...deps, wireTime: createWireTime('UTC') });
  const confirm = confirmedBy(proposals, { by: COMMAND_LINE, note: 'at once' });
  for (const change of [{ name: 'Another' }, { role: 'risk' }] as const) {
    await changePerson({ ...deps, confirm }, 'ninth', change);
    expect(await waitsFor()).toBe(before);
  }
});

test('a link that was made for another role is not valid after a change of the role', async () => {
  const admin = as('admin');
  const invite = { login: 'sixth', name: 'S', role: 'support', reason: 'x' };
  const invited = await admin.send('POST', '/people', invite);
  expect((await admin.send('POST', '/people/sixth', { role: 'risk', reason: 'x' })).status).toBe(
    200,
  );
  const token = String(invited.body['link']).split('#')[1];
  const read = await new ConsoleClient(running.origin).send('POST', '/links/read', { token });
  expect(read.code).toBe('link_invalid');
});

test('whoever waits for a confirmation gets no answer of any route', async () => {
  const invite = { login: 'seventh', name: 'S', role: 'risk', reason: 'x' };
  const invited = await as('admin').send('POST', '/people', invite);
  const seventh = await useLink(invited.body['link'], 'for reading credit reports');
  for (const { method, path } of await definedRoutes()) {
    const asked = path.replaceAll(/:\w+/g, () => randomUUID());
    const { code } = await seventh.send(method, asked, method === 'GET' ? undefined : {});
    expect(`${method} ${path} ${code}`).toBe(`${method} ${path} not_confirmed`);
  }
});
