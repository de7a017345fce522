import { createHash, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { acceptLink, createLink, readLink } from '../../src/parties/people/links.ts';
import type { PeopleDeps } from '../../src/parties/people/authenticity.ts';
import { beginPasskeySignIn, checkPasskey } from '../../src/parties/people/passkeys.ts';
import { hashOf } from '../../src/parties/people/sessions.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { newDevice } from '../support/device.ts';
import { useService } from '../support/use-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';

// Somebody with the runtime role alone, without MASTER_KEY, chooses nobody's password and adds no passkey.

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

/** Whom the link is for, or the code of the refusal. */
async function readerOf(token: string): Promise<string> {
  return await readLink(deps, token, new Date()).then(
    ({ login }) => login,
    (error: { code: string }) => error.code,
  );
}

async function insertLink(token: string, login: string, mac: Buffer): Promise<void> {
  await deps.pool.query(
    `insert into person_links (token_hash, person_id, created_at, expires_at, mac)
     select $1, person_id, now(), now() + interval '1 hour', $3 from people where login = $2`,
    [hashOf(token), login, mac],
  );
}

test('a link that is inserted is nobody’s', async () => {
  for (const mac of [randomBytes(32), Buffer.alloc(0)]) {
    const token = randomBytes(32).toString('base64url');
    await insertLink(token, 'admin', mac);
    expect(await readerOf(token)).toBe('link_invalid');
  }
});

const CHANGES = {
  'not at all': '',
  'to another person': `, person_id = (select person_id from people where login = 'admin')`,
  // Nobody would have to confirm the person.
  'to one of the command line': ', made_by = null',
  'to a later end': `, expires_at = expires_at + interval '1 day'`,
  'to no end': `, expires_at = 'infinity'`,
};

test.each(Object.entries(CHANGES))(
  'a link that was made, then changed: %s',
  async (kind, change) => {
    const { pool } = deps;
    const [maker] = (
      await pool.query<{ id: string }>(`select person_id as id from people where login = 'finance'`)
    ).rows;
    const token = await createLink(deps, 'support', {
      madeBy: maker?.id ?? null,
      now: new Date(),
    });
    // The runtime role could only make it last longer.
    await owner.query(`update person_links set used_at = null ${change} where token_hash = $1`, [
      hashOf(token),
    ]);
    expect(await readerOf(token)).toBe(kind === 'not at all' ? 'support' : 'link_invalid');
  },
);

async function useLink(token: string): Promise<void> {
  const { masterKeys } = running.sealing;
  const chosen = { token, password: DEMO_PASSWORD, codes: undefined };
  await acceptLink({ ...deps, masterKeys, codesRequired: false }, chosen, new Date());
}

test('a link that was used, or ended by one that was used, is not put back', async () => {
  const made = { madeBy: null, now: new Date() };
  const first = await createLink(deps, 'support', made);
  const { expiresAt } = await readLink(deps, first, new Date());
  const second = await createLink(deps, 'support', made);
  await useLink(second);
  for (const token of [first, second]) {
    await deps.pool.query(
      'update person_links set used_at = null, expires_at = $2 where token_hash = $1',
      [hashOf(token), expiresAt],
    );
    expect(await readerOf(token)).toBe('link_invalid');
  }
});

const party = { id: 'pay.example', origin: 'https://pay.example' };

/** What the device answers at a sign-in (WebAuthn §7.2), or who is signed in with it. */
async function signInWith(
  id: string,
  privateKey: KeyObject,
  asked?: { readonly challenge: string },
): Promise<string> {
  const now = new Date();
  const { challenge } = asked ?? (await beginPasskeySignIn({ ...deps, party }, now));
  const client = Buffer.from(
    JSON.stringify({ type: 'webauthn.get', challenge, origin: party.origin }),
  );
  const present = 0x01;
  const verified = 0x04;
  const authenticator = Buffer.concat([
    createHash('sha256').update(party.id).digest(),
    Buffer.from([present | verified, 0, 0, 0, 1]),
  ]);
  const signed = Buffer.concat([authenticator, createHash('sha256').update(client).digest()]);
  const response = {
    clientDataJSON: client.toString('base64url'),
    authenticatorData: authenticator.toString('base64url'),
    signature: sign('sha256', signed, privateKey).toString('base64url'),
  };
  const answer = { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  return await checkPasskey({ ...deps, party }, answer, now).then(
    ({ login }) => login,
    (error: { code: string }) => error.code,
  );
}

/** The runtime role writes the device to the database, as the given person's. */
async function insertDevice(login: string, macOf: (text: string) => Buffer) {
  const { publicKey, privateKey } = newDevice();
  const id = randomBytes(16).toString('base64url');
  const [person] = (
    await deps.pool.query<{ id: string; chosenAt: Date }>(
      'select person_id as id, credentials_at as "chosenAt" from people where login = $1',
      [login],
    )
  ).rows;
  const personId = person?.id ?? '';
  const text = JSON.stringify([
    ...['passkeys', id, personId, publicKey.toString('base64')],
    String(Number(person?.chosenAt)),
  ]);
  await deps.pool.query(
    `insert into passkeys (created_at, sign_count, person_id, credential_id, public_key, transports, name, mac)
     values (now(), 0, $1, $2, $3, '{}', 'telephone', $4)`,
    [personId, id, publicKey, macOf(text)],
  );
  return { id, privateKey };
}

test('a passkey that is inserted signs nobody in', async () => {
  // With the code that the service would have made it does: what follows is refused for the code alone.
  const own = await insertDevice('support', (text) => deps.ledgerMac.sign(text));
  expect(await signInWith(own.id, own.privateKey)).toBe('support');
  for (const mac of [randomBytes(32), Buffer.alloc(0)]) {
    const device = await insertDevice('admin', () => mac);
    expect(await signInWith(device.id, device.privateKey)).toBe('sign_in_failed');
  }
  const copied = await insertDevice('admin', (text) => {
    const [table, id, , ...rest] = JSON.parse(text) as string[];
    return deps.ledgerMac.sign(JSON.stringify([table, id, 'another person', ...rest]));
  });
  expect(await signInWith(copied.id, copied.privateKey)).toBe('sign_in_failed');
});

test('a passkey that a new link removed is not put back', async () => {
  const { id, privateKey } = await insertDevice('finance', (text) => deps.ledgerMac.sign(text));
  expect(await signInWith(id, privateKey)).toBe('finance');
  const kept = await deps.pool.query<{ row: object }>(
    'select to_json(k) as row from passkeys k where credential_id = $1',
    [id],
  );
  await useLink(await createLink(deps, 'finance', { madeBy: null, now: new Date() }));
  await deps.pool.query(
    `insert into passkeys (created_at, sign_count, person_id, credential_id, public_key, transports, name, mac)
     select created_at, 0, person_id, credential_id, public_key, transports, name, mac
     from json_populate_record(null::passkeys, $1)`,
    [kept.rows[0]?.row],
  );
  expect(await signInWith(id, privateKey)).toBe('sign_in_failed');
});

test('a challenge that is inserted or prolonged is nobody’s', async () => {
  const { id, privateKey } = await insertDevice('support', (text) => deps.ledgerMac.sign(text));
  const challenge = randomBytes(32).toString('base64url');
  await deps.pool.query(
    `insert into passkey_challenges (challenge, expires_at, mac) values ($1, now() + interval '1 minute', '')`,
    [challenge],
  );
  expect(await signInWith(id, privateKey, { challenge })).toBe('sign_in_failed');
  const earlier = new Date(Date.now() - 60 * 60 * 1000);
  const asked = await beginPasskeySignIn({ ...deps, party }, earlier);
  await owner.query(
    `update passkey_challenges set expires_at = now() + interval '1 minute' where challenge = $1`,
    [asked.challenge],
  );
  expect(await signInWith(id, privateKey, asked)).toBe('sign_in_failed');
});
