import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { findLedgerMac } from '../../src/parties/ledger-key.ts';
import { addPerson, changePerson } from '../../src/parties/people/administer.ts';
import { PEOPLE_AUTHENTIC } from '../../src/parties/people/authenticity.ts';
import type { PeopleDeps } from '../../src/parties/people/authenticity.ts';
import { acceptLink, createLink } from '../../src/parties/people/links.ts';
import { findPerson } from '../../src/parties/people/read-people.ts';
import { createSessions } from '../../src/parties/people/sessions.ts';
import { checkSignIn } from '../../src/parties/people/sign-in.ts';
import { systemClock } from '../../src/platform/base/clock.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { useService } from '../support/use-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';

// Somebody with the runtime role alone, without MASTER_KEY, gives nobody more to do, and adds nobody.

const running = useService();
let deps: PeopleDeps;
let owner: Pool;
beforeAll(async () => {
  deps = await peopleDepsOf(running);
  owner = createPool({ url: running.database.ownerUrl, max: 1, name: 'owner' });
});
afterAll(async () => {
  await owner.end();
});

let people = 0;

/** Somebody who has a password, which is that of the demo. */
async function newPerson(): Promise<string> {
  people += 1;
  const login = `person${people}`;
  const now = new Date();
  await addPerson(deps, { login, name: 'P', role: 'support' }, now);
  await useLink(await createLink(deps, login, { madeBy: null, now }));
  return login;
}

async function useLink(token: string): Promise<void> {
  const { masterKeys } = running.sealing;
  const chosen = { token, password: DEMO_PASSWORD, codes: undefined };
  await acceptLink({ ...deps, masterKeys, codesRequired: false }, chosen, new Date());
}

async function update(login: string, change: string): Promise<void> {
  await deps.pool.query(`update people set ${change} where login = $1`, [login]);
}

async function signInAs(login: string): Promise<string> {
  const { masterKeys } = running.sealing;
  const request = {
    ...{ login, password: DEMO_PASSWORD, code: undefined },
    from: 'command line',
  } as const;
  return await checkSignIn({ ...deps, masterKeys, codesRequired: false }, request, new Date()).then(
    () => 'signed in',
    (error: { code: string }) => error.code,
  );
}

/** A session of the person, as the service finds it. */
async function sessionOf(login: string): Promise<() => Promise<string | undefined>> {
  const { masterKeys } = running.sealing;
  const sessions = createSessions({ ...deps, masterKeys, clock: systemClock });
  const { personId = '' } = (await findPerson(deps.pool, login)) ?? {};
  const { token } = await sessions.start({ personId, address: '127.0.0.1', browser: 'Firefox' });
  return async () => (await sessions.find(token))?.login;
}

const found = async (): Promise<string[]> => await PEOPLE_AUTHENTIC.find(deps.pool, deps.ledgerMac);

const CHANGES = {
  'the role': `role = 'administrator'`,
  'the password': `password_hash = (select password_hash from people where login = 'admin')`,
  'when it was chosen': `credentials_at = credentials_at + interval '1 day'`,
  'whether it was ever confirmed': 'was_confirmed = false',
  'the name': `name = 'Somebody else'`,
  'whom it waits for': 'waits_for = gen_random_uuid()',
  'the code': `mac = (select mac from people where login = 'admin')`,
  'no code': 'mac = null',
};

test.each(Object.entries(CHANGES))(
  'who is changed in %s is signed out, and stays out',
  async (_, change) => {
    const login = await newPerson();
    const session = await sessionOf(login);
    expect(await session()).toBe(login);
    expect(await found()).toEqual([]);
    await update(login, change);
    expect(await signInAs(login)).toBe('sign_in_failed');
    await expect(createLink(deps, login, { madeBy: null, now: new Date() })).rejects.toThrow(
      `${login} was changed in the database`,
    );
    await expect(changePerson(deps, login, { name: 'Q' })).rejects.toThrow(
      'changed in the database',
    );
    await expect(changePerson(deps, login, { status: 'active' })).rejects.toThrow('Set the role');
    expect(await found()).toEqual([expect.stringContaining(`${login}: was changed`)]);

    // Somebody else may know the password.
    await changePerson(deps, login, { role: 'support' });
    expect(await found()).toEqual([]);
    expect(await signInAs(login)).toBe('sign_in_failed');
    await useLink(await createLink(deps, login, { madeBy: null, now: new Date() }));
    expect(await signInAs(login)).toBe('signed in');
  },
);

