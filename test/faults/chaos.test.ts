import { expect, test } from 'vitest';
import { SEED } from '../seed.ts';
import { runChaos } from './chaos/run.ts';

const KILLS = 20;
const PAYMENTS = 40;

test('twenty kills under load: nothing accepted is lost, and nothing is paid twice', async () => {
  const result = await runChaos({ kills: KILLS, seed: SEED, payments: PAYMENTS });
  const { lost, paidTwice, violations } = result;
  expect(
    { lost, paidTwice, violations },
    `npm run chaos -- --kills ${KILLS} --payments ${PAYMENTS} --seed ${SEED}`,
  ).toEqual({
    lost: [],
    paidTwice: [],
    violations: [],
  });
  expect(result.kills).toBeGreaterThanOrEqual(KILLS);
  // Everything was killed together twice, and payments were accepted all the same.
  expect(result.hits['everything']).toBeGreaterThanOrEqual(2);
  expect(result.accepted).toBeGreaterThanOrEqual(PAYMENTS);
}, 900_000);
