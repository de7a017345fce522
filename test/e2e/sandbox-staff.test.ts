import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsoleClient } from '../support/console-client.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const fixture = new SandboxFixture();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await fixture.start();
});
afterAll(async () => await fixture.cleanUp());

/** Pages of the console with rows in the list of this name, and who looks at them. */
const PAGES = [
  ['risk', '/credit/imports', 'imports'],
  ['risk', '/credit/cases', 'cases'],
  ['risk', '/credit/disputes', 'disputes'],
  ['risk', '/credit/proposals', 'proposals'],
  ['risk', '/credit/rules', 'rules'],
  ['risk', '/credit/monitor', 'months'],
  ['risk', '/credit/monitor', 'vendors'],
  ['finance', '/journals?state=open', 'journals'],
  ['finance', '/payouts?state=open', 'payouts'],
  ['finance', '/approvals', 'approvals'],
  // Last: the operator has to decline payments first.
  ['finance', '/receivables', 'items'],
] as const;

async function countRows(): Promise<number[]> {
  const people = new Map<string, ConsoleClient>();
  for (const login of ['risk', 'finance']) {
    const person = new ConsoleClient(sandbox.origin);
    await person.signIn(login);
    people.set(login, person);
  }
  const counts: number[] = [];
  for (const [login, path, list] of PAGES) {
    const rows = await until(`rows of ${path}`, async () => {
      const found = (await people.get(login)?.get(path))?.body[list];
      return Array.isArray(found) && found.length > 0 && found;
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
