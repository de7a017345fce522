import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleRoutes } from '../../src/console/routes/routes.ts';
import type { RoutesOptions } from '../../src/console/routes/routes.ts';
import type { PeopleAnswer } from '../../src/console/operations-answers.ts';
import { addPerson, changePerson } from '../../src/parties/people/administer.ts';
import { createLink } from '../../src/parties/people/links.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { ConsoleClient, signInAll } from '../support/console-client.ts';
import type { SignedIn } from '../support/console-client.ts';
import { startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';

// An administrator who wants to be two people, or somebody else.

let running: InProcessService;
let as: SignedIn;

beforeAll(async () => {
  const environment = { CONSOLE_CHANGES_PER_SECOND: '0', CONSOLE_READS_PER_SECOND: '0' };
  running = await startInProcess((await createTestDatabase()).url, { environment });
  as = await signInAll(running.origin, ['admin', 'demo-admin']);
});
afterAll(async () => {
  await running.stop();
});

const peopleOf = async (client: ConsoleClient): Promise<PeopleAnswer> =>
  await client.read<PeopleAnswer>('/people');

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
  const finance = await useLink(invited.body['path'], 'the finance of a vendor');
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
  const till = await useLink(invited.body['path'], 'a password for the till');
  const pay = { billerCode: 'kplc_prepaid', account: '14234560001', amount: '100', phone: '' };
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
  const puppet = await useLink(also.body['path'], 'a password for the till');
  const shown = (await peopleOf(own)).people.find(({ login }) => login === 'till-3');
  // A vendor does not learn the logins of staff.
  expect(shown?.toConfirm?.linkBy).toBe('staff');
  const confirm = {
    credentialsAt: shown?.toConfirm?.credentialsAt,
    role: shown?.role,
    reason: 'x',
  };
  const path = '/people/till-3/confirm';
  expect((await puppet.send('POST', path, confirm)).code).toBe('not_confirmed');
  expect((await admin.send('POST', path, confirm)).status).toBe(400);
  // What was confirmed is not changed by the same hand afterwards, or meanwhile.
  expect((await admin.send('PUT', '/people/till-3', { role, reason: 'x' })).status).toBe(200);
  const late = await own.send('POST', path, confirm);
  expect(late.text).toContain('was given another role since then');
  // A confirmation says what was seen.
  for (const field of ['role', 'credentialsAt'] as const) {
    const { [field]: _, ...unsaid } = confirm;
    expect(await own.send('POST', path, unsaid)).toMatchObject({ status: 400, field });
  }
  const back = { role: 'vendor_cashier', reason: 'x' };
  expect((await admin.send('PUT', '/people/till-3', back)).status).toBe(200);
  // The vendor is told what staff did, and not what it did itself.
  const told = await running.service.pool.query<{ route: string }>(
    `select route from request_log where method = 'STAFF'`,
  );
  expect(told.rows).toEqual(Array.from({ length: 4 }, () => ({ route: 'people' })));
  expect((await own.send('POST', path, confirm)).status).toBe(204);
  const signedInAgain = new ConsoleClient(running.origin);
  await signedInAgain.signIn('till-3', 'a password for the till');
  expect((await signedInAgain.get('/payments')).status).toBe(200);
  expect((await admin.send('PUT', '/people/till-3', { role, reason: 'x' })).status).toBe(200);
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
  expect((await admin.send('PUT', '/people/fourth', change)).status).toBe(200);
  const fourth = new ConsoleClient(running.origin);
  await fourth.signIn('fourth', 'not known to anybody else');
  expect((await fourth.get('/credit/enquiries')).code).toBe('not_confirmed');
  await changePerson(deps, 'fifth', { role: 'administrator' });
  const fifth = new ConsoleClient(running.origin);
  await fifth.signIn('fifth', 'not known to anybody else');
  // Who waits because of one administrator gets no other role from another, who could then be the second person.
  const other = await fifth.send('PUT', '/people/fourth', { role: 'finance', reason: 'x' });
  expect(other).toMatchObject({ status: 400, field: 'role' });
  const shown = (await peopleOf(fifth)).people.find(({ login }) => login === 'fourth')?.toConfirm;
  const confirm = {
    credentialsAt: shown?.credentialsAt,
    role: 'risk',
    reason: 'x',
  };
  expect((await admin.send('POST', '/people/fourth/confirm', confirm)).status).toBe(400);
  expect((await fifth.send('POST', '/people/fourth/confirm', confirm)).status).toBe(204);
  expect((await fourth.get('/credit/enquiries')).code).not.toBe('not_confirmed');
});

test('a link that was made for another role is not valid after a change of the role', async () => {
  const admin = as('admin');
  const invite = { login: 'sixth', name: 'S', role: 'support', reason: 'x' };
  const invited = await admin.send('POST', '/people', invite);
  expect((await admin.send('PUT', '/people/sixth', { role: 'risk', reason: 'x' })).status).toBe(
    200,
  );
  const token = String(invited.body['path']).split('#')[1];
  const read = await new ConsoleClient(running.origin).send('POST', '/links/read', { token });
  expect(read.code).toBe('link_invalid');
});

test('whoever waits for a confirmation gets no answer of any route', async () => {
  const invite = { login: 'seventh', name: 'S', role: 'risk', reason: 'x' };
  const invited = await as('admin').send('POST', '/people', invite);
  const seventh = await useLink(invited.body['path'], 'for reading credit reports');
  for (const { method, path } of consoleRoutes({} as RoutesOptions)) {
    const asked = path.replaceAll(/:\w+/g, () => randomUUID());
    const { code } = await seventh.send(method, asked, method === 'GET' ? undefined : {});
    expect(`${method} ${path} ${code}`).toBe(`${method} ${path} not_confirmed`);
  }
});
