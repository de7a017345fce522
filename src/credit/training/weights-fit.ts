import { binCharacteristic, weigh } from './binning.ts';
import type { Binning, BinningRules } from './binning.ts';
import { TrainingError } from './error.ts';
import { fitLogistic } from './logistic.ts';
import type { LogisticFit } from './logistic.ts';
import type { Samples } from './samples.ts';

/** A characteristic with less information than this is left out. */
const MIN_INFORMATION = 0.02;

export const ADDS_NOTHING = 'adds nothing';
const WRONG_SIGN = 'wrong sign together with the others';

/** The result of a characteristic in the fit. */
export interface FittedCharacteristic<Name extends string = string> {
  readonly name: Name;
  readonly binning: Binning;
  /**
   * The coefficient of its weights of evidence; undefined if it was left out, for the reason in
   * `leftOut`.
   */
  readonly coefficient: number | undefined;
  readonly standardError: number | undefined;
  readonly leftOut: string | undefined;
}

export interface WeightsFit<Name extends string = string> {
  /** Natural logarithmic odds of good to bad. */
  readonly intercept: number;
  readonly characteristics: readonly FittedCharacteristic<Name>[];
}

export interface WeightsRules<Name extends string = string> {
  readonly characteristics: ReadonlyMap<Name, BinningRules>;
  /** A coefficient fewer standard errors above 0 than this is left out. */
  readonly minStandardErrors: number;
}

/**
 * Bins every characteristic and fits one coefficient for the weights of evidence of each.
 * Characteristics without information, or with a coefficient not clearly above 0, are left out one
 * at a time, so every one that stays works in its own direction.
 * Source: Siddiqi, Credit Risk Scorecards (2006), chapter 6.
 * Throws: `TrainingError` when nothing is left.
 */
export function fitWeights<Name extends string>(
  samples: Samples,
  rules: WeightsRules<Name>,
): WeightsFit<Name> {
  const { bad, weights } = samples;
  const binnings = new Map(
    [...rules.characteristics].map(([name, one]) => [
      name,
      binCharacteristic({ values: samples.columns.get(name)!, bad, weights }, one),
    ]),
  );
  const leftOut = new Map<Name, string>();
  for (const [name, { informationValue }] of binnings) {
    if (informationValue < MIN_INFORMATION) leftOut.set(name, 'too little information');
  }
  return fitBinned(samples, { binnings, leftOut, minStandardErrors: rules.minStandardErrors });
}

interface Binned<Name extends string> {
  readonly binnings: ReadonlyMap<Name, Binning>;
  /** The reason for each characteristic that is left out; more are added. */
  readonly leftOut: Map<Name, string>;
  readonly minStandardErrors: number;
}

/** Fits weights to bins that are known already. Throws: `TrainingError` if nothing is left. */
export function fitBinned<Name extends string>(
  samples: Samples,
  binned: Binned<Name>,
): WeightsFit<Name> {
  const { binnings, leftOut } = binned;
  const kept = [...binnings.keys()].filter((name) => !leftOut.has(name));
  const { names, fit } = eliminate(samples, kept, binned);
  return {
    intercept: fit.intercept,
    characteristics: [...binnings].map(([name, binning]) => {
      const at = names.indexOf(name);
      return {
        name,
        binning,
        coefficient: fit.coefficients[at],
        standardError: fit.standardErrors[at],
        leftOut: leftOut.get(name),
      };
    }),
  };
}

/** Leaves out the weakest coefficient and fits again, until all are clearly above 0. */
function eliminate<Name extends string>(
  samples: Samples,
  kept: readonly Name[],
  { binnings, leftOut, minStandardErrors }: Binned<Name>,
): { readonly names: readonly Name[]; readonly fit: LogisticFit } {
  const goods = samples.bad.map((one) => 1 - one);
  const columns = new Map(
    kept.map((name) => [name, weigh(samples.columns.get(name)!, binnings.get(name)!)]),
  );
  let names = kept;
  while (names.length > 0) {
    const fit = fitLogistic(
      names.map((name) => columns.get(name)!),
      goods,
      { rowWeights: samples.weights },
    );
    const ratios = fit.coefficients.map((one, at) => one / fit.standardErrors[at]!);
    const weakest = ratios.indexOf(Math.min(...ratios));
    if (ratios[weakest]! >= minStandardErrors) return { names, fit };
    const why = fit.coefficients[weakest]! < 0 ? WRONG_SIGN : ADDS_NOTHING;
    leftOut.set(names[weakest]!, why);
    names = names.toSpliced(weakest, 1);
  }
  throw new TrainingError('No characteristic of these samples separates good from bad.');
}
