import { CHARACTERISTIC_NAMES } from '../scorecards/characteristics.ts';
import type { CharacteristicName } from '../scorecards/characteristics.ts';
import type { Measures } from '../scorecards/score.ts';

/** One file as of a date, and the person's later outcome. */
export interface Sample {
  /** The as-of date of the file. */
  readonly asOf: Date;
  /** True if the person defaulted in the period that the score predicts. */
  readonly bad: boolean;
  readonly measures: Measures;
  /** Only for the fairness part of the report; a card cannot use it. */
  readonly gender?: string;
  /** Known only in a synthetic population: the probability (0 to 1) that the outcome was drawn with. */
  readonly trueProbability?: number;
}

/** Samples by column. `NaN` in a column: there is no value; for a characteristic, it never happened. */
export interface Samples {
  readonly count: number;
  /** Months since year 0 of the as-of dates. */
  readonly months: readonly number[];
  /** 1 bad, 0 good. */
  readonly bad: Uint8Array;
  /** Number of people that each row stands for; 1 each when absent. The mean is 1. */
  readonly weights?: Float64Array | undefined;
  readonly columns: ReadonlyMap<string, Float64Array>;
  readonly genders: readonly string[];
  /** All of them or none. */
  readonly trueProbabilities: Float64Array | undefined;
}

/** Gathers samples row by row. All rows must measure the same characteristics. */
export class SampleTable {
  readonly #months: number[] = [];
  readonly #bad: number[] = [];
  readonly #columns = new Map<CharacteristicName, number[]>();
  readonly #genders: string[] = [];
  readonly #trueProbabilities: number[] = [];

  constructor(names: readonly CharacteristicName[]) {
    for (const name of names) this.#columns.set(name, []);
  }

  add({ asOf, bad, measures, gender = '', trueProbability }: Sample): void {
    this.#months.push(asOf.getUTCFullYear() * 12 + asOf.getUTCMonth());
    this.#bad.push(bad ? 1 : 0);
    for (const [name, column] of this.#columns) column.push(measures[name] ?? NaN);
    this.#genders.push(gender);
    if (trueProbability !== undefined) this.#trueProbabilities.push(trueProbability);
  }

  finish(): Samples {
    const count = this.#bad.length;
    return {
      count,
      months: this.#months,
      bad: Uint8Array.from(this.#bad),
      columns: new Map(
        [...this.#columns].map(([name, values]) => [name, Float64Array.from(values)]),
      ),
      genders: this.#genders,
      trueProbabilities:
        count > 0 && this.#trueProbabilities.length === count
          ? Float64Array.from(this.#trueProbabilities)
          : undefined,
    };
  }
}

/** The samples at these positions. */
export function selectSamples(samples: Samples, rows: readonly number[]): Samples {
  const { trueProbabilities, weights } = samples;
  return {
    count: rows.length,
    months: rows.map((row) => samples.months[row]!),
    bad: Uint8Array.from(rows, (row) => samples.bad[row]!),
    weights: weights && Float64Array.from(rows, (row) => weights[row]!),
    columns: new Map(
      [...samples.columns].map(([name, values]) => [
        name,
        Float64Array.from(rows, (row) => values[row]!),
      ]),
    ),
    genders: rows.map((row) => samples.genders[row]!),
    trueProbabilities:
      trueProbabilities && Float64Array.from(rows, (row) => trueProbabilities[row]!),
  };
}

/** The samples without these characteristics, so that a card made from them cannot use these. */
export function leaveOut(samples: Samples, names: readonly CharacteristicName[]): Samples {
  const columns = [...samples.columns].filter(([name]) => !names.some((one) => one === name));
  return { ...samples, columns: new Map(columns) };
}

/** The measured values of one sample. */
export function measuresOf(samples: Samples, row: number): Measures {
  const measures: Measures = {};
  for (const name of CHARACTERISTIC_NAMES) {
    const value = samples.columns.get(name)?.[row];
    if (value !== undefined) measures[name] = Number.isNaN(value) ? null : value;
  }
  return measures;
}

/** The characteristics that the samples measure, in the table’s order. */
export function measuredNames(samples: Samples): readonly CharacteristicName[] {
  return CHARACTERISTIC_NAMES.filter((name) => samples.columns.has(name));
}
