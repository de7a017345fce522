import { saveBalance } from '../../src/payments/billers/float-store.ts';
import type { Life, Network } from './link.ts';
import type { World } from './world.ts';

/** Our floats with the operators, as they report them. */
export interface Floats {
  /** Uses up one of them, or fills it again. */
  change(): void;
  /** Fills all of them. */
  endFaults(): void;
}

export const FLOAT_LIMITS = { stopCents: 1_000n, resumeCents: 5_000n };
/** More than a run spends. */
const ENOUGH_CENTS = 1_000_000n;
const AGAIN_MS = 1_000;

/** Our float with an operator, as it reports it, in cents. */
export function floatWith(world: World, operatorCode: string): bigint {
  return world.emptyFloats.has(operatorCode) ? 0n : ENOUGH_CENTS;
}

/** What the float watch of the service does with reports of operators, in a process that never ends. */
export function createFloats(world: World, network: Network): Floats {
  const { random, scenario, schedule } = world;
  const watch: Life = {
    name: 'float watch',
    dead: false,
    standsStillUntilMs: 0,
    crash: async () => {},
    standStill: () => {},
  };
  const pool = network.poolOf(watch);
  const { emptyFloats } = world;
  const save = async (operatorCode: string): Promise<void> => {
    const balanceCents = floatWith(world, operatorCode);
    try {
      const { before, after } = await saveBalance(pool, operatorCode, { balanceCents });
      if (after === 'stopped' && before !== after) world.note('float_used_up');
    } catch {
      await new Promise<void>((resolve) => schedule.after(AGAIN_MS, resolve));
      await save(operatorCode);
    }
  };
  // One at a time, otherwise an earlier report could be saved last.
  let saved = Promise.resolve();
  const report = (operatorCode: string): void => {
    saved = saved.then(async () => await save(operatorCode));
  };
  return {
    change: () => {
      const { operatorCode } = random.pick(scenario.operators);
      if (!emptyFloats.delete(operatorCode)) emptyFloats.add(operatorCode);
      report(operatorCode);
    },
    endFaults: () => {
      emptyFloats.clear();
      for (const { operatorCode } of scenario.operators) report(operatorCode);
    },
  };
}
