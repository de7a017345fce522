import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANY_ACCOUNT } from '../../src/payments/billers/account-format.ts';
import { KENYAN_PREFIXES } from '../../src/payments/billers/kenyan-prefixes.ts';
import { findOperator } from '../../src/payments/billers/store.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { openKeys } from '../../src/parties/keys.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import {
  addBillers,
  inProcess,
  malipo,
  malipoTyped,
  must,
  newMasterKey,
  withInput,
} from './cli-support.ts';

let database: TestDatabase;
let pool: Pool;
const masterKey = newMasterKey();
let environment: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  environment = { DATABASE_URL: database.url, MASTER_KEY: masterKey };
  await addBillers(environment, 'https://pay.example.com/v1');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function secretsOf(operatorCode: string): Promise<string[]> {
  const masterKeys = { current: Buffer.from(masterKey, 'base64'), previous: undefined };
  const keys = await openKeys(pool, ['operator'], masterKeys);
  return keys.filter(({ holder }) => holder === operatorCode).map(({ secret }) => secret);
}

async function addOperator(operatorCode: string): Promise<void> {
  const options = ['--connector', 'http-json', '--base-url', 'https://pay.example.com'];
  await must(environment, 'operator', 'set', operatorCode, '--name', operatorCode, options);
}

async function billersVersion(): Promise<bigint> {
  const read = await pool.query<{ version: bigint }>(
    "select version from settings_versions where topic = 'billers'",
  );
  return read.rows[0]?.version ?? 0n;
}

interface BillerJson {
  readonly biller: string;
  readonly [name: string]: unknown;
}

async function billers(): Promise<readonly BillerJson[]> {
  const listed = await must(environment, 'biller', 'list', '--json');
  return listed.json<{ billers: BillerJson[] }>().billers;
}

