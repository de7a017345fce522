import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { untilReady } from './installation.ts';
import type { Installation } from './installation.ts';

/** Every process restarted in turn, as for an upgrade. */
export interface RestartReport {
  /** Seconds from SIGTERM until each process was ready again, by role. */
  readonly seconds: readonly (readonly [string, number])[];
  /** Attempts of creates that were refused or not answered meanwhile. */
  readonly failed: number;
  readonly answered: number;
}

/** Longer than the load balancer takes to notice. */
const PAUSE_MS = 1_000;

/** SIGTERM to one process after the other, each of which is ready again before the next. */
export async function restartInTurn({
  programs,
  balancer,
  load,
}: Pick<Installation, 'programs' | 'balancer' | 'load'>): Promise<RestartReport> {
  const count = (): number => Object.values(load.refusals).reduce((sum, one) => sum + one, 0);
  const [failed, answered] = [count(), load.accepted.length];
  const seconds: [string, number][] = [];
  for (const program of programs) {
    const began = performance.now();
    program.signal('SIGTERM');
    const { ending, lastOutput } = await program.untilEnded();
    if (ending.code !== 0) throw new Error(`${program.name} did not end well: ${lastOutput}`);
    await program.start();
    await untilReady([program]);
    seconds.push([program.name, Math.round((performance.now() - began) / 100) / 10]);
    if (program.name === 'api') {
      await until('the balancer uses it', () => balancer.ready.has(program.origin));
    }
    await delay(PAUSE_MS);
  }
  return { seconds, failed: count() - failed, answered: load.accepted.length - answered };
}
