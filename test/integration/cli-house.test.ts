import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { inProcess, must, newMasterKey } from './cli-support.ts';

let database: TestDatabase;
let environment: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, MASTER_KEY: newMasterKey() };
  const options = ['--connector', 'http-json', '--base-url', 'https://pay.example.com'];
  await must(environment, 'operator', 'set', 'kplc', '--name', 'KPLC', options);
});
afterAll(async () => await database.drop());

const run = async (...words: string[]) => await inProcess(environment, ...words);
const approve = async (proposal: string, by: string) => {
  const shown = await must(environment, 'proposal', 'show', proposal, '--json');
  const { seen } = shown.json<{ seen: string | null }>();
  return await run('proposal', 'approve', proposal, '--by', by, '--seen', seen ?? 'none');
};
const topUp = (...more: string[]): string[] => [
  ...['house', 'entry', 'propose', 'kplc', '--by', 'Asha'],
  ...(more.includes('--amount') ? [] : ['--amount', '500.00']),
  ...more,
];

describe('a top-up by two people', () => {
  test('a top-up is entered, approved by another person, and shown in both reports', async () => {
    const entered = await must(environment, ...topUp('--reference', 'FT1', '--json'));
    const { entry } = entered.json<{ entry: string }>();
    const waiting = await must(environment, 'house', 'entry', 'list', '--json');
    expect(waiting.json()).toMatchObject({ entries: [{ entry, decision: null }] });
    const own = await approve(entry, 'asha');
    expect(own).toMatchObject({ exitCode: 1 });
    expect(own.stderr).toContain('another person');
    expect((await approve(entry, 'Baraka')).exitCode).toBe(0);
    const balance = await must(environment, 'house', 'trial-balance', '--json');
    expect(balance.json()).toMatchObject({
      accounts: [
        { account: 'operator-float:kplc', class: 'asset', debit: '500.00', credit: '0.00' },
        { account: 'suspense', class: 'asset', debit: '0.00', credit: '500.00' },
      ],
      is_even: true,
    });
    const float = await must(environment, 'report', 'floats', '--operator', 'kplc', '--json');
    expect(float.json()).toMatchObject({
      floats: [
        {
          ...{ topped_up: '500.00', consumed: '0.00', books: '500.00' },
          ...{ reported: null, difference: null },
        },
      ],
    });
    const unknown = await run('report', 'floats', '--operator', 'nobody');
    expect(unknown).toMatchObject({ exitCode: 1 });
    expect(unknown.stderr).toContain('--operator: Operator nobody does not exist');
    const listed = await must(environment, 'house', 'transfers', '--account', 'suspense');
    expect(listed.stdout).toContain('FT1');
    for (const words of [
      ['report', 'floats'],
      ['house', 'trial-balance'],
    ]) {
      expect((await must(environment, ...words)).stdout).toContain('500.00');
    }
  });

  test('can be rejected, also by the person who entered it', async () => {
    const entered = await must(environment, ...topUp('--reference', 'FT2', '--json'));
    const { entry } = entered.json<{ entry: string }>();
    await must(environment, 'proposal', 'reject', entry, '--by', 'Asha', '--note', 'typed twice');
    expect((await approve(entry, 'Baraka')).stderr).toContain('withdrawn');
  });

  test.each([
    [['--reference', 'FT1'], 'reference'],
    [['--reference', 'X', '--from', 'nowhere'], '--from: There is no account bank:nowhere'],
    [['--reference', 'X', '--kind', 'opening', '--amount', '0'], 'of an earlier time'],
    [['--reference', 'X', '--at', '2199-01-01 00:00:00'], 'at'],
  ])('a top-up is refused with %j, naming what is wrong', async (more, problem) => {
    const refused = await run(...topUp(...more));
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain(problem);
  });
});
