import { DECLINE_CODES } from '../../connectors/operator-outcomes.ts';

/** Why a payment failed, for programs. Published, so a code keeps its meaning. */
export const FAILURE_CODES = [
  ...DECLINE_CODES,
  /** People decided that it was not paid, or corrected a payment that counted as paid. */
  'corrected',
  /** Any other reason, such as a statement that does not list the payment. */
  'other',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];
