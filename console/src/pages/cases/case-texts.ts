import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { CaseView } from '../../../../src/staff/case-schema.ts';

/** What each kind of case is, in a few words. */
export const KIND_NAMES: Readonly<Record<CaseView['kind'], MessageDescriptor>> = {
  contradiction: msg`Reports contradict each other`,
  amount_difference: msg`Another amount was paid`,
  ours_only: msg`Missing in the operator’s statement`,
  theirs_only: msg`Only in the operator’s statement`,
  duplicate: msg`Paid twice by the operator`,
  statement_change: msg`A statement was changed`,
  float_difference: msg`The float differs`,
  unmatched_callback: msg`Callback without a payment`,
  no_answer: msg`Nobody reports the result`,
  details_conflict: msg`Details contradict each other`,
  exposure: msg`A vendor owes us`,
  receipt_conflict: msg`A receipt was reported differently`,
  receipt_reversed: msg`A receipt was taken back`,
};

export const RESOLUTION_NAMES: Readonly<Record<string, MessageDescriptor>> = {
  keep_books: msg`Keep the books`,
  paid: msg`It was paid`,
  failed: msg`It was not paid`,
  charge_vendor: msg`Charge the vendor`,
  return_to_vendor: msg`Return to the vendor`,
  terms_differ: msg`The operator’s terms differ`,
  house_bears: msg`We bear the cost`,
  house_recovers: msg`We get back what we bore`,
  receivable: msg`The operator owes us`,
  receivable_returned: msg`The operator has returned it`,
  collect_exposure: msg`Collect what the vendor owes`,
  write_off: msg`Write it off`,
  take_back: msg`Take back from the float`,
};
