import type { AnsweredEnquiry } from '../enquiries/read-kept.ts';
import { factsOf } from '../scorecards/card-facts.ts';
import type { Scorecard } from '../scorecards/scorecard.ts';
import { reasonTexts } from './subject-document.ts';
import type { AdverseAction } from './letters.ts';
import type { Language } from '../../platform/documents/document.ts';

interface ScoringAnswer {
  readonly profile: { readonly fullName: string };
  readonly score?: Readonly<Record<string, string>>;
}

/**
 * The facts for a decision on an enquiry, from its recorded answer; undefined if the answer had no
 * score or is no longer stored.
 */
export function decisionFacts(
  { payload, scorecard }: AnsweredEnquiry,
  language: Language,
  cards: ReadonlyMap<string, Scorecard>,
):
  | Pick<AdverseAction, 'customer' | 'score' | 'grade' | 'probability' | 'reasons' | 'card'>
  | undefined {
  const body = payload?.answer ?? null;
  if (body === null) return undefined;
  const { profile, score } = JSON.parse(body) as ScoringAnswer;
  if (score === undefined) return undefined;
  const reason = (number: number): string => score[`reasonCodeAARC${number}`] ?? '';
  const card = scorecard === null ? undefined : cards.get(scorecard);
  return {
    customer: profile.fullName,
    score: score['positiveScore'] ?? score['mobiLoansScore'] ?? '',
    grade: score['grade'] ?? '',
    probability: score['probability'] ?? '',
    card: card === undefined ? null : factsOf(card),
    reasons: reasonTexts({ reasons: [reason(1), reason(2), reason(3), reason(4)] }, language),
  };
}
