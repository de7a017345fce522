import type { Definition } from '../../src/credit/training/definition.ts';
import type { Table } from '../../src/credit/training/read-table.ts';
import type { Samples } from '../../src/credit/training/samples.ts';
import { seededUniform } from '../../src/credit/training/seeded.ts';

/** A standard normal number (Box and Muller). */
export function normalOf(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** A table of number columns with a known outcome. */
export function tableOf(
  columns: Readonly<Record<string, readonly number[]>>,
  bad: readonly number[],
  categories: Table['categories'] = new Map(),
): Table {
  const samples = {
    count: bad.length,
    months: bad.map(() => 0),
    bad: Uint8Array.from(bad),
    columns: new Map(
      Object.entries(columns).map(([name, values]) => [name, Float64Array.from(values)]),
    ),
    genders: bad.map(() => ''),
    trueProbabilities: undefined,
  };
  return {
    samples,
    rejected: { ...samples, count: 0, months: [], bad: new Uint8Array() },
    categories,
  };
}

const NUMBERS = Array.from({ length: 12 }, (_, index) => `x${index}`);
const EFFECTS = [0.5, 0.4, 0.35, 0.3, 0.25, 0.2];
const OF_CATEGORY = [0.6, -0.6, 0.3, -0.3, 0, 0, 0, 0, 0.2, -0.2, 0, 0];

/**
 * A synthetic table of which 5 % are bad: twelve correlated numbers, half of them without effect, one
 * with a tenth of its values missing, and a category of twelve values.
 */
export const fiveByHundred = {
  definition: {
    outcome: { column: 'bad', good: ['0'], bad: ['1'] },
    columns: [
      ...NUMBERS.map((name) => ({ name, type: 'number' as const })),
      { name: 'category', type: 'category' },
    ],
  } satisfies Definition,

  table(seed: number, count: number): Table {
    const next = seededUniform(seed);
    const columns: Record<string, number[]> = { category: [] };
    for (const name of NUMBERS) columns[name] = [];
    const bad: number[] = [];
    for (let row = 0; row < count; row++) {
      const common = normalOf(next);
      let badOdds = -3.6;
      for (const [at, name] of NUMBERS.entries()) {
        const value = 0.5 * common + 0.87 * normalOf(next);
        badOdds += (EFFECTS[at] ?? 0) * value;
        columns[name]!.push(at === 0 && next() < 0.1 ? NaN : value);
      }
      const category = Math.floor(next() * OF_CATEGORY.length);
      columns['category']!.push(category);
      bad.push(next() < 1 / (1 + Math.exp(-badOdds - OF_CATEGORY[category]!)) ? 1 : 0);
    }
    const names = OF_CATEGORY.map((_, code) => String(code));
    return tableOf(columns, bad, new Map([['category', names]]));
  },
};

/**
 * What an analyst would do in R: weights of evidence on deciles (categories unchanged, missing values
 * separate), then `glm(bad ~ ., family = binomial)` by iteratively reweighted least squares. Written for
 * the tests, independent of the trainer.
 * @returns the probability of bad of each unseen row.
 */
export function referenceGlm(known: Samples, unseen: Samples): Float64Array {
  const [ofKnown, ofUnseen]: [number[][], number[][]] = [[], []];
  for (const [name, values] of known.columns) {
    const woe = weightsOfEvidence(values, known.bad);
    ofKnown.push([...values].map(woe));
    ofUnseen.push([...unseen.columns.get(name)!].map(woe));
  }
  const beta = leastSquaresByRounds(ofKnown, known.bad);
  return Float64Array.from({ length: unseen.count }, (_, row) => {
    const eta = ofUnseen.reduce((sum, column, at) => sum + beta[at + 1]! * column[row]!, beta[0]!);
    return 1 / (1 + Math.exp(-eta));
  });
}

function weightsOfEvidence(values: Float64Array, bad: Uint8Array): (value: number) => number {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted();
  const distinct = [...new Set(sorted)];
  const cuts =
    distinct.length <= 20
      ? distinct
      : Array.from(
          { length: 9 },
          (_, part) => sorted[Math.floor(((part + 1) * sorted.length) / 10)]!,
        );
  const classOf = (value: number): number =>
    Number.isNaN(value) ? -1 : cuts.filter((cut) => cut <= value).length;
  const counts = new Map<number, [number, number]>();
  for (const [row, value] of values.entries()) {
    const key = classOf(value);
    const count = counts.get(key) ?? [0.5, 0.5];
    count[bad[row]!]! += 1;
    counts.set(key, count);
  }
  const bads = bad.reduce((sum, one) => sum + one, 0);
  return (value) => {
    const [good, ofBad] = counts.get(classOf(value)) ?? [1, 1];
    return Math.log(ofBad / bads / (good / (bad.length - bads)));
  };
}

/** Eight rounds of weighted least squares; the normal equations are solved by elimination. */
function leastSquaresByRounds(columns: readonly number[][], outcome: Uint8Array): number[] {
  const size = columns.length + 1;
  let beta = Array.from({ length: size }, () => 0);
  for (let round = 0; round < 8; round++) {
    const system = beta.map(() => Array.from({ length: size + 1 }, () => 0));
    for (const [row, y] of outcome.entries()) {
      const x = [1, ...columns.map((column) => column[row]!)];
      const eta = x.reduce((sum, value, at) => sum + value * beta[at]!, 0);
      const mu = 1 / (1 + Math.exp(-eta));
      const weight = mu * (1 - mu);
      const working = eta + (y - mu) / weight;
      for (let i = 0; i < size; i++) {
        for (let j = 0; j < size; j++) system[i]![j]! += weight * x[i]! * x[j]!;
        system[i]![size]! += weight * x[i]! * working;
      }
    }
    beta = eliminate(system);
  }
  return beta;
}

function eliminate(system: number[][]): number[] {
  const size = system.length;
  for (let at = 0; at < size; at++) {
    for (let row = 0; row < size; row++) {
      if (row === at) continue;
      const factor = system[row]![at]! / system[at]![at]!;
      for (let column = at; column <= size; column++) {
        system[row]![column]! -= factor * system[at]![column]!;
      }
    }
  }
  return system.map((row, at) => row[size]! / row[at]!);
}
