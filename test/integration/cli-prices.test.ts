import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { addBillers, inProcess, must, newMasterKey } from './cli-support.ts';

let database: TestDatabase;
let environment: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, MASTER_KEY: newMasterKey() };
  await addBillers(environment, 'https://pay.example.com');
  await must(environment, 'vendor', 'add', 'shop', '--name', 'Shop', '--sector', 'retail');
});
afterAll(async () => {
  await database.drop();
});

const BY = ['--by', 'Asha'];

async function price(...args: string[]) {
  return await inProcess(environment, 'price', ...args);
}

/** What a payment of the biller `water` would cost now: fee and VAT. */
async function cost(amount: string, ...rest: string[]): Promise<string[]> {
  const shown = (await price('show', 'water', amount, ...rest, '--json')).json();
  return [String(shown['fee']), String(shown['vat'])];
}

describe('malipo price', () => {
  it('sets fees of all vendors or of one, and removes them', async () => {
    expect(await cost('100')).toEqual(['0.00', '0.00']);
    const tiers = ['--percent', '1.5', '--tier', '1000=10+0.25%', '--tier', '5000=20'];
    const limits = ['--minimum', '5', '--maximum', '15', '--vat', '16'];
    const set = await price('set', 'water', ...tiers, ...limits, ...BY);
    expect(set.stdout).toBe(
      'The fee of water is 1.5 %; from 1000.00: 10.00 + 0.25 %; from 5000.00: 20.00, at least 5.00, at most 15.00, VAT of 16 % added (version 1).\n',
    );
    expect(await cost('400')).toEqual(['6.96', '0.96']);
    expect(await cost('100')).toEqual(['5.80', '0.80']);
    expect(await cost('1000')).toEqual(['14.50', '2.00']);
    expect(await cost('5000')).toEqual(['17.40', '2.40']);
    const own = ['water', '--vid', 'shop'];
    await must(environment, 'price', 'set', own, '--flat', '1.16', '--vat', '16', [
      '--vat-included',
      ...BY,
    ]);
    expect(await cost('400', '--vid', 'shop')).toEqual(['1.16', '0.16']);
    await must(environment, 'price', 'remove', own, BY);
    expect(await cost('400', '--vid', 'shop')).toEqual(['6.96', '0.96']);
    await must(environment, 'price', 'remove', 'water', BY);
    expect(await cost('400')).toEqual(['0.00', '0.00']);
    const all = (await price('list', '--all', '--json')).json<{ fees: { version: number }[] }>();
    expect(all.fees.map(({ version }) => version)).toEqual([1, 4, 2, 3]);
  });

  it('lists prices that are in force or begin later, and names the latter when a fee is removed', async () => {
    const versions = async (...rest: string[]): Promise<number[]> => {
      const listed = await price('list', '--biller', 'tv', ...rest, '--json');
      return listed.json<{ fees: { version: number }[] }>().fees.map(({ version }) => version);
    };
    const set = async (fee: string, ...rest: string[]): Promise<number> => {
      const words = ['set', 'tv', '--flat', fee, ...rest, ...BY, '--json'];
      return Number((await price(...words)).json()['version']);
    };
    const first = await set('1');
    const second = await set('2');
    expect(await versions()).toEqual([second]);
    expect(await versions('--all')).toEqual([first, second]);
    const later = await set('3', '--from', '2099-01-01');
    const last = await set('4', '--from', '2099-02-01');
    expect(await versions()).toEqual([second, later, last]);

    const removed = await price('remove', 'tv', ...BY);
    const end = last + 1;
    expect(removed.stdout).toBe(
      `The fee of tv is removed (version ${end}).\n` +
        `A price that was set before begins at 2099-01-01 00:00:00: 3.00 (version ${later}). To remove it as well, repeat this command with --from '2099-01-01 00:00:00'.\n` +
        `A price that was set before begins at 2099-02-01 00:00:00: 4.00 (version ${last}). To remove it as well, repeat this command with --from '2099-02-01 00:00:00'.\n`,
    );
    expect(await versions()).toEqual([end, later, last]);

    const again = await price('remove', 'tv', '--from', '2099-01-01 00:00:00', ...BY, '--json');
    expect(again.json()).toMatchObject({
      version: end + 1,
      scheduled: [
        { version: last, valid_from: '2099-01-31T21:00:00.000Z', tiers: [{ flat: '4.00' }] },
      ],
    });
    // A price that another one replaces from its first moment on never is in force.
    expect(await versions()).toEqual([end, end + 1, last]);
    const whole = await price('remove', 'tv', '--from', '2099-02-01', ...BY);
    expect(whole.stdout).toBe(
      `The fee of tv is removed from 2099-02-01 00:00:00 on (version ${end + 2}).\n`,
    );
  });

  it('sets what operators charge and give, from a later day on', async () => {
    const terms = ['--cost', '1', '--cost-percent', '0.5', '--commission-percent', '2'];
    const key = ['water', 'waterworks'];
    await must(environment, 'price', 'set-operator', key, terms, '--commission-paid', 'netted', BY);
    const later = ['--cost', '0', '--from', '2099-01-01', ...BY];
    await must(environment, 'price', 'set-operator', key, later);
    expect((await price('show', 'water', '200', '--json')).json()).toMatchObject({
      operators: [{ operator: 'waterworks', cost: '2.00', commission: '4.00', margin: '2.00' }],
    });
    const listed = await price('list', '--biller', 'water', '--json');
    expect(listed.json()).toMatchObject({
      operators: [
        { version: 1, cost_percent: '0.5', commission_paid: 'netted', set_by: 'Asha' },
        { version: 2, cost: '0.00', valid_from: '2098-12-31T21:00:00.000Z' },
      ],
    });
    expect((await price('list')).stdout).toMatch(/waterworks .*cost 1.00 \+ 0.5 %/);
  });

  it.each([
    [['set', 'water', '--flat', '1'], 2, '--by'],
    [['set', 'water', ...BY], 2, '--flat, --percent or --tier'],
    [['set', 'water', '--percent', '1.555', ...BY], 2, 'with at most two decimals'],
    [['set', 'water', '--percent', '101', ...BY], 2, '--percent'],
    [['set', 'water', '--tier', '100=', ...BY], 2, '--tier'],
    [['set', 'water', '--tier', '100=5+', ...BY], 2, '--tier'],
    [['set', 'water', '--tier', '100=5', ...BY], 1, '--tier: The first tier must begin at 0'],
    [['set', 'water', '--flat', '1', '--vat-included', ...BY], 2, '--vat-included needs --vat'],
    [['set', 'none', '--flat', '1', ...BY], 1, 'Biller none does not exist'],
    [['set', 'water', '--flat', '1', '--vid', 'nobody', ...BY], 1, '--vid: Unknown vendor'],
    [['set', 'water', '--flat', '1', '--from', '2020-01-01', ...BY], 1, '--from: A price cannot'],
    [['set', 'water', '--flat', '1', '--by', ' '], 1, '--by'],
    [['set-operator', 'water', 'none', '--cost', '1', ...BY], 1, 'Operator none does not exist'],
    [['set-operator', 'water', 'waterworks', ...BY], 2, 'A cost or a commission is required'],
    [['set-operator', 'water', 'waterworks', '--commission', '1', ...BY], 2, '--commission-paid'],
    [['show', 'none', '100'], 1, 'Biller none does not exist'],
  ] as const)('refuses %j', async (args, exitCode, words) => {
    const refused = await price(...args);
    expect(refused).toMatchObject({ exitCode, stdout: '' });
    expect(refused.stderr).toContain(words);
  });
});

describe('malipo report margin', () => {
  it('has a total when nothing was paid', async () => {
    const period = ['--from', '2026-01-01', '--to', '2026-01-31'];
    const report = await inProcess(environment, 'report', 'margin', ...period, '--json');
    expect(report.json()).toMatchObject({ by: ['biller'], rows: [], total: { margin: '0.00' } });
    const csv = await inProcess(environment, 'report', 'margin', ...period, '--csv', '--by', 'day');
    expect(csv.stdout).toBe('day,payments,amount,fees,vat,cost,commission,margin\r\n');
  });

  it.each([
    [['--from', '2026-01-02', '--to', '2026-01-01'], '--to must be later'],
    [['--from', '2026-01-01', '--to', '2026-01-01', '--by', 'moon'], '--by'],
    [['--from', '2026-01-01', '--to', '2026-01-01', '--csv', '--json'], 'not both'],
    [['--from', '2026-01-01'], '--to'],
  ])('refuses %j', async (args, words) => {
    const refused = await inProcess(environment, 'report', 'margin', ...args);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain(words);
  });
});
