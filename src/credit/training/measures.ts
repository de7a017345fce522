import { HIGHEST_SCORE, percentOfScore } from '../scorecards/scale.ts';

/**
 * How many goods and bads got each score; index 0 is unused. All measures of a card are computed
 * from it.
 */
export interface ScoreCounts {
  readonly goods: Float64Array;
  readonly bads: Float64Array;
}

/** @param scores whole, 1 to 1000. @param bad 1 bad, 0 good, of the same length. */
export function countScores(scores: Uint16Array, bad: Uint8Array): ScoreCounts {
  const goods = new Float64Array(HIGHEST_SCORE + 1);
  const bads = new Float64Array(HIGHEST_SCORE + 1);
  for (const [row, score] of scores.entries()) {
    if (bad[row] === 1) bads[score]!++;
    else goods[score]!++;
  }
  return { goods, bads };
}

export interface Performance {
  readonly samples: number;
  readonly bads: number;
  /** Probability that a good scores above a bad, ties counting half. NaN without both. */
  readonly auc: number;
  /** 2·AUC − 1. */
  readonly gini: number;
  /** Kolmogorov–Smirnov: largest distance between the two cumulative distributions. */
  readonly ks: number;
  /** Mean squared error of the probability of default. */
  readonly brier: number;
  /** Mean absolute distance between predicted and observed default rate over ten equal groups. */
  readonly calibrationError: number;
}

export function measurePerformance(counts: ScoreCounts): Performance {
  const [goods, bads] = [sum(counts.goods), sum(counts.bads)];
  let below = { goods: 0, bads: 0 };
  let wins = 0;
  let ks = 0;
  let squares = 0;
  for (let score = 1; score <= HIGHEST_SCORE; score++) {
    const [good, bad] = [counts.goods[score]!, counts.bads[score]!];
    if (good + bad === 0) continue;
    wins += good * (below.bads + bad / 2);
    below = { goods: below.goods + good, bads: below.bads + bad };
    ks = Math.max(ks, Math.abs(below.bads / bads - below.goods / goods));
    const probability = percentOfScore(score) / 100;
    squares += bad * (1 - probability) ** 2 + good * probability ** 2;
  }
  const samples = goods + bads;
  const auc = wins / (goods * bads);
  const groups = calibration(counts);
  const distance = groups.reduce(
    (total, { predicted, observed, samples: size }) =>
      total + size * Math.abs(predicted - observed),
    0,
  );
  return {
    samples,
    bads,
    auc,
    gini: 2 * auc - 1,
    ks,
    brier: squares / samples,
    calibrationError: distance / samples,
  };
}

/** A tenth of the samples, adjacent by score. */
export interface CalibrationGroup {
  readonly fromScore: number;
  readonly toScore: number;
  readonly samples: number;
  readonly bads: number;
  /** Mean probability of default according to the card, 0 to 1. */
  readonly predicted: number;
  /** Share that defaulted, 0 to 1. */
  readonly observed: number;
}

/** About ten groups of equal size, the lowest scores first; equal scores stay together. */
export function calibration(counts: ScoreCounts, groups = 10): CalibrationGroup[] {
  const size = (sum(counts.goods) + sum(counts.bads)) / groups;
  const found: CalibrationGroup[] = [];
  let [samples, bads, predicted, fromScore] = [0, 0, 0, 0];
  let done = 0;
  for (let score = 1; score <= HIGHEST_SCORE; score++) {
    const here = counts.goods[score]! + counts.bads[score]!;
    if (here === 0) continue;
    if (samples === 0) fromScore = score;
    samples += here;
    bads += counts.bads[score]!;
    predicted += (here * percentOfScore(score)) / 100;
    // The last group ends with the last sample; rounding must not split it.
    if (done + samples < size * (found.length + 1) - 1e-6) continue;
    found.push({
      fromScore,
      toScore: score,
      samples,
      bads,
      predicted: predicted / samples,
      observed: bads / samples,
    });
    done += samples;
    [samples, bads, predicted] = [0, 0, 0];
  }
  return found;
}

/**
 * Population stability index between two distributions over the same bins: below 0.1 stable, from
 * 0.25 a different population. Empty bins count as half a sample.
 */
export function stabilityIndex(expected: readonly number[], actual: readonly number[]): number {
  const [expectedTotal, actualTotal] = [sum(expected), sum(actual)];
  return expected.reduce((total, count, at) => {
    const before = Math.max(count, 0.5) / expectedTotal;
    const after = Math.max(actual[at] ?? 0, 0.5) / actualTotal;
    return total + (after - before) * Math.log(after / before);
  }, 0);
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * 95 % percentile interval of the AUC by bootstrap: samples drawn with replacement.
 * @param next uniform from 0 to below 1; a seeded one makes the interval repeatable.
 */
export function bootstrapAuc(counts: ScoreCounts, rounds: number, next: () => number): Interval {
  const drawGoods = drawer(counts.goods, next);
  const drawBads = drawer(counts.bads, next);
  const aucs = Array.from(
    { length: rounds },
    () => measurePerformance({ goods: drawGoods(), bads: drawBads() }).auc,
  ).toSorted((a, b) => a - b);
  return {
    low: aucs[Math.floor(0.025 * rounds)] ?? NaN,
    high: aucs[Math.min(rounds - 1, Math.floor(0.975 * rounds))] ?? NaN,
  };
}

/** Draws as many samples as were counted, with replacement, and counts them. */
function drawer(counts: Float64Array, next: () => number): () => Float64Array {
  const scores: number[] = [];
  for (const [score, count] of counts.entries()) {
    for (let one = 0; one < count; one++) scores.push(score);
  }
  return () => {
    const drawn = new Float64Array(counts.length);
    for (let one = 0; one < scores.length; one++) {
      drawn[scores[Math.floor(next() * scores.length)]!]!++;
    }
    return drawn;
  };
}

/**
 * AUC of any predicted probabilities, ties counting half: for the probabilities that a population
 * was generated with.
 */
export function aucOfProbabilities(probabilities: Float64Array, bad: Uint8Array): number {
  const rows = Array.from(bad.keys()).toSorted((a, b) => probabilities[a]! - probabilities[b]!);
  let [wins, goods, bads] = [0, 0, 0];
  for (let from = 0; from < rows.length;) {
    let [tiedGoods, tiedBads, to] = [0, 0, from];
    const value = probabilities[rows[from]!];
    for (; to < rows.length && probabilities[rows[to]!] === value; to++) {
      if (bad[rows[to]!] === 1) tiedBads++;
      else tiedGoods++;
    }
    wins += tiedBads * (goods + tiedGoods / 2);
    goods += tiedGoods;
    bads += tiedBads;
    from = to;
  }
  return wins / (goods * bads);
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
