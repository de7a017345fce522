import { percentOfScore } from '../scorecards/scale.ts';
import { VALIDATION_BAND_POINTS } from '../scorecards/scorecard.ts';
import type { Scorecard } from '../scorecards/scorecard.ts';

/** People of a band of scores who repaid and who defaulted, and what the card says about them. */
export interface ScoreBand {
  /** The lowest score of the band. */
  readonly from: number;
  readonly goods: number;
  readonly bads: number;
  /** Share that defaults, by the card, in the middle of the band. */
  readonly predicted: number;
  /** Share that defaulted. */
  readonly observed: number;
}

/** Separation of people who defaulted from the others by a card, outside its training data. */
export interface CardPlots {
  readonly samples: number;
  readonly bads: number;
  /** From 0, 0 to 1, 1: shares of all goods and of all bads below each band's end. */
  readonly roc: readonly { readonly goods: number; readonly bads: number }[];
  /** Where the two shares differ most. */
  readonly ks: { readonly value: number; readonly below: number };
  /** Bands that are not empty, the lowest scores first. */
  readonly bands: readonly ScoreBand[];
}

/** Null for a card that does not say how its test went. */
export function plotsOf({ validation }: Pick<Scorecard, 'validation'>): CardPlots | null {
  if (validation === undefined) return null;
  const { goods, bads } = validation;
  const names = [...new Set([...Object.keys(goods), ...Object.keys(bads)])];
  const bands = names
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((from): ScoreBand => {
      const [good, bad] = [goods[String(from)] ?? 0, bads[String(from)] ?? 0];
      const predicted = percentOfScore(from + VALIDATION_BAND_POINTS / 2) / 100;
      return { from, goods: good, bads: bad, predicted, observed: bad / (good + bad) };
    });
  const all = { goods: sumOf(goods), bads: sumOf(bads) };
  if (all.goods === 0 || all.bads === 0) return null;
  const below = { goods: 0, bads: 0 };
  let ks = { value: 0, below: 0 };
  const roc = bands.map((band) => {
    below.goods += band.goods;
    below.bads += band.bads;
    const point = { goods: below.goods / all.goods, bads: below.bads / all.bads };
    const distance = Math.abs(point.bads - point.goods);
    if (distance > ks.value) ks = { value: distance, below: band.from + VALIDATION_BAND_POINTS };
    return point;
  });
  return {
    samples: all.goods + all.bads,
    bads: all.bads,
    roc: [{ goods: 0, bads: 0 }, ...roc],
    ks,
    bands,
  };
}

function sumOf(bands: Readonly<Record<string, number>>): number {
  return Object.values(bands).reduce((sum, count) => sum + count, 0);
}
