import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NameShares } from '../../src/credit/bureaus/name-shares.ts';
import { subjectLocation } from '../../src/credit/registry/profile.ts';
import { putSubjects } from '../../src/credit/registry/subjects-store.ts';
import { createVault } from '../../src/credit/registry/vault.ts';
import { DAY_MS } from '../../src/platform/base/days.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

let database: TestDatabase;
let pool: Pool;
const key = { current: randomBytes(32), previous: undefined };
const vault = createVault({ master: key, index: key });
let now = Date.parse('2026-11-01T08:00:00Z');
const clock = { now: () => new Date(now) };

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 1, name: 'test' });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** One of them with a typing error. */
const SELDOM = ['Shuaib', 'Shuaib', 'Shuaib', 'Shuayb'];

async function add(from: number, people: readonly string[]): Promise<void> {
  const subjects = people.map((surname, index) => {
    const crn = BigInt(from + index);
    const profile = JSON.stringify({ name: { surname, forenames: ['Amani', 'Wanjiko'] } });
    return { crn, sealed: vault.seal(profile, subjectLocation(crn)) };
  });
  await putSubjects(pool, 'new', subjects, clock.now());
}

test('the frequency of a name is that in the registry, drawn again each day', async () => {
  const shares = new NameShares({ pool, vault, clock });
  await add(1, ['Otieno', 'Kamau']);
  // Too few people to call a name frequent.
  expect((await shares.current()).shareOf('AMANI')).toBe(0);
  await add(
    3,
    Array.from({ length: 598 }, (_, at) => SELDOM[at] ?? (at % 2 === 0 ? 'Otieno' : 'Kamau')),
  );
  expect((await shares.current()).shareOf('AMANI')).toBe(0);
  now += DAY_MS;
  const { shareOf, isInUse } = await shares.current();
  expect(shareOf('AMANI')).toBe(1);
  expect(shareOf('WANJIKU'), 'another spelling of the name on file').toBe(1);
  expect(shareOf('OTIENO')).toBeCloseTo(0.5);
  expect(shareOf('KILONZO')).toBe(0);
  expect([isInUse('SHUAIB'), isInUse('SHUAYB'), isInUse('KILONZO')]).toEqual([true, false, true]);
});
