import type { Definition } from './definition.ts';
import type { Samples } from './samples.ts';
import type { LogOdds } from './shrinkage.ts';

/**
 * Adds rejected applicants, whose outcome is unknown, to the samples: each twice, as good and as
 * bad, weighted by the probability of each (fuzzy augmentation). This relies on an assumption that
 * no data can confirm; `assumptionOf` states it. Source: Siddiqi, Credit Risk Scorecards (2006),
 * chapter 6, “fuzzy augmentation”; for its limits, Hand and Henley, IMA Journal of Mathematics
 * Applied in Business and Industry 5 (1993) 45.
 */
export function inferRejected(
  rejected: Samples,
  badOddsFactor: number,
): (known: Samples, odds: LogOdds) => Samples {
  return (known, odds) => {
    const badShares = odds(rejected).map((one) => 1 / (1 + Math.exp(one) / badOddsFactor));
    const weightOf = (row: number): number => rejected.weights?.[row] ?? 1;
    return {
      count: known.count + 2 * rejected.count,
      months: [...known.months, ...twice(rejected.months)],
      bad: Uint8Array.from([...known.bad, ...badShares.map(() => 1), ...badShares.map(() => 0)]),
      weights: Float64Array.from([
        ...(known.weights ?? new Float64Array(known.count).fill(1)),
        ...badShares.map((share, row) => share * weightOf(row)),
        ...badShares.map((share, row) => (1 - share) * weightOf(row)),
      ]),
      columns: new Map(
        [...known.columns].map(([name, values]) => {
          const own = rejected.columns.get(name)!;
          return [name, Float64Array.from([...values, ...own, ...own])];
        }),
      ),
      genders: [...known.genders, ...twice(rejected.genders)],
      trueProbabilities: undefined,
    };
  };
}

function twice<Value>(values: readonly Value[]): Value[] {
  return [...values, ...values];
}

/** The assumption of the inference, for the card, the report and the person who trains. */
export function assumptionOf(
  { badOddsFactor }: NonNullable<Definition['rejectInference']>,
  rejected: number,
): string {
  const how =
    badOddsFactor === 1
      ? 'go bad as often as accepted ones'
      : `have ${badOddsFactor} times the odds of going bad of accepted ones`;
  return `assumes that the ${rejected} rejected applicants ${how} with the same values; no data can confirm this, and the measures below are of accepted applicants only`;
}
