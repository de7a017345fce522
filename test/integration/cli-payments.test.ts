import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalText } from '../../src/platform/base/canonical.ts';
import { compose } from '../../src/service.ts';
import type { Service } from '../../src/service.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { sign } from '../../src/parties/signature.ts';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { addBillers, inProcess, malipo, must, newKey, newMasterKey } from './cli-support.ts';
import { until } from './embedded-support.ts';

let database: TestDatabase;
let environment: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, MASTER_KEY: newMasterKey() };
  await addBillers(environment, 'https://pay.example.com');
  await must(environment, 'collector', 'add', 'till', '--name', 'Till', '--all-vendors');
  await addVendor('shop', '--optional-reference');
});
afterAll(async () => {
  await database.drop();
});

async function addVendor(vid: string, ...options: string[]): Promise<string> {
  const vendor = ['vendor', 'add', vid, '--name', vid, '--sector', 'retail'];
  return await newKey(environment, vendor, options);
}

function collectArgs(vid: string, reference: string, amount = '1000'): string[] {
  return [
    'income',
    'collect',
    '--collector',
    'till',
    '--vid',
    vid,
    '--reference',
    reference,
    '--amount',
    amount,
  ];
}

async function addFloat(vid: string): Promise<void> {
  await must(environment, collectArgs(vid, `float-${vid}`));
  await must(environment, 'income', 'fund', vid);
}

function payArgs(vid: string, account: string, ...options: string[]): string[] {
  const usual = [
    ['--biller', 'water'],
    ['--amount', '100'],
  ].filter(([option = '']) => !options.includes(option));
  return ['pay', '--vid', vid, '--account', account, ...usual.flat(), ...options];
}

describe('malipo income', () => {
  it('collect and fund bring income in and into the float', async () => {
    await addVendor('saver');
    const collected = await malipo(environment, ...collectArgs('saver', 'c-1', '120.5'), '--json');
    expect(collected.json()).toEqual({
      vid: 'saver',
      amount: '120.50',
      reference: expect.stringMatching(/^[0-9A-Z]{32}$/) as string,
      posted_at: expect.any(String) as string,
      repeated: false,
      collected: '120.50',
      proposal: expect.any(String) as string,
      ...{ decision: 'approved', would: null, seen: null },
    });
    const funded = await malipo(environment, 'income', 'fund', 'saver');
    expect(funded).toMatchObject({ exitCode: 0, stderr: '' });
    expect(funded.stdout).toMatch(/^amount +120\.50$/m);
    expect(funded.stdout).toMatch(/^float now +120\.50$/m);
    const nothing = await must(environment, 'income', 'fund', 'saver', '--json');
    expect(nothing.json()).toMatchObject({ amount: '0.00', reference: null, repeated: false });
  });

  it('take a collection once, also without its time', async () => {
    const first = await must(environment, collectArgs('shop', 'c-2'), '--json');
    const again = await must(environment, collectArgs('shop', 'c-2'), '--json');
    expect(again.json()).toMatchObject({
      repeated: true,
      reference: first.json()['reference'],
    });
    const timed = [...collectArgs('shop', 'c-3'), '--paid-at'];
    await must(environment, timed, '2026-01-02 10:00:00');
    const same = await must(environment, timed, '2026-01-02T07:00:00Z', '--json');
    expect(same.json()).toMatchObject({ repeated: true });
    const other = await inProcess(environment, ...timed, '2026-01-02 10:00:01');
    expect(other).toMatchObject({ exitCode: 1, stdout: '' });
    expect(other.stderr).toContain('reference_reused');
    const otherAmount = await inProcess(environment, ...collectArgs('shop', 'c-2', '999'));
    expect(otherAmount.stderr).toContain('--reference');
  });

  it.each([
    [collectArgs('shop', 'x', '0'), 2, '--amount'],
    [collectArgs('shop', 'x', '-5'), 2, '--amount'],
    [collectArgs('shop', ' x'), 2, '--reference'],
    [[...collectArgs('shop', 'x'), '--paid-at', 'noon'], 1, '--paid-at'],
    [collectArgs('nobody', 'x'), 1, '--vid: Unknown vendor'],
    [['income', 'collect', '--vid', 'shop'], 2, '--collector'],
    [['income', 'fund', 'nobody'], 1, 'Vendor nobody does not exist'],
    [['income', 'fund'], 2, "missing required argument 'vid'"],
  ])('refuse %j', async (args, exitCode, words) => {
    const refused = await inProcess(environment, ...args);
    expect(refused).toMatchObject({ exitCode, stdout: '' });
    expect(refused.stderr).toContain(words);
  });

  it('refuse an unknown and a suspended collector', async () => {
    const unknown = collectArgs('shop', 'c-4').map((word) => (word === 'till' ? 'safe' : word));
    expect((await inProcess(environment, ...unknown)).stderr).toContain(
      '--collector: There is no collector safe',
    );
    await must(environment, 'collector', 'suspend', 'till');
    try {
      const refused = await inProcess(environment, ...collectArgs('shop', 'c-4'));
      expect(refused).toMatchObject({ exitCode: 1 });
      expect(refused.stderr).toContain('--collector: This collector is suspended');
    } finally {
      await must(environment, 'collector', 'resume', 'till');
    }
  });
});

