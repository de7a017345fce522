import { expect, test } from 'vitest';
import type { AuditAnswer } from '../../src/staff/audit.ts';
import type { PeopleAnswer } from '../../src/staff/people.ts';
import type { ProposalView } from '../../src/staff/proposal-schema.ts';
import { addPerson } from '../../src/parties/people/administer.ts';
import { createLink } from '../../src/parties/people/links.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { ConsoleClient, signedIn } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';

const environment = { CONSOLE_CHANGES_PER_SECOND: '100' };
// The tests share a person.
const running = useService({ environment });

const peopleOf = async (client: ConsoleClient): Promise<PeopleAnswer> =>
  await client.read<PeopleAnswer>('/people');

test('administrators of a vendor see and change only the vendor’s people', async () => {
  const client = await signedIn(running.origin, 'demo-admin');
  const { people, roles } = await peopleOf(client);
  expect(people.map(({ vid }) => vid)).toEqual(['demo', 'demo', 'demo']);
  expect(roles.every((role) => role.startsWith('vendor_'))).toBe(true);
  for (const login of ['demo2-admin', 'admin', 'nobody']) {
    const changed = await client.send('POST', `/people/${login}/disable`, { reason: 'x' });
    expect(changed).toMatchObject({ status: 404, code: 'not_found' });
    const linked = await client.send('POST', `/people/${login}/link`, { reason: 'x' });
    expect(linked).toMatchObject({ status: 404, code: 'not_found' });
  }
  const person = { login: 'intruder', name: 'I', reason: 'x' };
  const staff = await client.send('POST', '/people', { ...person, role: 'administrator' });
  expect(staff.code).toBe('invalid_field');
  const other = { ...person, login: 'own', role: 'vendor_viewer', vid: 'demo2' };
  expect((await client.send('POST', '/people', other)).status).toBe(200);
  const own = (await peopleOf(client)).people.find(({ login }) => login === 'demo:own');
  expect(own?.vid).toBe('demo');
});

test('a vendor has a limited number of people, however many are added at once', async () => {
  const { pool } = running.service;
  const { vid } = await running.addVendor();
  const deps = await peopleDepsOf(running);
  const add = async (number: number): Promise<string> =>
    await addPerson(
      deps,
      { login: `${vid}-${number}`.toLowerCase(), name: 'P', role: 'vendor_viewer', vid },
      new Date(),
    );
  const first = await add(0);
  const others = LIMITS.peoplePerVendor - 3;
  await pool.query(
    `insert into people (person_id, login, name, role, vendor_id, created_at, status)
     select gen_random_uuid(), login || '.' || number, name, role, vendor_id, created_at, 'disabled'
     from people, generate_series(1, $2::integer) as number where person_id = $1`,
    [first, others],
  );
  const added = await Promise.allSettled([1, 2, 3, 4].map(add));
  expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  await expect(add(5)).rejects.toThrow(`${vid} has ${LIMITS.peoplePerVendor} people`);
  const invite = { login: 'one-more', name: 'O', role: 'vendor_viewer', vid, reason: 'x' };
  const admin = await signedIn(running.origin, 'admin');
  const refused = await admin.send('POST', '/people', invite);
  expect(refused).toMatchObject({ status: 400, code: 'invalid_field', field: 'vid' });
  // Others, and staff, are not affected.
  expect((await admin.send('POST', '/people', { ...invite, vid: 'demo2' })).status).toBe(200);
});

test('no role is raised beyond the vendor, and nobody changes their own', async () => {
  const client = await signedIn(running.origin, 'demo-admin');
  const raise = { role: 'administrator', reason: 'x' };
  expect((await client.send('POST', '/people/demo-viewer', raise)).code).toBe('invalid_field');
  const own = { role: 'vendor_viewer', reason: 'x' };
  expect((await client.send('POST', '/people/demo-admin', own)).code).toBe('invalid_field');
});

test('a person is invited, disabled and enabled, and the log says by whom and why', async () => {
  const admin = await signedIn(running.origin, 'admin');
  const person = { login: 'Wafula@pay.example', name: 'Wafula', role: 'risk', reason: 'New here' };
  const invited = await admin.send('POST', '/people', person);
  expect(invited.body).toMatchObject({ login: 'wafula@pay.example', valid_hours: 72 });
  const token = String(invited.body['link']).split('#')[1];
  const stranger = new ConsoleClient(running.origin);
  const read = await stranger.send('POST', '/links/read', { token });
  expect(read.body).toMatchObject({ name: 'Wafula' });
  const path = '/people/wafula@pay.example';
  const disabled = await admin.send('POST', `${path}/disable`, { reason: 'Left' });
  expect(disabled.body).toMatchObject({ status: 'disabled' });
  expect((await stranger.send('POST', '/links/read', { token })).code).toBe('link_invalid');

  const log = await admin.get('/audit?target=wafula@pay.example');
  const { entries } = log.body as unknown as AuditAnswer;
  expect(entries).toMatchObject([
    {
      action: 'person.disable',
      login: 'admin',
      reason: 'Left',
      before: { status: 'active' },
      after: { status: 'disabled' },
    },
    { action: 'person.add', reason: 'New here', after: { role: 'risk' }, result: 'done' },
  ]);
  expect(JSON.stringify(entries)).not.toContain(token);
});

