import type { TableClasses } from '../platform/db/distribution.ts';

export const CREDIT_TABLES: TableClasses = {
  enquiry_chains: 'local',
  enquiries: 'local',
  subject_enquiries: 'local',
  upstream_calls: 'local',
  enquiry_retention: 'local',
  credit_registry: 'local',
  lenders: 'local',
  subjects: 'local',
  subject_documents: 'local',
  credit_accounts: 'local',
  account_states: 'local',
  account_corrections: 'local',
  account_disputes: 'local',
  subject_life_records: 'local',
  suppression_rules: 'local',
  suppression_changes: 'local',
  subject_merges: 'local',
  credit_cases: 'local',
  credit_imports: 'local',
  credit_import_findings: 'local',
};
