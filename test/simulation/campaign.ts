import type { SimulatedDatabase } from './database.ts';
import { addFaults, noFaults } from './faults.ts';
import type { FaultCounts } from './faults.ts';
import type { Mutant } from './mutants.ts';
import { runSeed } from './run.ts';
import type { Run } from './run.ts';

export interface Campaign {
  /** Runs that were finished. */
  readonly seeds: number;
  readonly faults: FaultCounts;
  /** Runs with violations, by seed. */
  readonly failed: readonly Run[];
}

/**
 * Runs the seeds `first`, `first + 1`, …, one beside another in each database.
 * @param options.onRun told after each run; false ends the campaign after the runs under way.
 */
export async function runCampaign(options: {
  readonly databases: readonly SimulatedDatabase[];
  readonly first: number;
  readonly count: number;
  readonly mutant?: Mutant;
  readonly onRun?: (run: Run) => boolean;
}): Promise<Campaign> {
  const { mutant, onRun = () => true } = options;
  const faults = noFaults();
  const failed: Run[] = [];
  let next = options.first;
  let seeds = 0;
  let going = true;
  const work = async (database: SimulatedDatabase): Promise<void> => {
    while (going && next < options.first + options.count) {
      const seed = next;
      next += 1;
      const run = await runSeed({ seed, database, mutant });
      seeds += 1;
      addFaults(faults, run.faults);
      if (run.violations.length > 0) failed.push(run);
      if (!onRun(run)) going = false;
    }
  };
  await Promise.all(options.databases.map(work));
  return { seeds, faults, failed: failed.toSorted((a, b) => a.seed - b.seed) };
}
