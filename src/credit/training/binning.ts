import { sum } from './measures.ts';

/** Number of fine classes that a characteristic is cut into before classes are pooled. */
const MAX_FINE_CLASSES = 20;
/** Minimum share of all samples in a bin: a smaller bin is not reliable. */
const SMALLEST_BIN_SHARE = 0.05;
/** Bins whose weights are closer than this differ by chance more than by risk. */
const SMALLEST_WEIGHT_STEP = 0.1;
/** Added to both counts of a bin, so that one without goods or bads has a finite weight. */
const SMOOTHING = 0.5;
/** Minimum number of bads in a bin: with fewer, its weight is mostly chance. */
export const MIN_BIN_BADS = 20;

export interface BinningRules {
  /** Which values are better. `either`: the samples decide, and the direction may change. */
  readonly better: 'higher' | 'lower' | 'either';
  /**
   * The meaning of a missing value. `best`: it never happened, which is at least as good as any
   * value. `unknown`: a separate bin, with the value that the samples show. Absent: there is always
   * a value.
   */
  readonly missing?: 'best' | 'unknown';
  /** Default: `MIN_BIN_BADS`. */
  readonly minBads?: number;
}

/** The input of binning. Arrays of equal length. */
export interface Observations {
  /** `NaN`: no value. */
  readonly values: Float64Array;
  /** 1 bad, 0 good. */
  readonly bad: Uint8Array;
  /** Number of rows that each row stands for; 1 each when absent. */
  readonly weights?: Float64Array | undefined;
}

export interface Bin {
  /** Values below this belong to it; Infinity for the last. */
  readonly below: number;
  readonly goods: number;
  readonly bads: number;
  /** Weight of evidence: ln(share of the goods / share of the bads); higher is better. */
  readonly woe: number;
}

export interface Binning {
  /** Ascending; weights follow the direction of the characteristic. */
  readonly bins: readonly Bin[];
  /** Bin of samples without a value; only if that is possible. `below` is Infinity. */
  readonly missing: Bin | undefined;
  /** Information value over all bins. A characteristic below 0.02 carries no information. */
  readonly informationValue: number;
}

interface Totals {
  readonly goods: number;
  readonly bads: number;
  /** Sum of the squared weights of the bads. */
  readonly squaredBads: number;
}

/** Adjoining classes that share one weight. */
interface Block extends Totals {
  readonly classes: readonly FineClass[];
}

interface FineClass extends Totals {
  readonly below: number;
  readonly isMissing: boolean;
}

const NONE: Totals = { goods: 0, bads: 0, squaredBads: 0 };

/**
 * Cuts a characteristic into bins whose weight of evidence follows its direction: fine classes at
 * rounded quantiles, then adjacent violators are pooled, and bins with few samples or few bads join
 * the neighbour they resemble.
 * Source: Siddiqi, Credit Risk Scorecards (2006), chapter 6, for weights of evidence and information
 * values; Ayer et al., Annals of Mathematical Statistics 26 (1955), for pooling adjacent violators.
 */
export function binCharacteristic(observed: Observations, rules: BinningRules): Binning {
  const classes = fineClasses(observed);
  const totals = classes.reduce(add, NONE);
  // From the worst class to the best.
  const ordered = rules.better === 'lower' ? classes.toReversed() : classes;
  const missing = ordered.filter(({ isMissing }) => isMissing);
  const ranked = ordered.filter(({ isMissing }) => !isMissing);
  if (rules.missing !== 'unknown') ranked.push(...missing);
  const blocks = pool(
    ranked.map((one) => ({ ...totalsOf(one), classes: [one] })),
    { totals, rules },
  );
  return binningOf(blocks, missing[0] ?? { ...NONE, below: Infinity, isMissing: true }, {
    totals,
    rules,
  });
}

/** Classes in ascending order of value; missing ones last. */
function fineClasses({ values, bad, weights }: Observations): FineClass[] {
  const edges = classEdges(values);
  const counts = [...edges, Infinity].map((below) => ({ ...NONE, below, isMissing: false }));
  const missing = { ...NONE, below: Infinity, isMissing: true };
  for (const [row, value] of values.entries()) {
    const one = Number.isNaN(value) ? missing : counts.find(({ below }) => value < below)!;
    const weight = weights?.[row] ?? 1;
    if (bad[row] === 1) {
      one.bads += weight;
      one.squaredBads += weight ** 2;
    } else one.goods += weight;
  }
  return [...counts, missing].filter((one) => !one.isMissing || one.goods + one.bads > 0);
}

/** Quantiles, rounded so that the card shows plain numbers. */
function classEdges(values: Float64Array): number[] {
  const known = values.filter((value) => !Number.isNaN(value)).toSorted();
  const edges = new Set<number>();
  const distinct = new Set(known);
  if (distinct.size <= MAX_FINE_CLASSES) {
    for (const value of distinct) edges.add(value);
  } else {
    const cuts = Array.from(
      { length: MAX_FINE_CLASSES - 1 },
      (_, part) => known[Math.floor(((part + 1) * known.length) / MAX_FINE_CLASSES)]!,
    );
    for (const edge of roundedApart(cuts)) edges.add(edge);
  }
  // Nothing lies below the smallest value, so it is no edge.
  return [...edges].toSorted((a, b) => a - b).filter((edge) => edge > (known[0] ?? Infinity));
}

