import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInAll } from '../support/console-client.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const fixture = new SandboxFixture();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await fixture.start();
});
afterAll(async () => await fixture.cleanUp());

/** Who looks at which page, the name of its list, and how many rows that has at least. */
const PAGES = [
  ['risk', '/credit/imports', 'imports', 2],
  ['risk', '/credit/cases', 'cases', 1],
  ['risk', '/credit/disputes', 'disputes', 2],
  ['risk', '/credit/proposals?state=all', 'proposals', 4],
  ['risk', '/credit/rules', 'rules', 2],
  ['risk', '/credit/monitor', 'months', 1],
  ['risk', '/credit/usage', 'vendors', 2],
  ['finance', '/journals?state=open', 'journals', 1],
  ['finance', '/payouts?state=open', 'payouts', 1],
  ['finance', '/proposals', 'proposals', 3],
  // Last: the operator has to decline payments first.
  ['finance', '/receivables', 'receivables', 1],
] as const;

async function countRows(): Promise<number[]> {
  const as = await signInAll(sandbox.origin, ['risk', 'finance']);
  const counts: number[] = [];
  for (const [login, path, list, atLeast] of PAGES) {
    const rows = await until(`rows of ${path}`, async () => {
      const found = (await as(login).get(path)).body[list];
      return Array.isArray(found) && found.length >= atLeast && found;
    });
    counts.push(rows.length);
  }
  return counts;
}

test('each page of the staff has rows soon after somebody has signed in, and no more after another start', async () => {
  const counts = await countRows();
  await sandbox.interrupt();
  sandbox = await fixture.start({ dataDir: sandbox.dataDir });
  expect(await countRows()).toEqual(counts);
});
