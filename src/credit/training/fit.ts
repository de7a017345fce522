import { PlainError } from '../../platform/base/plain-error.ts';
import { characteristic } from '../scorecards/characteristics.ts';
import type { CharacteristicName } from '../scorecards/characteristics.ts';
import { scoreOfLogOdds } from '../scorecards/scale.ts';
import { checkScorecard, maximumPointsOf } from '../scorecards/scorecard.ts';
import type { CardCharacteristic, Scorecard, ScoreKind } from '../scorecards/scorecard.ts';
import { binCharacteristic, weigh } from './binning.ts';
import type { Binning } from './binning.ts';
import { fitLogistic } from './logistic.ts';
import type { LogisticFit } from './logistic.ts';
import { measuredNames } from './samples.ts';
import type { Samples } from './samples.ts';
import { fitBinOdds } from './steps.ts';
import type { BinOdds } from './steps.ts';

/** A characteristic with less information than this is left out. */
const LEAST_INFORMATION = 0.02;
/**
 * A coefficient less than this many standard errors above 0 may be chance, or has the wrong sign.
 */
const LEAST_STANDARD_ERRORS = 1.96;
/** With fewer bads, bins of 5 % are not reliable. */
const FEWEST_BADS = 200;

const ADDS_NOTHING = 'adds nothing';
const WRONG_SIGN = 'wrong sign together with the others';

/** The result of a characteristic in the fit. */
export interface FittedCharacteristic {
  readonly name: CharacteristicName;
  readonly binning: Binning;
  /**
   * The coefficient of its weights of evidence; undefined if it was left out, for the reason in
   * `leftOut`.
   */
  readonly coefficient: number | undefined;
  readonly standardError: number | undefined;
  readonly leftOut: string | undefined;
}

export interface Fit {
  readonly card: Scorecard;
  readonly characteristics: readonly FittedCharacteristic[];
}

export interface CardIdentity {
  readonly id: string;
  readonly kind: ScoreKind;
  readonly version: number;
  readonly about: Scorecard['about'];
}

/** Samples that no card can be made from. */
export class TrainingError extends PlainError {
  constructor(message: string) {
    super(message);
    this.name = 'TrainingError';
  }
}

/**
 * Makes a scorecard from samples. Characteristics get monotone bins; a logistic regression of
 * “good” on their weights of evidence leaves out, one at a time, those without information or with
 * a coefficient not clearly above 0, so that every remaining one works in its own direction. A
 * joint fit then gives each bin its value, as integer points on the scale.
 * Throws: `TrainingError` if there are too few samples or no characteristic remains.
 */
export function fitScorecard(samples: Samples, identity: CardIdentity): Fit {
  const bads = samples.bad.reduce((sum, one) => sum + one, 0);
  if (bads < FEWEST_BADS || samples.count - bads < FEWEST_BADS) {
    throw new TrainingError(
      `Training needs at least ${FEWEST_BADS} good and ${FEWEST_BADS} bad samples in the development part; it has ${samples.count - bads} and ${bads}.`,
    );
  }
  const binnings = new Map(
    measuredNames(samples).map((name) => [
      name,
      binCharacteristic(samples.columns.get(name)!, samples.bad, characteristic(name)),
    ]),
  );
  const leftOut = new Map<CharacteristicName, string>();
  for (const [name, { informationValue }] of binnings) {
    if (informationValue < LEAST_INFORMATION) leftOut.set(name, 'too little information');
  }
  const kept = [...binnings.keys()].filter((name) => !leftOut.has(name));
  const { names, fit } = eliminate(samples, { kept, binnings, leftOut });
  const characteristics = [...binnings].map(([name, binning]) => {
    const at = names.indexOf(name);
    return {
      name,
      binning,
      coefficient: fit.coefficients[at],
      standardError: fit.standardErrors[at],
      leftOut: leftOut.get(name),
    };
  });
  return fitPoints(samples, characteristics, identity);
}

interface Elimination {
  readonly kept: readonly CharacteristicName[];
  readonly binnings: ReadonlyMap<CharacteristicName, Binning>;
  readonly leftOut: Map<CharacteristicName, string>;
}

/** Leaves out the weakest coefficient and fits again, until all are clearly above 0. */
function eliminate(
  samples: Samples,
  { kept, binnings, leftOut }: Elimination,
): { readonly names: readonly CharacteristicName[]; readonly fit: LogisticFit } {
  const goods = samples.bad.map((one) => 1 - one);
  const weights = new Map(
    kept.map((name) => [name, weigh(samples.columns.get(name)!, binnings.get(name)!)]),
  );
  let names = kept;
  while (names.length > 0) {
    const fit = fitLogistic(
      names.map((name) => weights.get(name)!),
      goods,
    );
    const ratios = fit.coefficients.map((one, at) => one / fit.standardErrors[at]!);
    const weakest = ratios.indexOf(Math.min(...ratios));
    if (ratios[weakest]! >= LEAST_STANDARD_ERRORS) return { names, fit };
    const why = fit.coefficients[weakest]! < 0 ? WRONG_SIGN : ADDS_NOTHING;
    leftOut.set(names[weakest]!, why);
    names = names.toSpliced(weakest, 1);
  }
  throw new TrainingError('No characteristic of these samples separates good from bad.');
}

/** Points: the worst bin of each characteristic gets 0, and the base absorbs the difference. */
function fitPoints(
  samples: Samples,
  characteristics: readonly FittedCharacteristic[],
  identity: CardIdentity,
): Fit {
  const used = characteristics.filter(({ coefficient }) => coefficient !== undefined);
  const { intercept, odds } = fitBinOdds(
    used.map(({ name, binning }) => ({ column: samples.columns.get(name)!, binning })),
    samples.bad.map((one) => 1 - one),
    LEAST_STANDARD_ERRORS,
  );
  const rows = used
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

function cardRow({ name, binning }: FittedCharacteristic, odds: BinOdds): CardCharacteristic {
  return {
    name,
    bins: binning.bins
      .map(({ below }, at) => ({
        ...(below === Infinity ? {} : { below }),
        points: pointsOfLogOdds(odds.bins[at]!),
      }))
      // Bins with the same value are joined.
      .filter((bin, at, bins) => bin.points !== bins[at + 1]?.points),
    ...(odds.never === undefined ? {} : { never: pointsOfLogOdds(odds.never) }),
    reason: characteristic(name).reason,
  };
}

function pointsOfLogOdds(logOdds: number): number {
  return Math.round(scoreOfLogOdds(logOdds) - scoreOfLogOdds(0));
}
