import type { TableClasses } from '../platform/db/distribution.ts';

export const PAYMENTS_TABLES: TableClasses = {
  // Settling needs a biller's operator.
  operators: 'reference',
  operator_versions: 'reference',
  billers: 'reference',
  routes: 'reference',
  route_breakers: 'reference',
  operator_floats: 'reference',
  operator_float_hours: 'reference',
  operator_listings: 'reference',
  operator_products: 'reference',
  phone_prefixes: 'reference',
  fee_prices: 'reference',
  // Settling needs an operator's price.
  operator_prices: 'reference',

  accounts: 'distributed',
  transfers: 'distributed',
  ledger_blocks: 'distributed',
  // The chain covers all vendors.
  ledger_heads: 'local',
  ledger_chain: 'local',
  // Sums over all vendors.
  transfer_hours: 'local',
  transfer_vendor_hours: 'distributed',
  transfer_days: 'distributed',
  transfer_weeks: 'distributed',
  transfer_sums: 'local',
  // A collector's reference must be unique across vendors, or one receipt could credit two.
  collections: 'local',
  fund_movements: 'distributed',

  // A receipt must be unique across vendors, or it could credit two.
  receipt_sources: 'local',
  receipt_accounts: 'local',
  receipt_account_ends: 'local',
  receipts: 'local',
  receipt_reports: 'local',
  receipt_debits: 'local',
  bank_lines: 'local',
  receipt_events: 'local',
  receipt_pushes: 'local',
  // Its sender may be a source, and the vendor is unknown.
  unread_messages: 'local',
  uploaded_files: 'local',
  accepted_statements: 'local',
  // Rules use sources; a vendor has few rows.
  vendor_floats: 'local',
  vendor_float_hours: 'local',
  top_up_rules: 'local',
  top_ups: 'local',

  // The house is one, and its sources (statements, entries) are local as well.
  house_entries: 'local',
  house_transfers: 'local',
  house_journals: 'local',
  // They sum over all vendors.
  summary_terms: 'local',
  account_codes: 'local',
  summary_journals: 'local',
  summary_lines: 'local',
  summary_exports: 'local',
  // Numbers have no gaps across vendors.
  invoicing_terms: 'local',
  invoice_names: 'local',
  invoice_runs: 'local',
  invoices: 'local',
  invoice_controls: 'local',
  house_accounts: 'local',
  // The bank's reference must be unique across vendors.
  vendor_payouts: 'local',
  payout_phones: 'local',
  vendor_openings: 'local',
  reference_files: 'local',
  reference_file_ends: 'local',

  payments: 'distributed',
  dispatch_queue: 'distributed',
  unexecuted_attempts: 'distributed',
  late_details: 'distributed',
  // The vendor is unknown.
  unmatched_callbacks: 'local',
  operator_handles: 'local',
  archive_files: 'local',
  archived_payments: 'distributed',
  used_references: 'distributed',

  webhooks: 'distributed',
  events: 'distributed',

  cases: 'distributed',
  case_events: 'distributed',
  corrections: 'distributed',
  // An operator's statement covers many vendors.
  operator_statements: 'local',
  statement_rows: 'local',
  statement_pulls: 'local',
  closed_days: 'local',
  day_totals: 'distributed',
  // Claims read whether one is open.
  quarantines: 'reference',
  quarantine_events: 'reference',
};
