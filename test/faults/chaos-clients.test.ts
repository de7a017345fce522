import { expect, test } from 'vitest';
import { CLIENTS_HERE } from '../clients/driver.ts';
import { runChaos } from './chaos/run.ts';

/** Fewer than bring down everything at once, which `chaos.test.ts` does. */
const KILLS = 5;
const PAYMENTS = 20;
const here = CLIENTS_HERE.filter(({ runs }) => runs).map(({ name }) => name);

test(`kills under the load of clients (${here.join(', ')}): each bill is paid at most once, and every final state that a client returned is true`, async () => {
  const seed = 1 + Math.floor(Math.random() * 1_000_000);
  const result = await runChaos({ kills: KILLS, seed, clients: here, payments: PAYMENTS });
  const { lost, paidTwice, violations } = result;
  const again = `npm run chaos -- --client all --kills ${KILLS} --payments ${PAYMENTS} --seed ${seed}`;
  expect({ lost, paidTwice, violations }, again).toEqual({
    lost: [],
    paidTwice: [],
    violations: [],
  });
  expect(result.kills).toBeGreaterThanOrEqual(KILLS);
  expect(result.accepted).toBeGreaterThanOrEqual(PAYMENTS);
}, 600_000);
