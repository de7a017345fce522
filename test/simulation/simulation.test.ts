import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { runCampaign } from './campaign.ts';
import { openSimulatedDatabase } from './database.ts';
import type { SimulatedDatabase } from './database.ts';
import { FAULT_NAMES, RUNS_FOR_ALL_FAULTS } from './faults.ts';
import { runSeed } from './run.ts';

/** Simultaneous runs: while one waits for PostgreSQL, another computes. */
const SIDE_BY_SIDE = 2;
const CAMPAIGN_TIMEOUT_MS = 240_000;

const tests: TestDatabase[] = [];
const databases: SimulatedDatabase[] = [];

beforeAll(async () => {
  for (let index = 0; index < SIDE_BY_SIDE; index += 1) {
    const made = await createTestDatabase();
    tests.push(made);
    databases.push(await openSimulatedDatabase(made.ownerUrl));
  }
});

afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await Promise.all(tests.map((made) => made.drop()));
});

describe('simulated runs of the money core', () => {
  test(
    'leave a ledger that agrees with what really happened, whatever faults occur',
    { timeout: CAMPAIGN_TIMEOUT_MS },
    async () => {
      const campaign = await runCampaign({ databases, first: 1, count: RUNS_FOR_ALL_FAULTS });
      expect(
        campaign.failed.map(
          ({ seed, violations }) => `npm run sim -- --seed ${seed} --trace: ${violations[0]}`,
        ),
      ).toEqual([]);
      expect(campaign.seeds).toBe(RUNS_FOR_ALL_FAULTS);
      expect(FAULT_NAMES.filter((name) => campaign.faults[name] === 0)).toEqual([]);
    },
  );

  test('runs are the same for the same seed, in any database', async () => {
    const [one, other] = databases as [SimulatedDatabase, SimulatedDatabase];
    const seeds = [11, 12, 13, 14, 15];
    const fingerprints = async (database: SimulatedDatabase, order: readonly number[]) => {
      const found = new Map<number, string>();
      for (const seed of order) found.set(seed, (await runSeed({ seed, database })).fingerprint);
      return found;
    };
    const [first, again] = await Promise.all([
      fingerprints(one, seeds),
      fingerprints(other, seeds.toReversed()),
    ]);
    expect(Object.fromEntries(again)).toEqual(Object.fromEntries(first));
    expect(new Set(first.values()).size).toBe(seeds.length);
  });
});
