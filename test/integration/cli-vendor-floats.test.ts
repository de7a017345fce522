import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { inProcess, must, newMasterKey } from './cli-support.ts';

let database: TestDatabase;
let environment: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, MASTER_KEY: newMasterKey() };
  const settings = ['--name', 'Acme', '--sector', 'retail'];
  await must(environment, 'vendor', 'add', 'acme', settings);
});
afterAll(async () => await database.drop());

const run = async (...words: string[]) => await inProcess(environment, ...words);
const BY = ['--by', 'Asha'];

test('a limit is set, shown, and removed', async () => {
  await must(environment, 'vendor', 'set-float', 'acme', '--low', '500', BY);
  const listed = await must(environment, 'vendor', 'floats', '--json');
  expect(listed.json()).toEqual({
    next: null,
    vendors: [
      {
        vid: 'acme',
        float: '0.00',
        collected: '0.00',
        low: '500.00',
        float_state: 'enough',
        hours_left: 0,
        top_ups: [],
      },
    ],
  });
  expect((await must(environment, 'vendor', 'floats')).stdout).toContain('500.00');
  await must(environment, 'vendor', 'set-float', 'acme', '--no-low', BY);
  expect((await must(environment, 'vendor', 'floats')).stdout).toContain('not set');
  expect((await run('vendor', 'set-float', 'acme', ...BY)).exitCode).not.toBe(0);
});

test('a rule is set, shown with who set it, and ended', async () => {
  await must(environment, 'vendor', 'top-up', 'fund', 'acme', '--below', '500', BY);
  const shown = await must(environment, 'vendor', 'top-up', 'show', 'acme', '--json');
  expect(shown.json()).toMatchObject({
    rules: [{ kind: 'fund', below: '500.00', pause_seconds: 60, set_by: 'Asha', ended_by: null }],
    top_ups: [],
  });
  expect((await must(environment, 'vendor', 'floats')).stdout).toContain('fund');
  await must(environment, 'vendor', 'top-up', 'fund-off', 'acme', '--by', 'Baraka');
  const after = await must(environment, 'vendor', 'top-up', 'show', 'acme');
  expect(after.stdout).toContain('by Baraka');
  expect((await run('vendor', 'top-up', 'fund-off', 'acme', ...BY)).stderr).toContain(
    'not topped up',
  );
});

test('a prompt needs a source that can send it', async () => {
  await must(environment, 'vendor', 'top-up', 'fund', 'acme', '--below', '500', BY);
  const amounts = ['--below', '500', '--target', '1000', '--max-amount', '600'];
  const rest = ['--max-per-day', '2000', '--source', 'paybill', '--phone', '254722000000'];
  const refused = await run('vendor', 'top-up', 'push', 'acme', ...amounts, ...rest, ...BY);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('source');
});
