import { figuresOf, median } from './ratios.ts';
import type { Ratio, Run } from './ratios.ts';

/** Above it, a machine is too noisy to publish the ratio. */
export const MAX_INTERVAL = 0.05;
/** With fewer rounds, the quartiles say nothing. */
const MIN_ROUNDS = 3;

/**
 * How far the median of a ratio may be from its true value, as a share of it: half of the notch of a box
 * plot, 1.57 × interquartile range ÷ √n (McGill, Tukey and Larsen, "Variations of box plots", The
 * American Statistician 32, 1978). The ratio is taken of each round, because what disturbs a round
 * disturbs all of its contestants. Undefined if there are fewer than three rounds.
 */
export function relativeInterval(ratio: Ratio, runs: readonly Run[]): number | undefined {
  const rounds = roundsOf(ratio.of, runs);
  if (rounds.length < MIN_ROUNDS) return undefined;
  const values = rounds.map((round) => {
    const figures = figuresOf(round);
    return ratio.value((name) => {
      const figure = figures.get(name);
      if (figure === undefined) throw new Error(`${name} was not run in a round`);
      return figure;
    });
  });
  const range = quantile(values, 0.75) - quantile(values, 0.25);
  return (1.57 * range) / Math.sqrt(values.length) / median(values);
}

export function isNoisy(interval: number | undefined): boolean {
  return interval !== undefined && interval > MAX_INTERVAL;
}

/** The runs of these contestants, by round; only rounds that have all of them. */
function roundsOf(names: readonly string[], runs: readonly Run[]): Run[][] {
  const byName = names.map((name) => runs.filter(({ contestant }) => contestant === name));
  const count = Math.min(...byName.map(({ length }) => length));
  return Array.from({ length: count }, (_, round) => byName.flatMap((own) => own[round] ?? []));
}

/** Linear between the neighbouring values. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)] ?? NaN, sorted[Math.ceil(at)] ?? NaN];
  return below + (above - below) * (at - Math.floor(at));
}
