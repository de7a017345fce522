import { afterAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { sharedBooks } from '../support/shared-books.ts';
import { emptyTally, runMonth } from './money-in-world.ts';

// Money in through confirmations, the pull, the organisation statement and a bank statement, each of which loses, delays,
// repeats, reorders and damages what it says, while processes are killed at any statement.

const COUNT = Number(process.env['MONEY_IN_SEEDS'] ?? '24');
const FIRST_SEED = Number(process.env['MONEY_IN_SEED'] ?? '1');
const TIMEOUT_MS = 60_000 + COUNT * 10_000;

const freshBooks = sharedBooks();
const tally = emptyTally();
afterAll(() => {
  if (process.env['MONEY_IN_SEEDS'] !== undefined) console.log(JSON.stringify(tally));
});

test(
  'every shilling is credited once, to its vendor, or is on the list of people',
  async () => {
    const wrong: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT && wrong.length < 5; seed += 1) {
      const books = await freshBooks();
      const problems = await runMonth(books, seed, tally).catch((error: unknown) => [
        String(error),
      ]);
      wrong.push(...problems.map((problem) => `seed ${seed}: ${problem}`));
      if (seed === FIRST_SEED) {
        const { violations } = await checkLedger(books.pool);
        wrong.push(...violations.map((violation) => `seed ${seed}: ${JSON.stringify(violation)}`));
      }
      await books.close();
    }
    expect(wrong).toEqual([]);
    expect(tally.kills).toBeGreaterThan(0);
    expect(tally.completed).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
