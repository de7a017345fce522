import type { RowRefusal } from '../../batches/batch.ts';
import type { Batches } from '../../batches/batches.ts';
import type { CreditOperation } from '../bureaus/bureau.ts';
import { factsOf } from '../scorecards/card-facts.ts';
import type { Scorecard } from '../scorecards/scorecard.ts';

export type ScoreOperation = Exclude<CreditOperation, 'id-decision'>;

/** The parameters of one enquiry, as text. */
export type RowContent = Readonly<Record<string, string>>;

/** One row of a file, as read: an enquiry, or why it is not one. */
export type ScoreRow =
  | { readonly content: RowContent; readonly requestReference: string }
  | { readonly refusal: RowRefusal; readonly requestReference: string | null };

/** Files of enquiries. An answer is null once retention has erased it. */
export type ScoreBatches = Batches<ScoreRow, { readonly answer: RowAnswer | null }>;

/** The summary of one row's answer. */
export interface RowAnswer {
  readonly crn: string;
  /** `true` or `false`, as in the answer. */
  readonly nameDiffers: string;
  readonly grade: string;
  readonly score: string;
  readonly probability: string;
  readonly reasons: readonly string[];
  /** As `id@version`; empty without a score. */
  readonly scorecard: string;
  /** `true` if the card was not made from what became of real loans; empty without a score. */
  readonly scorecardIsExample: string;
}

/** Bound into the sealed rows of a batch. */
export function contentLocation(batchId: string): string {
  return `score_batches|${batchId}`;
}

/**
 * The summary of a scoring operation's body.
 * @param card that answered; undefined: none of ours.
 */
export function rowAnswerOf(body: string, card: Scorecard | undefined): RowAnswer {
  const { profile, score } = JSON.parse(body) as {
    readonly profile: { readonly crn: string; readonly nameDiffers: string };
    readonly score: Readonly<Record<string, string>>;
  };
  return {
    crn: profile.crn,
    nameDiffers: profile.nameDiffers,
    ...cardOf(score['grade'] === '' ? undefined : card),
    grade: score['grade'] ?? '',
    score: score['positiveScore'] ?? score['mobiLoansScore'] ?? '',
    probability: score['probability'] ?? '',
    reasons: [1, 2, 3, 4].map((number) => score[`reasonCodeAARC${number}`] ?? ''),
  };
}

function cardOf(card: Scorecard | undefined): Pick<RowAnswer, 'scorecard' | 'scorecardIsExample'> {
  if (card === undefined) return { scorecard: '', scorecardIsExample: '' };
  const { card: name, isExample } = factsOf(card);
  return { scorecard: name, scorecardIsExample: String(isExample) };
}
