import type { MergeProblem } from '../registry/merges-store.ts';
import type { SaleProblem } from '../registry/sales-store.ts';

export const MERGE_PROBLEMS: Readonly<Record<MergeProblem, string>> = {
  no_subject: 'One of the two is not on file.',
  from_is_merged: 'The first is merged into another already.',
  into_is_merged: 'The second is merged into another: merge into that one.',
  from_has_others: 'Others are merged into the first: merge the second into it instead.',
};

export const SALE_PROBLEMS: Readonly<Record<SaleProblem, string>> = {
  no_account: 'The person has no such account, or it is withdrawn.',
  no_buyer: 'The person has no such account of the buyer, or it is withdrawn.',
  same_lender: 'Both accounts are of the same lender, which cannot sell a debt to itself.',
  sold_already: 'The debt was sold already: name the account of its present holder.',
  bought_already: 'The buyer’s account is the continuation of another one already.',
  order: 'Each sale of a debt must be later than the one before.',
  before_opening: 'The account was opened after this day.',
  submitted_before: 'The buyer submitted its account for a day before the sale.',
};

export const NO_SALE = 'No sale of this account of the person counts.';
