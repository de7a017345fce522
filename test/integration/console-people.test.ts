import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditAnswer, PeopleAnswer } from '../../src/console/operations-answers.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { ConsoleClient } from '../support/console-client.ts';
import { startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';

let running: InProcessService;

beforeAll(async () => {
  running = await startInProcess((await createTestDatabase()).url);
});
afterAll(async () => {
  await running.stop();
});

async function signedIn(login: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(running.origin);
  await client.signIn(login);
  return client;
}

const peopleOf = async (client: ConsoleClient): Promise<PeopleAnswer> =>
  (await client.get('/people')).body as unknown as PeopleAnswer;

test('a vendor’s administrator sees and changes the vendor’s people alone', async () => {
  const client = await signedIn('demo-admin');
  const { people, roles } = await peopleOf(client);
  expect(people.map(({ vid }) => vid)).toEqual(['demo', 'demo', 'demo']);
  expect(roles.every((role) => role.startsWith('vendor_'))).toBe(true);
  const change = { status: 'disabled', reason: 'x' };
  for (const login of ['demo2-admin', 'admin', 'nobody']) {
    const changed = await client.send('PUT', `/people/${login}`, change);
    expect(changed).toMatchObject({ status: 404, code: 'not_found' });
    const linked = await client.send('POST', `/people/${login}/link`, { reason: 'x' });
    expect(linked).toMatchObject({ status: 404, code: 'not_found' });
  }
  const person = { login: 'intruder', name: 'I', reason: 'x' };
  const staff = await client.send('POST', '/people', { ...person, role: 'administrator' });
  expect(staff.code).toBe('invalid_field');
  const other = { ...person, login: 'own', role: 'vendor_viewer', vid: 'demo2' };
  expect((await client.send('POST', '/people', other)).status).toBe(200);
  expect((await peopleOf(client)).people.find(({ login }) => login === 'own')?.vid).toBe('demo');
});

test('a role is not raised beyond the vendor, nor one’s own', async () => {
  const client = await signedIn('demo-admin');
  const raise = { role: 'administrator', reason: 'x' };
  expect((await client.send('PUT', '/people/demo-viewer', raise)).code).toBe('invalid_field');
  const own = { role: 'vendor_viewer', reason: 'x' };
  expect((await client.send('PUT', '/people/demo-admin', own)).code).toBe('invalid_field');
});

test('a person is invited, disabled and enabled, and the log says by whom and why', async () => {
  const admin = await signedIn('admin');
  const person = { login: 'Wafula@pay.example', name: 'Wafula', role: 'risk', reason: 'New here' };
  const invited = await admin.send('POST', '/people', person);
  expect(invited.body).toMatchObject({ login: 'wafula@pay.example', validHours: 72 });
  const token = String(invited.body['path']).split('#')[1];
  const stranger = new ConsoleClient(running.origin);
  const read = await stranger.send('POST', '/links/read', { token });
  expect(read.body).toMatchObject({ name: 'Wafula' });
  const path = '/people/wafula@pay.example';
  const disable = { status: 'disabled', reason: 'Left' };
  expect((await admin.send('PUT', path, disable)).body).toMatchObject({ status: 'disabled' });
  expect((await stranger.send('POST', '/links/read', { token })).code).toBe('link_invalid');

  const log = await admin.get('/audit?target=wafula@pay.example');
  const { entries } = log.body as unknown as AuditAnswer;
  expect(entries).toMatchObject([
    {
      action: 'person.change',
      login: 'admin',
      reason: 'Left',
      before: { status: 'active' },
      after: { status: 'disabled' },
    },
    { action: 'person.add', reason: 'New here', after: { role: 'risk' }, result: 'done' },
  ]);
  expect(JSON.stringify(entries)).not.toContain(token);
});

test('the audit log page by page is the export', async () => {
  const admin = await signedIn('admin');
  for (let number = 0; number < 60; number += 1) {
    await admin.send('POST', '/billers/none/online', { reason: `=1+${number}` });
  }
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await admin.get(`/audit?action=biller.online${cursor}`);
    const { entries, next } = page.body as unknown as AuditAnswer;
    seen.push(...entries.map(({ reason }) => String(reason)));
    cursor = next === null ? '' : `&cursor=${encodeURIComponent(next)}`;
  } while (cursor !== '');
  expect(new Set(seen).size).toBe(60);
  const file = await fetch(`${running.origin}/console/api/audit/export?action=biller.online`, {
    headers: { cookie: admin.cookie },
  });
  const lines = (await file.text()).trimEnd().split('\r\n');
  expect(lines).toHaveLength(61);
  // A spreadsheet runs nothing.
  expect(lines[1]).toContain(`'=1+59`);
  expect((await admin.get('/audit?cursor=x')).code).toBe('invalid_field');
});
