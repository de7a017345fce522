import { beforeAll, expect, test } from 'vitest';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import type { PeopleDeps } from '../../src/parties/people/authenticity.ts';
import { changePerson } from '../../src/parties/people/administer.ts';
import { PEOPLE_AUTHENTIC } from '../../src/parties/people/authenticity.ts';
import { deletePasskey } from '../../src/parties/people/passkeys-store.ts';
import { findPasskey, listPasskeys } from '../../src/parties/people/read-passkeys.ts';
import { findPerson } from '../../src/parties/people/read-people.ts';
import { useCode } from '../../src/parties/people/sign-in.ts';
import { signedIn } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';

// Somebody with the runtime role keeps rows of people, sessions, passkeys and codes, and puts them back later.

const running = useService();
let deps: PeopleDeps;
beforeAll(async () => {
  deps = await peopleDepsOf(running);
});

test('a session that was ended is nobody’s, also in another process', async () => {
  const client = await signedIn(running.origin, 'support');
  await deps.pool.query('create temporary table kept as select * from sessions');
  const { cookie } = client;
  expect((await client.get('/session')).status).toBe(200);
  expect((await client.send('DELETE', '/session')).status).toBe(204);
  await deps.pool.query('insert into sessions select * from kept on conflict do nothing');
  client.cookie = cookie;
  expect((await client.get('/session')).code).toBe('not_signed_in');
});

test('former rows of a person let nobody in and give no rights', async () => {
  const { pool } = deps;
  await pool.query(`create temporary table former as select * from people where login = 'finance'`);
  await changePerson(deps, 'finance', { role: 'support' });
  expect(await PEOPLE_AUTHENTIC.find(pool, deps.ledgerMac)).toEqual([]);
  await pool.query(
    `update people p set role = f.role, mac = f.mac, version = f.version, waits_for = f.waits_for,
       credentials_at = f.credentials_at, password_hash = f.password_hash
     from former f where f.person_id = p.person_id`,
  );
  expect(await PEOPLE_AUTHENTIC.find(pool, deps.ledgerMac)).toEqual([
    expect.stringContaining('finance'),
  ]);
  const client = await signedIn(running.origin, 'admin');
  client.cookie = '';
  expect((await client.signIn('finance', DEMO_PASSWORD)).code).toBe('sign_in_failed');
  // The way out.
  await changePerson(deps, 'finance', { role: 'finance' });
  expect(await PEOPLE_AUTHENTIC.find(pool, deps.ledgerMac)).toEqual([]);
});

test('a person who gets an earlier role again is not taken for a former row', async () => {
  for (const role of ['operations', 'support', 'operations', 'support'] as const) {
    await changePerson(deps, 'support', { role });
    expect(await PEOPLE_AUTHENTIC.find(deps.pool, deps.ledgerMac)).toEqual([]);
  }
});

test('a passkey that was removed, and a code that was used, stay so', async () => {
  const { pool } = deps;
  const person = await findPerson(pool, 'admin');
  if (person === undefined) throw new Error('nobody');
  const { personId } = person;
  const insert = `insert into passkeys (credential_id, person_id, public_key, sign_count, transports, name, created_at, mac)
    values ('kept', '${personId}', 'x', 0, '{}', 'phone', now(), '')`;
  await pool.query(insert);
  expect(await findPasskey(pool, 'kept')).toBeDefined();
  expect(await deletePasskey(pool, personId, 'kept')).toBe(true);
  await pool.query(insert);
  expect(await findPasskey(pool, 'kept')).toBeUndefined();
  expect(await listPasskeys(pool, personId)).toEqual([]);

  expect(await useCode(pool, person, 57n)).toBe(true);
  expect(await useCode(pool, person, 57n)).toBe(false);
  for (const change of [`delete from ended_credentials`, `update ended_credentials set id = 'x'`]) {
    await expect(pool.query(change)).rejects.toThrow('permission denied');
  }
});