describe('malipo operator', () => {
  it('adds an operator with the settings of its protocol', async () => {
    const before = await billersVersion();
    const added = await malipo(
      environment,
      'operator',
      'set',
      'powerworks',
      '--name',
      'Power Works',
      '--connector',
      'http-json',
      '--base-url',
      'https://pay.example.com/v1',
      '--max-concurrency',
      '16',
      '--setting',
      'pay_timeout_ms=20000',
      '--setting',
      'acceptance_window_ms=null',
      '--max-per-second',
      '5',
    );
    expect(added).toMatchObject({ exitCode: 0, stderr: '' });
    expect(added.stdout).toMatch(/^key +missing$/m);
    expect(await findOperator(pool, 'powerworks')).toEqual({
      operatorCode: 'powerworks',
      version: 1,
      name: 'Power Works',
      connector: 'http-json',
      baseUrl: 'https://pay.example.com/v1',
      settings: { pay_timeout_ms: 20_000, acceptance_window_ms: null },
      maxConcurrency: 16,
      maxPerSecond: 5,
    });
    expect(await billersVersion()).toBe(before + 1n);
  });

  it('changes only the given settings', async () => {
    await must(environment, 'operator', 'set', 'changer', [
      '--name',
      'Changer',
      '--connector',
      'http-json',
      '--base-url',
      'https://pay.example.com/v1',
      '--max-concurrency',
      '16',
      '--max-per-second',
      '5',
      '--setting',
      'pay_timeout_ms=20000',
      '--setting',
      'acceptance_window_ms=null',
    ]);
    const changed = await must(environment, 'operator', 'set', 'changer', '--json', [
      '--setting',
      'status_timeout_ms=9000',
      '--setting',
      'acceptance_window_ms=',
      '--no-max-per-second',
    ]);
    expect(changed.json()).toMatchObject({ decision: 'approved', open_instructions: 0 });
    expect(await findOperator(pool, 'changer')).toMatchObject({
      name: 'Changer',
      baseUrl: 'https://pay.example.com/v1',
      settings: { pay_timeout_ms: 20_000, status_timeout_ms: 9000 },
      maxConcurrency: 16,
      maxPerSecond: null,
    });
  });

  it.each([
    [['--setting', 'pay_timeout_ms=soon'], 1, 'pay_timeout_ms must be a whole number'],
    [['--setting', 'colour=red'], 1, 'colour'],
    [['--setting', 'a=1', '--setting', 'b=2', '--setting', 'a=2'], 1, 'a is given twice'],
    [['--name', 'A', '--name', 'B'], 2, '--name is given twice'],
    [
      ['--max-per-second', '5', '--no-max-per-second'],
      2,
      '--max-per-second and --no-max-per-second exclude each other',
    ],
    [['--name', 'A', '--by', 'A\u200bsha'], 1, '--by'],
    [['--name', 'A', '--by', '\u0430sha'], 1, '--by'],
    [['--name', 'A', '--by', 'x'.repeat(81)], 1, '--by'],
    [['--base-url', 'http://pay.example.com'], 1, 'https'],
    [['--connector', 'pigeon'], 2, '--connector'],
    [['--setting', 'pay_timeout_ms'], 2, '--setting'],
    [['--max-concurrency', '0'], 2, '--max-concurrency'],
    [[], 2, 'At least one of --name'],
  ])('refuses %j and changes nothing', async (options, exitCode, words) => {
    const before = await billersVersion();
    const refused = await inProcess(environment, 'operator', 'set', 'waterworks', ...options);
    expect(refused).toMatchObject({ exitCode, stdout: '' });
    expect(refused.stderr).toContain(words);
    expect(await billersVersion()).toBe(before);
  });

  it('says what is missing', async () => {
    const refused = await inProcess(
      environment,
      'operator',
      'set',
      'power',
      '--connector',
      'http-json',
      '--name',
      'Power',
    );
    expect(refused.stderr).toBe('error: --base-url: This option is required for a new entry.\n');
  });

  it('makes a secret, shows it once and replaces the former', async () => {
    await addOperator('keyworks');
    const made = await malipo(environment, 'operator', 'set-key', 'keyworks', '--json');
    const { secret: key } = made.json<{ secret: string }>();
    expect(key).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await secretsOf('keyworks')).toEqual([key]);
    const text = (await must(environment, 'operator', 'set-key', 'keyworks')).stdout;
    expect(text).toContain('shown only once');
    const [next = ''] = await secretsOf('keyworks');
    expect(text).toContain(next);
    expect(await secretsOf('keyworks')).toHaveLength(1);
    for (const form of [[], ['--json']]) {
      const listed = await must(environment, 'operator', 'list', form);
      expect(listed.stdout).toContain('keyworks');
      expect(listed.stdout).not.toContain(next);
    }
    const { operators } = (await must(environment, 'operator', 'list', '--json')).json<{
      operators: { operator: string }[];
    }>();
    const listed = operators.find((one) => one.operator === 'keyworks');
    expect(Object.keys(listed ?? {}).toSorted()).toEqual([
      ...['base_url', 'billers', 'blocked', 'connector', 'float', 'has_key', 'last_hour'],
      ...['max_concurrency', 'max_per_second', 'name', 'open_instructions', 'operator'],
      ...['settings', 'version'],
    ]);
  });

  it('sets a given secret without showing it, also from standard input', async () => {
    await addOperator('inputworks');
    const given = `whsec_${Buffer.alloc(32, 'one').toString('base64')}`;
    const set = await must(environment, 'operator', 'set-key', 'inputworks', '--key', given);
    expect(set.stdout + set.stderr).not.toContain(given);
    expect(await secretsOf('inputworks')).toEqual([given]);

    const piped = `whsec_${Buffer.alloc(32, 'two').toString('base64')}`;
    const command = ['operator', 'set-key', 'inputworks', '--key', '-', '--json'];
    const read = await withInput(`${piped}\n`, environment, ...command);
    expect(read.json()).toMatchObject({ secret: null, open_instructions: 0 });
    expect(await secretsOf('inputworks')).toEqual([piped]);

    // A terminal, which does not end after the line.
    const typed = await malipoTyped(environment, `${given}\n`, ...command);
    expect(typed.exitCode).toBe(0);
    expect(await secretsOf('inputworks')).toEqual([given]);
    await withInput(`${piped}\n`, environment, ...command);

    const empty = await inProcess(environment, ...command);
    expect(empty.exitCode).toBe(2);
    const bad = await inProcess(environment, 'operator', 'set-key', 'inputworks', '--key', 'abc');
    expect(bad.stderr).toContain('the key must be base64');
    expect(await secretsOf('inputworks')).toEqual([piped]);
    const nobody = await inProcess(environment, 'operator', 'set-key', 'nobody');
    expect(nobody.stderr).toBe('error: Operator nobody does not exist.\n');
  });
});

