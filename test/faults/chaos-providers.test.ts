import { expect, test } from 'vitest';
import { SEED } from '../seed.ts';
import { runChaos } from './chaos/run.ts';

const KILLS = 4;

/**
 * All protocols with routes, among them one without our key and with results by callback only. `npm run
 * chaos` tests each one alone.
 */
test('real protocols: nothing is paid twice, no paid payment fails, and a result that cannot be found out becomes a case', async () => {
  const result = await runChaos({ kills: KILLS, seed: SEED, provider: 'all' });
  const { lost, paidTwice, violations } = result;
  expect(
    { lost, paidTwice, violations },
    `npm run chaos -- --provider all --kills ${KILLS} --seed ${SEED}`,
  ).toEqual({ lost: [], paidTwice: [], violations: [] });
  expect(result.kills).toBeGreaterThanOrEqual(KILLS);
  expect(result.accepted).toBeGreaterThan(0);
  // Longer than the time after which the harness itself reports open payments.
}, 900_000);
