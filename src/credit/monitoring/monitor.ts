import type { ScoredPeople } from '../registry/scored-people-store.ts';
import { HIGHEST_SCORE, percentOfScore } from '../scorecards/scale.ts';
import type { Scorecard, ScoreKind } from '../scorecards/scorecard.ts';
import { measurePerformance, stabilityIndex, sum } from '../training/measures.ts';
import type { ScoreCounts } from '../training/measures.ts';
import { BANDS, bandOf, bandsOfNames } from '../training/validation.ts';

/** With fewer people a month is not compared: chance alone moves the index above 0.1. */
export const MIN_PEOPLE = 200;

/** The performance of a card in a month. */
export interface MonthFigures {
  readonly month: string;
  readonly kind: ScoreKind;
  readonly card: string;
  readonly role: 'champion' | 'challenger';
  readonly people: number;
  readonly meanScore: number;
  /** Population stability index against `comparedWith`; null with too few people. */
  readonly stabilityIndex: number | null;
  /** `training`, a month, or null if there is nothing to compare with. */
  readonly comparedWith: string | null;
  /** People whose period of observation has ended. */
  readonly known: number;
  /** Mean probability of default of those people, and the share that defaulted. Null if `known` is 0. */
  readonly predicted: number | null;
  readonly observed: number | null;
  readonly auc: number | null;
  /** People whose period of observation has not ended, and who have already defaulted. */
  readonly badSoFar: number;
}

/**
 * The figures of each month, oldest first, champion before challenger. A card without a reference
 * distribution from its training is compared with its first month that has enough people.
 */
export function monitorMonths(
  people: readonly ScoredPeople[],
  cards: ReadonlyMap<string, Pick<Scorecard, 'reference'>>,
): MonthFigures[] {
  const groups = Map.groupBy(people, ({ month, kind, card, role }) =>
    // The champion first.
    [month, kind, role === 'champion' ? 0 : 1, card].join(' '),
  );
  const firsts = new Map<string, { readonly month: string; readonly bands: readonly number[] }>();
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => {
      const { month, kind, card, role } = group[0]!;
      const bands = bandsOf(group);
      const count = sum(bands);
      const reference = cards.get(card)?.reference;
      if (!firsts.has(card) && count >= MIN_PEOPLE) firsts.set(card, { month, bands });
      const first = firsts.get(card);
      const before = reference === undefined ? first?.bands : bandsOfNames(reference);
      const comparable = count >= MIN_PEOPLE ? before : undefined;
      return {
        ...{ month, kind, card, role, people: count },
        meanScore: sum(group.map((one) => one.people * one.score)) / count,
        stabilityIndex: comparable === undefined ? null : stabilityIndex(comparable, bands),
        comparedWith:
          comparable === undefined ? null : reference === undefined ? first!.month : 'training',
        ...outcomesOf(group),
      };
    });
}

function bandsOf(group: readonly ScoredPeople[]): number[] {
  const bands = Array.from({ length: BANDS }, () => 0);
  for (const { score, people } of group) bands[bandOf(score)]! += people;
  return bands;
}

type Outcomes = Pick<MonthFigures, 'known' | 'predicted' | 'observed' | 'auc' | 'badSoFar'>;

function outcomesOf(group: readonly ScoredPeople[]): Outcomes {
  const counts: ScoreCounts = {
    goods: new Float64Array(HIGHEST_SCORE + 1),
    bads: new Float64Array(HIGHEST_SCORE + 1),
  };
  let [badSoFar, predicted] = [0, 0];
  for (const { score, isKnown, isBad, people } of group) {
    if (!isKnown) {
      if (isBad) badSoFar += people;
      continue;
    }
    counts[isBad ? 'bads' : 'goods'][score]! += people;
    predicted += (people * percentOfScore(score)) / 100;
  }
  const [goods, bads] = [sum(counts.goods), sum(counts.bads)];
  const known = goods + bads;
  if (known === 0) return { known, predicted: null, observed: null, auc: null, badSoFar };
  return {
    known,
    predicted: predicted / known,
    observed: bads / known,
    auc: goods === 0 || bads === 0 ? null : measurePerformance(counts).auc,
    badSoFar,
  };
}
