import { pointsOf } from '../scorecards/scorecard.ts';
import type { CardCharacteristic, Scorecard } from '../scorecards/scorecard.ts';
import { GRADES, gradeOfPercent, percentOfScore } from '../scorecards/scale.ts';
import { totalPoints } from '../scorecards/score.ts';
import {
  aucOfProbabilities,
  bootstrapAuc,
  calibration,
  countScores,
  measurePerformance,
  stabilityIndex,
} from './measures.ts';
import type { CalibrationGroup, Interval, Performance, ScoreCounts } from './measures.ts';
import { measuresOf, selectSamples } from './samples.ts';
import type { Samples } from './samples.ts';
import { seededUniform } from './seeded.ts';

/** Development makes the card; the other two only validate it. */
export const PARTS = ['development', 'holdOut', 'outOfTime'] as const;
export type Part = (typeof PARTS)[number];
export type SplitSamples = Readonly<Record<Part, Samples>>;

const HOLD_OUT_SHARE = 0.3;
const OUT_OF_TIME_SHARE_OF_MONTHS = 0.25;
const BOOTSTRAP_ROUNDS = 200;
/** Applicants graded EE or better count as accepted in the fairness part. */
const ACCEPTED_BELOW_PERCENT = 15;
/** Smaller groups say nothing about fairness. */
const SMALLEST_GROUP = 100;

/**
 * Splits samples: the last quarter of the months is kept for the out-of-time test (none when there
 * are fewer than four months), or those from `outOfTimeFrom` (`YYYY-MM`) on; of the rest 30 % for
 * the hold-out test.
 */
export function splitSamples(samples: Samples, seed: number, outOfTimeFrom?: string): SplitSamples {
  const months = [...new Set(samples.months)].toSorted((a, b) => a - b);
  const late = new Set(
    outOfTimeFrom === undefined
      ? months.slice(Math.ceil(months.length * (1 - OUT_OF_TIME_SHARE_OF_MONTHS)))
      : months.filter((month) => monthText(month) >= outOfTimeFrom),
  );
  const next = seededUniform(seed);
  const rows: Record<Part, number[]> = { development: [], holdOut: [], outOfTime: [] };
  for (let row = 0; row < samples.count; row++) {
    const heldOut = next() < HOLD_OUT_SHARE;
    if (late.has(samples.months[row]!)) rows.outOfTime.push(row);
    else rows[heldOut ? 'holdOut' : 'development'].push(row);
  }
  return {
    development: selectSamples(samples, rows.development),
    holdOut: selectSamples(samples, rows.holdOut),
    outOfTime: selectSamples(samples, rows.outOfTime),
  };
}

export interface PartResult {
  readonly counts: ScoreCounts;
  readonly performance: Performance;
  readonly calibration: readonly CalibrationGroup[];
}

interface MonthResult {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly performance: Performance;
  readonly predicted: number;
  /** Stability of the score, compared with the development part. */
  readonly stabilityIndex: number;
}

interface GroupResult {
  readonly group: string;
  readonly performance: Performance;
  readonly predicted: number;
  /** The share that a lender accepting grade EE and better would accept. */
  readonly accepted: number;
}

interface GradeResult {
  readonly grade: string;
  readonly samples: number;
  readonly bads: number;
}

export interface Validation {
  /** No out-of-time part if the samples span too few months. */
  readonly parts: Readonly<Partial<Record<Part, PartResult>>>;
  readonly aucInterval: Interval;
  readonly months: readonly MonthResult[];
  /** Compared with the later samples: those out of time, otherwise the hold-out. */
  readonly characteristicStability: ReadonlyMap<string, number>;
  readonly scoreStability: number;
  /** The development part by bands of scores. */
  readonly reference: readonly number[];
  readonly grades: readonly GradeResult[];
  readonly groups: readonly GroupResult[];
  /**
   * Lowest acceptance rate divided by the highest, over groups; undefined with fewer than two
   * groups.
   */
  readonly adverseImpactRatio: number | undefined;
  /**
   * Known only in a synthetic population: AUC of the probabilities it was generated with, on the
   * hold-out.
   */
  readonly trueAuc: number | undefined;
}

/** The parts of a card that a validation needs, whether it is of the registry or of a table. */
export interface ValidatedCard {
  readonly names: readonly string[];
  readonly scores: (samples: Samples) => Uint16Array;
  /** The points of each row in one column. */
  readonly pointsOf: (name: string, samples: Samples) => Float64Array;
}

export function judgedScorecard(card: Scorecard): ValidatedCard {
  const columns = new Map(
    card.characteristics.map((one): [string, CardCharacteristic] => [one.name, one]),
  );
  return {
    names: [...columns.keys()],
    scores: (samples) => scoreSamples(card, samples),
    pointsOf: (name, samples) =>
      samples.columns
        .get(name)!
        .map((value) => pointsOf(columns.get(name)!, Number.isNaN(value) ? null : value)),
  };
}

