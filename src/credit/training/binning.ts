import type { Characteristic } from '../scorecards/characteristics.ts';

/** Number of fine classes that a characteristic is cut into before classes are pooled. */
const MAX_FINE_CLASSES = 20;
/** Minimum share of all samples in a bin: a smaller bin is not reliable. */
const SMALLEST_BIN_SHARE = 0.05;
/** Bins whose weights are closer than this differ by chance more than by risk. */
const SMALLEST_WEIGHT_STEP = 0.1;
/** Added to both counts of a bin, so that one without goods or bads has a finite weight. */
const SMOOTHING = 0.5;

interface Bin {
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
  /** For samples where it never happened; only if that is possible. `below` is Infinity. */
  readonly never: Bin | undefined;
  /** Information value over all bins. A characteristic below 0.02 carries no information. */
  readonly informationValue: number;
}

interface Totals {
  readonly goods: number;
  readonly bads: number;
}

/** Adjoining classes that share one weight. */
interface Block extends Totals {
  readonly classes: readonly FineClass[];
}

interface FineClass extends Totals {
  readonly below: number;
  readonly isNever: boolean;
}

type Direction = Pick<Characteristic, 'better' | 'canBeNever'>;

/**
 * Cuts a characteristic into bins whose weight of evidence follows its direction: fine classes at
 * rounded quantiles, then adjacent violators are pooled, and bins below 5 % are joined with the
 * most similar neighbour. “Never” counts as better than any value.
 * @param values `NaN` means never.
 * @param bad 1 bad, 0 good, of the same length.
 */
export function binCharacteristic(
  values: Float64Array,
  bad: Uint8Array,
  direction: Direction,
): Binning {
  const classes = fineClasses(values, bad);
  const totals = classes.reduce(add, { goods: 0, bads: 0 });
  // From the worst class to the best.
  const ordered = direction.better === 'higher' ? classes : classes.toReversed();
  const never = ordered.filter(({ isNever }) => isNever);
  const ranked = [...ordered.filter(({ isNever }) => !isNever), ...never];
  const blocks = pool(
    ranked.map((one) => ({ goods: one.goods, bads: one.bads, classes: [one] })),
    totals,
  );
  return binningOf(blocks, totals, direction);
}

/** Classes in ascending order of value; “never” last. */
function fineClasses(values: Float64Array, bad: Uint8Array): FineClass[] {
  const edges = classEdges(values);
  const counts = [...edges, Infinity].map((below) => ({
    below,
    isNever: false,
    goods: 0,
    bads: 0,
  }));
  const never = { below: Infinity, isNever: true, goods: 0, bads: 0 };
  for (const [row, value] of values.entries()) {
    const one = Number.isNaN(value) ? never : counts.find(({ below }) => value < below)!;
    if (bad[row] === 1) one.bads++;
    else one.goods++;
  }
  return [...counts, never].filter((one) => !one.isNever || one.goods + one.bads > 0);
}

/** Quantiles rounded to two digits, so that the card shows plain numbers. */
function classEdges(values: Float64Array): number[] {
  const known = values.filter((value) => !Number.isNaN(value)).toSorted();
  const edges = new Set<number>();
  const distinct = new Set(known);
  if (distinct.size <= MAX_FINE_CLASSES) {
    for (const value of distinct) edges.add(value);
  } else {
    for (let part = 1; part < MAX_FINE_CLASSES; part++) {
      const value = known[Math.floor((part * known.length) / MAX_FINE_CLASSES)]!;
      edges.add(Number(value.toPrecision(2)));
    }
  }
  // Nothing lies below the smallest value, so it is no edge.
  return [...edges].toSorted((a, b) => a - b).filter((edge) => edge > (known[0] ?? Infinity));
}

/**
 * Pools blocks, ranked from worst to best, until none is too small and weights clearly rise: the
 * worst violators of the order first, then neighbours that hardly differ.
 */
function pool(ranked: readonly Block[], totals: Totals): readonly Block[] {
  const least = SMALLEST_BIN_SHARE * (totals.goods + totals.bads);
  let blocks = ranked;
  // Each round pools two blocks, so there are fewer rounds than blocks.
  for (let round = 1; round < ranked.length; round++) {
    const weights = blocks.map((block) => weightOf(block, totals));
    const small = blocks.findIndex(({ goods, bads }) => goods + bads < least);
    const steps = weights.slice(1).map((weight, at) => weight - weights[at]!);
    const smallest = Math.min(...steps);
    if (small >= 0) blocks = poolAt(blocks, neighbour(weights, small));
    else if (smallest < SMALLEST_WEIGHT_STEP) blocks = poolAt(blocks, steps.indexOf(smallest));
    else break;
  }
  return blocks;
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

function binningOf(blocks: readonly Block[], totals: Totals, direction: Direction): Binning {
  const bins: Bin[] = [];
  let never: Bin | undefined;
  for (const block of blocks) {
    const { goods, bads } = block;
    const woe = weightOf(block, totals);
    const known = block.classes.filter(({ isNever }) => !isNever);
    const below = Math.max(-Infinity, ...known.map((one) => one.below));
    if (known.length > 0) bins.push({ below, goods, bads, woe });
    if (known.length < block.classes.length) never = { below: Infinity, goods, bads, woe };
  }
  bins.sort((a, b) => a.below - b.below);
  // Samples without a “never” must still give a card that can score one.
  if (direction.canBeNever && never === undefined) {
    const best = bins.reduce((max, bin) => (bin.woe > max.woe ? bin : max));
    never = { below: Infinity, goods: 0, bads: 0, woe: best.woe };
  }
  const informationValue = blocks.reduce(
    (sum, block) =>
      sum + (block.goods / totals.goods - block.bads / totals.bads) * weightOf(block, totals),
    0,
  );
  return { bins, never, informationValue };
}

function weightOf({ goods, bads }: Totals, totals: Totals): number {
  return Math.log((goods + SMOOTHING) / totals.goods / ((bads + SMOOTHING) / totals.bads));
}

function add(a: Totals, b: Totals): { goods: number; bads: number } {
  return { goods: a.goods + b.goods, bads: a.bads + b.bads };
}

/** The weight of each value. */
export function weigh(values: Float64Array, { bins, never }: Binning): Float64Array {
  return values.map((value) =>
    Number.isNaN(value) ? never!.woe : bins.find(({ below }) => value < below)!.woe,
  );
}