const WATER = ['--category', 'water', '--operator', 'waterworks'];

async function addBiller(billerCode: string, ...options: string[]): Promise<void> {
  const biller = ['biller', 'set', billerCode, '--name', billerCode, '--minimum', '50'];
  await must(environment, biller, WATER, options);
}

async function billerOf(billerCode: string): Promise<BillerJson | undefined> {
  return (await billers()).find((biller) => biller.biller === billerCode);
}

describe('malipo biller', () => {
  it('says what is missing to add one, and that its operator has to exist', async () => {
    const command = ['biller', 'set', 'nowhere', '--name', 'Nowhere', '--category', 'water'];
    const incomplete = await inProcess(environment, ...command, '--operator', 'waterworks');
    expect(incomplete).toMatchObject({
      exitCode: 1,
      stderr: 'error: --minimum: This option is required for a new entry.\n',
    });
    command.push('--minimum', '50', '--operator', 'none');
    const unknown = await inProcess(environment, ...command);
    expect(unknown.stderr).toBe('error: --operator: Operator none does not exist.\n');
    expect(await billerOf('nowhere')).toBeUndefined();
  });

  it('adds one, last in the list', async () => {
    const before = await billersVersion();
    const last = Math.max(...(await billers()).map(({ position }) => Number(position)));
    const add = ['biller', 'set', 'lake_water', '--name', 'Lake Water', '--minimum', '50'];
    const added = await malipo(environment, ...add, ...WATER, '--json');
    expect(added.json()).toMatchObject({ kind: 'operator_setting', decision: 'approved' });
    expect(await billersVersion()).toBe(before + 1n);
    expect((await billers()).at(-1)).toEqual({
      biller: 'lake_water',
      name: 'Lake Water',
      category: 'water',
      operator: 'waterworks',
      minimum: '50.00',
      maximum: null,
      fee: 'none',
      amounts: 'any',
      phone: false,
      validates: false,
      account_format: ANY_ACCOUNT.accountFormat,
      account_label: 'Account number',
      status: 'ONLINE',
      set_status: 'ONLINE',
      obstacle: null,
      offline_reason: null,
      offline_until: null,
      operators: ['waterworks'],
      quarantined: false,
      position: last + 1,
      last_hour: {
        ...{ created: 0, paid: 0, failed: 0, open: 0 },
        ...{ success_rate: null, p50_seconds: null, p95_seconds: null },
      },
    });
  });

  it('takes an account format with its label, and refuses one that it cannot use', async () => {
    const format = ['--account-format', '^[0-9]{11}$', '--account-label', 'Meter number'];
    await addBiller('meter_water', ...format);
    expect(await billerOf('meter_water')).toMatchObject({
      account_format: '^[0-9]{11}$',
      account_label: 'Meter number',
    });
    const listed = await must(environment, 'biller', 'list', '--wide');
    expect(listed.stdout).toContain('Meter number: ^[0-9]{11}$');
    const set = ['biller', 'set', 'meter_water', '--account-format'];
    for (const wrong of [
      '',
      '[0-9]{11}',
      '^(a+)+$',
      '^[0-9]*$',
      '^[0-9]{14,5}$',
      'x'.repeat(300),
    ]) {
      const refused = await inProcess(environment, ...set, wrong);
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr).toContain('error: --account-format: ');
    }
    await must(environment, ...set, 'msisdn');
    expect(await billerOf('meter_water')).toMatchObject({
      account_format: 'msisdn',
      account_label: 'Meter number',
    });
  });

  it('changes only the given settings', async () => {
    const all = ['--maximum', '70000', '--phone', '--validates', '--position', '9'];
    await addBiller('hill_water', ...all);
    await must(environment, 'price', 'set', 'hill_water', '--flat', '0.5', '--by', 'Asha');
    expect(await billerOf('hill_water')).toMatchObject({
      maximum: '70000.00',
      fee: '0.50',
      phone: true,
      validates: true,
      position: 9,
    });
    await must(environment, 'biller', 'set-status', 'hill_water', 'OFFLINE');
    await must(environment, 'biller', 'set', 'hill_water', '--no-maximum', '--no-phone');
    await must(environment, 'biller', 'set', 'hill_water', '--minimum', '100.5');
    expect(await billerOf('hill_water')).toMatchObject({
      name: 'hill_water',
      minimum: '100.50',
      maximum: null,
      fee: '0.50',
      phone: false,
      validates: true,
      position: 9,
      set_status: 'OFFLINE',
      status: 'OFFLINE',
    });
  });

  it.each([
    [['biller', 'set', 'water', '--minimum', '0'], 2, '--minimum'],
    [['biller', 'set', 'water', '--minimum', '1e3'], 2, '--minimum'],
    [['price', 'set', 'water', '--by', 'A', '--flat', '1.005'], 2, '--flat'],
    [['biller', 'set', 'Water!', '--minimum', '1'], 2, '<biller>'],
    [['biller', 'set', 'water'], 2, 'At least one of --name'],
    [['biller', 'set', 'water', '--json'], 2, 'At least one of --name'],
    [['biller', 'set', 'water', '--maximum', '10'], 1, '--maximum: The maximum is below'],
    [['biller', 'set-status', 'water', 'up'], 2, 'ONLINE, OFFLINE'],
    [['biller', 'set-status', 'none', 'ONLINE'], 1, 'Biller none does not exist.'],
  ])('refuses %j and changes nothing', async (args, exitCode, words) => {
    const before = await billersVersion();
    const refused = await inProcess(environment, ...args);
    expect(refused).toMatchObject({ exitCode, stdout: '' });
    expect(refused.stderr).toContain(words);
    expect(await billersVersion()).toBe(before);
  });

  it('sets ONLINE and OFFLINE, and distinguishes an open circuit breaker', async () => {
    await addBiller('dam');
    const offline = await malipo(environment, 'biller', 'set-status', 'dam', 'OFFLINE');
    expect(offline).toMatchObject({
      exitCode: 0,
      stdout: 'biller  dam\nstatus  OFFLINE (no reason given)\n',
    });
    expect(await billerOf('dam')).toMatchObject({ status: 'OFFLINE', obstacle: null });
    await must(environment, 'biller', 'set-status', 'dam', 'ONLINE');
    expect(await billerOf('dam')).toMatchObject({ status: 'ONLINE' });
    await pool.query(
      `insert into route_breakers (biller_code, operator_code, opened_at, probe_at, cooldown_ms, reason)
       select 'dam', operator_code, now(), now(), 5000, 'no answers' from billers where biller_code = 'dam'`,
    );
    expect(await billerOf('dam')).toMatchObject({
      status: 'OFFLINE',
      set_status: 'ONLINE',
      obstacle: 'circuit breaker: no answers',
    });
    const listed = await malipo(environment, 'biller', 'list');
    expect(listed.stdout).toMatch(/^dam .*OFFLINE \(circuit breaker: no answers\)$/m);
  });

  it('changes the operator at any time, because instructions stay with the one that got them', async () => {
    await addBiller('mover');
    await addOperator('hillworks');
    await must(environment, 'biller', 'set', 'mover', '--operator', 'hillworks');
    expect(await billerOf('mover')).toMatchObject({ operator: 'hillworks', status: 'ONLINE' });
  });
});

