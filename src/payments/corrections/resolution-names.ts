/**
 * The possible resolutions of a case. Only `paid` and `failed` settle; the others correct, or
 * change nothing.
 */
export const RESOLUTIONS = {
  keep_books: 'the ledger is correct, and nothing is posted',
  paid: 'the open payment was paid, as the operator reported to a person',
  failed: 'the open payment was not paid, as the operator reported to a person',
  charge_vendor:
    'the operator paid more than the ledger shows, or a payment that a restore lost: the vendor’s float pays it',
  return_to_vendor:
    'the operator paid less than the ledger shows: the difference returns to the float',
  terms_differ:
    'the operator’s cost or commission for it differs from ours, by at most half of the payment: the difference is ours, and the vendor’s money stays as it is',
  house_bears: 'the operator paid something that no vendor owes: we bear the cost',
  house_recovers: 'the operator has returned money that we had borne, or took less than that',
  receivable: 'the operator took money that it must return: recorded as our claim on it',
  receivable_returned:
    'the operator has returned the money that we claimed, or took less than that',
  collect_exposure: 'the vendor’s float pays what the vendor owes us',
  write_off: 'we write off what the vendor owes us',
  take_back: 'the money of the receipt is not ours to keep: the vendor’s money pays it back',
} as const;
export type Resolution = keyof typeof RESOLUTIONS;
