import type { DeclineCode } from '../../operator-outcomes.ts';

/** The ResultCode for a debit party, which is us, with too little money. */
export const FLOAT_TOO_LOW = '1';

/** ResultCodes of a payment that prove that nothing was executed, with the reason. */
const DECLINES: Readonly<Record<string, DeclineCode>> = {
  [FLOAT_TOO_LOW]: 'operator_refused',
  '2': 'amount_not_allowed',
  '3': 'amount_not_allowed',
  '4': 'amount_not_allowed',
  '5': 'operator_refused',
  '6': 'operator_refused',
  '7': 'operator_refused',
  '8': 'amount_not_allowed',
  '11': 'operator_refused',
  '12': 'operator_refused',
  '13': 'operator_refused',
  '14': 'operator_refused',
  '18': 'operator_refused',
  '19': 'operator_refused',
  '20': 'operator_refused',
  '21': 'operator_refused',
  '22': 'operator_refused',
  '24': 'operator_refused',
  '25': 'operator_refused',
  '29': 'operator_refused',
  '2001': 'operator_refused',
  '2006': 'invalid_account',
  '2028': 'operator_refused',
  '2040': 'operator_refused',
  '8006': 'operator_refused',
  SFC_IC0003: 'operator_refused',
};

/** Undefined: the code proves nothing. */
export function declineOf(resultCode: string): DeclineCode | undefined {
  return Object.hasOwn(DECLINES, resultCode) ? DECLINES[resultCode] : undefined;
}

/** States of a payment after which nothing was executed, and nothing will be. */
export const NOT_PAID: ReadonlySet<string> = new Set([
  'Cancelled',
  'Declined',
  'Expired',
  'Failed',
]);
/** A state that proves the same, but only after a Result that declined the payment. */
export const NOT_PAID_IF_DECLINED: ReadonlySet<string> = new Set(['Rejected']);
