import type { TableClasses } from '../platform/db/distribution.ts';

export const CREDIT_TABLES: TableClasses = {
  enquiry_chains: 'distributed',
  enquiries: 'distributed',
  upstream_calls: 'distributed',
  // The registry belongs to people, not to vendors (docs/decisions/0021-the-registry-is-on-the-coordinator.md).
  subject_enquiries: 'local',
  scorecards: 'local',
  scorecard_changes: 'local',
  scorecard_months: 'local',
  score_overrides: 'distributed',
  credit_watches: 'distributed',
  // Read by a function that runs on the node of its bucket.
  enquiry_retention: 'reference',
  credit_registry: 'local',
  lenders: 'local',
  access_links: 'local',
  subjects: 'local',
  subject_documents: 'local',
  credit_accounts: 'local',
  account_states: 'local',
  account_corrections: 'local',
  account_disputes: 'local',
  account_withdrawals: 'local',
  account_sales: 'local',
  subject_life_records: 'local',
  suppression_rules: 'local',
  suppression_changes: 'local',
  subject_merges: 'local',
  credit_cases: 'local',
  credit_imports: 'local',
  credit_import_findings: 'local',
};
