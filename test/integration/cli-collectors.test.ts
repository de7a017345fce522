import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createVendorDirectory } from '../../src/parties/directory.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { inProcess, keysOf, malipo, must, newMasterKey } from './cli-support.ts';

let database: TestDatabase;
let pool: Pool;
const masterKey = newMasterKey();
let environment: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  environment = { DATABASE_URL: database.url, MASTER_KEY: masterKey };
  for (const vid of ['shop', 'rotor']) {
    await must(environment, 'vendor', 'add', vid, '--name', vid, '--sector', 'bank');
  }
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function readDirectory() {
  const directory = createVendorDirectory(pool, keysOf(masterKey));
  await directory.reload();
  return directory;
}

describe('malipo collector', () => {
  it('must be given the vendors that it serves', async () => {
    const add = ['collector', 'add', 'kiosk', '--name', 'Kiosk'];
    for (const wrong of [[], ['--vendor', 'a b']]) {
      expect(await inProcess(environment, ...add, ...wrong)).toMatchObject({ exitCode: 2 });
    }
    const both = await inProcess(environment, ...add, '--vendor', 'shop', '--all-vendors');
    expect(both.stderr).toBe('error: --vendor must not be given with all_vendors\n');
    expect(await inProcess(environment, ...add, '--vendor', 'nobody')).toMatchObject({
      exitCode: 1,
      stderr: 'error: Vendor nobody does not exist.\n',
    });
    await must(environment, ...add, '--vendor', 'shop', '--vendor', 'rotor', '--vendor', 'shop');
    const directory = await readDirectory();
    expect(directory.collector('kiosk')?.scope).toEqual(['shop', 'rotor']);
    await must(environment, 'collector', 'set', 'kiosk', '--signature', 'v2');
    await directory.reload();
    expect(directory.collector('kiosk')?.scope).toEqual(['shop', 'rotor']);
    await must(environment, 'collector', 'set', 'kiosk', '--all-vendors');
    await directory.reload();
    expect(directory.collector('kiosk')?.scope).toBe('all');
    await must(environment, 'collector', 'set', 'kiosk', '--vendor', 'rotor');
    await directory.reload();
    expect(directory.collector('kiosk')?.scope).toEqual(['rotor']);

    const income = ['--collector', 'kiosk', '--reference', 'R1', '--amount', '5'];
    const collect = ['income', 'collect', ...income];
    for (const vid of ['shop', 'nobody']) {
      const refused = await inProcess(environment, ...collect, '--vid', vid);
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr).toContain('This collector may not report income for this vendor');
    }
    await must(environment, ...collect, '--vid', 'rotor');
  });

  it('adds, lists, rotates, suspends and resumes', async () => {
    const added = await malipo(
      environment,
      'collector',
      'add',
      'till',
      '--name',
      'Till of the shop',
      '--vendor',
      'shop',
      '--json',
    );
    const { secret: key } = added.json<{ secret: string }>();
    expect(key).toMatch(/^[\w-]{43}$/);
    const directory = await readDirectory();
    expect(directory.collector('till')).toMatchObject({
      name: 'Till of the shop',
      scope: ['shop'],
    });
    const again = await inProcess(
      environment,
      'collector',
      'add',
      'till',
      '--name',
      'Till',
      '--all-vendors',
    );
    expect(again.stderr).toBe('error: Collector till already exists.\n');
    const other = ['collector', 'add', 'TILL', '--name', 'Till', '--all-vendors'];
    const alike = await inProcess(environment, ...other);
    expect(alike.stderr).toContain('Collector till already exists; upper and lower case');

    const rotated = await must(environment, 'collector', 'rotate-key', 'till', '--json');
    expect(rotated.json()).toMatchObject({ secret: expect.any(String) });
    await must(environment, 'collector', 'set', 'till', '--signature', 'v2');
    await must(environment, 'collector', 'suspend', 'till');
    await directory.reload();
    expect(directory.collector('till')).toMatchObject({ signature: 'v2' });
    expect(directory.collector('till')).toMatchObject({ suspended: true });
    expect(directory.collector('till')?.keys).toHaveLength(2);
    const listed = await must(environment, 'collector', 'list');
    expect(listed.stdout).toMatch(
      /^till {2,}Till of the shop {2,}suspended {2,}v2 {2,}shop {2,}2, one until/m,
    );
    await must(environment, 'collector', 'resume', 'till');
    const resumed = (await must(environment, 'collector', 'list', '--json')).json<{
      collectors: readonly unknown[];
    }>();
    expect(resumed.collectors).toContainEqual(
      expect.objectContaining({ collector: 'till', status: 'active', vendors: ['shop'] }),
    );
  });

  it.each(['suspend', 'resume', 'rotate-key'])(
    'says that the collector to %s does not exist',
    async (verb) => {
      const refused = await inProcess(environment, 'collector', verb, 'nobody');
      expect(refused).toMatchObject({
        exitCode: 1,
        stderr: 'error: Collector nobody does not exist.\n',
      });
    },
  );
});