test('a text that the audit log could not keep, or nobody could read, is refused before anything happens', async () => {
  const admin = await signedIn(running.origin, 'admin');
  const person = { login: 'half@pay.example', role: 'risk', reason: 'New here' };
  const whole = '\u{1F600}';
  const unseen = ['Baraka\u{200b}', '\u{202e}Baraka', 'Bara\u{3164}ka', 'Bara\tka'];
  for (const name of [
    ...unseen,
    'Half \0',
    `Half ${whole.slice(0, 1)}`,
    `${whole.slice(1)} Half`,
  ]) {
    const refused = await admin.send('POST', '/people', { ...person, name });
    expect(refused).toMatchObject({ status: 400, code: 'invalid_field', field: 'name' });
  }
  const turned = { ...person, name: 'Half', reason: 'New\u{202e} here' };
  expect(await admin.send('POST', '/people', turned)).toMatchObject({ field: 'reason' });
  const asked = { ...person, name: `Whole ${whole}`, reason: 'New here.\nAs agreed.' };
  const added = await admin.send('POST', '/people', asked);
  expect(added.status).toBe(200);
});

test('all pages of the audit log together equal the export', async () => {
  const admin = await signedIn(running.origin, 'admin');
  for (let number = 0; number < 60; number += 1) {
    await admin.send('POST', '/billers/none/status', { status: 'ONLINE', reason: `=1+${number}` });
  }
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await admin.get(`/audit?action=biller.set-status${cursor}`);
    const { entries, next } = page.body as unknown as AuditAnswer;
    seen.push(...entries.map(({ reason }) => String(reason)));
    cursor = next === null ? '' : `&cursor=${encodeURIComponent(next)}`;
  } while (cursor !== '');
  expect(new Set(seen).size).toBe(60);
  const file = await fetch(`${running.origin}/console/api/audit.csv?action=biller.set-status`, {
    headers: { cookie: admin.cookie },
  });
  const lines = (await file.text()).trimEnd().split('\r\n');
  expect(lines).toHaveLength(61);
  // A spreadsheet must not run it as a formula.
  expect(lines[1]).toContain(`'=1+59`);
  expect((await admin.get('/audit?cursor=x')).code).toBe('invalid_field');
});

/** Uses the link of an invitation as the person who received it. */
async function useLink(path: unknown, password: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(running.origin);
  const token = String(path).split('#')[1];
  const used = await client.send('POST', '/links/use', { token, password });
  expect(used.status).toBe(200);
  return client;
}

test('administrators who use another person’s link see, change and approve nothing', async () => {
  const admin = await signedIn(running.origin, 'admin');
  const invite = { name: 'Second', role: 'administrator', reason: 'second administrator' };
  const invited = await admin.send('POST', '/people', { ...invite, login: 'second' });
  const second = await useLink(invited.body['link'], 'first of two passwords');
  expect((await second.get('/session')).body['person']).toMatchObject({ isConfirmed: false });
  expect((await second.get('/session')).body['permissions']).toEqual([]);
  for (const [method, path] of [
    ['GET', '/payments'],
    ['GET', '/people'],
    ['POST', `/proposals/${crypto.randomUUID()}/approve`],
    ['POST', '/people/second/link'],
    ['POST', '/people/finance'],
  ] as const) {
    const body = method === 'GET' ? undefined : {};
    expect((await second.send(method, path, body)).code).toBe('not_confirmed');
  }

  const { people } = await peopleOf(admin);
  const id = people.find(({ login }) => login === 'second')?.waits_for ?? '';
  const shown = await admin.read<ProposalView>(`/proposals/${id}`);
  expect(shown).toMatchObject({ proposed_by: 'admin', is_own: true, note: invite.reason });
  const approve = async (by: ConsoleClient, { proposal: which, seen: code }: ProposalView) =>
    await by.send('POST', `/proposals/${which}/approve`, { seen: code });
  expect((await approve(admin, shown)).text).toContain('another person has to approve it');

  // The command line needs no second person, because its users have access to the database.
  const deps = await peopleDepsOf(running);
  await addPerson(deps, { login: 'third', name: 'T', role: 'administrator' }, new Date());
  const token = await createLink(deps, 'third', {
    madeBy: null,
    now: new Date(),
  });
  const third = await useLink(`#${token}`, 'one of the other person');
  // Another link was used meanwhile, so the confirmation would be for something that nobody saw.
  const again = await admin.send('POST', '/people/second/link', { reason: 'lost it' });
  const other = await useLink(again.body['link'], 'another one of these');
  expect((await approve(third, shown)).text).toContain('already withdrawn');
  expect((await other.send('POST', '/people/third/link', { reason: 'x' })).code).toBe(
    'not_confirmed',
  );
  const now = (await peopleOf(third)).people.find(({ login }) => login === 'second')?.waits_for;
  const seen = await third.read<ProposalView>(`/proposals/${now ?? ''}`);
  expect((await approve(third, seen)).status).toBe(200);
  expect((await other.get('/session')).body['person']).toMatchObject({ isConfirmed: true });
  expect((await other.send('POST', '/people/nobody/link', { reason: 'x' })).code).toBe('not_found');
});

test('people of a vendor need no confirmation', async () => {
  const client = await signedIn(running.origin, 'demo-admin');
  const cashier = { login: 'till-2', name: 'Till', role: 'vendor_cashier', reason: 'x' };
  const invited = await client.send('POST', '/people', cashier);
  const person = await useLink(invited.body['link'], 'a password for the till');
  expect((await person.get('/session')).body['person']).toMatchObject({ isConfirmed: true });
});
