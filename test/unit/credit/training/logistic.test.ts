import { describe, expect, test } from 'vitest';
import { fitLogistic } from '../../../../src/credit/training/logistic.ts';
import { seededUniform } from '../../../../src/credit/training/seeded.ts';

describe('logistic regression', () => {
  test('has the closed solution of a two by two table', () => {
    // 30 of 100 with x = 0, 60 of 100 with x = 1.
    const x = Float64Array.from({ length: 200 }, (_, row) => (row < 100 ? 0 : 1));
    const y = Uint8Array.from({ length: 200 }, (_, row) => (row < 30 || row >= 140 ? 1 : 0));
    const { intercept, coefficients, standardErrors } = fitLogistic([x], y);
    expect(intercept).toBeCloseTo(Math.log(30 / 70), 3);
    expect(coefficients[0]).toBeCloseTo(Math.log((60 / 40) * (70 / 30)), 3);
    expect(standardErrors[0]).toBeCloseTo(Math.sqrt(1 / 30 + 1 / 70 + 1 / 60 + 1 / 40), 4);
  });

  test('converges where full steps overshoot: few cases, nearly all of them bad', () => {
    const rare = Float64Array.from({ length: 2000 }, (_, row) => (row < 80 ? -3 : 0.7));
    const good = Uint8Array.from({ length: 2000 }, (_, row) => (row === 0 || row >= 110 ? 1 : 0));
    const { intercept, coefficients } = fitLogistic([rare], good);
    expect(intercept - 3 * coefficients[0]!).toBeCloseTo(Math.log(1 / 79), 1);
    expect(intercept + 0.7 * coefficients[0]!).toBeCloseTo(Math.log(1890 / 30), 2);
  });

  test('finds the given coefficients with their standard errors', () => {
    const next = seededUniform(9);
    const columns = [0, 1].map(() => Float64Array.from({ length: 20_000 }, () => next() * 2 - 1));
    const y = Uint8Array.from({ length: 20_000 }, (_, row) => {
      const logOdds = -0.5 + 1.5 * columns[0]![row]! - 0.8 * columns[1]![row]!;
      return next() < 1 / (1 + Math.exp(-logOdds)) ? 1 : 0;
    });
    const { coefficients, standardErrors } = fitLogistic(columns, y);
    for (const [at, truth] of [1.5, -0.8].entries()) {
      expect(Math.abs(coefficients[at]! - truth)).toBeLessThan(4 * standardErrors[at]!);
      expect(standardErrors[at]).toBeLessThan(0.05);
    }
    // The same column twice: the effect is shared, coefficients stay small, and standard errors are large.
    const twin = fitLogistic([columns[0]!, columns[0]!], y);
    expect(twin.coefficients[0]! + twin.coefficients[1]!).toBeCloseTo(1.5, 0);
    expect(twin.standardErrors[0]).toBeGreaterThan(1);
    expect(() => fitLogistic(columns, new Uint8Array(20_000))).toThrow(RangeError);
  });
});
