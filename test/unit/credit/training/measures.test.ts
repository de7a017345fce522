import { describe, expect, test } from 'vitest';
import { percentOfScore } from '../../../../src/credit/scorecards/scale.ts';
import {
  aucOfProbabilities,
  calibration,
  countScores,
  measurePerformance,
} from '../../../../src/credit/training/measures.ts';

describe('measures', () => {
  const scores = Uint16Array.from([400, 450, 450, 500, 550, 600, 600, 700]);
  const bad = Uint8Array.from([1, 1, 0, 1, 0, 0, 1, 0]);

  test('AUC, KS and Brier agree with counted pairs', () => {
    const found = measurePerformance(countScores(scores, bad));
    let [pairs, wins] = [0, 0];
    for (const [i, isBad] of bad.entries()) {
      for (const [j, other] of bad.entries()) {
        if (isBad === 1 || other === 0) continue;
        pairs++;
        wins += scores[i]! > scores[j]! ? 1 : Number(scores[i] === scores[j]) / 2;
      }
    }
    expect(found.auc).toBeCloseTo(wins / pairs, 12);
    expect(found.gini).toBeCloseTo((2 * wins) / pairs - 1, 12);
    expect(found.ks).toBeCloseTo(0.5, 12);
    const squares = [...scores].map((score, row) => (bad[row]! - percentOfScore(score) / 100) ** 2);
    expect(found.brier).toBeCloseTo(squares.reduce((sum, one) => sum + one, 0) / 8, 12);
    const predicted = Float64Array.from(scores, (score) => percentOfScore(score));
    expect(aucOfProbabilities(predicted, bad)).toBeCloseTo(wins / pairs, 12);
  });

  test('calibration groups hold every sample once, equal scores together', () => {
    const groups = calibration(countScores(scores, bad), 3);
    expect(groups.map(({ samples, bads }) => [samples, bads])).toEqual([
      [3, 2],
      [4, 2],
      [1, 0],
    ]);
  });
});