/** With two digits, or with more where two would make most of them equal, such as years. */
function roundedApart(cuts: readonly number[]): ReadonlySet<number> {
  const distinct = new Set(cuts);
  for (let digits = 2; digits < 16; digits++) {
    const rounded = new Set([...distinct].map((cut) => Number(cut.toPrecision(digits))));
    if (2 * rounded.size > distinct.size) return rounded;
  }
  return distinct;
}

interface Pooling {
  readonly totals: Totals;
  readonly rules: BinningRules;
}

/**
 * Pools blocks, ranked from worst to best, until none is too small and weights clearly rise: the
 * worst violators of the order first, then neighbours that hardly differ.
 */
function pool(ranked: readonly Block[], { totals, rules }: Pooling): readonly Block[] {
  const least = SMALLEST_BIN_SHARE * (totals.goods + totals.bads);
  let blocks = ranked;
  // Each round pools two blocks, so there are fewer rounds than blocks.
  for (let round = 1; round < ranked.length; round++) {
    const weights = blocks.map((block) => weightOf(block, totals));
    const small = blocks.findIndex(
      (block) => block.goods + block.bads < least || !hasEnoughBads(block, rules),
    );
    const steps = weights.slice(1).map((weight, at) => {
      const rise = weight - weights[at]!;
      return rules.better === 'either' ? Math.abs(rise) : rise;
    });
    const smallest = Math.min(...steps);
    if (small >= 0) blocks = poolAt(blocks, neighbour(weights, small));
    else if (smallest < SMALLEST_WEIGHT_STEP) blocks = poolAt(blocks, steps.indexOf(smallest));
    else break;
  }
  return blocks;
}

/** Counts unequal weights as fewer: the effective number of Kish, Survey Sampling (1965), 11.7. */
function hasEnoughBads({ bads, squaredBads }: Totals, { minBads = MIN_BIN_BADS }: BinningRules) {
  return squaredBads > 0 && bads ** 2 / squaredBads >= minBads - 1e-9;
}

/** Where to pool a small block: with the neighbour whose weight is nearer. */
function neighbour(weights: readonly number[], at: number): number {
  const before = at === 0 ? Infinity : Math.abs(weights[at]! - weights[at - 1]!);
  const after = at === weights.length - 1 ? Infinity : Math.abs(weights[at]! - weights[at + 1]!);
  return before <= after ? at - 1 : at;
}

function poolAt(blocks: readonly Block[], at: number): readonly Block[] {
  const [left, right] = [blocks[at]!, blocks[at + 1]!];
  const pooled = { ...add(left, right), classes: [...left.classes, ...right.classes] };
  return blocks.toSpliced(at, 2, pooled);
}

function binningOf(
  blocks: readonly Block[],
  unknown: FineClass,
  { totals, rules }: Pooling,
): Binning {
  const bins: Bin[] = [];
  let missing = rules.missing === 'unknown' ? unknownBin(unknown, { totals, rules }) : undefined;
  for (const block of blocks) {
    const { goods, bads } = block;
    const woe = weightOf(block, totals);
    const known = block.classes.filter(({ isMissing }) => !isMissing);
    const below = Math.max(-Infinity, ...known.map((one) => one.below));
    if (known.length > 0) bins.push({ below, goods, bads, woe });
    if (known.length < block.classes.length) missing = { below: Infinity, goods, bads, woe };
  }
  bins.sort((a, b) => a.below - b.below);
  // Samples that all have a value must still give a card that can score a missing one.
  if (rules.missing === 'best' && missing === undefined) {
    const best = bins.reduce((max, bin) => (bin.woe > max.woe ? bin : max));
    missing = { below: Infinity, goods: 0, bads: 0, woe: best.woe };
  }
  const parts = blocks.map(({ goods, bads }) => ({
    goods,
    bads,
    woe: weightOf({ goods, bads }, totals),
  }));
  if (rules.missing === 'unknown') parts.push(missing!);
  return {
    bins,
    missing,
    informationValue: sum(
      parts.map(({ goods, bads, woe }) => (goods / totals.goods - bads / totals.bads) * woe),
    ),
  };
}

/** Too few samples without a value carry no information: a weight of 0. */
function unknownBin(unknown: FineClass, { totals, rules }: Pooling): Bin {
  const { goods, bads } = unknown;
  const woe = hasEnoughBads(unknown, rules) ? weightOf(unknown, totals) : 0;
  return { below: Infinity, goods, bads, woe };
}

type Counts = Pick<Totals, 'goods' | 'bads'>;

function weightOf({ goods, bads }: Counts, totals: Counts): number {
  return Math.log((goods + SMOOTHING) / totals.goods / ((bads + SMOOTHING) / totals.bads));
}

function totalsOf({ goods, bads, squaredBads }: Totals): Totals {
  return { goods, bads, squaredBads };
}

function add(a: Totals, b: Totals): Totals {
  return {
    goods: a.goods + b.goods,
    bads: a.bads + b.bads,
    squaredBads: a.squaredBads + b.squaredBads,
  };
}

/** The weight of each value. */
export function weigh(values: Float64Array, { bins, missing }: Binning): Float64Array {
  return values.map((value) =>
    Number.isNaN(value) ? missing!.woe : bins.find(({ below }) => value < below)!.woe,
  );
}
