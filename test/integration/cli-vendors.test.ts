import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { canonicalText } from '../../src/platform/base/canonical.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createVendorDirectory } from '../../src/parties/directory.ts';
import { sign, verify } from '../../src/parties/signature.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { countWaiting } from '../support/waiting.ts';
import { inProcess, keysOf, malipo, must, newKey, newMasterKey } from './cli-support.ts';
import type { Ran } from './cli-support.ts';
import { until } from './embedded-support.ts';

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

/** Which of the keys sign for the vendor now. */
async function directoryOf(masterKeys = keysOf(masterKey)) {
  const directory = createVendorDirectory(pool, masterKeys);
  await directory.reload();
  const signs = (vid: string, key: string): boolean => {
    const fields = new Map([['vid', vid]]);
    const hash = sign(canonicalText(fields), createSecretKey(key, 'utf8'));
    const reading = { fields: new Map([...fields, ['hash', hash]]) };
    return verify(reading, () => directory.vendor(vid)) !== undefined;
  };
  return { directory, signs };
}

async function versionOf(topic: string): Promise<bigint> {
  const read = await pool.query<{ version: bigint }>(
    'select version from settings_versions where topic = $1',
    [topic],
  );
  return read.rows[0]?.version ?? 0n;
}

describe('malipo vendor', () => {
  it('adds a vendor whose key is shown once and stored sealed', async () => {
    const before = await versionOf('vendors');
    const added = await malipo(
      environment,
      'vendor',
      'add',
      'duka',
      '--name',
      'Duka la Amani',
      '--sector',
      'retail',
      '--duplicate-check',
      'always',
      '--require-reference',
      '--status-text',
      'sentence',
    );
    expect(added).toMatchObject({ exitCode: 0, stderr: '' });
    expect(added.stdout).toContain('shown only once');
    const [, key = ''] = /^key +(\S{43})$/m.exec(added.stdout) ?? [];

    const { signs, directory } = await directoryOf();
    expect(signs('duka', key)).toBe(true);
    expect(directory.vendor('duka')).toMatchObject({
      name: 'Duka la Amani',
      sector: 'retail',
      suspended: false,
      duplicateCheck: 'always',
      referenceRequired: true,
      enquiryPolicy: 'strict',
      statusText: 'sentence',
    });
    expect(await versionOf('vendors')).toBe(before + 1n);
    const stored = await pool.query<{ whole: string }>(
      `select k::text || encode(k.sealed, 'escape') as whole from security_keys k
       where holder = 'duka'`,
    );
    expect(stored.rows).toHaveLength(1);
    expect(stored.rows[0]?.whole).not.toContain(key);

    for (const form of [[], ['--json']]) {
      const listed = await malipo(environment, 'vendor', 'list', ...form);
      expect(listed.stdout).toContain('Duka la Amani');
      expect(listed.stdout).not.toContain(key);
    }
  });

  it('adds one as JSON, with its accounts and default settings', async () => {
    const added = await must(environment, [
      'vendor',
      'add',
      'json-shop',
      '--name',
      'Shop',
      '--sector',
      'bank',
      '--json',
    ]);
    const document = added.json<{ vid: string; vendor_id: number; secret: string }>();
    expect(document).toEqual({
      vid: 'json-shop',
      vendor_id: expect.any(Number) as number,
      secret: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
    const listed = (await must(environment, 'vendor', 'list', '--json')).json<{
      vendors: readonly Record<string, unknown>[];
    }>();
    expect(listed.vendors.find(({ vid }) => vid === 'json-shop')).toMatchObject({
      status: 'active',
      duplicate_check: 'without_reference',
      reference_required: true,
      enquiry_policy: 'strict',
      float: '0.00',
      collected: '0.00',
      keys: [{ valid_until: null }],
    });
    const accounts = await pool.query('select account from accounts where vendor_id = $1', [
      document.vendor_id,
    ]);
    expect(accounts.rowCount).toBe(4);
  });

  it('refuses a vid that is taken, and changes nothing', async () => {
    const before = await versionOf('vendors');
    const again = await malipo(
      environment,
      'vendor',
      'add',
      'shop',
      '--name',
      'Another',
      '--sector',
      'bank',
      '--json',
    );
    expect(again).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'error: Vendor shop already exists.\n',
    });
    expect(await versionOf('vendors')).toBe(before);
    const { directory } = await directoryOf();
    expect(directory.vendor('shop')).toMatchObject({ name: 'shop', sector: 'bank' });
  });

  it.each([
    [['vendor', 'add', 'a b', '--name', 'A', '--sector', 'bank'], '<vid>'],
    [['vendor', 'add', 'a', '--name', 'A\u001B[2J', '--sector', 'bank'], '--name'],
    [['vendor', 'add', 'a', '--name', 'A', '--sector', 'circus'], '--sector'],
    [['vendor', 'add', 'a', '--name', 'A'], '--sector'],
    [['vendor', 'set', 'shop'], 'At least one of --name'],
    [['vendor', 'set', 'shop', '--duplicate-check', 'never'], '--duplicate-check'],
    [['vendor', 'rotate-key', 'shop', '--overlap', '1w'], '--overlap'],
    [['vendor', 'rotate-key', 'shop', '--overlap', '31d'], '--overlap'],
    [['vendor', 'list', '--jsn'], '--jsn'],
    [['vendor', 'forget'], 'forget'],
    [['vendor'], 'Usage: malipo vendor'],
    [['vender', 'list'], 'vender'],
  ])('reports %j as a mistake in the command line', async (args, named) => {
    const wrong = await inProcess(environment, ...args);
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toContain(named);
  });

  it('shows no escape sequence of an argument', async () => {
    for (const args of [['vendor', 'add', 'x', '--sector', '\u001b[31mred'], ['\u001b[31mred']]) {
      const wrong = await inProcess(environment, ...args);
      expect(wrong.exitCode).toBe(2);
      expect(wrong.stderr).toContain('\ufffd[31mred');
      expect(wrong.stderr).not.toContain('\u001b');
    }
  });

  it('changes only the settings that are given', async () => {
    await must(environment, 'vendor', 'add', 'setter', '--name', 'Setter', [
      '--sector',
      'retail',
      '--duplicate-check',
      'always',
    ]);
    await must(environment, 'vendor', 'set', 'setter', '--name', 'Duka Jipya');
    await must(environment, 'vendor', 'set', 'setter', '--no-require-reference');
    const { directory } = await directoryOf();
    expect(directory.vendor('setter')).toMatchObject({
      name: 'Duka Jipya',
      sector: 'retail',
      duplicateCheck: 'always',
      duplicateWindowSeconds: 120,
      referenceRequired: false,
    });
    const others = ['--sector', 'sacco', '--duplicate-check', 'off', '--require-reference'];
    await must(environment, 'vendor', 'set', 'setter', [
      ...others,
      ...['--signature', 'v2', '--enquiry-policy', 'open'],
    ]);
    await directory.reload();
    expect(directory.vendor('setter')).toMatchObject({
      name: 'Duka Jipya',
      sector: 'sacco',
      duplicateCheck: 'off',
      referenceRequired: true,
      signature: 'v2',
      enquiryPolicy: 'open',
    });
    await must(environment, 'vendor', 'set', 'setter', '--enquiry-policy', 'strict');
    const opened = ['add', 'opener', '--name', 'O', '--sector', 'bank', '--open-enquiries'];
    await must(environment, 'vendor', opened);
    await directory.reload();
    expect(directory.vendor('setter')?.enquiryPolicy).toBe('strict');
    expect(directory.vendor('opener')?.enquiryPolicy).toBe('open');
  });

  it('makes the reference mandatory by default', async () => {
    const add = ['--name', 'Shop', '--sector', 'bank'];
    await must(environment, 'vendor', 'add', 'strict', ...add);
    await must(environment, 'vendor', 'add', 'loose', ...add, '--optional-reference');
    const { directory } = await directoryOf();
    expect(directory.vendor('strict')?.referenceRequired).toBe(true);
    expect(directory.vendor('strict')?.duplicateWindowSeconds).toBe(30);
    // Clients repeat a create for longer than 30 s.
    expect(directory.vendor('loose')).toMatchObject({
      referenceRequired: false,
      duplicateWindowSeconds: 120,
    });
    await must(environment, 'vendor', 'set', 'loose', '--require-reference');
    await directory.reload();
    expect(directory.vendor('loose')?.referenceRequired).toBe(true);
  });

  it('suspends and resumes', async () => {
    const { directory } = await directoryOf();
    const suspended = await malipo(environment, 'vendor', 'suspend', 'shop', '--json');
    expect(suspended.json()).toEqual({ vid: 'shop', status: 'suspended' });
    await directory.reload();
    expect(directory.vendor('shop')?.suspended).toBe(true);
    const resumed = await must(environment, 'vendor', 'resume', 'shop');
    expect(resumed.stdout).toMatch(/^status +active$/m);
    await directory.reload();
    expect(directory.vendor('shop')?.suspended).toBe(false);
  });

  it.each(['set --name A', 'suspend', 'resume', 'rotate-key'])(
    'says that there is no such vendor to %s',
    async (verb) => {
      const [name = '', ...options] = verb.split(' ');
      const refused = await inProcess(environment, 'vendor', name, 'nobody', ...options);
      expect(refused).toMatchObject({
        exitCode: 1,
        stderr: 'error: Vendor nobody does not exist.\n',
      });
    },
  );

  it('keeps the former key valid until the overlap ends', async () => {
    const rotate = ['vendor', 'rotate-key', 'rotor'];
    const first = await newKey(environment, rotate);
    const second = await newKey(environment, rotate, '--overlap', '1h');
    expect(second).not.toBe(first);
    const { directory, signs } = await directoryOf();
    const rotatedAt = Date.now();
    expect(directory.vendor('rotor')?.keys).toHaveLength(2);
    expect([signs('rotor', first), signs('rotor', second)]).toEqual([true, true]);
    // It expires without a reload.
    vi.useFakeTimers({ toFake: ['Date'], now: rotatedAt + 3_540_000 });
    try {
      expect(signs('rotor', first)).toBe(true);
      vi.setSystemTime(rotatedAt + 3_600_000);
      expect([signs('rotor', first), signs('rotor', second)]).toEqual([false, true]);
    } finally {
      vi.useRealTimers();
    }

    const third = await newKey(environment, rotate, '--overlap', '0');
    await directory.reload();
    expect([signs('rotor', second), signs('rotor', third)]).toEqual([false, true]);
  });

  it('keeps a day’s overlap by default, two keys at most, and replaces no key twice', async () => {
    const rotated = await malipo(environment, 'vendor', 'rotate-key', 'rotor');
    expect(rotated.stdout).toMatch(/former one stays valid +86400$/m);
    // Two that replace the same key at the same moment: each waits until both have begun.
    const rotations: Promise<Ran>[] = [];
    await databaseTransaction(pool, async (client) => {
      await client.query("select from settings_versions where topic = 'vendors' for update");
      for (let count = 0; count < 2; count += 1) {
        rotations.push(inProcess(environment, 'vendor', 'rotate-key', 'rotor'));
      }
      await until(async () => {
        return (await countWaiting(pool)) === 2;
      });
    });
    const both = await Promise.all(rotations);
    expect(both.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
    expect(both.find(({ exitCode }) => exitCode === 1)?.stderr).toContain(
      'The secret of rotor was replaced or removed meanwhile.',
    );
    const { directory } = await directoryOf();
    expect(directory.vendor('rotor')?.keys).toHaveLength(2);
    const listed = await must(environment, 'vendor', 'list');
    expect(listed.stdout).toMatch(/rotor .* 2, one until \d{4}-\d\d-\d\d /);
  });
});
