import { Command } from 'commander';
import { runCampaign } from '../test/simulation/campaign.ts';
import type { Campaign } from '../test/simulation/campaign.ts';
import { startSimulationCluster } from '../test/simulation/cluster.ts';
import { FAULT_NAMES, FAULTS } from '../test/simulation/faults.ts';
import { runSeed } from '../test/simulation/run.ts';
import { countOption } from './count-option.ts';

/**
 * `npm run sim`: the dispatcher against hostile operators, crashes and a faltering database, in
 * simulated time. Ends with one JSON line; exits with 1 when a run went wrong, or when, over many
 * runs, some fault never happened.
 */

/** With fewer runs than this some faults are rightly missing. */
const RUNS_FOR_ALL_FAULTS = 500;
/** Runs beside each other: while one waits for PostgreSQL another computes. */
const SIDE_BY_SIDE = 3;

const options = new Command('sim')
  .description(
    'Simulate storms over the dispatcher, one for each seed, and judge the books after it.',
  )
  .option('--seeds <n>', 'how many runs', countOption, 200)
  .option('--seed <s>', 'the first seed', countOption, 1)
  .option('--trace', 'tell what happens; for one seed')
  .parse()
  .opts<{ seeds: number; seed: number; trace?: true }>();

const cluster = await startSimulationCluster(options.trace ? 1 : SIDE_BY_SIDE);
try {
  if (options.trace) await trace();
  else finish(await run());
} finally {
  await cluster.stop();
}

async function run(): Promise<Campaign> {
  let done = 0;
  return await runCampaign({
    databases: cluster.databases,
    first: options.seed,
    count: options.seeds,
    onRun: ({ seed, violations }) => {
      done += 1;
      for (const violation of violations) process.stderr.write(`seed ${seed}: ${violation}\n`);
      if (done % 500 === 0) process.stderr.write(`${done} of ${options.seeds} runs\n`);
      return true;
    },
  });
}

function finish({ seeds, faults, failed }: Campaign): void {
  const [first] = failed;
  if (first !== undefined) {
    process.stderr.write(`replay: npm run sim -- --seeds 1 --seed ${first.seed} --trace\n`);
  }
  const missing = FAULT_NAMES.filter((name) => faults[name] === 0);
  if (seeds >= RUNS_FOR_ALL_FAULTS) {
    for (const name of missing) process.stderr.write(`never happened: ${name}, ${FAULTS[name]}\n`);
    if (missing.length > 0) process.exitCode = 1;
  }
  if (failed.length > 0 || seeds < options.seeds) process.exitCode = 1;
  const violations = failed.reduce((sum, { violations: found }) => sum + found.length, 0);
  const failedSeeds = failed.map(({ seed }) => seed);
  process.stdout.write(
    `${JSON.stringify({ seeds, violations, failed_seeds: failedSeeds, faults })}\n`,
  );
}

async function trace(): Promise<void> {
  const [database] = cluster.databases;
  if (database === undefined) throw new Error('there is no database');
  const { violations, faults } = await runSeed({
    seed: options.seed,
    database,
    onLine: (line) => process.stderr.write(`${line}\n`),
  });
  if (violations.length > 0) process.exitCode = 1;
  process.stdout.write(`${JSON.stringify({ seeds: 1, violations: violations.length, faults })}\n`);
}
