import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Command } from 'commander';
import { addRun, firstFailed, newCampaign } from '../test/simulation/campaign.ts';
import type { Campaign, RunResult } from '../test/simulation/campaign.ts';
import { startSimulationCluster } from '../test/simulation/cluster.ts';
import { openSimulatedDatabase } from '../test/simulation/database.ts';
import { FAULT_NAMES, FAULTS } from '../test/simulation/faults.ts';
import { runSeed } from '../test/simulation/run.ts';
import type { WorkerTask } from '../test/simulation/worker.ts';
import { countOption } from './count-option.ts';

/**
 * `npm run sim`: the dispatcher against hostile operators, crashes and a faltering database, in
 * simulated time. Ends with one JSON line; exits with 1 if a run found a violation, if fewer runs than
 * requested were made, or if some fault never happened in many runs.
 */

/** Concurrent runs in a thread: while one waits for PostgreSQL another computes. */
const SIDE_BY_SIDE = 2;
const PROGRESS_EVERY_MS = 10_000;
/** From any seed. The rarest fault happens about four times in 200 runs, and not at all in two of a hundred such campaigns. */
const RUNS_WITH_EVERY_FAULT = 1_000;

const options = new Command('sim')
  .description(
    'Simulate faults around the dispatcher, one run per seed, and check the ledger after each.',
  )
  .option('--seeds <n>', 'how many runs', countOption, 200)
  .option('--seed <s>', 'the first seed', countOption, 1)
  .option('--trace', 'print every event, for one seed')
  .parse()
  .opts<{ seeds: number; seed: number; trace?: true }>();

const threads = options.trace ? 1 : Math.min(availableParallelism(), options.seeds);
const cluster = await startSimulationCluster(options.trace ? 1 : threads * SIDE_BY_SIDE);
try {
  finish(await (options.trace ? trace() : run()), options.trace ? 1 : options.seeds);
} finally {
  await cluster.stop();
}

/** Runs one thread per core; the threads take seeds in turns. */
async function run(): Promise<Campaign> {
  const campaign = newCampaign();
  const startedAtMs = performance.now();
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAtMs) / 1000);
    process.stderr.write(`${campaign.seeds} of ${options.seeds} runs in ${seconds} s\n`);
  }, PROGRESS_EVERY_MS);
  const taken = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  try {
    await Promise.all(
      Array.from({ length: threads }, async (_, thread) => {
        const urls = cluster.urls.slice(thread * SIDE_BY_SIDE, (thread + 1) * SIDE_BY_SIDE);
        await runThread({ urls, first: options.seed, count: options.seeds, taken }, (finished) => {
          addRun(campaign, finished);
          tellViolations(finished);
        });
      }),
    );
  } catch (error) {
    // The results until then are still reported, with fewer runs than requested.
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  } finally {
    clearInterval(progress);
  }
  return campaign;
}

async function runThread(task: WorkerTask, onRun: (run: RunResult) => void): Promise<void> {
  const worker = new Worker(new URL('../test/simulation/worker.ts', import.meta.url), {
    workerData: task,
  });
  worker.on('message', onRun);
  await new Promise<void>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('exit', () => resolve());
  });
}

async function trace(): Promise<Campaign> {
  const database = await openSimulatedDatabase(cluster.urls[0] ?? '');
  const campaign = newCampaign();
  const onLine = (line: string): void => void process.stderr.write(`${line}\n`);
  addRun(campaign, await runSeed({ seed: options.seed, database, onLine }));
  await database.close();
  return campaign;
}

function tellViolations({ seed, violations }: RunResult): void {
  for (const violation of violations) process.stderr.write(`seed ${seed}: ${violation}\n`);
}

function finish(campaign: Campaign, asked: number): void {
  const { seeds, faults, failed } = campaign;
  const first = firstFailed(campaign);
  if (first !== undefined) {
    process.stderr.write(`replay: npm run sim -- --seed ${first.seed} --trace\n`);
  }
  const missing = FAULT_NAMES.filter((name) => faults[name] === 0);
  if (seeds >= RUNS_WITH_EVERY_FAULT) {
    for (const name of missing) process.stderr.write(`never happened: ${name}, ${FAULTS[name]}\n`);
    if (missing.length > 0) process.exitCode = 1;
  }
  if (failed.length > 0 || seeds < asked) process.exitCode = 1;
  const violations = failed.reduce((sum, { violations: found }) => sum + found.length, 0);
  const failedSeeds = failed.map(({ seed }) => seed).toSorted((a, b) => a - b);
  process.stdout.write(
    `${JSON.stringify({ seeds, violations, failed_seeds: failedSeeds, faults })}\n`,
  );
}
