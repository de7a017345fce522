import { expect, test } from 'vitest';
import { plotsOf } from '../../../../src/credit/monitoring/card-plots.ts';
import { usageBy, usageOfDays } from '../../../../src/credit/monitoring/usage.ts';
import { shippedScorecards } from '../../../../src/credit/scorecards/score.ts';
import { outcomesOf } from '../../../../src/credit/training/train.ts';

test('the curve begins at 0, ends at 1 and is widest apart at the KS', () => {
  const plots = plotsOf({
    validation: { goods: { 400: 10, 600: 30, 500: 10 }, bads: { 400: 8, 500: 2 } },
  });
  expect(plots).toMatchObject({
    samples: 60,
    bads: 10,
    roc: [
      { goods: 0, bads: 0 },
      { goods: 0.2, bads: 0.8 },
      { goods: 0.4, bads: 1 },
      { goods: 1, bads: 1 },
    ],
    ks: { below: 420 },
  });
  expect(plots?.ks.value).toBeCloseTo(0.6);
  expect(plots?.bands.map(({ from, observed }) => [from, observed])).toEqual([
    [400, 8 / 18],
    [500, 2 / 12],
    [600, 0],
  ]);
});

test('without a test, or without both outcomes, there is nothing to draw', () => {
  expect(plotsOf({})).toBeNull();
  expect(plotsOf({ validation: { goods: { 400: 1 }, bads: {} } })).toBeNull();
});

test('scores are counted by bands of 20 points', () => {
  const counts = { goods: new Float64Array(1001), bads: new Float64Array(1001) };
  counts.goods[419] = 2;
  counts.goods[400] = 1;
  counts.bads[420] = 3;
  expect(outcomesOf(counts)).toEqual({ goods: { 400: 3 }, bads: { 420: 3 } });
});

test.each(['generic', 'mobile'] as const)('the shipped %s card has its test', (kind) => {
  const card = shippedScorecards()[kind];
  const plots = plotsOf(card);
  expect(plots?.samples).toBeGreaterThan(10_000);
  expect(plots?.ks.value).toBeCloseTo(Number(card.about['holdOutKs']), 1);
});

const count = (
  vid: string,
  day: string,
  outcome: 'answered' | 'mismatch' | 'unknown',
  of: number,
) => ({
  ...{ vid, day, outcome },
  count: of,
});

test('rates leave out what has no result, and a day without enquiries is shown', () => {
  const counts = [
    count('demo', '2026-11-01', 'answered', 6),
    count('demo', '2026-11-01', 'mismatch', 2),
    count('demo', '2026-11-03', 'unknown', 5),
    count('demo2', '2026-11-03', 'answered', 1),
  ];
  const days = usageOfDays(counts, ['2026-11-01', '2026-11-02', '2026-11-03']);
  expect(days.map(({ enquiries, hitRate }) => [enquiries, hitRate])).toEqual([
    [8, 0.75],
    [0, null],
    [6, 1],
  ]);
  expect(usageBy(counts, 'vid')).toMatchObject([
    { of: 'demo', enquiries: 13, mismatchRate: 0.25, unknown: 5 },
    { of: 'demo2', enquiries: 1, mismatchRate: 0 },
  ]);
});
