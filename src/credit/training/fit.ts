import { characteristic } from '../scorecards/characteristics.ts';
import type { CharacteristicName } from '../scorecards/characteristics.ts';
import { pointsOfLogOdds, scoreOfLogOdds } from '../scorecards/scale.ts';
import { checkScorecard, maximumPointsOf } from '../scorecards/scorecard.ts';
import type { CardCharacteristic, Scorecard, ScoreKind } from '../scorecards/scorecard.ts';
import type { BinningRules } from './binning.ts';
import { TrainingError } from './error.ts';
import { measuredNames } from './samples.ts';
import type { Samples } from './samples.ts';
import { interceptFor, shrinkageOf } from './shrinkage.ts';
import type { LogOdds } from './shrinkage.ts';
import { fitBinOdds, oddsOfBins } from './steps.ts';
import type { BinOdds } from './steps.ts';
import { ADDS_NOTHING, fitWeights } from './weights-fit.ts';
import type { FittedCharacteristic } from './weights-fit.ts';

/** A coefficient less than this many standard errors above 0 may be chance, or has the wrong sign. */
const MIN_STANDARD_ERRORS = 1.96;
/** With fewer bads, bins of 5 % are not reliable. */
const FEWEST_BADS = 200;

export interface Fit {
  readonly card: Scorecard;
  readonly characteristics: readonly FittedCharacteristic<CharacteristicName>[];
  /** The factor applied to differences between people, so that few bads do not exaggerate them. */
  readonly shrinkage: number;
}

export interface CardIdentity {
  readonly id: string;
  readonly kind: ScoreKind;
  readonly version: number;
  readonly about: Scorecard['about'];
}

/**
 * Makes a scorecard from samples. Characteristics get monotone bins; a logistic regression of
 * “good” on their weights of evidence leaves out, one at a time, those without information or with
 * a coefficient not clearly above 0, so that every remaining one works in its own direction. A
 * joint fit then gives each bin its value, shrunk if there are few bads, as integer points on the
 * scale.
 * Throws: `TrainingError` if there are too few samples or no characteristic remains.
 */
export function fitScorecard(samples: Samples, identity: CardIdentity): Fit {
  requireEnough(samples);
  const fit = fitOdds(samples);
  const shrinkage = shrinkageOf(samples, (part) => logOddsOf(fitOdds(part)));
  const odds = fit.odds.map((one) => shrunk(one, shrinkage));
  const linear = logOddsOf({ ...fit, intercept: 0, odds })(samples);
  const intercept = shrinkage === 1 ? fit.intercept : interceptFor(linear, samples);
  return { ...fitPoints({ ...fit, intercept, odds }, identity), shrinkage };
}

/** Throws: `TrainingError`. */
export function requireEnough(samples: Samples): void {
  const bads = samples.bad.reduce((sum, one) => sum + one, 0);
  if (bads >= FEWEST_BADS && samples.count - bads >= FEWEST_BADS) return;
  throw new TrainingError(
    `Training needs at least ${FEWEST_BADS} good and ${FEWEST_BADS} bad samples in the development part; it has ${samples.count - bads} and ${bads}.`,
  );
}

interface OddsFit {
  readonly characteristics: Fit['characteristics'];
  readonly intercept: number;
  /** Odds of the characteristics that are used, in their order. */
  readonly odds: readonly BinOdds[];
}

function fitOdds(samples: Samples): OddsFit {
  const { characteristics } = fitWeights(samples, {
    characteristics: new Map(measuredNames(samples).map((name) => [name, rulesOf(name)])),
    minStandardErrors: MIN_STANDARD_ERRORS,
  });
  const { intercept, odds } = fitBinOdds(
    usedOf(characteristics).map(({ name, binning }) => ({
      column: samples.columns.get(name)!,
      binning,
    })),
    {
      goods: samples.bad.map((one) => 1 - one),
      weights: samples.weights,
      minStandardErrors: MIN_STANDARD_ERRORS,
    },
  );
  return { characteristics, intercept, odds };
}

function rulesOf(name: CharacteristicName): BinningRules {
  const { better, canBeNever } = characteristic(name);
  return { better, ...(canBeNever ? { missing: 'best' } : {}) };
}

function usedOf(characteristics: Fit['characteristics']): Fit['characteristics'] {
  return characteristics.filter(({ coefficient }) => coefficient !== undefined);
}

function logOddsOf({ characteristics, intercept, odds }: OddsFit): LogOdds {
  const used = usedOf(characteristics);
  return (samples) => {
    const total = new Float64Array(samples.count).fill(intercept);
    for (const [at, { name, binning }] of used.entries()) {
      const column = samples.columns.get(name)!;
      const worth = oddsOfBins({ column, binning }, odds[at]!);
      for (let row = 0; row < samples.count; row++) total[row]! += worth[row]!;
    }
    return total;
  };
}

function shrunk({ bins, missing }: BinOdds, by: number): BinOdds {
  return {
    bins: bins.map((one) => one * by),
    missing: missing === undefined ? undefined : missing * by,
  };
}

/** Points: the worst bin of each characteristic gets 0, and the base absorbs the difference. */
function fitPoints(
  { characteristics, intercept, odds }: OddsFit,
  identity: CardIdentity,
): Omit<Fit, 'shrinkage'> {
  const rows = usedOf(characteristics)
    .map((one, at) => cardRow(one, odds[at]!))
    .filter((row) => maximumPointsOf(row) > 0);
  const { id, kind, version, about } = identity;
  const basePoints = pointsOfLogOdds(intercept) + scoreOfLogOdds(0);
  const card = { id, kind, version, about, basePoints, characteristics: rows };
  return {
    card: checkScorecard(card, `The trained card ${id}@${version}`),
    characteristics: characteristics.map((one) =>
      one.leftOut !== undefined || rows.some(({ name }) => name === one.name)
        ? one
        : { ...one, coefficient: undefined, standardError: undefined, leftOut: ADDS_NOTHING },
    ),
  };
}

function cardRow(
  { name, binning }: FittedCharacteristic<CharacteristicName>,
  odds: BinOdds,
): CardCharacteristic {
  return {
    name,
    bins: binning.bins
      .map(({ below }, at) => ({
        ...(below === Infinity ? {} : { below }),
        points: pointsOfLogOdds(odds.bins[at]!),
      }))
      // Bins with the same value are joined.
      .filter((bin, at, bins) => bin.points !== bins[at + 1]?.points),
    ...(odds.missing === undefined ? {} : { never: pointsOfLogOdds(odds.missing) }),
    reason: characteristic(name).reason,
  };
}
