import { PlainError } from '../../base/plain-error.ts';
import { characteristic } from '../scorecards/characteristics.ts';
import type { CharacteristicName } from '../scorecards/characteristics.ts';
import { scoreOfLogOdds } from '../scorecards/scale.ts';
import { checkScorecard } from '../scorecards/scorecard.ts';
import type { CardCharacteristic, Scorecard, ScoreKind } from '../scorecards/scorecard.ts';
import { binCharacteristic, weigh } from './binning.ts';
import type { Binning } from './binning.ts';
import { fitLogistic } from './logistic.ts';
import type { LogisticFit } from './logistic.ts';
import { measuredNames } from './samples.ts';
import type { Samples } from './samples.ts';

/** A characteristic with less information than this tells nothing. */
const LEAST_INFORMATION = 0.02;
/** A coefficient less than this many standard errors above 0 may be chance, or has the wrong sign. */
const LEAST_STANDARD_ERRORS = 1.96;
/** Fewer bads say too little to cut bins of 5 %. */
const FEWEST_BADS = 200;

/** What came of a characteristic in the fit. */
export interface FittedCharacteristic {
  readonly name: CharacteristicName;
  readonly binning: Binning;
  /** Undefined when it was left out, with the reason in `leftOut`. */
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

/** Samples that cannot make a card. */
export class TrainingError extends PlainError {
  constructor(message: string) {
    super(message);
    this.name = 'TrainingError';
  }
}

/**
 * Makes a scorecard from samples: monotone bins, logistic regression of “good” on their weights of
 * evidence, characteristics without information or with a coefficient not clearly above 0 left out
 * one at a time (so every one that stays works in its own direction), then whole points on the scale.
 * Throws: `TrainingError` when there are too few samples or nothing is left to score by.
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
    if (informationValue < LEAST_INFORMATION) leftOut.set(name, 'tells too little');
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
  return { card: cardOf(characteristics, fit.intercept, identity), characteristics };
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
    const why = fit.coefficients[weakest]! < 0 ? 'wrong sign beside the others' : 'adds nothing';
    leftOut.set(names[weakest]!, why);
    names = names.toSpliced(weakest, 1);
  }
  throw new TrainingError('No characteristic of these samples tells good from bad.');
}

/** Points: the worst bin of each characteristic gets 0, the base takes up the rest. */
function cardOf(
  characteristics: readonly FittedCharacteristic[],
  intercept: number,
  identity: CardIdentity,
): Scorecard {
  let base = scoreOfLogOdds(intercept);
  const rows: CardCharacteristic[] = [];
  for (const { name, binning, coefficient } of characteristics) {
    if (coefficient === undefined) continue;
    const all = binning.never === undefined ? binning.bins : [...binning.bins, binning.never];
    const worst = Math.min(...all.map(({ woe }) => woe));
    base += pointsBetween(0, coefficient * worst);
    const points = (woe: number) => Math.round(pointsBetween(worst, woe) * coefficient);
    rows.push({
      name,
      bins: binning.bins
        .map(({ below, woe }) => ({
          ...(below === Infinity ? {} : { below }),
          points: points(woe),
        }))
        // Bins that rounding made equal are one.
        .filter((bin, at, bins) => bin.points !== bins[at + 1]?.points),
      ...(binning.never === undefined ? {} : { never: points(binning.never.woe) }),
      reason: characteristic(name).reason,
    });
  }
  const { id, kind, version, about } = identity;
  const card = { id, kind, version, about, basePoints: Math.round(base), characteristics: rows };
  return checkScorecard(card, `The trained card ${id}@${version}`);
}

function pointsBetween(fromLogOdds: number, toLogOdds: number): number {
  return scoreOfLogOdds(toLogOdds) - scoreOfLogOdds(fromLogOdds);
}