describe('malipo prefix', () => {
  it('sets, lists and removes', async () => {
    const before = await billersVersion();
    const set = await malipo(environment, 'prefix', 'set', '201', 'WATER', '--json');
    expect(set.json()).toEqual({ prefix: '201', biller: 'water' });
    await must(environment, 'prefix', 'set', '201', 'tv');
    expect(await billersVersion()).toBe(before + 2n);
    const listed = await must(environment, 'prefix', 'list', '--json');
    expect(listed.json()).toMatchObject({
      prefixes: expect.arrayContaining([{ prefix: '201', biller: 'tv' }]) as unknown,
    });
    expect((await must(environment, 'prefix', 'list')).stdout).toMatch(/^201 {5}tv$/m);
    await must(environment, 'prefix', 'remove', '201');
    expect((await must(environment, 'prefix', 'list')).stdout).not.toContain('201');
    const again = await inProcess(environment, 'prefix', 'remove', '201');
    expect(again).toMatchObject({
      exitCode: 1,
      stderr: 'error: Prefix 201 does not exist.\n',
    });
  });

  it.each([
    [['prefix', 'set', '0722', 'water'], 2, 'exactly 3 digits'],
    [['prefix', 'set', '722', 'none'], 1, 'Biller none does not exist.'],
  ])('refuses %j', async (args, exitCode, words) => {
    const refused = await inProcess(environment, ...args);
    expect(refused).toMatchObject({ exitCode, stdout: '' });
    expect(refused.stderr).toContain(words);
  });

  it('loads the Kenyan plan for the billers that exist', async () => {
    await addBiller('safaricom');
    const ofSafaricom = KENYAN_PREFIXES.filter(({ billerCode }) => billerCode === 'safaricom');
    const loaded = await must(environment, 'prefix', 'load-kenya', '--json');
    expect(loaded.json()).toEqual({
      loaded: ofSafaricom.length,
      missing_billers: ['airtel', 'jtl', 'telkom'],
    });
    const listed = (await must(environment, 'prefix', 'list', '--json')).json<{
      prefixes: { prefix: string; biller: string }[];
    }>();
    expect(listed.prefixes.filter(({ biller: code }) => code === 'safaricom')).toHaveLength(
      ofSafaricom.length,
    );
    const again = await must(environment, 'prefix', 'load-kenya');
    expect(again.stdout).toContain('unknown billers  airtel, jtl, telkom');
  });
});

