import type { DeclineCode } from '../../operator-outcomes.ts';

/**
 * The meaning of errorCodes with which Reloadly refuses a request before any attempt: a decline, or
 * that the request may be repeated later (`try_again`) or after somebody has changed something
 * (`paused`). Other codes prove nothing.
 */
export type Refusal = DeclineCode | 'try_again' | 'paused';

const REFUSALS: Readonly<Record<string, Refusal>> = {
  COUNTRY_NOT_SUPPORTED: 'operator_refused',
  OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE: 'try_again',
  OPERATOR_NOT_IN_SERVICE: 'try_again',
  OPERATOR_NOT_FOUND: 'paused',
  COULD_NOT_AUTO_DETECT_OPERATOR: 'invalid_account',
  INVALID_AMOUNT: 'amount_not_allowed',
  INVALID_AMOUNT_FOR_OPERATOR: 'amount_not_allowed',
  INVALID_LOCAL_AMOUNT_FOR_OPERATOR: 'amount_not_allowed',
  INVALID_AMOUNT_FOR_RECIPIENT_PHONE: 'amount_not_allowed',
  IMPOSSIBLE_AMOUNT: 'amount_not_allowed',
  LOCAL_AMOUNTS_NOT_SUPPORTED_BY_OPERATOR: 'paused',
  OPERATOR_AND_RECIPIENT_PHONE_MISMATCH: 'invalid_account',
  INVALID_RECIPIENT_PHONE: 'invalid_account',
  INVALID_PHONE_NUMBER: 'invalid_account',
  INVALID_SENDER_PHONE: 'operator_refused',
  INVALID_INPUT_PROVIDED: 'operator_refused',
  /** The wallet, which is our float. */
  INSUFFICIENT_BALANCE: 'paused',
  INSUFFICIENT_WALLET_BALANCE: 'paused',
  MAX_DAILY_TRANSACTION_AMOUNT_REACHED: 'paused',
  MAX_DAILY_TRANSACTION_COUNT_REACHED: 'paused',
  /** Another top-up to the number within two minutes; this one was refused. */
  PHONE_RECENTLY_RECHARGED: 'try_again',
  ACCOUNT_NOT_FOUND: 'paused',
  INACTIVE_ACCOUNT: 'paused',
  FX_RATE_NOT_AVAILABLE: 'try_again',
  RATE_LIMIT_REACHED: 'try_again',
  TOKEN_EXPIRED: 'try_again',
  INVALID_TOKEN: 'try_again',
  INVALID_AUDIENCE: 'paused',
  INVALID_CREDENTIALS: 'paused',
};

/**
 * Errors that are proof only together with a report that lists nothing some time later: refusals of
 * the network, after an attempt, and an identifier that was used by a request that left nothing.
 */
const REFUSALS_IF_ABSENT: Readonly<Record<string, DeclineCode>> = {
  TRANSACTION_REJECTED_BY_OPERATOR: 'operator_refused',
  PHONE_BANNED_BY_OPERATOR: 'invalid_account',
  RECIPIENT_PHONE_INACTIVE: 'invalid_account',
  CUSTOM_IDENTIFIER_ALREADY_USED: 'operator_refused',
};

export function refusalOf(errorCode: string): Refusal | undefined {
  return Object.hasOwn(REFUSALS, errorCode) ? REFUSALS[errorCode] : undefined;
}

export function refusalIfAbsent(errorCode: string): DeclineCode | undefined {
  return Object.hasOwn(REFUSALS_IF_ABSENT, errorCode) ? REFUSALS_IF_ABSENT[errorCode] : undefined;
}
