import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { CreditCase } from '../../../../src/staff/credit-cases.ts';
import type { ListedCreditProposal } from '../../../../src/staff/credit-schema.ts';

export const CASE_KINDS: Readonly<Record<CreditCase['kind'], MessageDescriptor>> = {
  document_shared: msg`Several people have one document`,
  documents_conflict: msg`A request had documents of several people`,
  account_holder: msg`An account was submitted for somebody else`,
};

export const PROPOSAL_KINDS: Readonly<Record<ListedCreditProposal['what'], MessageDescriptor>> = {
  altered: msg`Changed in the database: reject it`,
  merge: msg`Treat two references as one person`,
  unmerge: msg`Undo a merge`,
  dispute: msg`Close a dispute`,
  withdrawal: msg`Withdraw an account`,
  sale: msg`Record the sale of a debt`,
  sale_end: msg`Undo a sale`,
  deceased: msg`Record a death`,
  living: msg`Record that a customer is alive`,
  case: msg`Close the case`,
  import: msg`Import a lender’s file`,
  suppression: msg`Suppression rule`,
  suppression_end: msg`End of a suppression rule`,
  scorecard: msg`Change of scorecard`,
};

export const DISPUTE_OUTCOMES: Readonly<Record<string, MessageDescriptor>> = {
  upheld: msg`Upheld: the account was corrected or withdrawn`,
  rejected: msg`Rejected: the lender’s data is right`,
  withdrawn: msg`Withdrawn by the customer`,
};

export const DOCUMENTS: Readonly<Record<string, MessageDescriptor>> = {
  nationalID: msg`National ID`,
  passportNo: msg`Passport`,
  serviceID: msg`Service card`,
  alienID: msg`Alien card`,
  taxID: msg`Tax PIN`,
};
