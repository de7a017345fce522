import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashOf } from '../../src/parties/people/sessions.ts';
import { ConsoleClient } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';

// Somebody with the runtime role alone, without MASTER_KEY, becomes nobody.

const running = useService();

/** The code of the answer to a request with this session. */
async function answerTo(token: string): Promise<string | number> {
  const client = new ConsoleClient(running.origin);
  client.cookie = `malipo=${token}`;
  const { code, status } = await client.get('/session');
  return code ?? status;
}

interface SessionChange {
  readonly login?: string;
  readonly expiresIn?: string;
  readonly mac?: Buffer | null;
  readonly tokenHash?: Buffer;
}

/** Inserts a copy of the session with this token, with a change, as the runtime role. */
async function replace(token: string, change: SessionChange = {}): Promise<void> {
  const { pool } = running.service;
  const [session] = (
    await pool.query<{ person_id: string; expires_at: Date; mac: Buffer | null }>(
      `delete from sessions where token_hash = $1
       returning person_id, expires_at, mac`,
      [hashOf(token)],
    )
  ).rows;
  await pool.query(
    `insert into sessions (token_hash, person_id, created_at, seen_at, expires_at, address, browser, mac)
     values ($1, coalesce((select person_id from people where login = $2), $3), now(), now(),
       coalesce(now() + $4::interval, $5), '10.0.0.5', 'Firefox', $6)`,
    [
      change.tokenHash ?? hashOf(token),
      change.login ?? null,
      session?.person_id ?? null,
      change.expiresIn ?? null,
      session?.expires_at ?? null,
      change.mac === undefined ? (session?.mac ?? null) : change.mac,
    ],
  );
}

async function signIn(login: string): Promise<string> {
  const client = new ConsoleClient(running.origin);
  await client.signIn(login);
  return client.cookie.replace(/^malipo=/, '');
}

test('a session that is inserted is nobody’s', async () => {
  for (const mac of [randomBytes(32), Buffer.alloc(0)]) {
    const token = randomBytes(32).toString('base64url');
    await replace(token, { login: 'admin', expiresIn: '1 hour', mac });
    expect(await answerTo(token)).toBe('not_signed_in');
  }
});

test('an inserted time that cannot be written as a date is nobody’s either', async () => {
  const token = randomBytes(32).toString('base64url');
  await replace(token, { login: 'admin', expiresIn: '290000 years', mac: randomBytes(32) });
  expect(await answerTo(token)).toBe('not_signed_in');
});

test('a session that was started works for its person, its token and its time only', async () => {
  const token = await signIn('support');
  await replace(token);
  // The copy is exact: what follows is refused for the change alone.
  expect(await answerTo(token)).toBe(200);
  await replace(token, { login: 'admin' });
  expect(await answerTo(token)).toBe('not_signed_in');
  const longer = await signIn('support');
  await replace(longer, { expiresIn: '10 years' });
  expect(await answerTo(longer)).toBe('not_signed_in');
  const own = randomBytes(32).toString('base64url');
  await replace(await signIn('admin'), { tokenHash: hashOf(own) });
  expect(await answerTo(own)).toBe('not_signed_in');
});
