import { Command } from 'commander';
import { runCampaign } from '../test/simulation/campaign.ts';
import { startSimulationCluster } from '../test/simulation/cluster.ts';
import { MUTANTS } from '../test/simulation/mutants.ts';
import { countOption } from './count-option.ts';

/**
 * `npm run mutants`: the test of the simulation. Bugs are planted one by one, and each must be found.
 * Ends with one JSON line; exits with 1 when one was not.
 */
const options = new Command('mutants')
  .description('Plant bugs in the simulated service and count the runs until each is found.')
  .option('--seeds <n>', 'most runs for each', countOption, 500)
  .parse()
  .opts<{ seeds: number }>();

const cluster = await startSimulationCluster(3);
const mutants: { name: string; found_at_seed: number | null; violation: string | null }[] = [];
try {
  for (const mutant of MUTANTS) {
    const { failed } = await runCampaign({
      databases: cluster.databases,
      first: 1,
      count: options.seeds,
      mutant,
      onRun: ({ violations }) => violations.length === 0,
    });
    const [first] = failed;
    mutants.push({
      name: mutant.name,
      found_at_seed: first?.seed ?? null,
      violation: first?.violations[0] ?? null,
    });
    process.stderr.write(
      `${mutant.name}: ${first === undefined ? 'not found' : `seed ${first.seed}`}\n`,
    );
  }
} finally {
  await cluster.stop();
}
if (mutants.some((mutant) => mutant.found_at_seed === null)) process.exitCode = 1;
process.stdout.write(`${JSON.stringify({ mutants })}\n`);
