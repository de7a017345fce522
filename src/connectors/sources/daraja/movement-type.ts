import type { MovementType } from '../statements/settings.ts';

/** Movements of the organisation itself: its charges, and money between its accounts and its bank. */
const OWN =
  /\b(?:charges?|fees?|settlements?|withdraw\w*|transfers?|disburse\w*|deposits?|funds?|float|loans?|salar\w*|promotions?|b2c|working|utility to|merchant to)\b/;
const PAID =
  /\b(?:pay ?bill|buy ?goods|customer payment|merchant payment|pay ?merchant|pay utility|c2b)\b/;

/**
 * What M-PESA's word for a movement means, as in `transactiontype` of the pull (`c2b-pay-bill-debit`) or the column
 * “Reason Type” of the organisation statement (“Pay Bill Online”). The lists are not published, so what is not known
 * is no payment until people say so.
 */
export function movementTypeOf(type: string): MovementType {
  const words = type
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
  if (words.includes('revers')) return 'reversal';
  if (OWN.test(words)) return 'movement';
  return PAID.test(words) ? 'payment' : 'unknown';
}
