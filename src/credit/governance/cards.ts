import { createHash } from 'node:crypto';
import { PlainError } from '../../platform/base/plain-error.ts';
import { jsonText } from '../../platform/base/proposal.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { shippedCards, shippedScorecards } from '../scorecards/score.ts';
import { SCORE_KINDS, cardName } from '../scorecards/scorecard.ts';
import type { Scorecard, Scorecards, ScoreKind } from '../scorecards/scorecard.ts';
import { readAssignments, readStoredCards } from './read-cards.ts';
import type { CardChange } from './read-cards.ts';

/** The cards that score now. */
export interface CardsInForce {
  /** Their scores are answered. */
  readonly champions: Scorecards;
  /** Their scores are recorded only. */
  readonly challengers: Readonly<Partial<Record<ScoreKind, Scorecard>>>;
}

/** Every card, of the folder and of the database. Throws: `ScorecardError`. */
export async function readAllCards(db: Queryable): Promise<ReadonlyMap<string, Scorecard>> {
  const stored = await readStoredCards(db);
  // An added card never changes; a file might.
  return new Map([...shippedCards(), ...stored].map((card) => [cardName(card), card]));
}

/** Throws: `ScorecardError`; `PlainError` if an assigned card does not exist. */
export async function readCardsInForce(db: Queryable): Promise<CardsInForce> {
  const [cards, assignments] = await Promise.all([readAllCards(db), readAssignments(db)]);
  return cardsInForce(cards, assignments);
}

export function cardsInForce(
  cards: ReadonlyMap<string, Scorecard>,
  assignments: readonly Pick<CardChange, 'kind' | 'champion' | 'challenger'>[],
): CardsInForce {
  const of = (kind: ScoreKind, role: 'champion' | 'challenger'): Scorecard | undefined => {
    const name = assignments.find((one) => one.kind === kind)?.[role] ?? null;
    return name === null ? undefined : requireCard(cards, name, kind);
  };
  const champion = (kind: ScoreKind): Scorecard =>
    of(kind, 'champion') ?? shippedScorecards()[kind];
  return {
    champions: { generic: champion('generic'), mobile: champion('mobile') },
    challengers: Object.fromEntries(
      SCORE_KINDS.flatMap((kind) => {
        const card = of(kind, 'challenger');
        return card === undefined ? [] : [[kind, card]];
      }),
    ),
  };
}

/** Names the content of a card; null: there is no such card. */
export function digestOf(card: Scorecard | undefined): string | null {
  return card === undefined ? null : createHash('sha256').update(jsonText(card)).digest('hex');
}

/** Throws: `PlainError`. */
export function requireCard(
  cards: ReadonlyMap<string, Scorecard>,
  name: string,
  kind: ScoreKind,
): Scorecard {
  const card = cards.get(name);
  if (card === undefined) throw new PlainError(`Card ${name} does not exist.`);
  if (card.kind !== kind) throw new PlainError(`Card ${name} is a ${card.kind} card.`);
  return card;
}

/** The cards in force as one process holds them. */
export interface LiveCards {
  readonly current: () => CardsInForce;
  /** Reads them again. If they cannot be read, the ones before stay in force. */
  readonly reload: () => Promise<void>;
}

export async function openCards(db: Queryable): Promise<LiveCards> {
  let current = await readCardsInForce(db);
  return {
    current: () => current,
    reload: async () => {
      current = await readCardsInForce(db);
    },
  };
}
