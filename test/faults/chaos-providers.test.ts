import { expect, test } from 'vitest';
import { runChaos } from './chaos/run.ts';

const KILLS = 4;

/** No key of ours and results by callback only; and all of them, with routes. Each alone: `npm run chaos`. */
const PROVIDERS = ['daraja-b2b', 'all'];

test.each(PROVIDERS)(
  '%s: nothing is paid twice, nothing that was paid is failed, and what nobody can find out is a case',
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
  // Above the time within which the harness itself says that the books did not come to rest.
  900_000,
);
