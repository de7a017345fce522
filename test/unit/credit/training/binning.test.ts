import { describe, expect, test } from 'vitest';
import { binCharacteristic } from '../../../../src/credit/training/binning.ts';
import { seededUniform } from '../../../../src/credit/training/seeded.ts';
import { fitBinOdds } from '../../../../src/credit/training/steps.ts';

describe('binning', () => {
  const next = seededUniform(4);
  const values = Float64Array.from({ length: 4000 }, () => Math.floor(next() * 40));
  const bad = Uint8Array.from(values, (value) => (next() < 0.05 + value / 100 ? 1 : 0));

  test('pools classes until weights follow the direction and no bin is below 5 %', () => {
    const { bins, missing, informationValue } = binCharacteristic(
      { values, bad },
      { better: 'lower' },
    );
    const weights = bins.map(({ woe }) => woe);
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    expect(bins.length).toBeGreaterThan(2);
    for (const { goods, bads } of bins) expect(goods + bads).toBeGreaterThanOrEqual(200);
    expect(bins.at(-1)!.below).toBe(Infinity);
    expect(missing).toBeUndefined();
    expect(informationValue).toBeGreaterThan(0.1);
    expect(bins.reduce((sum, { goods, bads }) => sum + goods + bads, 0)).toBe(4000);
  });

  test('cuts years apart, which agree in their first two digits', () => {
    const years = values.map((value) => 1985 + value);
    const of = (column: Float64Array) =>
      binCharacteristic({ values: column, bad }, { better: 'lower' });
    expect(of(years).bins.length).toBe(of(values).bins.length);
    expect(of(years).informationValue).toBeCloseTo(of(values).informationValue, 6);
  });

  test('a row of weight 2 counts as two rows', () => {
    const weights = values.map((_, row) => (row % 3 === 0 ? 2 : 1));
    const rows = [...values.keys()].flatMap((row) => (row % 3 === 0 ? [row, row] : [row]));
    // The same quantiles, so that only the counts differ.
    const few = (from: Float64Array): Float64Array => from.map((value) => Math.floor(value / 4));
    const weighted = binCharacteristic({ values: few(values), bad, weights }, { better: 'lower' });
    const twice = binCharacteristic(
      {
        values: few(Float64Array.from(rows, (row) => values[row]!)),
        bad: Uint8Array.from(rows, (row) => bad[row]!),
      },
      { better: 'lower' },
    );
    expect(weighted).toEqual(twice);
  });

  test('bins have the least number of bads, unequal weights counting as fewer', () => {
    const bads = ({ bins }: { bins: readonly { bads: number }[] }) => bins.map((bin) => bin.bads);
    const few = binCharacteristic({ values, bad }, { better: 'lower', minBads: 150 });
    expect(Math.min(...bads(few))).toBeGreaterThanOrEqual(150);
    const usual = binCharacteristic({ values, bad }, { better: 'lower' });
    expect(Math.min(...bads(usual))).toBeLessThan(150);
    // One row outweighs all others, but still counts as one case.
    const weights = values.map((_, row) => (row === bad.indexOf(1) ? 1e6 : 1));
    expect(binCharacteristic({ values, bad, weights }, { better: 'lower' }).bins).toHaveLength(1);
  });

  test('characteristics have no effect against their direction', () => {
    const { bins, informationValue } = binCharacteristic({ values, bad }, { better: 'higher' });
    expect(bins).toHaveLength(1);
    expect(informationValue).toBeCloseTo(0, 3);
  });

  test('bins are never worth less than worse ones, and steps that may be chance are removed', () => {
    const draw = seededUniform(5);
    const count = 4_000;
    const column = Float64Array.from({ length: count }, () => Math.floor(draw() * 6));
    // The share of bads falls at 2 and at 4; 3 is no better than 2, and 5 is worse than 4.
    const share = [0.5, 0.5, 0.3, 0.3, 0.1, 0.2];
    const outcomes = Uint8Array.from(column, (value) => (draw() < share[value]! ? 1 : 0));
    const bins = [1, 2, 3, 4, 5, Infinity].map((below, at) => ({
      ...{ below, goods: 1, bads: 1 },
      woe: at,
    }));
    const binning = { bins, missing: undefined, informationValue: 1 };
    const goods = outcomes.map((one) => 1 - one);
    const { odds } = fitBinOdds([{ column, binning }], {
      goods,
      weights: undefined,
      minStandardErrors: 1.96,
    });
    const worth = odds[0]!.bins;
    expect(worth[0]).toBe(0);
    expect(worth[1]).toBe(0);
    expect(worth[2]).toBeGreaterThan(0.5);
    expect(worth[3]).toBe(worth[2]);
    expect(worth[4]).toBeGreaterThan(worth[3]!);
    expect(worth[5]).toBe(worth[4]);
  });

  test('“never” is at least as good as the best value, also when the samples show otherwise', () => {
    const some = values.map((value, row) => (row % 4 === 0 ? NaN : value));
    const worst = bad.map((one, row) => (row % 4 === 0 ? 1 : one));
    const direction = { better: 'higher', missing: 'best' } as const;
    for (const outcomes of [bad, worst]) {
      const { bins, missing } = binCharacteristic({ values: some, bad: outcomes }, direction);
      expect(missing!.woe).toBeGreaterThanOrEqual(Math.max(...bins.map(({ woe }) => woe)));
    }
    const { missing } = binCharacteristic({ values, bad }, direction);
    expect(missing).toMatchObject({ goods: 0, bads: 0 });
  });
});
