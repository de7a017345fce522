import type { Binning } from './binning.ts';
import { fitLogistic } from './logistic.ts';
import type { LogisticFit } from './logistic.ts';

/** A characteristic as the fit reads it. `NaN` in a column: no value. */
export interface BinnedColumn {
  readonly column: Float64Array;
  readonly binning: Binning;
}

/** Natural logarithmic odds of good to bad of each bin, above those of the worst. */
export interface BinOdds {
  readonly bins: readonly number[];
  readonly missing: number | undefined;
}

/** The step from a bin to the next better one. */
interface Step {
  /** Index of the characteristic. */
  readonly of: number;
  /** Rank of the bin that it leads to; the worst bin has rank 0. */
  readonly rank: number;
  /** 1 for each sample in that bin or a better one. */
  readonly reached: Float64Array;
}

interface FittedSteps {
  readonly steps: readonly Step[];
  readonly fit: LogisticFit;
}

interface StepRules {
  /** 1 good, 0 bad. */
  readonly goods: Uint8Array;
  readonly weights: Float64Array | undefined;
  /** A step must be at least this many standard errors above 0. */
  readonly minStandardErrors: number;
}

/**
 * Fits what each bin is worth, all bins of all characteristics together: each step from a bin to the
 * next better one has a coefficient of its own. One coefficient for the weights of evidence of a
 * whole characteristic is too flat for the best people, because these weights are counted for one
 * characteristic alone (on the synthetic population 0.6 % of the best were bad, 1.3 % predicted).
 * A step that is not clearly above 0 is removed, the weakest first, and both its bins are worth the
 * same. So better bins are never worth less.
 */
export function fitBinOdds(
  characteristics: readonly BinnedColumn[],
  { goods, weights, minStandardErrors }: StepRules,
): { readonly intercept: number; readonly odds: readonly BinOdds[] } {
  const ranks = characteristics.map(({ binning }) => ranksOf(binning));
  const { steps, fit } = removeWeakSteps(
    characteristics.flatMap((one, at) => stepsOf(one, ranks[at]!, at)),
    { goods, weights, minStandardErrors },
  );
  const oddsOf = (of: number, rank: number): number =>
    steps.reduce(
      (sum, step, at) => (step.of === of && step.rank <= rank ? sum + fit.coefficients[at]! : sum),
      0,
    );
  return {
    intercept: fit.intercept,
    odds: ranks.map(({ bins, missing }, of) => ({
      bins: bins.map((rank) => oddsOf(of, rank)),
      missing: missing === undefined ? undefined : oddsOf(of, missing),
    })),
  };
}

function removeWeakSteps(
  all: readonly Step[],
  { goods, weights, minStandardErrors }: StepRules,
): FittedSteps {
  let steps = all;
  let start: LogisticFit | undefined;
  for (;;) {
    const fit = fitLogistic(
      steps.map(({ reached }) => reached),
      goods,
      { rowWeights: weights, start },
    );
    const ratios = fit.coefficients.map((one, at) => one / fit.standardErrors[at]!);
    const weakest = Math.min(...ratios);
    // Ends: every round but the last removes a step, and without steps nothing is weak.
    if (weakest >= minStandardErrors) return { steps, fit };
    const at = ratios.indexOf(weakest);
    steps = steps.toSpliced(at, 1);
    start = { ...fit, coefficients: fit.coefficients.toSpliced(at, 1) };
  }
}

/** Ranks of bins by what they are worth, the worst 0; a missing value is best. */
interface Ranks {
  readonly bins: readonly number[];
  readonly missing: number | undefined;
}

function ranksOf({ bins, missing }: Binning): Ranks {
  const last = bins.length - 1;
  const rises = bins[last]!.woe >= bins[0]!.woe;
  return {
    bins: bins.map((_, at) => (rises ? at : last - at)),
    missing: missing === undefined ? undefined : bins.length,
  };
}

function stepsOf({ column, binning }: BinnedColumn, ranks: Ranks, of: number): Step[] {
  const rows = column.map((value) =>
    Number.isNaN(value)
      ? ranks.missing!
      : ranks.bins[binning.bins.findIndex(({ below }) => value < below)]!,
  );
  const best = ranks.missing ?? ranks.bins.length - 1;
  return Array.from({ length: best }, (_, index) => ({
    of,
    rank: index + 1,
    reached: rows.map((rank) => (rank > index ? 1 : 0)),
  }));
}

/** Returns the log odds of each value in a column. */
export function oddsOfBins({ column, binning }: BinnedColumn, odds: BinOdds): Float64Array {
  return column.map((value) =>
    Number.isNaN(value)
      ? odds.missing!
      : odds.bins[binning.bins.findIndex(({ below }) => value < below)]!,
  );
}
