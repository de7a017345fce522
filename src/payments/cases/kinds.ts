export const CASE_KINDS = [
  'contradiction',
  'amount_difference',
  'ours_only',
  'theirs_only',
  'duplicate',
  'statement_change',
  'float_difference',
  'unmatched_callback',
  'no_answer',
  'details_conflict',
  'exposure',
  'receipt_conflict',
  'receipt_reversed',
] as const;
export type CaseKind = (typeof CASE_KINDS)[number];