test('somebody who is inserted does not sign in', async () => {
  await newPerson();
  await deps.pool.query(
    `insert into people (created_at, person_id, login, name, role, password_hash, credentials_at, mac)
     select created_at, gen_random_uuid(), 'mallory', 'M', role, password_hash, credentials_at, mac
     from people where login = 'admin'`,
  );
  expect(await signInAs('mallory')).toBe('sign_in_failed');
  expect(await found()).toEqual([expect.stringContaining('mallory: was changed')]);
  // Out of the way, without becoming anybody.
  await changePerson(deps, 'mallory', { status: 'disabled' });
  expect(await found()).toHaveLength(1);
  await owner.query(`delete from people where login = 'mallory'`);
});

test('a session of an earlier password is not put back', async () => {
  const login = await newPerson();
  const session = await sessionOf(login);
  const { personId = '' } = (await findPerson(deps.pool, login)) ?? {};
  const kept = await deps.pool.query<{ row: object }>(
    'select to_json(s) as row from sessions s where person_id = $1',
    [personId],
  );
  await useLink(await createLink(deps, login, { madeBy: null, now: new Date() }));
  await deps.pool.query(
    'insert into sessions select * from json_populate_record(null::sessions, $1)',
    [kept.rows[0]?.row],
  );
  expect(await session()).toBeUndefined();
});

test.each(['infinity', '-infinity', '290000-01-01'])(
  'nobody is inserted or changed at a time that a list cannot show: %s',
  async (time) => {
    const login = await newPerson();
    await expect(
      deps.pool.query(
        `insert into people (created_at, person_id, login, name, role)
         select $2, gen_random_uuid(), 'endless', 'E', role from people where login = $1`,
        [login, time],
      ),
    ).rejects.toThrow('people_dates');
    await expect(update(login, `credentials_at = '${time}'`)).rejects.toThrow('people_dates');
    await expect(
      deps.pool.query(
        `insert into passkeys (created_at, sign_count, person_id, credential_id, public_key, transports, name, mac)
         select $2, 0, person_id, 'endless', '', '{}', 'E', '' from people where login = $1`,
        [login, time],
      ),
    ).rejects.toThrow('passkeys_dates');
  },
);

test('somebody who was disabled is not enabled again', async () => {
  const login = await newPerson();
  await changePerson(deps, login, { status: 'disabled' });
  await update(login, `status = 'active'`);
  expect(await signInAs(login)).toBe('sign_in_failed');
  await changePerson(deps, login, { status: 'disabled', role: 'support' });
});

test('a change makes no link valid', async () => {
  const login = await newPerson();
  const token = await createLink(deps, login, { madeBy: null, now: new Date() });
  await update(login, `role = 'administrator'`);
  await expect(useLink(token)).rejects.toMatchObject({ code: 'link_invalid' });
  await changePerson(deps, login, { role: 'support' });
  // Only a new one.
  await expect(useLink(token)).rejects.toMatchObject({ code: 'link_invalid' });
});

test('a link that waits for a confirmation is not used without it', async () => {
  const login = await newPerson();
  const waitsFor = randomUUID();
  const confirm = async () => await Promise.resolve({ waitsFor, at: new Date() });
  const made = { madeBy: null, now: new Date() };
  const token = await createLink({ ...deps, confirm }, login, made);
  await owner.query('update person_links set waits_for = null');
  await expect(useLink(token)).rejects.toMatchObject({ code: 'link_invalid' });
  await useLink(await createLink({ ...deps, confirm }, login, made));
  await update(login, 'waits_for = null');
  expect(await signInAs(login)).toBe('sign_in_failed');
  await changePerson(deps, login, { role: 'support' });
});

test('the key of the codes is not ended', async () => {
  const { masterKeys } = running.sealing;
  await deps.pool.query(
    `select end_key(holder_kind, holder, key_id, now()) from security_keys where holder_kind = 'ledger'`,
  );
  expect(await findLedgerMac(deps.pool, masterKeys)).toBeDefined();
});
