import type { Bin, Binning, BinningRules } from './binning.ts';
import { weigh } from './binning.ts';
import type { Definition } from './definition.ts';
import type { Samples } from './samples.ts';
import { interceptFor, shrinkageOf } from './shrinkage.ts';
import type { LogOdds } from './shrinkage.ts';
import { fitBinned, fitWeights } from './weights-fit.ts';
import type { FittedCharacteristic, WeightsFit } from './weights-fit.ts';

/** Characteristics with a coefficient below this many standard errors are left out. */
const MIN_STANDARD_ERRORS = 0;

/** A column of the table and the values of its bins. */
export type FittedColumn = FittedCharacteristic & {
  /** Rank of each category, the worst 0, by its code; a category is binned by its rank. */
  readonly ranks: Float64Array | undefined;
};

export interface TableFit {
  readonly intercept: number;
  readonly columns: readonly FittedColumn[];
  readonly shrinkage: number;
}

/**
 * One coefficient for the weights of evidence of each column, shrunk by the factor from
 * cross-validation. Most tables have few bads: a separate value for each bin, as in `fit.ts` for
 * the registry, would follow chance.
 * @param infer adds people with an inferred outcome; bins and shrinkage use known outcomes only.
 */
export function fitTable(
  samples: Samples,
  definition: Definition,
  infer: (known: Samples, odds: LogOdds) => Samples = (known) => known,
): TableFit {
  const known = fitRanked(samples, definition);
  const shrinkage = shrinkageOf(samples, (part) => logOddsOf(fitRanked(part, definition)));
  const all = infer(samples, logOddsOf(shrunk(known, shrinkage, samples)));
  const fit = all === samples ? known : refit(known, all);
  const badShare = weightedBadShare(all);
  const { intercept, columns } = shrunk(fit, shrinkage, all);
  return { intercept: correctPrior(intercept, badShare, definition), columns, shrinkage };
}

type Fitted = Pick<TableFit, 'intercept' | 'columns'>;

function shrunk(fit: Fitted, by: number, samples: Samples): Fitted {
  const columns = fit.columns.map((one) =>
    one.coefficient === undefined ? one : { ...one, coefficient: one.coefficient * by },
  );
  return {
    columns,
    intercept: interceptFor(logOddsOf({ intercept: 0, columns })(samples), samples),
  };
}

/**
 * The intercept for a population whose share of bads differs from that of the samples.
 * Source: King and Zeng, Political Analysis 9 (2001) 137, equation 7.
 */
function correctPrior(
  intercept: number,
  badShare: number,
  { populationBadPercent }: Definition,
): number {
  if (populationBadPercent === undefined) return intercept;
  const population = populationBadPercent / 100;
  return intercept + Math.log(((1 - population) / population) * (badShare / (1 - badShare)));
}

function weightedBadShare({ bad, weights }: Samples): number {
  let [bads, all] = [0, 0];
  for (const [row, one] of bad.entries()) {
    all += weights?.[row] ?? 1;
    bads += one * (weights?.[row] ?? 1);
  }
  return bads / all;
}

function fitRanked(samples: Samples, definition: Definition): Fitted {
  const ranks = rankCategories(samples, definition);
  const fit = fitWeights(ranked(samples, ranks), {
    characteristics: new Map(
      definition.columns.map(({ name, better }): [string, BinningRules] => [
        name,
        {
          better: ranks.has(name) ? 'higher' : (better ?? 'either'),
          missing: 'unknown',
          ...(definition.minBinBads === undefined ? {} : { minBads: definition.minBinBads }),
        },
      ]),
    ),
    minStandardErrors: MIN_STANDARD_ERRORS,
  });
  return fittedOf(fit, ranks);
}

/** New coefficients for the same bins. */
function refit({ columns }: Fitted, samples: Samples): Fitted {
  const ranks = new Map(
    columns.flatMap(({ name, ranks: own }) => (own === undefined ? [] : [[name, own] as const])),
  );
  const fit = fitBinned(ranked(samples, ranks), {
    binnings: new Map(columns.map(({ name, binning }) => [name, binning])),
    leftOut: new Map(
      columns.flatMap(({ name, leftOut }) => (leftOut === undefined ? [] : [[name, leftOut]])),
    ),
    minStandardErrors: MIN_STANDARD_ERRORS,
  });
  return fittedOf(fit, ranks);
}

function fittedOf(
  { intercept, characteristics }: WeightsFit,
  ranks: ReadonlyMap<string, Float64Array>,
): Fitted {
  return {
    intercept,
    columns: characteristics.map((one) => ({ ...one, ranks: ranks.get(one.name) })),
  };
}

/**
 * Bads and goods of a category are counted as if it had this many more samples of the average kind.
 */
const RANK_SMOOTHING = 20;

/**
 * Categories from the worst to the best. A rare one is moved towards the average, so that chance
 * does not put it first or last.
 */
function rankCategories(
  { bad, weights, columns }: Samples,
  definition: Definition,
): ReadonlyMap<string, Float64Array> {
  const badShare = bad.reduce((sum, one) => sum + one, 0) / bad.length;
  const found = new Map<string, Float64Array>();
  for (const { name, type } of definition.columns) {
    if (type !== 'category') continue;
    const counts = new Map<number, { all: number; bads: number }>();
    for (const [row, code] of columns.get(name)!.entries()) {
      if (Number.isNaN(code)) continue;
      const weight = weights?.[row] ?? 1;
      const count = counts.get(code) ?? { all: 0, bads: 0 };
      count.all += weight;
      count.bads += weight * bad[row]!;
      counts.set(code, count);
    }
    const shareOf = ({ all, bads }: { all: number; bads: number }): number =>
      (bads + RANK_SMOOTHING * badShare) / (all + RANK_SMOOTHING);
    const order = [...counts].toSorted(([a, x], [b, y]) => shareOf(y) - shareOf(x) || a - b);
    const ranks = new Float64Array(Math.max(0, ...counts.keys()) + 1).fill(NaN);
    for (const [rank, [code]] of order.entries()) ranks[code] = rank;
    found.set(name, ranks);
  }
  return found;
}

/** A category without a sample in the fit is unknown. */
function rankOf(code: number, ranks: Float64Array): number {
  return Number.isNaN(code) ? NaN : (ranks[code] ?? NaN);
}

function ranked(samples: Samples, ranks: ReadonlyMap<string, Float64Array>): Samples {
  const columns = new Map(samples.columns);
  for (const [name, own] of ranks) {
    columns.set(
      name,
      columns.get(name)!.map((code) => rankOf(code, own)),
    );
  }
  return { ...samples, columns };
}

export function logOddsOf({ intercept, columns }: Fitted): LogOdds {
  return (samples) => {
    const total = new Float64Array(samples.count).fill(intercept);
    for (const { name, binning, ranks, coefficient } of columns) {
      if (coefficient === undefined) continue;
      const values = samples.columns.get(name)!;
      const weights = weigh(ranks ? values.map((code) => rankOf(code, ranks)) : values, binning);
      for (let row = 0; row < samples.count; row++) total[row]! += coefficient * weights[row]!;
    }
    return total;
  };
}

/** The bin of a category. Undefined: no sample of the fit had it. */
export function binOfCategory(
  code: number,
  { ranks, binning }: { readonly ranks: Float64Array; readonly binning: Binning },
): Bin | undefined {
  const rank = rankOf(code, ranks);
  return Number.isNaN(rank) ? undefined : binning.bins.find(({ below }) => rank < below);
}
