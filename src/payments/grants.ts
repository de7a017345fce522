import { APPEND_ONLY, READ_ONLY } from '../platform/db/runtime-grants.ts';
import type { RuntimeGrants } from '../platform/db/runtime-grants.ts';

/**
 * Settled results and expired events are changed only by the owner's functions (`security
 * definer`), which check their arguments.
 */
export const PAYMENTS_GRANTS: RuntimeGrants = {
  // Billers.
  operators: { insert: true, updateAllBut: ['operator_code'] },
  operator_versions: { insert: true, update: ['same_account', 'keys', 'callbacks_until'] },
  billers: { insert: true, updateAllBut: ['biller_code'] },
  routes: { insert: true, updateAllBut: ['biller_code', 'operator_code'], delete: true },
  operator_floats: { insert: true, updateAllBut: ['operator_code'] },
  operator_float_hours: { insert: true, update: ['spent_cents', 'added_cents'], delete: true },
  operator_listings: { insert: true, updateAllBut: ['operator_code'] },
  operator_products: { insert: true, delete: true },
  route_breakers: {
    insert: true,
    update: ['opened_at', 'probe_at', 'cooldown_ms', 'trial_since', 'reason'],
    delete: true,
  },
  fee_prices: APPEND_ONLY,
  operator_prices: APPEND_ONLY,
  phone_prefixes: { insert: true, update: ['biller_code'], delete: true },

  // The ledger.
  accounts: { insert: true, update: ['balance_cents'] },
  transfers: APPEND_ONLY,
  ledger_blocks: APPEND_ONLY,
  ledger_heads: APPEND_ONLY,
  ledger_chain: { update: ['ended_at'] },
  transfer_hours: APPEND_ONLY,
  transfer_vendor_hours: APPEND_ONLY,
  transfer_days: APPEND_ONLY,
  transfer_weeks: APPEND_ONLY,
  transfer_sums: { update: ['until'] },
  collections: APPEND_ONLY,
  fund_movements: APPEND_ONLY,

  // Receipts.
  receipt_sources: { insert: true, updateAllBut: ['source_code', 'kind'] },
  receipt_accounts: { insert: true, update: ['ended_at', 'ended_by'] },
  uploaded_files: APPEND_ONLY,
  accepted_statements: { insert: true, update: ['done_at', 'counts'] },
  receipt_account_ends: APPEND_ONLY,
  receipts: {
    insert: true,
    update: [
      'vendor_id',
      'account',
      'state',
      'reversed_at',
      'moves',
      'moved_cents',
      'is_unallocated',
      'proposed_by',
      'decided_by',
      'decided_at',
      'mac',
    ],
  },
  receipt_reports: APPEND_ONLY,
  receipt_debits: APPEND_ONLY,
  bank_lines: APPEND_ONLY,
  receipt_events: APPEND_ONLY,
  unread_messages: {
    insert: true,
    update: ['last_received_at', 'times', 'state', 'decided_at', 'receipt_id'],
  },
  receipt_pushes: { insert: true, update: ['checkout_id', 'state', 'reason', 'asked_at'] },

  // Vendors' floats.
  vendor_floats: { insert: true, updateAllBut: ['vendor_id'] },
  vendor_float_hours: { insert: true, update: ['spent_cents'], delete: true },
  top_up_rules: { insert: true, update: ['ended_at', 'ended_by'] },
  top_ups: { insert: true, update: ['state', 'reason', 'amount_cents'] },

  // The house.
  house_entries: { insert: true, update: ['row_id'] },
  house_journals: APPEND_ONLY,
  summary_terms: APPEND_ONLY,
  account_codes: APPEND_ONLY,
  summary_journals: APPEND_ONLY,
  summary_lines: APPEND_ONLY,
  summary_exports: APPEND_ONLY,
  invoicing_terms: APPEND_ONLY,
  invoice_names: APPEND_ONLY,
  invoice_runs: APPEND_ONLY,
  invoices: APPEND_ONLY,
  invoice_controls: APPEND_ONLY,
  house_accounts: APPEND_ONLY,
  house_transfers: APPEND_ONLY,
  vendor_payouts: APPEND_ONLY,
  payout_phones: APPEND_ONLY,
  vendor_openings: APPEND_ONLY,
  reference_files: APPEND_ONLY,
  reference_file_ends: APPEND_ONLY,

  // Payments.
  payments: READ_ONLY,
  attempts: READ_ONLY,
  unexecuted_attempts: APPEND_ONLY,
  dispatch_queue: {
    update: [
      'due_at',
      'sent_at',
      'claim_number',
      'verify_count',
      'attempt_number',
      'stage',
      'operator_handle',
      'note',
      'operator_code',
      'route_reason',
      'operator_price',
      'operator_version',
    ],
  },
  // Only `take_details` adds details.
  late_details: {
    insert: true,
    update: [
      'since',
      'due_at',
      'paid_cents',
      'asked',
      'operator_version',
      'attempt_number',
      'operator_code',
      'operator_handle',
      'note',
    ],
  },
  unmatched_callbacks: APPEND_ONLY,
  operator_handles: { insert: true, delete: true },
  archive_files: READ_ONLY,
  archived_payments: READ_ONLY,
  used_references: { insert: true, update: ['outcome'] },

  // Webhooks.
  webhooks: { insert: true, updateAllBut: ['vendor_id'], delete: true },
  events: {
    insert: true,
    update: ['due_at', 'first_attempt_at', 'ended_at', 'attempt_count', 'state', 'last_result'],
  },

  // Cases and reconciliation.
  cases: {
    insert: true,
    update: ['facts', 'proposed_by', 'resolution', 'resolved_by', 'resolved_at'],
  },
  case_events: APPEND_ONLY,
  corrections: APPEND_ONLY,
  operator_statements: APPEND_ONLY,
  statement_rows: { insert: true, update: ['verdict'] },
  statement_pulls: { insert: true, updateAllBut: ['operator'] },
  closed_days: APPEND_ONLY,
  day_totals: APPEND_ONLY,
  quarantines: { insert: true, updateAllBut: ['quarantine_id', 'entered_at'] },
  quarantine_events: APPEND_ONLY,
};
