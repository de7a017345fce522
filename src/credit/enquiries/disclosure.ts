import type { EnquiryPolicy } from '../../parties/vendor.ts';
import type { ErrorCode } from '../../platform/base/errors.ts';
import type { EnquiryOutcome } from './record.ts';

/** Outcomes that disclose nobody, which are limited for strict vendors. */
export const MISSES = ['not_found', 'mismatch', 'conflict'] as const satisfies EnquiryOutcome[];

const REFUSALS: Readonly<Record<Exclude<EnquiryOutcome, 'answered'>, ErrorCode>> = {
  not_found: 'subject_not_found',
  mismatch: 'subject_mismatch',
  conflict: 'subject_ambiguous',
  unknown: 'bureau_outcome_unknown',
};

/** The refusals of enquiries that were made and recorded. */
export const NO_ANSWER: readonly ErrorCode[] = Object.values(REFUSALS);

/**
 * The refusal of an enquiry without an answer. For a strict vendor every miss is the same refusal:
 * only a vendor that also knows the names learns whether a document is on file.
 */
export function refusalCodeOf(
  outcome: Exclude<EnquiryOutcome, 'answered'>,
  policy: EnquiryPolicy,
): ErrorCode {
  if (policy === 'strict' && isMiss(outcome)) return 'subject_not_found';
  return REFUSALS[outcome];
}

/** The outcome that the vendor may know: for a strict one every miss is the same. */
export function disclosedOutcome(outcome: EnquiryOutcome, policy: EnquiryPolicy): EnquiryOutcome {
  return policy === 'strict' && isMiss(outcome) ? 'not_found' : outcome;
}

export function isMiss(outcome: EnquiryOutcome): boolean {
  return MISSES.some((one) => one === outcome);
}

/**
 * Misses of strict vendors are answered at multiples of this. Opening and comparing a profile takes
 * well below a millisecond, so the time of an answer does not show whether it happened.
 */
const MISS_STEP_MS = 50;

/** Returns the remaining wait of a miss after this many milliseconds. */
export function missDelayMs(elapsedMs: number): number {
  return Math.ceil(elapsedMs / MISS_STEP_MS) * MISS_STEP_MS - elapsedMs;
}
