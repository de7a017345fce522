import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { openKeys } from '../../src/parties/keys.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { addBillers, inProcess, keysOf, malipo, must, newMasterKey } from './cli-support.ts';
import type { Environment } from './cli-support.ts';

let database: TestDatabase;
let pool: Pool;
const masterKey = newMasterKey();
let environment: Environment;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  environment = { DATABASE_URL: database.url, MASTER_KEY: masterKey };
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

async function addShop(): Promise<void> {
  await must(environment, 'vendor', 'add', 'shop', '--name', 'Shop', '--sector', 'bank');
}

describe('the master key', () => {
  it('only new keys need the master key', async () => {
    await addShop();
    const without = { DATABASE_URL: database.url, DATA_DIR: '/nonexistent' };
    expect((await inProcess(without, 'vendor', 'list')).exitCode).toBe(0);
    const refused = await malipo(without, 'vendor', 'rotate-key', 'shop');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('MASTER_KEY');
  });

  it('must be the one that sealed the stored keys', async () => {
    await addShop();
    const other = { ...environment, MASTER_KEY: newMasterKey() };
    const refused = await inProcess(other, 'vendor', 'rotate-key', 'shop');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('another master key');
    // Still refused with the right key as the previous one: the service must have both first.
    const early = { ...other, MASTER_KEY_PREVIOUS: masterKey };
    expect((await inProcess(early, 'vendor', 'rotate-key', 'shop')).exitCode).toBe(1);
    await expect(openKeys(pool, ['vendor'], keysOf(masterKey))).resolves.toBeDefined();
  });

  it('the master key is not taken from a sandbox that may be another one’s', async () => {
    const dataDir = await makeTemporaryFolder();
    try {
      await writeFile(`${dataDir}/master-key`, newMasterKey());
      const guess = { DATABASE_URL: database.url, DATA_DIR: dataDir };
      const add = ['vendor', 'add', 'first', '--name', 'First', '--sector', 'bank'];
      const refused = await inProcess(guess, ...add);
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain('Set MASTER_KEY');
      expect((await inProcess({ ...guess, MASTER_KEY: masterKey }, ...add)).exitCode).toBe(0);
    } finally {
      await removeFolder(dataDir);
    }
  });

  it('the master key is changed by sealing everything again, any number of times', async () => {
    const next = newMasterKey();
    const now = environment;
    const both = { ...now, MASTER_KEY: next, MASTER_KEY_PREVIOUS: masterKey };
    const kinds = ['vendor', 'collector', 'operator'] as const;
    await addShop();
    await must(now, 'vendor', 'rotate-key', 'shop');
    await must(now, 'collector', 'add', 'till', '--name', 'Till', '--all-vendors');
    await addBillers(now, 'https://pay.example.com');
    const before = await openKeys(pool, kinds, keysOf(masterKey));
    expect(before).toHaveLength(4);

    const unset = await inProcess({ DATABASE_URL: database.url }, 'keys', 'reseal');
    expect(unset.stderr).toContain('Set MASTER_KEY to the new key');
    const alone = await inProcess({ ...now, MASTER_KEY: next }, 'keys', 'reseal');
    expect(alone.exitCode).toBe(1);
    // With the ledger's, which signed the decision about the rotation.
    expect(alone.stderr).toContain('5 of 5 stored keys');
    expect(await openKeys(pool, kinds, keysOf(masterKey))).toEqual(before);

    const sealed = await malipo(both, 'keys', 'reseal', '--json');
    expect(sealed.json()).toEqual({ resealed: 5, already: 0 });
    expect(await openKeys(pool, kinds, keysOf(next))).toEqual(before);
    const repeated = await must(both, 'keys', 'reseal');
    expect(repeated.stdout).toMatch(/^encrypted under the new master key +0\nwere already +5\n$/);
    // From now on the former key is not needed, and cannot create new keys.
    await must({ ...now, MASTER_KEY: next }, 'vendor', 'rotate-key', 'shop');
    expect((await inProcess(now, 'vendor', 'rotate-key', 'shop')).exitCode).toBe(1);
  });
});
