import { createHash } from 'node:crypto';
import type { SimulatedDatabase } from './database.ts';
import { noFaults } from './faults.ts';
import type { Life } from './link.ts';
import type { Fault, FaultCounts } from './faults.ts';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';
import { drawScenario } from './scenario.ts';
import type { Scenario, Shape } from './scenario.ts';
import { createSchedule } from './schedule.ts';
import type { Schedule } from './schedule.ts';
import { createTruth } from './truth.ts';
import type { Truth } from './truth.ts';

/** The shared state of one run. */
export interface World {
  readonly seed: number;
  readonly random: Random;
  readonly schedule: Schedule;
  readonly database: SimulatedDatabase;
  readonly scenario: Scenario;
  readonly truth: Truth;
  readonly faults: FaultCounts;
  readonly violations: string[];
  /** Operators whose float is used up. */
  readonly emptyFloats: Set<string>;
  /** True in the calm phase: no further faults. */
  calm: boolean;
  note(fault: Fault): void;
  /**
   * A moment between two effects of a process, at which it may crash or pause. The weights raise the
   * probability at critical moments.
   */
  crashPoint(
    life: Life,
    weights?: { readonly crash?: number; readonly standStill?: number },
  ): Promise<void>;
  /** True when this fault is to happen now; its rate is the scenario's. */
  strikes(fault: Fault): boolean;
  violated(what: string): void;
  /** Adds a line to the history. */
  log(line: string): void;
  /** A hash of the history: equal for two runs if, and only if, the same happened in both. */
  fingerprint(): string;
}

/** Short pauses; pauses about as long as a lease; long pauses. */
const STAND_STILL = [
  { minMs: 500, maxMs: 3_000 },
  { minMs: 6_000, maxMs: 14_000 },
  { minMs: 3_000, maxMs: 25_000 },
];

export function createWorld(options: {
  readonly seed: number;
  readonly database: SimulatedDatabase;
  readonly shape?: Shape | undefined;
  /** Receives each line of the history. */
  readonly onLine?: ((line: string) => void) | undefined;
}): World {
  const random = createRandom(options.seed);
  const schedule = createSchedule(random);
  const faults = noFaults();
  const violations: string[] = [];
  const scenario = drawScenario(random, options.shape);
  const history = createHash('sha256');
  const world: World = {
    seed: options.seed,
    random,
    schedule,
    database: options.database,
    scenario,
    truth: createTruth(),
    faults,
    violations,
    emptyFloats: new Set(),
    calm: false,
    note: (fault) => {
      faults[fault] += 1;
    },
    strikes: (fault) => {
      const rate = scenario.rates[fault] ?? 0;
      if (world.calm || rate === 0 || !random.chance(rate)) return false;
      world.note(fault);
      world.log(`fault ${fault}`);
      return true;
    },
    crashPoint: async (life, { crash = 1, standStill = 1 } = {}) => {
      if (world.calm || life.dead) return;
      if (random.chance(scenario.crashPointRate * crash)) await life.crash();
      else if (random.chance(scenario.standStillPointRate * standStill)) {
        const { minMs, maxMs } = random.pick(STAND_STILL);
        life.standStill(random.whole(minMs, maxMs));
      }
    },
    violated: (what) => {
      violations.push(what);
      world.log(`VIOLATION ${what}`);
    },
    log: (line) => {
      const timed = `${String(schedule.nowMs).padStart(7)} ${line}`;
      history.update(`${timed}\n`);
      options.onLine?.(timed);
    },
    fingerprint: () => history.copy().digest('hex'),
  };
  return world;
}
