import path from 'node:path';

import type { CreditFile } from '../facts.ts';
import { characteristic, scoredFile } from './characteristics.ts';
import type { CharacteristicName, ScoredFile } from './characteristics.ts';
import { clampScore, gradeOfPercent, percentOfScore } from './scale.ts';
import { maximumPointsOf, pointsOf, newestCards, readCards } from './scorecard.ts';
import type { Scorecard, Scorecards, ScoreKind } from './scorecard.ts';
import { isDeceased, isDisputed, isInDefault } from './standing.ts';

/** A score as texts, as in the answer. */
export interface ScoreAnswer {
  /** AA (best) to JJ; empty without history. */
  readonly grade: string;
  /** A whole number from 1 to 1000; empty without history. */
  readonly score: string;
  /** Probability of default in percent with two decimals; empty without history. */
  readonly probability: string;
  readonly reasons: readonly [string, string, string, string];
  /** The scorecard used, as `id@version`. */
  readonly scorecard: string;
}

const NO_HISTORY =
  'There is no credit history to base a score on: no account is on file, or none that counts';
const DECEASED = 'The customer is recorded as deceased: there is no score';
const DISPUTED = 'Accounts under dispute are left out of this score';
const NO_FURTHER_REASON = 'No further reason';

/** The value of each characteristic a card uses. */
export type Measures = Partial<Record<CharacteristicName, number | null>>;

const FOLDER = path.join(import.meta.dirname, '../../../scorecards');
let inFolder: readonly Scorecard[] | undefined;

/** Every card of the folder `scorecards/`, read once. Throws: `ScorecardError`. */
export function shippedCards(): readonly Scorecard[] {
  inFolder ??= readCards(FOLDER);
  return inFolder;
}

/** The shipped card with the highest version of each kind. Throws: `ScorecardError`. */
export function shippedScorecards(): Scorecards {
  return newestCards(shippedCards(), FOLDER);
}

/**
 * Scores a file. A deceased subject, or a file without an account that counts, gets no score: its
 * texts are empty and the first reason says why. Depends on nothing but the file, so equal files
 * get equal answers.
 * Throws: `ScorecardError` if the shipped cards cannot be used.
 */
export function scoreFile(
  file: CreditFile,
  kind: ScoreKind,
  scorecards: Scorecards = shippedScorecards(),
): ScoreAnswer {
  const card = scorecards[kind];
  const scorecard = `${card.id}@${card.version}`;
  const scored = scoredFile(file);
  const disputed = file.accounts.some(isDisputed);
  if (scored.accounts.length === 0) {
    const why = isDeceased(file) ? DECEASED : NO_HISTORY;
    const reasons = [why, disputed && why === NO_HISTORY ? DISPUTED : '', '', ''] as const;
    return { grade: '', score: '', probability: '', reasons, scorecard };
  }
  const measures = measure(card, scored);
  const score = totalPoints(card, measures);
  const probability = percentOfScore(score).toFixed(2);
  return {
    grade: gradeOfPercent(probability),
    score: String(score),
    probability,
    reasons: reasonsOf(card, measures, { inDefault: scored.accounts.some(isInDefault), disputed }),
    scorecard,
  };
}

function measure(card: Scorecard, scored: ScoredFile): Measures {
  const measures: Measures = {};
  for (const { name } of card.characteristics)
    measures[name] = characteristic(name).measure(scored);
  return measures;
}

/** Contribution of one characteristic of a card to the score of a file. */
export interface ExplainedPoints {
  readonly name: CharacteristicName;
  readonly meaning: string;
  /** `null`: it never happened. */
  readonly value: number | null;
  readonly points: number;
  readonly maxPoints: number;
}

/**
 * The parts of a file's score, in the card's order; everyone gets `basePoints`. No rows for a file
 * without a score. Throws: `ScorecardError` as `scoreFile`.
 */
export function explainScore(
  file: CreditFile,
  kind: ScoreKind,
  scorecards: Scorecards = shippedScorecards(),
): { readonly basePoints: number; readonly rows: readonly ExplainedPoints[] } {
  const card = scorecards[kind];
  const scored = scoredFile(file);
  if (scored.accounts.length === 0) return { basePoints: card.basePoints, rows: [] };
  const measures = measure(card, scored);
  return {
    basePoints: card.basePoints,
    rows: card.characteristics.map((one) => {
      const value = measures[one.name] ?? null;
      return {
        name: one.name,
        meaning: characteristic(one.name).meaning,
        value,
        points: pointsOf(one, value),
        maxPoints: maximumPointsOf(one),
      };
    }),
  };
}

/** The score of measured values, from 1 to 1000. All values that the card uses must be present. */
export function totalPoints(card: Scorecard, measures: Measures): number {
  const points = card.characteristics.map((one) => pointsOf(one, measures[one.name] ?? null));
  return clampScore(points.reduce((sum, one) => sum + one, card.basePoints));
}

/**
 * The reasons. An unresolved default comes first, whatever the card. Then come the largest
 * shortfalls from the maximum points, equal ones in the card's order. The last reason says when
 * disputed accounts were left out, so that a score based on fewer accounts is always recognisable.
 */
function reasonsOf(
  card: Scorecard,
  measures: Measures,
  { inDefault, disputed }: { readonly inDefault: boolean; readonly disputed: boolean },
): ScoreAnswer['reasons'] {
  const shortfalls = card.characteristics
    .map((one) => ({
      reason: one.reason,
      shortfall: maximumPointsOf(one) - pointsOf(one, measures[one.name] ?? null),
    }))
    .filter(({ shortfall }) => shortfall > 0)
    .toSorted((a, b) => b.shortfall - a.shortfall)
    .map(({ reason }) => reason);
  const [first, second, third, fourth] = new Set([
    ...(inDefault ? [defaultReason(card)] : []),
    ...shortfalls,
  ]);
  return [
    first ?? NO_FURTHER_REASON,
    second ?? NO_FURTHER_REASON,
    third ?? NO_FURTHER_REASON,
    disputed ? DISPUTED : (fourth ?? NO_FURTHER_REASON),
  ];
}

/** In the card's own words, if it has any. */
function defaultReason({ characteristics }: Scorecard): string {
  const name = 'nonPerformingAccounts';
  return characteristics.find((one) => one.name === name)?.reason ?? characteristic(name).reason;
}
