import type { ErrorCode } from '../base/errors.ts';

/** Fields of a refusal's example in addition to the common ones. */
interface RefusalExample {
  readonly field?: string;
  readonly reference?: string;
}

/** The codes that an operation may be refused with, each with its example. */
export type Refusals = Readonly<Partial<Record<ErrorCode, RefusalExample>>>;

/** Refusals that every operation has. */
export const COMMON_REFUSALS: Refusals = {
  malformed_request: {},
  ambiguous_request: {},
  nested_value: {},
  unknown_field: {},
  ambiguous_value: {},
  missing_field: { field: 'account' },
  invalid_field: {},
  unknown_path: {},
  method_not_allowed: {},
  payload_too_large: {},
  unsupported_media_type: {},
  too_many_requests: {},
  internal_error: {},
  overloaded: {},
  unavailable: {},
};

/** Further refusals of an operation: for its signature, and for what it does. */
export function refusalsOf({
  signedBy,
  refusals,
}: {
  readonly signedBy: { readonly refusals: Refusals } | undefined;
  readonly refusals: Refusals;
}): Refusals {
  return { ...signedBy?.refusals, ...refusals };
}

export function codesOf(refusals: Refusals): ErrorCode[] {
  return Object.keys(refusals) as ErrorCode[];
}
