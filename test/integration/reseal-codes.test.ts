import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson } from '../../src/parties/people/administer.ts';
import { acceptLink, createLink } from '../../src/parties/people/links.ts';
import { newCodeSecret } from '../../src/parties/people/one-time-code.ts';
import { resealAllKeys } from '../../src/parties/people/reseal.ts';
import { checkSignIn } from '../../src/parties/people/sign-in.ts';
import { createMac } from '../../src/platform/base/mac.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';

const OLD = randomBytes(32);
const NEW = randomBytes(32);
const password = 'a good long password';
const secret = newCodeSecret();
const ledgerMac = createMac(Buffer.alloc(32));
let pool: Pool;

const codeAt = (now: Date): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() });

beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, max: 2, name: 'test' });
  const deps = { pool, ledgerMac };
  const now = new Date('2026-03-01T12:00:00Z');
  await addPerson(deps, { login: 'asha', name: 'Asha', role: 'support' }, now);
  const token = await createLink(deps, 'asha', { madeBy: null, now });
  const masterKeys = { current: OLD, previous: undefined };
  const chosen = { token, password, codes: { secret, code: codeAt(now) } };
  await acceptLink({ ...deps, masterKeys, codesRequired: true }, chosen, now);
});
afterAll(async () => {
  await pool.end();
});

test('people sign in with the same codes under the new master key alone after a reseal', async () => {
  const stranger = { current: NEW, previous: randomBytes(32) };
  await expect(resealAllKeys(pool, stranger)).rejects.toThrow('one-time codes of 1 people');
  const both = { current: NEW, previous: OLD };
  expect(await resealAllKeys(pool, both)).toEqual({ resealed: 1, already: 0 });
  expect(await resealAllKeys(pool, both)).toEqual({ resealed: 0, already: 1 });
  const now = new Date('2026-03-01T12:10:00Z');
  const masterKeys = { current: NEW, previous: undefined };
  const request = { login: 'asha', password, code: codeAt(now), from: 'command line' } as const;
  await expect(
    checkSignIn({ pool, ledgerMac, masterKeys, codesRequired: true }, request, now),
  ).resolves.toBe(
    (await pool.query<{ id: string }>('select person_id as id from people')).rows[0]?.id,
  );
});
