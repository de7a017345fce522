import { cardName } from './scorecard.ts';
import type { Scorecard, ScoreKind } from './scorecard.ts';

/** The meaning of a card's probabilities, and the data that they come from. */
export interface CardFacts {
  /** As `id@version`. */
  readonly card: string;
  /**
   * Not made from what became of real loans: its scores are examples, and its probabilities say
   * nothing about real people.
   */
  readonly isExample: boolean;
  /** The probability is that of a default within so many months. */
  readonly horizonMonths: number;
  /** A default is so many days late, on any account or on a mobile loan. */
  readonly defaultDays: number;
  /** The people that the card was made from. */
  readonly population: string;
}

const MEANING: Readonly<Record<ScoreKind, Pick<CardFacts, 'horizonMonths' | 'defaultDays'>>> = {
  generic: { horizonMonths: 12, defaultDays: 90 },
  mobile: { horizonMonths: 6, defaultDays: 30 },
};

/** `credit train` notes this without `--origin`. */
const UNKNOWN_ORIGIN = 'not stated';

export function factsOf(card: Scorecard): CardFacts {
  const origin = String(card.about['origin'] ?? UNKNOWN_ORIGIN);
  return {
    card: cardName(card),
    isExample: origin === UNKNOWN_ORIGIN || /synthetic/i.test(origin),
    ...MEANING[card.kind],
    population: origin,
  };
}
