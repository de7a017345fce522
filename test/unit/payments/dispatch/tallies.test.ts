import { expect, test } from 'vitest';
import { Tallies } from '../../../../src/payments/dispatch/tallies.ts';

test('calls are counted by operator, kind and result, with the time that they took', async () => {
  const tallies = new Tallies();
  const end = { stage: 'send', result: 'unknown', answered: false, pausedReason: null } as const;
  tallies.noteCall('a', end, 0.5);
  tallies.noteCall('a', end, 1);
  tallies.noteCall('a', { ...end, stage: 'verify', result: 'paid' }, 2);
  tallies.noteCall('b', end, 4);
  expect([...tallies.calls.sums()]).toEqual([
    { labels: { operator: 'a', call: 'send', result: 'unknown' }, sum: 2 },
    { labels: { operator: 'a', call: 'verify', result: 'paid' }, sum: 1 },
    { labels: { operator: 'b', call: 'send', result: 'unknown' }, sum: 1 },
  ]);
  const { values } = await tallies.callDurations.get();
  const sums = values.filter(({ metricName }) => metricName?.endsWith('_sum'));
  expect(sums.map(({ value }) => value)).toEqual([1.5, 2, 4]);
});
