/**
 * Why a payment failed, for programs. Published, so a code keeps its meaning. Connectors choose it
 * from the operator's answer.
 */
export const FAILURE_CODES = [
  /** The operator declined the payment and gave none of the reasons below. */
  'declined',
  /** The biller does not know the account, or accepts no payments for it. */
  'invalid_account',
  /** The operator does not accept this amount: too small, too large, not a multiple. */
  'amount_not_allowed',
  /**
   * The operator refused us, not the payment: our credentials, our contract, or our limits with it.
   */
  'operator_refused',
  /** People decided that it was not paid, or corrected a payment that counted as paid. */
  'corrected',
  /** Any other reason, such as a statement that does not list the payment. */
  'other',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];
