import { describe, expect, test } from 'vitest';
import type { Ratio, Run } from '../../../bench/ratios.ts';
import { isNoisy, relativeInterval } from '../../../bench/rounds.ts';

const ratio: Ratio = {
  ...{ name: 'ours_vs_theirs', what: '', must: 1, goal: 2, better: 'higher' },
  of: ['ours', 'theirs'],
  value: (figure) => figure('ours').value / figure('theirs').value,
};

const runs = (ours: readonly number[], theirs: readonly number[]): Run[] =>
  ours.flatMap((value, round) => [
    { contestant: 'ours', value },
    { contestant: 'theirs', value: theirs[round] ?? 0 },
  ]);

describe('the interval of a ratio', () => {
  test('a disturbance of a whole round does not widen it', () => {
    expect(relativeInterval(ratio, runs([10, 5, 20], [5, 2.5, 10]))).toBe(0);
  });

  test('the interval is 1.57 × interquartile range ÷ √n, as a share of the median', () => {
    // The ratios are 1, 2, 3, 4, 5: quartiles 2 and 4, median 3.
    const interval = relativeInterval(ratio, runs([5, 4, 1, 2, 3], [1, 1, 1, 1, 1]));
    expect(interval).toBeCloseTo((1.57 * 2) / Math.sqrt(5) / 3, 12);
    expect(isNoisy(interval)).toBe(true);
  });

  test('two rounds do not give an interval', () => {
    expect(relativeInterval(ratio, runs([1, 2], [1, 1]))).toBeUndefined();
    expect(isNoisy(undefined)).toBe(false);
  });

  test('leaves out a round that has not ended', () => {
    const begun: Run = { contestant: 'ours', value: 99 };
    expect(relativeInterval(ratio, [...runs([1, 1, 1], [1, 1, 1]), begun])).toBe(0);
  });
});
