import { expect, test } from 'vitest';
import { runChaos } from './chaos/run.ts';

const KILLS = 20;
const PAYMENTS = 40;

test('twenty kills under load: nothing accepted is lost, and nothing is paid twice', async () => {
  const seed = 1 + Math.floor(Math.random() * 1_000_000);
  const result = await runChaos({ kills: KILLS, seed, payments: PAYMENTS });
  const { lost, paidTwice, violations } = result;
  expect(
    { lost, paidTwice, violations },
    `npm run chaos -- --kills ${KILLS} --payments ${PAYMENTS} --seed ${seed}`,
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
