import { HIGHEST_SCORE, percentOfScore } from '../scorecards/scale.ts';
import { fitLogistic } from './logistic.ts';

/**
 * Numbers of goods and bads with each score; index 0 is unused. All measures of a card are computed
 * from it.
 */
export interface ScoreCounts {
  readonly goods: Float64Array;
  readonly bads: Float64Array;
}

/**
 * @param scores whole, 1 to 1000. @param bad 1 bad, 0 good, of the same length.
 * @param weights how many people each stands for; 1 each when absent.
 */
export function countScores(
  scores: Uint16Array,
  bad: Uint8Array,
  weights?: Float64Array,
): ScoreCounts {
  const goods = new Float64Array(HIGHEST_SCORE + 1);
  const bads = new Float64Array(HIGHEST_SCORE + 1);
  for (const [row, score] of scores.entries()) {
    const weight = weights?.[row] ?? 1;
    if (bad[row] === 1) bads[score]! += weight;
    else goods[score]! += weight;
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
  /** Observed change of people's log odds per unit of the card's log odds; 1 is right. */
  readonly calibrationSlope: number;
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
    calibrationSlope: calibrationSlope(counts),
  };
}

/**
 * The coefficient of the card’s log odds in a logistic regression of the outcome on them. Below 1:
 * the card exaggerates the differences between people, as a fit on few samples does.
 * Source: Cox, Biometrika 45 (1958) 562; Steyerberg, Clinical Prediction Models (2009), 15.2.
 * @returns NaN without samples of both outcomes, or where all have one score.
 */
export function calibrationSlope({ goods, bads }: ScoreCounts): number {
  const scores = [...goods.keys()].filter((score) => goods[score]! + bads[score]! > 0);
  if (scores.length < 2 || sum(goods) === 0 || sum(bads) === 0) return NaN;
  const logOdds = Float64Array.from([...scores, ...scores], (score) => {
    const probability = percentOfScore(score) / 100;
    return Math.log((1 - probability) / probability);
  });
  const isGood = Uint8Array.from(logOdds, (_, at) => (at < scores.length ? 1 : 0));
  const weights = Float64Array.from(logOdds, (_, at) =>
    at < scores.length ? goods[scores[at]!]! : bads[scores[at - scores.length]!]!,
  );
  return fitLogistic([logOdds], isGood, { rowWeights: weights }).coefficients[0]!;
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
  const scores = [...counts.keys()].filter((score) => counts[score]! > 0);
  const total = sum(counts);
  // Up to and including each score; the last is infinite, or rounding could leave a draw without one.
  let reached = 0;
  const upTo = scores.map((score) => (reached += counts[score]!));
  upTo[upTo.length - 1] = Infinity;
  return () => {
    const drawn = new Float64Array(counts.length);
    for (let one = 0; one < Math.round(total); one++) {
      drawn[scores[firstAbove(upTo, next() * total)]!]!++;
    }
    return drawn;
  };
}

/** Where an ascending list first exceeds a value that its last item exceeds. */
function firstAbove(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
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
