import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { firstFailed, runCampaign } from './campaign.ts';
import { BugNotPlantedError, openSimulatedDatabase } from './database.ts';
import type { SimulatedDatabase } from './database.ts';
import { MUTANTS } from './mutants.ts';
import { runSeed } from './run.ts';

const MAX_SEEDS = 500;
const CAMPAIGN_TIMEOUT_MS = 600_000;

let made: TestDatabase;
let database: SimulatedDatabase;

beforeAll(async () => {
  made = await createTestDatabase();
  database = await openSimulatedDatabase(made.ownerUrl);
});

afterAll(async () => {
  await database.close();
  await made.drop();
});

test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
  'a planted bug is found: %s',
  { timeout: CAMPAIGN_TIMEOUT_MS },
  async (_, mutant) => {
    const campaign = await runCampaign({
      databases: [database],
      first: mutant.firstSeed ?? 1,
      count: MAX_SEEDS,
      mutant,
      untilFailed: true,
    });
    expect(firstFailed(campaign)?.violations[0]).toBeDefined();
  },
);

test('a bug whose code no longer exists does not count as found', async () => {
  const bugs = {
    functions: [{ name: 'settle_payments', changes: [{ find: 'no such text', replace: '' }] }],
  };
  // Twice: it must not count as planted after the first attempt.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const run = runSeed({ seed: 1, database, mutant: { name: 'nowhere', bugs } });
    await expect(run).rejects.toThrow(BugNotPlantedError);
  }
});
