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
    expect(set.stdout).toContain(
      'none → 1.5 %; from 1000.00: 10.00 + 0.25 %; from 5000.00: 20.00, at least 5.00, at most 15.00, VAT of 16 % added',
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
    const all = (await price('list', '--all', '--json')).json<{ prices: { version: number }[] }>();
    expect(all.prices.map(({ version }) => version)).toEqual([1, 4, 2, 3]);
  });

  it('lists prices that are in force or begin later, and names the latter when a fee is removed', async () => {
    const versions = async (...rest: string[]): Promise<number[]> => {
      const listed = await price('list', '--biller', 'tv', ...rest, '--json');
      return listed.json<{ prices: { version: number }[] }>().prices.map(({ version }) => version);
    };
    const set = async (fee: string, ...rest: string[]): Promise<number> => {
      await must(environment, 'price', 'set', 'tv', '--flat', fee, ...rest, BY);
      return Math.max(...(await versions('--all')));
    };
    const first = await set('1');
    const second = await set('2');
    expect(await versions()).toEqual([second]);
    expect(await versions('--all')).toEqual([first, second]);
    const later = await set('3', '--from', '2099-01-01');
    const last = await set('4', '--from', '2099-02-01');
    expect(await versions()).toEqual([second, later, last]);

    const stays = 'from 2099-01-31T21:00:00.000Z on: 4.00';
    const removed = await price('remove', 'tv', ...BY);
    const both = `from 2098-12-31T21:00:00.000Z on: 3.00; then ${stays}`;
    expect(removed.stdout).toContain(`2.00; then ${both} → none; then ${both}`);
    const end = last + 1;
    expect(await versions()).toEqual([end, later, last]);

    const again = await price('remove', 'tv', '--from', '2099-01-01 00:00:00', ...BY);
    const ends = 'from 2098-12-31T21:00:00.000Z on: none';
    expect(again.stdout).toContain(`→ none; then ${ends}; then ${stays}`);
    // A price that another one replaces from its first moment on never is in force.
    expect(await versions()).toEqual([end, end + 1, last]);
    const whole = await price('remove', 'tv', '--from', '2099-02-01', ...BY, '--json');
    expect(whole.json()).toMatchObject({ kind: 'price_setting', decision: 'approved' });
    expect(await versions()).toEqual([end, end + 1, end + 2]);
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
    const listed = await price('operators', '--biller', 'water', '--json');
    expect(listed.json()).toMatchObject({
      prices: [
        { version: 1, cost_percent: '0.5', commission_paid: 'netted', set_by: 'Asha' },
        { version: 2, cost: '0.00', valid_from: '2098-12-31T21:00:00.000Z' },
      ],
    });
    expect((await price('operators')).stdout).toMatch(/waterworks .*cost 1.00 \+ 0.5 %/);
  });

  it.each([
    [['set', 'water', '--flat', '1'], 2, '--by'],
    [['set', 'water', ...BY], 2, '--flat, --percent, --tier'],
    [['set', 'water', '--percent', '1.555', ...BY], 2, 'with at most two decimals'],
    [['set', 'water', '--percent', '101', ...BY], 2, '--percent'],
    [['set', 'water', '--tier', '100=', ...BY], 2, '--tier'],
    [['set', 'water', '--tier', '100=5+', ...BY], 2, '--tier'],
    [['set', 'water', '--tier', '100=5', ...BY], 1, '--tier: The first tier must begin at 0'],
    [['set', 'water', '--flat', '1', '--vat-included', ...BY], 1, '--vat is required'],
    [['set', 'none', '--flat', '1', ...BY], 1, 'Biller none does not exist'],
    [['set', 'water', '--flat', '1', '--vid', 'nobody', ...BY], 1, 'Vendor nobody does not exist'],
    [['set', 'water', '--flat', '1', '--from', '2020-01-01', ...BY], 1, '--from: A price cannot'],
    [['set', 'water', '--flat', '1', '--by', ' '], 1, '--by'],
    [['set-operator', 'water', 'none', '--cost', '1', ...BY], 1, 'Operator none does not exist'],
    [['set-operator', 'water', 'waterworks', ...BY], 2, '--cost, --cost-percent, --comm'],
    [['set-operator', 'water', 'waterworks', '--commission', '1', ...BY], 1, '--commission-paid'],
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
    expect(report.json()).toMatchObject({ by: ['biller'], lines: [], total: { margin: '0.00' } });
    const csv = await inProcess(environment, 'report', 'margin', ...period, '--csv', '--by', 'day');
    expect(csv.stdout).toBe(
      'Day,Vendor,Biller,Operator,Payments,Amount,Fees,VAT,Cost,Commission,Margin\r\n',
    );
  });

  it.each([
    [['--from', '2026-01-02', '--to', '2026-01-01'], 1, '--to must not be before from'],
    [['--from', '2026-01-01', '--to', '2026-01-01', '--by', 'moon'], 2, '--by'],
    [['--from', '2026-02-30'], 1, '--from is not a valid day'],
    [['--from', '2199-01-01'], 1, '--from must not be in the future'],
  ] as const)('refuses %j', async (args, exitCode, words) => {
    const refused = await inProcess(environment, 'report', 'margin', ...args);
    expect(refused).toMatchObject({ exitCode });
    expect(refused.stderr).toContain(words);
  });
});