describe('codes', () => {
  it('codes are accepted in any case', async () => {
    const set = await must(environment, 'biller', 'set-status', 'WATER', 'Online');
    expect(set.stdout).toBe('biller  water\nstatus  ONLINE\n');
  });

  it('invalid codes are refused in plain words', async () => {
    const refused = await inProcess(environment, 'biller', 'set-status', 'city-water', 'ONLINE');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toBe('error: <biller> must be 1 to 40 letters, digits or underscores\n');
  });
});

describe('malipo route', () => {
  it('sets, lists, tries and removes', async () => {
    await addBiller('mill');
    await addOperator('reserve');
    const route = (...rest: string[]) => malipo(environment, 'route', ...rest, '--json');
    expect((await route('mill', '100')).json()).toMatchObject({
      operator: 'waterworks',
      reason: null,
    });
    const set = await route('set', 'mill', 'reserve', '--maximum', '5000');
    expect(set.json()).toMatchObject({ kind: 'operator_setting', decision: 'approved' });
    expect((await route('list', '--biller', 'mill')).json()).toMatchObject({
      routes: [
        { operator: 'waterworks', position: 0, maximum: null, obstacle: null },
        { operator: 'reserve', position: 1, maximum: '5000.00', obstacle: null },
      ],
    });
    expect((await route('mill', '100')).json()).toMatchObject({
      operator: 'waterworks',
      reason: 'first',
    });
    await must(environment, 'route', 'set', 'mill', 'waterworks', '--status', 'OFFLINE');
    expect((await route('mill', '100')).json()).toMatchObject({
      operator: 'reserve',
      reason: 'waterworks: set OFFLINE',
    });
    const large = await malipo(environment, 'route', 'mill', '5000.01');
    expect(large.stdout).toMatch(/reserve .*the amount is outside its range/);
    expect(large.stdout).toMatch(/Nothing would be sent/);
    const own = await malipo(environment, 'route', 'remove', 'mill', 'waterworks');
    expect(own).toMatchObject({ exitCode: 1 });
    expect(own.stderr).toMatch(/is the biller’s own operator/);
    await must(environment, 'route', 'remove', 'mill', 'reserve');
    expect(await billerOf('mill')).toMatchObject({ status: 'OFFLINE', operators: ['waterworks'] });
  });
});
