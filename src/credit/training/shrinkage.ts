import { fitLogistic } from './logistic.ts';
import { selectSamples } from './samples.ts';
import type { Samples } from './samples.ts';
import { seededUniform } from './seeded.ts';

/** With this many bads, a fit of some dozens of bins exaggerates by less than 1 %. */
const ENOUGH_BADS = 5000;
const FOLDS = 5;

/** Natural logarithmic odds of good to bad of each sample. */
export type LogOdds = (samples: Samples) => Float64Array;

/**
 * Share of the differences between people in a fit that is real: the calibration slope of the same fit,
 * including binning and selection, on samples it has not seen (cross-validation). At most 1. A fit on
 * few bads exaggerates; multiplying its log odds by this removes the exaggeration. Source: van
 * Houwelingen and le Cessie, Statistics in Medicine 9 (1990) 1303; Steyerberg, Clinical Prediction
 * Models (2009), section 13.2.
 */
export function shrinkageOf(samples: Samples, fit: (samples: Samples) => LogOdds): number {
  const bads = samples.bad.reduce((sum, one) => sum + one, 0);
  if (bads >= ENOUGH_BADS) return 1;
  const folds = foldsOf(samples, seededUniform(1));
  const unseen = new Float64Array(samples.count);
  for (let fold = 0; fold < FOLDS; fold++) {
    const [inside, outside] = [rowsOf(folds, fold, false), rowsOf(folds, fold, true)];
    const odds = fit(selectSamples(samples, inside))(selectSamples(samples, outside));
    for (const [at, row] of outside.entries()) unseen[row] = odds[at]!;
  }
  const { coefficients } = fitLogistic([unseen], goodsOf(samples), {
    rowWeights: samples.weights,
  });
  return Math.min(1, Math.max(0, coefficients[0]!));
}

function goodsOf({ bad }: Samples): Uint8Array {
  return bad.map((one) => 1 - one);
}

/** The fold of each row; each fold has an equal share of the bads. */
function foldsOf(samples: Samples, next: () => number): Uint8Array {
  const folds = new Uint8Array(samples.count);
  const order = Array.from(samples.bad.keys(), (row) => ({ row, draw: next() }));
  order.sort((a, b) => samples.bad[a.row]! - samples.bad[b.row]! || a.draw - b.draw);
  for (const [at, { row }] of order.entries()) folds[row] = at % FOLDS;
  return folds;
}

function rowsOf(folds: Uint8Array, fold: number, isIn: boolean): number[] {
  return [...folds.keys()].filter((row) => (folds[row] === fold) === isIn);
}

/**
 * The intercept with which log odds predict as many bads as there are (by bisection: the prediction
 * falls as the intercept rises).
 */
export function interceptFor(odds: Float64Array, { bad, weights }: Samples): number {
  let [low, high] = [-40, 40];
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2;
    let excess = 0;
    for (const [row, one] of odds.entries()) {
      excess += (weights?.[row] ?? 1) * (1 / (1 + Math.exp(one + middle)) - bad[row]!);
    }
    if (excess > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
