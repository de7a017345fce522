import { APPEND_ONLY, READ_ONLY } from '../platform/db/runtime-grants.ts';
import type { RuntimeGrants } from '../platform/db/runtime-grants.ts';

/** Enquiries are erased only by the owner's function (`security definer`). */
export const CREDIT_GRANTS: RuntimeGrants = {
  // The credit registry.
  credit_registry: { update: ['next_crn', 'next_account_id'] },
  lenders: { insert: true, update: ['amounts'] },
  subjects: { insert: true, update: ['sealed', 'updated_at'] },
  subject_documents: APPEND_ONLY,
  credit_accounts: {
    insert: true,
    updateAllBut: ['crn', 'account_id', 'account_index', 'lender', 'sealed'],
  },
  account_states: { insert: true, updateAllBut: ['crn', 'account_id', 'as_of'] },
  account_corrections: APPEND_ONLY,
  account_disputes: { insert: true, update: ['closed_at', 'outcome'] },
  account_withdrawals: APPEND_ONLY,
  account_sales: { insert: true, update: ['undone_at', 'undone_reason'] },
  subject_life_records: APPEND_ONLY,
  suppression_rules: { insert: true, updateAllBut: ['rule'], delete: true },
  suppression_changes: APPEND_ONLY,
  credit_cases: { insert: true, update: ['closed_at', 'resolution'] },
  credit_imports: {
    insert: true,
    updateAllBut: ['import_id', 'lender', 'template', 'as_of', 'file_hash', 'corrects'],
  },
  credit_import_findings: { insert: true, delete: true },
  subject_merges: { insert: true, update: ['undone_at', 'undone_reason'] },

  // Credit enquiries.
  enquiry_chains: { insert: true, update: ['sequence', 'hash'] },
  enquiry_retention: READ_ONLY,
  enquiries: APPEND_ONLY,
  subject_enquiries: APPEND_ONLY,
  access_links: { insert: true, update: ['used_at', 'attempts'] },
  credit_watches: {
    insert: true,
    update: ['crn', 'score_drop', 'started_at', 'ended_at', 'due_at', 'known'],
  },

  // Scorecards.
  scorecards: APPEND_ONLY,
  scorecard_changes: APPEND_ONLY,
  scorecard_months: { insert: true, updateAllBut: ['month', 'kind', 'card', 'role'] },
  score_overrides: APPEND_ONLY,
  upstream_calls: { insert: true, update: ['outcome', 'ended_at', 'sealed_answer'] },
};
