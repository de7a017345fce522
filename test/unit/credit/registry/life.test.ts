import { expect, test } from 'vitest';
import { exampleSubjects } from '../../../../sandbox/population/examples.ts';
import { lifeRecordOf } from '../../../../src/credit/registry/life-store.ts';
import { isDeceased } from '../../../../src/credit/scorecards/standing.ts';

/** @param on the day for which a lender reports the death. */
function isDead(on: string, clearedAt: string): boolean {
  const [example] = exampleSubjects(new Date('2026-02-28T00:00:00Z'));
  const [account] = example?.file.accounts ?? [];
  if (example === undefined || account === undefined) throw new Error('an account is required');
  const current = { ...account.current, status: 'L', statusOn: new Date(on) } as const;
  const living = { status: 'living', recordedAt: new Date(clearedAt) } as const;
  const life = lifeRecordOf(living, 'Africa/Nairobi');
  return isDeceased({ ...example.file, accounts: [{ ...account, current }], life });
}

test('what people find out refutes deaths that lenders report up to that day, which begins at midnight here', () => {
  // Half past midnight and late in the evening of 2 March in Nairobi.
  for (const clearedAt of ['2026-03-01T21:30:00Z', '2026-03-02T20:30:00Z']) {
    expect(isDead('2026-03-02', clearedAt)).toBe(false);
    expect(isDead('2026-03-03', clearedAt)).toBe(true);
  }
  expect(isDead('2026-03-02', '2026-03-01T20:30:00Z')).toBe(true);
});