describe('malipo pay, status and payments', () => {
  beforeAll(async () => {
    await addFloat('shop');
  });

  it('pay creates a payment, and status and payments show it', async () => {
    const paid = await malipo(
      environment,
      ...payArgs('shop', '1001'),
      '--json',
      ['--merchant-reference', 'inv-1'].join('='),
    );
    const created = paid.json();
    expect(created).toMatchObject({
      vid: 'shop',
      biller: 'water',
      account: '1001',
      amount: '100.00',
      merchant_reference: 'inv-1',
      status: 'QUEUED',
      replayed: false,
    });
    const { replayed: _, ...view } = created;
    const reference = String(view['reference']);
    const show = ['payment', 'show', reference];
    expect((await malipo(environment, ...show, '--json')).json()).toEqual(view);
    const shown = await must(environment, show);
    expect(shown.stdout).toMatch(/^status +QUEUED$/m);
    const find = ['payment', 'find', 'inv-1', '--vid', 'shop', '--json'];
    expect((await must(environment, find)).json()).toMatchObject({
      payments: [{ reference, status: 'QUEUED' }],
      next: null,
    });
  });

  it('pay the same reference once', async () => {
    const pay = payArgs('shop', '1002', '--merchant-reference', 'inv-2');
    const first = await must(environment, pay, '--json');
    const again = await must(environment, pay, '--json');
    expect(again.json()).toEqual({ ...first.json(), replayed: true });
    expect((await must(environment, pay)).stdout).toMatch(/^accepted before +yes$/m);
    const log = ['audit', '--action', 'payment.create', '--limit', '1', '--json'];
    expect((await must(environment, log)).json()).toMatchObject({
      entries: [{ target: first.json()['reference'], channel: 'command', after: { vid: 'shop' } }],
    });
    const other = await inProcess(
      environment,
      ...payArgs('shop', '1003', '--merchant-reference', 'inv-2'),
    );
    expect(other).toMatchObject({ exitCode: 1, stdout: '' });
    expect(other.stderr).toContain('--merchant-reference: ');
    expect(other.stderr).toContain('reference_reused');
  });

  it.each([
    [payArgs('shop', '1', '--amount', '49.99'), 1, '--amount: The minimum amount of water is'],
    [payArgs('shop', '1', '--amount', '999999'), 1, 'insufficient_float'],
    [payArgs('shop', '1', '--amount', '1.001'), 2, '--amount'],
    [payArgs('shop', '1', '--biller', 'none'), 1, '--biller: There is no biller none'],
    [payArgs('shop', '1', '--biller', 'tv'), 1, '--phone: tv needs a phone number'],
    [payArgs('shop', '1', '--phone', 'home'), 2, '--phone'],
    [payArgs('shop', '-1'), 2, '--account'],
    [payArgs('shop', '1', '--wait', '0'), 2, '--wait'],
    [payArgs('nobody', '1'), 1, '--vid: Unknown vendor'],
    [['payment', 'show'], 2, "missing required argument 'reference'"],
    [['payment', 'show', 'x'], 1, 'No payment has this reference'],
    [['payment', 'show', 'x y'], 2, '<reference> must be an ipay_reference'],
    [['payment', 'list', '--limit', '201'], 2, '--limit'],
    [['payment', 'list', '--status', 'PAID'], 2, '--status'],
    [['payment', 'list', '--vid', 'nobody'], 1, '--vid: Unknown vendor'],
  ])('refuse %j', async (args, exitCode, words) => {
    const refused = await inProcess(environment, ...args);
    expect(refused).toMatchObject({ exitCode, stdout: '' });
    expect(refused.stderr).toContain(words);
  });

  it('refuse a likely duplicate, a missing reference and a suspended vendor', async () => {
    await must(environment, payArgs('shop', '1004'));
    const twin = await inProcess(environment, ...payArgs('shop', '1004'));
    expect(twin.stderr).toContain('likely_duplicate');
    await addVendor('strict');
    const without = await inProcess(environment, ...payArgs('strict', '1'));
    expect(without.stderr).toContain('--merchant-reference is required');
    await must(environment, 'vendor', 'suspend', 'strict');
    for (const [args, field] of [
      [payArgs('strict', '1'), '--vid'],
      [['income', 'fund', 'strict'], '<vid>'],
    ] as const) {
      const suspended = await inProcess(environment, ...args);
      expect(suspended).toMatchObject({
        exitCode: 1,
        stderr: `error: ${field}: This vendor is suspended (vendor_suspended)\n`,
      });
    }
  });

  it('refuse a biller that is OFFLINE', async () => {
    await must(environment, 'biller', 'set-status', 'water', 'OFFLINE');
    try {
      const refused = await inProcess(environment, ...payArgs('shop', '1005'));
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr).toContain('--biller: The biller is offline');
    } finally {
      await must(environment, 'biller', 'set-status', 'water', 'ONLINE');
    }
  });

  it('do not show another vendor’s payments', async () => {
    const paid = await must(environment, payArgs('shop', '1006'), '--json');
    await addVendor('other');
    const reference = String(paid.json()['reference']);
    const found = await inProcess(environment, 'payment', 'find', reference, '--vid', 'other');
    expect(found).toMatchObject({ exitCode: 1, stdout: '(no payments)\n' });
    const none = await must(environment, 'payment', 'list', '--vid', 'other');
    expect(none.stdout).toBe('(no payments)\n');
  });

  it('wait no longer than --wait, and say that the payment has not ended', async () => {
    const waited = await inProcess(environment, ...payArgs('shop', '1007', '--wait', '1'));
    expect(waited.exitCode).toBe(3);
    expect(waited.stdout).toMatch(/^status +QUEUED$/m);
    expect(waited.stdout).toContain('It has no final result yet');
  });

  it('list the newest first, by status and up to a limit', async () => {
    await addVendor('lister', '--optional-reference');
    await addFloat('lister');
    for (const account of ['1', '2', '3']) await must(environment, payArgs('lister', account));
    const list = async (...options: string[]): Promise<unknown[]> =>
      (await must(environment, 'payment', 'list', '--vid', 'lister', '--json', options))
        .json<{ payments: { account: string }[] }>()
        .payments.map(({ account }) => account);
    expect(await list()).toEqual(['3', '2', '1']);
    expect(await list('--limit', '2')).toEqual(['3', '2']);
    expect(await list('--status', 'QUEUED')).toHaveLength(3);
    expect(await list('--status', 'queued')).toHaveLength(3);
    expect(await list('--status', 'SUCCESS')).toEqual([]);
    expect(await list('--status', 'PENDING')).toEqual([]);
    const newest = ['payment', 'list', '--vid', 'lister', '--limit', '1'];
    const table = await malipo(environment, ...newest);
    // The titles, the payment, and that there are more.
    expect(table.stdout.split('\n')).toHaveLength(4);
    expect(table.stdout).toMatch(/ water +3 +100\.00 +QUEUED/);
  });

  it('list within 100 columns, and everything with --wide', async () => {
    await addVendor('narrow');
    await addFloat('narrow');
    const own = 'a'.repeat(64);
    await must(environment, payArgs('narrow', '254722000001', '--merchant-reference', own));
    const list = ['payment', 'list', '--vid', 'narrow'] as const;
    const { stdout } = await must(environment, ...list);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    expect((await must(environment, ...list, '--wide')).stdout).toContain(own);
  });
});

