import type { CreditFile } from '../facts.ts';
import { NOT_APPLICATIONS } from '../scorecards/characteristics.ts';
import type { ScoreAnswer } from '../scorecards/score.ts';
import { isDisputed, isInDefault } from '../scorecards/standing.ts';

/** Events that the vendor already knows about a watched customer, reported or known from the beginning. */
export interface Known {
  /** Score of the generic card; null without one. */
  readonly score: number | null;
  /** The card that it is of. */
  readonly card: string;
  /** Keys of the accounts in default. */
  readonly defaults: readonly string[];
  /** Milliseconds; of the newest application elsewhere, or 0. */
  readonly newestEnquiryMs: number;
}

export type WatchEvent =
  | { readonly type: 'credit.default'; readonly accounts: number }
  | {
      readonly type: 'credit.enquiry';
      readonly enquiries: number;
      readonly sectors: readonly string[];
    }
  | { readonly type: 'credit.score_drop'; readonly from: number; readonly to: number };

/**
 * Extracts the facts that are known today. @param vendorId the vendor that watches; its own enquiries
 * are not reported.
 */
export function knownOf(
  file: CreditFile,
  { score, scorecard: card }: Pick<ScoreAnswer, 'score' | 'scorecard'>,
  vendorId: number,
): Known {
  return {
    score: score === '' ? null : Number(score),
    card,
    defaults: file.accounts
      .filter((account) => !isDisputed(account) && isInDefault(account))
      .map(({ key }) => key)
      .toSorted(),
    newestEnquiryMs: Math.max(
      0,
      ...enquiriesElsewhere(file, vendorId).map(({ at }) => at.getTime()),
    ),
  };
}

/**
 * Finds events since the last report to the vendor. A fall is measured from a reference score, so that
 * many small falls add up. A rise raises the reference score without an event, and another card begins with its own:
 * the customer did nothing.
 */
export function eventsOf(
  before: Known,
  now: Known,
  by: { readonly file: CreditFile; readonly vendorId: number; readonly scoreDrop: number },
): { readonly events: readonly WatchEvent[]; readonly known: Known } {
  const events: WatchEvent[] = [];
  const known = new Set(before.defaults);
  const accounts = now.defaults.filter((key) => !known.has(key)).length;
  if (accounts > 0) events.push({ type: 'credit.default', accounts });
  const fresh = enquiriesElsewhere(by.file, by.vendorId).filter(
    ({ at }) => at.getTime() > before.newestEnquiryMs,
  );
  if (fresh.length > 0) {
    const sectors = [...new Set(fresh.map(({ sector }) => sector))].toSorted();
    events.push({ type: 'credit.enquiry', enquiries: fresh.length, sectors });
  }
  const from = before.card === now.card ? before.score : null;
  const to = now.score;
  const fell = from !== null && to !== null && from - to >= by.scoreDrop;
  if (fell) events.push({ type: 'credit.score_drop', from, to });
  const stays = from !== null && to !== null && to < from && !fell;
  return {
    events,
    known: {
      ...now,
      score: stays ? from : (to ?? from),
      newestEnquiryMs: Math.max(before.newestEnquiryMs, now.newestEnquiryMs),
    },
  };
}

function enquiriesElsewhere(file: CreditFile, vendorId: number): CreditFile['enquiries'] {
  return file.enquiries.filter(
    ({ reason, by }) => !NOT_APPLICATIONS.has(reason) && by !== String(vendorId),
  );
}
