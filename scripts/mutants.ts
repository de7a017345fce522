import { Command } from 'commander';
import { firstFailed, runCampaign } from '../test/simulation/campaign.ts';
import { startSimulationCluster } from '../test/simulation/cluster.ts';
import { openSimulatedDatabase } from '../test/simulation/database.ts';
import { MUTANTS } from '../test/simulation/mutants.ts';
import { countOption } from './count-option.ts';

/**
 * `npm run mutants`: the test of the simulation. Bugs are planted one by one in the running code,
 * never in its files, and each must be found. Ends with one JSON line; exits with 1 when one was not.
 */

/** Concurrent runs: while one waits for PostgreSQL another computes. */
const SIDE_BY_SIDE = 3;

const options = new Command('mutants')
  .description('Plant bugs in the simulated service and count the runs until each is found.')
  .option('--seeds <n>', 'most runs for each', countOption, 500)
  .option('--seed <s>', 'the first seed', countOption, 1)
  .option('--only <name>', 'one of them')
  .option('--all', 'make all runs, and print how many of 1,000 find each bug')
  .parse()
  .opts<{ seeds: number; seed: number; only?: string; all?: true }>();

interface Found {
  readonly name: string;
  readonly found_at_seed: number | null;
  readonly violation: string | null;
  readonly found_per_1000?: number;
}

const mutants: Found[] = [];
const cluster = await startSimulationCluster(SIDE_BY_SIDE);
try {
  const databases = await Promise.all(cluster.urls.map(openSimulatedDatabase));
  for (const mutant of MUTANTS) {
    if (options.only !== undefined && mutant.name !== options.only) continue;
    const campaign = await runCampaign({
      databases,
      first: options.seed,
      count: options.seeds,
      mutant,
      untilFailed: options.all !== true,
    });
    const found = firstFailed(campaign);
    const seed = found?.seed ?? null;
    mutants.push({
      name: mutant.name,
      found_at_seed: seed,
      violation: found?.violations[0] ?? null,
      ...(options.all && {
        found_per_1000: Math.round((1000 * campaign.failed.length) / campaign.seeds),
      }),
    });
    process.stderr.write(`${mutant.name}: ${seed === null ? 'not found' : `seed ${seed}`}\n`);
  }
  await Promise.all(databases.map((database) => database.close()));
} finally {
  await cluster.stop();
}
if (mutants.length === 0 || mutants.some((mutant) => mutant.found_at_seed === null))
  process.exitCode = 1;
process.stdout.write(`${JSON.stringify({ mutants })}\n`);
