import type { ErrorCode, Refusal } from '../../platform/base/errors.ts';

// The codes of Kenyan bureaus, which clients of such services already handle.
const CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  signature_invalid: '103',
  vendor_suspended: '106',
  subject_not_found: '202',
  subject_ambiguous: '203',
  missing_field: '402',
  internal_error: '403',
  overloaded: '404',
  unavailable: '404',
  scoring_unavailable: '404',
  bureau_unavailable: '404',
  bureau_outcome_unknown: '404',
  outcome_unknown: '404',
  subject_mismatch: '408',
};
const GENERAL_ERROR = '403';

const FIELD_CODES: ReadonlyMap<string, string> = new Map([
  ['reportReason', '204'],
  ['reportSector', '209'],
]);

/** The bureau's own code for a refusal of a scoring operation, in addition to ours. */
export function bureauCodeOf(refusal: Refusal): string {
  if (refusal.code === 'invalid_field') return FIELD_CODES.get(refusal.field ?? '') ?? '402';
  return CODES[refusal.code] ?? GENERAL_ERROR;
}
