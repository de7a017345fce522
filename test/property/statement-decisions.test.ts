import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fates, picks, steps } from '../model/operator-model.ts';
import { MemoryRun } from '../model/statement-decisions.ts';
import { EXAMPLES } from '../model/statement-examples.ts';
import type { Example } from '../model/statement-examples.ts';

// As the model of statements does with a database, but a thousand times as often: the real code compares, opens cases
// and plans, and what it decides is kept in memory.

function run(...[ours, done, last]: Example): void {
  const memory = new MemoryRun(ours);
  for (const step of done) memory.do(step);
  memory.end(last);
}

test.each(Object.entries(EXAMPLES))(
  'the ledger has what the operator has kept: %s',
  (_, example) => {
    expect(() => run(...example)).not.toThrow();
  },
);

test('the ledger has what the operator has kept, for random statements and decisions in memory', () => {
  fc.assert(fc.property(fates, steps, picks, run), { numRuns: 2_000 });
});