/** Validates a card. Everything but `parts.development` uses samples that the fit has not seen. */
export function validateCard(card: ValidatedCard, split: SplitSamples, seed: number): Validation {
  const scored = {
    development: card.scores(split.development),
    holdOut: card.scores(split.holdOut),
    outOfTime: card.scores(split.outOfTime),
  };
  const results: Partial<Record<Part, PartResult>> = {};
  for (const part of PARTS) {
    if (split[part].count > 0) results[part] = resultOf(scored[part], split[part]);
  }
  const later = split.outOfTime.count > 0 ? 'outOfTime' : 'holdOut';
  const reference = bandShares(scored.development, split.development);
  const { holdOut } = split;
  const groups = groupResults(scored.holdOut, holdOut);
  return {
    parts: results,
    aucInterval: bootstrapAuc(
      countScores(scored.holdOut, holdOut.bad, holdOut.weights),
      BOOTSTRAP_ROUNDS,
      seededUniform(seed + 1),
    ),
    months: PARTS.slice(1).flatMap((part) => monthResults(scored[part], split[part], reference)),
    characteristicStability: new Map(
      card.names.map((name) => {
        const [before, after] = [split.development, split[later]].map((samples) =>
          pointShares(card.pointsOf(name, samples), samples),
        );
        const points = [...new Set([...before!.keys(), ...after!.keys()])];
        const shares = [before!, after!].map((one) => points.map((key) => one.get(key) ?? 0));
        return [name, stabilityIndex(shares[0]!, shares[1]!)];
      }),
    ),
    reference,
    scoreStability: stabilityIndex(reference, bandShares(scored[later], split[later])),
    grades: gradeResults(scored.holdOut, holdOut),
    groups,
    adverseImpactRatio: impactRatio(groups),
    trueAuc:
      holdOut.trueProbabilities && aucOfProbabilities(holdOut.trueProbabilities, holdOut.bad),
  };
}

export function scoreSamples(card: Scorecard, samples: Samples): Uint16Array {
  return Uint16Array.from({ length: samples.count }, (_, row) =>
    totalPoints(card, measuresOf(samples, row)),
  );
}

function resultOf(scores: Uint16Array, samples: Samples): PartResult {
  const counts = countScores(scores, samples.bad, samples.weights);
  return { counts, performance: measurePerformance(counts), calibration: calibration(counts) };
}

/** Scores are compared by bands of this many points. */
const BAND_POINTS = 50;
export const BANDS = 21;

export function bandOf(score: number): number {
  return Math.floor(score / BAND_POINTS);
}

/** Bands that are not empty, named by their lowest score. */
export function namedBands(bands: readonly number[]): Record<string, number> {
  return Object.fromEntries(
    bands.flatMap((count, band) => (count === 0 ? [] : [[String(band * BAND_POINTS), count]])),
  );
}

export function bandsOfNames(named: Readonly<Record<string, number>>): number[] {
  return Array.from({ length: BANDS }, (_, band) => named[String(band * BAND_POINTS)] ?? 0);
}

/** Scores by bands. */
function bandShares(scores: Uint16Array, { weights }: Samples): number[] {
  const bands = Array.from({ length: BANDS }, () => 0);
  for (const [row, score] of scores.entries()) {
    bands[bandOf(score)]! += weights?.[row] ?? 1;
  }
  return bands;
}

/** Samples by their points in one column. */
function pointShares(points: Float64Array, { weights }: Samples): Map<number, number> {
  const shares = new Map<number, number>();
  for (const [row, one] of points.entries()) {
    shares.set(one, (shares.get(one) ?? 0) + (weights?.[row] ?? 1));
  }
  return shares;
}

function monthResults(
  scores: Uint16Array,
  samples: Samples,
  reference: readonly number[],
): MonthResult[] {
  return [...rowsBy(samples.months)]
    .toSorted(([a], [b]) => a - b)
    .map(([month, rows]) => {
      const own = Uint16Array.from(rows, (row) => scores[row]!);
      const selected = selectSamples(samples, rows);
      return {
        month: monthText(month),
        performance: resultOf(own, selected).performance,
        predicted: meanPredicted(own, selected),
        stabilityIndex: stabilityIndex(reference, bandShares(own, selected)),
      };
    });
}

function groupResults(scores: Uint16Array, samples: Samples): GroupResult[] {
  return [...rowsBy(samples.genders)]
    .filter(([group, rows]) => group !== '' && rows.length >= SMALLEST_GROUP)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, rows]) => {
      const own = Uint16Array.from(rows, (row) => scores[row]!);
      const selected = selectSamples(samples, rows);
      return {
        group,
        performance: resultOf(own, selected).performance,
        predicted: meanPredicted(own, selected),
        accepted: weightedMean(selected, (row) =>
          percentOfScore(own[row]!) < ACCEPTED_BELOW_PERCENT ? 1 : 0,
        ),
      };
    });
}

function impactRatio(groups: readonly GroupResult[]): number | undefined {
  if (groups.length < 2) return undefined;
  const shares = groups.map(({ accepted }) => accepted);
  return Math.min(...shares) / Math.max(...shares);
}

function gradeResults(scores: Uint16Array, samples: Samples): GradeResult[] {
  const grades = GRADES.map(({ grade }) => ({ grade, samples: 0, bads: 0 }));
  for (const [row, score] of scores.entries()) {
    const grade = gradeOfPercent(percentOfScore(score).toFixed(2));
    const found = grades.find((one) => one.grade === grade)!;
    const weight = samples.weights?.[row] ?? 1;
    found.samples += weight;
    found.bads += weight * samples.bad[row]!;
  }
  return grades;
}

function meanPredicted(scores: Uint16Array, samples: Samples): number {
  return weightedMean(samples, (row) => percentOfScore(scores[row]!) / 100);
}

function weightedMean({ count, weights }: Samples, valueOf: (row: number) => number): number {
  let [total, all] = [0, 0];
  for (let row = 0; row < count; row++) {
    const weight = weights?.[row] ?? 1;
    total += weight * valueOf(row);
    all += weight;
  }
  return total / all;
}

/** `YYYY-MM` of months since year 0. */
export function monthText(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}

function rowsBy<Key>(keys: readonly Key[]): Map<Key, number[]> {
  const rows = new Map<Key, number[]>();
  for (const [row, key] of keys.entries()) {
    const found = rows.get(key);
    if (found === undefined) rows.set(key, [row]);
    else found.push(row);
  }
  return rows;
}
