/** What the runtime role may do with a table besides reading it. */
export interface TableGrants {
  readonly insert?: true;
  /** Columns it may change. */
  readonly update?: readonly string[];
  /** For settings that people edit: it may change every column but these. */
  readonly updateAllBut?: readonly string[];
  readonly delete?: true;
}

const readOnly: TableGrants = {};
const appendOnly: TableGrants = { insert: true };

/**
 * Every table and view. What is not listed is not granted: a test fails for a new table without an
 * entry. Settled results, expired events and erased enquiries are changed by the owner's functions
 * (`security definer`) only, which check what they are asked for.
 */
export const RUNTIME_GRANTS: Readonly<Record<string, TableGrants>> = {
  // The schema itself.
  schema_migrations: readOnly,
  schema_functions: readOnly,
  schema_objects: readOnly,
  settings_versions: { update: ['version'] },
  backups: readOnly,

  // Vendors and billers.
  vendors: { insert: true, updateAllBut: ['vendor_id', 'vid', 'created_at'] },
  collectors: { insert: true, updateAllBut: ['collector', 'created_at'] },
  security_keys: { insert: true, update: ['master_key_id', 'sealed', 'valid_until'] },
  request_nonces: { insert: true, update: ['use_id'], delete: true },
  operators: { insert: true, updateAllBut: ['operator_code'] },
  billers: { insert: true, updateAllBut: ['biller_code'] },
  biller_breakers: { insert: true, update: ['opened_at', 'probe_at', 'reason'], delete: true },
  phone_prefixes: { insert: true, update: ['biller_code'], delete: true },

  // The ledger.
  accounts: { insert: true, update: ['balance_cents'] },
  transfers: appendOnly,
  ledger_blocks: appendOnly,
  ledger_heads: appendOnly,
  ledger_chain: { update: ['ended_at'] },
  collections: appendOnly,
  fund_movements: appendOnly,

  // Payments.
  payments: appendOnly,
  attempts: readOnly,
  unexecuted_attempts: appendOnly,
  dispatch_queue: {
    insert: true,
    update: [
      'due_at',
      'sent_at',
      'claim_number',
      'verify_count',
      'attempt_number',
      'stage',
      'operator_handle',
      'note',
    ],
  },
  unmatched_callbacks: appendOnly,
  archive_files: readOnly,
  archived_payments: readOnly,
  bulk_batches: {
    insert: true,
    update: ['next_row', 'accepted_count', 'refused_count', 'leased_until', 'ended_at'],
  },
  bulk_chunks: appendOnly,

  // Webhooks.
  webhooks: { insert: true, updateAllBut: ['vendor_id'], delete: true },
  events: {
    insert: true,
    update: ['due_at', 'first_attempt_at', 'ended_at', 'attempt_count', 'state', 'last_result'],
  },

  // Cases and reconciliation.
  cases: {
    insert: true,
    update: [
      'facts',
      'proposal',
      'proposed_by',
      'proposed_at',
      'resolution',
      'resolved_by',
      'resolved_at',
    ],
  },
  case_events: appendOnly,
  corrections: appendOnly,
  operator_statements: appendOnly,
  statement_rows: appendOnly,
  closed_days: appendOnly,
  day_totals: appendOnly,
  quarantines: { insert: true, updateAllBut: ['quarantine_id', 'entered_at'] },
  quarantine_events: appendOnly,

  // The credit registry.
  credit_registry: { update: ['next_crn', 'next_account_id'] },
  lenders: appendOnly,
  subjects: { insert: true, update: ['sealed', 'updated_at'] },
  subject_documents: appendOnly,
  credit_accounts: {
    insert: true,
    updateAllBut: ['crn', 'account_id', 'account_index', 'lender', 'sealed'],
  },
  account_states: { insert: true, updateAllBut: ['crn', 'account_id', 'as_of'] },
  account_corrections: appendOnly,
  account_disputes: { insert: true, update: ['closed_at', 'outcome'] },
  subject_life_records: appendOnly,
  suppression_rules: { insert: true, updateAllBut: ['rule'], delete: true },
  suppression_changes: appendOnly,
  credit_cases: { insert: true, update: ['closed_at', 'resolution'] },
  credit_imports: {
    insert: true,
    updateAllBut: ['import_id', 'lender', 'template', 'as_of', 'file_hash', 'corrects'],
  },
  credit_import_findings: { insert: true, delete: true },
  subject_merges: { insert: true, update: ['undone_at', 'undone_reason'] },

  // Credit enquiries.
  enquiry_chains: { insert: true, update: ['sequence', 'hash'] },
  enquiry_retention: readOnly,
  enquiries: appendOnly,
  subject_enquiries: appendOnly,
  upstream_calls: { insert: true, update: ['outcome', 'ended_at', 'sealed_answer'] },
};
