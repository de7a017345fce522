import { expect, test } from 'vitest';
import { runChaos } from './chaos/run.ts';

const KILLS = 4;

/**
 * A protocol without our key and with results by callback only, and all protocols with routes. `npm run
 * chaos` tests each one alone.
 */
const PROVIDERS = ['daraja-b2b', 'all'];

test.each(PROVIDERS)(
  '%s: nothing is paid twice, no paid payment fails, and a result that cannot be found out becomes a case',
  async (provider) => {
    const seed = 1 + Math.floor(Math.random() * 1_000_000);
    const result = await runChaos({ kills: KILLS, seed, provider });
    const { lost, paidTwice, violations } = result;
    expect(
      { lost, paidTwice, violations },
      `npm run chaos -- --provider ${provider} --kills ${KILLS} --seed ${seed}`,
    ).toEqual({ lost: [], paidTwice: [], violations: [] });
    expect(result.kills).toBeGreaterThanOrEqual(KILLS);
    expect(result.accepted).toBeGreaterThan(0);
  },
  // Longer than the time after which the harness itself reports open payments.
  900_000,
);
