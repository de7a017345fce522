import type { SimulatedDatabase } from './database.ts';
import { addFaults, noFaults } from './faults.ts';
import type { FaultCounts } from './faults.ts';
import type { Mutant } from './mutants.ts';
import { runSeed } from './run.ts';
import type { Run } from './run.ts';
import type { Shape } from './scenario.ts';

/** What a campaign keeps of each run. */
export type RunResult = Pick<Run, 'seed' | 'violations' | 'faults'>;

/** The result of many runs. */
export interface Campaign {
  /** Finished runs. */
  seeds: number;
  readonly faults: FaultCounts;
  /** Runs with violations. */
  readonly failed: RunResult[];
}

export function newCampaign(): Campaign {
  return { seeds: 0, faults: noFaults(), failed: [] };
}

export function addRun(campaign: Campaign, run: RunResult): void {
  campaign.seeds += 1;
  addFaults(campaign.faults, run.faults);
  if (run.violations.length > 0) campaign.failed.push(run);
}

/** The run with violations that has the lowest seed. */
export function firstFailed(campaign: Campaign): RunResult | undefined {
  return campaign.failed.toSorted((a, b) => a.seed - b.seed)[0];
}

/**
 * Runs seeds until none are left, several at a time, one in each database.
 * Throws if a run was interrupted by an error, and names its seed.
 */
export async function runSeeds(options: {
  readonly databases: readonly SimulatedDatabase[];
  /** Undefined when there are no more. */
  readonly takeSeed: () => number | undefined;
  readonly mutant?: Mutant;
  readonly shape?: Shape;
  readonly onRun: (run: RunResult) => void;
}): Promise<void> {
  const { takeSeed, mutant, shape, onRun } = options;
  const work = async (database: SimulatedDatabase): Promise<void> => {
    for (let seed = takeSeed(); seed !== undefined; seed = takeSeed()) {
      try {
        const { violations, faults } = await runSeed({ seed, database, mutant, shape });
        onRun({ seed, violations, faults });
      } catch (error) {
        throw new Error(`Seed ${seed} could not be run`, { cause: error });
      }
    }
  };
  await Promise.all(options.databases.map(work));
}

/**
 * Runs the seeds `first`, `first + 1`, … here.
 * @param options.untilFailed stops after the first run with violations, once the runs in progress have ended.
 */
export async function runCampaign(options: {
  readonly databases: readonly SimulatedDatabase[];
  readonly first: number;
  readonly count: number;
  readonly mutant?: Mutant;
  readonly shape?: Shape;
  readonly untilFailed?: boolean;
}): Promise<Campaign> {
  const campaign = newCampaign();
  let next = options.first;
  await runSeeds({
    ...options,
    takeSeed: () => {
      const over = next === options.first + options.count;
      if (over || (options.untilFailed === true && campaign.failed.length > 0)) return undefined;
      next += 1;
      return next - 1;
    },
    onRun: (run) => addRun(campaign, run),
  });
  return campaign;
}
