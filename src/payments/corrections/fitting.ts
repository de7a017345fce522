import type { CaseKind } from '../cases/kinds.ts';
import type { Resolution } from './resolution-names.ts';

/** Which cases can be resolved how. */
const FITTING: Readonly<Record<CaseKind, readonly Resolution[]>> = {
  contradiction: [
    'keep_books',
    'paid',
    'failed',
    'charge_vendor',
    'return_to_vendor',
    'house_bears',
    'house_recovers',
    'receivable',
    'receivable_returned',
  ],
  amount_difference: [
    'keep_books',
    'charge_vendor',
    'return_to_vendor',
    'terms_differ',
    'house_bears',
    'house_recovers',
    'receivable',
    'receivable_returned',
  ],
  ours_only: ['keep_books', 'return_to_vendor'],
  theirs_only: [
    'keep_books',
    'paid',
    'charge_vendor',
    'return_to_vendor',
    'house_bears',
    'house_recovers',
    'receivable',
    'receivable_returned',
  ],
  duplicate: ['keep_books', 'house_bears', 'receivable'],
  statement_change: [
    'keep_books',
    'terms_differ',
    'house_bears',
    'house_recovers',
    'receivable',
    'receivable_returned',
  ],
  float_difference: [
    'keep_books',
    'house_bears',
    'house_recovers',
    'receivable',
    'receivable_returned',
  ],
  unmatched_callback: ['keep_books', 'house_bears', 'receivable'],
  no_answer: ['keep_books', 'paid', 'failed'],
  details_conflict: ['keep_books'],
  exposure: ['keep_books', 'collect_exposure', 'write_off'],
  receipt_conflict: ['keep_books', 'take_back'],
  receipt_reversed: ['keep_books', 'take_back'],
};

/** Lists the resolutions that fit a case of this kind. */
export function resolutionsOf(kind: CaseKind): readonly Resolution[] {
  return FITTING[kind];
}
