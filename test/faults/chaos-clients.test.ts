import { expect, test } from 'vitest';
import { CLIENTS_HERE } from '../clients/driver.ts';
import { SEED } from '../seed.ts';
import { runChaos } from './chaos/run.ts';

/** Fewer than bring down everything at once, which `chaos.test.ts` does. */
const KILLS = 5;
const PAYMENTS = 20;
const here = CLIENTS_HERE.filter(({ runs }) => runs).map(({ name }) => name);

test(`kills under the load of clients (${here.join(', ')}): each bill is paid at most once, and every final state that a client returned is true`, async () => {
  const result = await runChaos({ kills: KILLS, seed: SEED, clients: here, payments: PAYMENTS });
  const { lost, paidTwice, violations } = result;
  const again = `npm run chaos -- --client all --kills ${KILLS} --payments ${PAYMENTS} --seed ${SEED}`;
  expect({ lost, paidTwice, violations }, again).toEqual({
    lost: [],
    paidTwice: [],
    violations: [],
  });
  expect(result.kills).toBeGreaterThanOrEqual(KILLS);
  expect(result.accepted).toBeGreaterThanOrEqual(PAYMENTS);
}, 600_000);