describe('with a running service', () => {
  let service: Service;
  let operators: SimulatedOperators;
  let folder: string;

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    operators = await startSimulatedOperators(folder);
    const config = readConfig('sandbox', { ...environment, PORT: '0' });
    service = await compose({
      config,
      databaseUrl: database.url,
      masterKeys: { current: config.masterKey ?? Buffer.alloc(0), previous: undefined },
      log: createLog({ level: 'silent', destination: 2 }),
    });
    await service.start();
    // From here on everything is changed by the command line only.
    const operatorUrl = `${operators.origin}/operators/power`;
    await must(environment, 'operator', 'set', 'power', '--name', 'Power', [
      '--connector',
      'http-json',
      '--base-url',
      operatorUrl,
    ]);
    await must(environment, 'operator', 'set-key', 'power', '--key', SANDBOX_OPERATOR_KEY);
    await must(environment, 'biller', 'set', 'kplc_prepaid', '--name', 'Power Prepaid', [
      '--category',
      'electricity',
      '--operator',
      'power',
      '--minimum',
      '50',
    ]);
  });
  afterAll(async () => {
    await service.stop();
    await operators.kill('SIGTERM');
    await removeFolder(folder);
  });

  /** A vendor that the service knows, with 1000.00 in its float. Returns its key. */
  async function live(vid: string): Promise<string> {
    const key = await addVendor(vid, '--duplicate-check', 'off', '--optional-reference');
    await addFloat(vid);
    await until(async () => (await create(vid, key))['header_status'] === 200);
    return key;
  }

  async function create(vid: string, signingKey: string): Promise<Record<string, unknown>> {
    const fields = { vid, biller_name: 'kplc_prepaid', amount: '60', account: '14234567890' };
    const text = canonicalText(new Map(Object.entries(fields)));
    const hash = sign(text, createSecretKey(signingKey, 'utf8'));
    const answer = await service.app.inject({
      method: 'POST',
      url: '/transaction/create',
      payload: { ...fields, hash },
    });
    return answer.json<Record<string, unknown>>();
  }

  it('sends what pay created, and waits for its end', async () => {
    await live('payer');
    const pay = ['pay', '--vid', 'payer', '--biller', 'kplc_prepaid', '--amount', '100', '--wait'];
    const paid = await malipo(environment, ...pay, '20', '--account', '14234567890', '--json');
    expect(paid.json()).toMatchObject({
      status: 'SUCCESS',
      details: { token: expect.stringMatching(/^\d{20}$/) as string },
    });
    expect(paid.exitCode).toBe(0);
    const failed = await inProcess(environment, ...pay, '--account', '14234569902');
    expect(failed.exitCode).toBe(1);
    expect(failed.stdout).toMatch(/^status +FAILED$/m);
    const listed = await must(environment, 'payment', 'list', '--vid', 'payer', '--json', [
      '--status',
      'FAILED',
    ]);
    expect(listed.json<{ payments: unknown[] }>().payments).toHaveLength(1);
  });

  it('applies a biller’s status and a suspension without a restart', async () => {
    const key = await live('watched');
    const answers = async (status: number): Promise<void> => {
      await until(async () => (await create('watched', key))['header_status'] === status);
    };
    await must(environment, 'biller', 'set-status', 'kplc_prepaid', 'OFFLINE');
    await answers(503);
    expect(await create('watched', key)).toMatchObject({ error: [{ code: 'biller_offline' }] });
    await must(environment, 'biller', 'set-status', 'kplc_prepaid', 'ONLINE');
    await answers(200);
    await must(environment, 'vendor', 'suspend', 'watched');
    await answers(403);
    await must(environment, 'vendor', 'resume', 'watched');
    await answers(200);
  });

  it('accepts both keys of a rotation, and no key that has ended', async () => {
    const first = await live('rotor');
    const rotate = ['vendor', 'rotate-key', 'rotor', '--overlap'];
    const second = await newKey(environment, rotate, '1h');
    await until(async () => (await create('rotor', second))['header_status'] === 200);
    expect(await create('rotor', first)).toMatchObject({ header_status: 200 });
    const third = await newKey(environment, rotate, '0');
    await until(async () => (await create('rotor', third))['header_status'] === 200);
    expect(await create('rotor', second)).toMatchObject({ header_status: 401 });
  });

  it('leaves correct books', async () => {
    const checked = await must(environment, 'ledger', 'check', '--json');
    expect(checked.json()).toMatchObject({ violations: 0 });
  });
});
