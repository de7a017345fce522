/**
 * The one folder that writes each table. Others call the owner's functions; in SQL they call a
 * function of the wing's `functions/`, read a view that the owner publishes (`attempts`), or read what
 * `FOREIGN_READS` lists.
 */
export const OWNERS: Readonly<Record<string, readonly string[]>> = {
  'platform/db': [
    'schema_migrations',
    'schema_functions',
    'schema_objects',
    'settings_versions',
    'database_purpose',
  ],
  'platform/backup': ['backups'],
  'platform/jobs': ['jobs'],
  'platform/http': ['action_answers'],
  'platform/history': ['database_history', 'database_processes'],
  'parties/people': [
    'people',
    'ended_credentials',
    'sign_in_failures',
    'sign_in_sources',
    'person_links',
    'passkeys',
    'passkey_challenges',
    'sessions',
    'program_tokens',
    'audit_log',
    'audit_results',
  ],
  parties: ['buckets', 'vendors', 'collectors', 'security_keys', 'request_nonces', 'request_log'],

  batches: ['batches', 'batch_chunks'],

  proposals: ['proposals', 'proposal_decisions'],

  'payments/ledger': [
    'accounts',
    'transfers',
    'ledger_blocks',
    'ledger_chain',
    'ledger_heads',
    'transfer_hours',
    'transfer_vendor_hours',
    'transfer_days',
    'transfer_weeks',
    'transfer_sums',
  ],
  'payments/billers': [
    'operators',
    'operator_versions',
    'billers',
    'routes',
    'route_breakers',
    'operator_floats',
    'operator_float_hours',
    'operator_listings',
    'operator_products',
    'phone_prefixes',
  ],
  'payments/prices': ['fee_prices', 'operator_prices'],
  'payments/summaries': [
    'summary_terms',
    'account_codes',
    'summary_journals',
    'summary_lines',
    'summary_exports',
  ],
  'payments/invoices': [
    'invoicing_terms',
    'invoice_names',
    'invoice_runs',
    'invoices',
    'invoice_controls',
  ],
  'payments/quarantine': ['quarantines', 'quarantine_events'],
  'payments/collections': ['collections', 'fund_movements'],
  'payments/uploads': ['uploaded_files', 'accepted_statements'],
  'payments/receipts': [
    'receipt_sources',
    'receipt_accounts',
    'receipt_account_ends',
    'receipts',
    'receipt_reports',
    'receipt_debits',
    'bank_lines',
    'receipt_events',
    'receipt_pushes',
  ],
  'payments/messages': ['unread_messages'],
  'payments/house': ['house_entries', 'house_accounts', 'house_journals', 'house_transfers'],
  'payments/payouts': ['vendor_payouts', 'payout_phones'],
  'payments/vendor-floats': ['vendor_floats', 'vendor_float_hours', 'top_up_rules', 'top_ups'],
  'payments/create': ['payments'],
  'payments/settle': ['late_details'],
  'payments/dispatch': [
    'dispatch_queue',
    'unexecuted_attempts',
    'unmatched_callbacks',
    'operator_handles',
  ],
  'payments/cases': ['cases', 'case_events'],
  'payments/corrections': ['corrections'],
  'payments/moving': [
    'vendor_openings',
    'reference_files',
    'reference_file_ends',
    'used_references',
  ],
  'payments/archive': ['archive_files', 'archived_payments'],
  'payments/events': ['webhooks', 'events'],
  'payments/reconciliation': [
    'operator_statements',
    'statement_rows',
    'statement_pulls',
    'closed_days',
    'day_totals',
  ],

  'credit/registry': [
    'credit_registry',
    'lenders',
    'subjects',
    'subject_documents',
    'subject_merges',
    'subject_life_records',
    'subject_enquiries',
    'credit_accounts',
    'account_withdrawals',
    'account_sales',
    'account_states',
    'account_corrections',
    'account_disputes',
    'suppression_rules',
    'suppression_changes',
    'credit_cases',
  ],
  'credit/governance': ['scorecards', 'scorecard_changes'],
  'credit/monitoring': ['scorecard_months', 'score_overrides'],
  'credit/importing': ['credit_imports', 'credit_import_findings'],
  'credit/bureaus': ['upstream_calls'],
  'credit/watches': ['credit_watches'],
  'credit/reports': ['access_links'],
  'credit/enquiries': ['enquiry_chains', 'enquiries', 'enquiry_retention'],
};

/** Folders that read every table, and why. */
export const READS_EVERYTHING: Readonly<Record<string, string>> = {
  'payments/audit': 'the ledger check proves the tables against each other',
  'payments/reports':
    'a report sums what the tables have of a period, and names the source of each line',
  'payments/timeline': 'a payment’s history is put together from every table that has a part of it',
};

/** Reads of a table that another folder owns: file, tables, reason. */
export const FOREIGN_READS: Readonly<Record<string, { tables: readonly string[]; why: string }>> = {
  'payments/settle/read-late-details.ts': {
    tables: ['payments', 'vendors'],
    why: 'details are owed only while the payment is paid, and people see its account and its vendor',
  },
  'payments/settle/late-details-store.ts': {
    tables: ['dispatch_queue', 'payments'],
    why: 'details are owed of a payment whose instruction is in progress, and only while it is paid; dispatch is above',
  },
  'payments/summaries/posted-store.ts': {
    tables: ['transfer_hours'],
    why: 'a summary journal sums by biller and operator what hours have already summed',
  },
  'payments/dispatch/handle-store.ts': {
    tables: ['archived_payments'],
    why: 'an operator may call back about a payment that is archived; the archive is above',
  },
  'payments/invoices/store.ts': {
    tables: ['archived_payments', 'corrections', 'payments', 'transfers'],
    why: 'an invoice sums the transfers of fees by payment, its price and its corrections, in one statement',
  },
  'payments/quarantine/read-lost.ts': {
    tables: ['archived_payments', 'cases', 'corrections', 'payments'],
    why: 'a case about a payment that the ledger does not have is one question, asked while creates wait',
  },
  'credit/enquiries/retention-store.ts': {
    tables: ['vendors'],
    why: 'it erases vendor by vendor, also for a vendor that has calls to bureaus but no chain yet',
  },
  'credit/enquiries/store.ts': {
    tables: ['buckets'],
    why: 'rows are inserted from the anchor of their bucket',
  },
  'credit/monitoring/usage-store.ts': {
    tables: ['enquiries', 'vendors'],
    why: 'enquiries of a period are counted by vendor inside the database',
  },
  'credit/registry/read-withdrawals.ts': {
    tables: ['credit_imports'],
    why: 'when an account came on file decides who was answered with it.',
  },
  'credit/watches/store.ts': {
    tables: ['enquiries'],
    why: 'a watch rests on an answered enquiry, whose subject it takes without unsealing anything',
  },
  'credit/enquiries/read-chains.ts': {
    tables: ['subject_enquiries'],
    why: 'the proof compares, in one snapshot, each disclosure with its note alongside the subject',
  },
  'payments/archive/archive-store.ts': {
    tables: ['cases', 'corrections', 'late_details', 'payments'],
    why: 'one statement finds and locks payments that neither a case nor a correction names and of which no details are owed, and copies them inside the database: a file holds thousands',
  },
  'payments/billers/store.ts': {
    tables: ['quarantines'],
    why: 'a biller is OFFLINE during a quarantine; one snapshot, or a biller would be shown ONLINE with the breaker of a moment before',
  },
  'payments/ledger/read-restores.ts': {
    tables: ['quarantines'],
    why: 'whether a restore may have lost rows of a file, or an approval, follows from when it was stored; quarantine is above',
  },
  'payments/cases/cases-store.ts': {
    tables: ['dispatch_queue'],
    why: 'whether a case was opened since the last instruction was sent is asked in one statement',
  },
  'payments/cases/read-cases.ts': {
    tables: ['billers', 'dispatch_queue', 'payments', 'vendors'],
    why: 'a list of cases shows the vendor, and filters by it; the operator and the time of the payment come with the same statement',
  },
  'payments/corrections/corrections-store.ts': {
    tables: ['payments', 'transfers'],
    why: 'the hash of what was settled is taken from the row, under the lock of the correction; and what corrections posted is in their transfers',
  },
  'payments/create/earlier-store.ts': {
    tables: ['archived_payments', 'used_references'],
    why: 'a reference makes its payment once, archived or not, here or at another system, and this says so before it is decided; the archive is above',
  },
  'payments/house/entries-store.ts': {
    tables: ['statement_rows'],
    why: 'a top-up that people enter is compared with the operator’s reference of the row that was booked; reconciliation is above',
  },
  'payments/ledger/chain.ts': {
    tables: ['buckets', 'house_transfers'],
    why: 'rows are inserted from the anchor of their bucket; a block begins with the first row that it covers',
  },
  'payments/ledger/sums-store.ts': {
    tables: ['archived_payments', 'corrections', 'payments'],
    why: 'transfers are summed by the biller and the operator of their payments, inside the database',
  },
  'payments/receipts/read-bank.ts': {
    tables: ['house_entries', 'house_journals', 'house_transfers', 'vendor_payouts'],
    why: 'an account at a bank has receipts, payouts and transfers of the house, which are summed and sorted together',
  },
  'payments/house/store.ts': {
    tables: ['accounts', 'receipt_sources', 'receipts', 'receipt_events', 'statement_rows'],
    why: 'a list of transfers names the statement of each; a trial balance has all accounts: sums that no other folder needs; bank accounts are named by their sources, and receipts are above',
  },
  'payments/create/store.ts': {
    tables: ['dispatch_queue'],
    why: 'whether a payment is queued or at its operator is read with it, in one snapshot',
  },
  'payments/create/status-store.ts': {
    tables: ['dispatch_queue', 'late_details'],
    why: 'whether a payment is queued or at its operator is read with it, in one snapshot, and so are details that came later',
  },
  'payments/overview/read-activity.ts': {
    tables: ['payments'],
    why: 'payments are counted by time, biller and outcome inside the database',
  },
  'payments/dispatch/recall-store.ts': {
    tables: ['payments'],
    why: 'finds and locks queue entries by payment in one statement; only the payment knows the biller, which is part of the entry’s key',
  },
  'payments/dispatch/float-guard-store.ts': {
    tables: ['operator_floats', 'payments', 'transfers'],
    why: 'what is left of a float is its report less what was settled and sent since, found by time in one statement each',
  },
  'payments/dispatch/acknowledged-store.ts': {
    tables: ['payments', 'quarantines'],
    why: 'one statement asks whether the database has the last creates and claims of this process, as they were before a quarantine',
  },
  'payments/dispatch/spending-store.ts': {
    tables: ['payments', 'transfers'],
    why: 'what was sent today is found by the time of transfers, which is indexed, and belongs to the biller of the payment',
  },
  'payments/dispatch/queue-totals-store.ts': {
    tables: ['payments'],
    why: 'the age of an open payment counts from its creation, which the queue does not repeat',
  },
  'payments/events/store.ts': {
    tables: ['payments', 'quarantines', 'vendors'],
    why: 'the sender needs the name and the quarantine with each due webhook, polled twice a second; a correction is announced by one statement from its payment',
  },
  'payments/events/read-webhooks.ts': {
    tables: ['vendors'],
    why: 'webhooks are listed by the names of their vendors',
  },
  'payments/ledger/entries.ts': {
    tables: [
      'archived_payments',
      'cases',
      'collections',
      'corrections',
      'fund_movements',
      'house_transfers',
      'payments',
      'vendor_payouts',
    ],
    why: 'the hash chain covers all that moves money; a block is one statement over one snapshot',
  },
  'payments/disbursements/store.ts': {
    tables: [
      ...['archived_payments', 'cases', 'corrections', 'payments'],
      ...['proposal_decisions', 'proposals'],
    ],
    why: 'a refund depends on what became of its payment, and of the other refunds of it, under the lock of the float',
  },
  'payments/payouts/store.ts': {
    tables: ['proposals', 'proposal_decisions'],
    why: 'a payout that was approved and whose transfer is still to be made is found by what is missing, in one statement',
  },
  'payments/cases/kept-receipts-store.ts': {
    tables: ['collections', 'corrections', 'receipts'],
    why: 'corrections and payouts ask what is left in the books of a receipt, whichever cases were about it',
  },
  'payments/receipts/sources-store.ts': {
    tables: ['vendor_openings'],
    why: 'what a vendor brought from another system may have a payment of before then; moving is above',
  },
  'payments/vendor-floats/store.ts': {
    tables: ['accounts'],
    why: 'reads float, collected income and what was paid of all watched vendors with one statement for each bucket',
  },
  'payments/reconciliation/bridge-store.ts': {
    tables: [
      ...['dispatch_queue', 'house_transfers', 'operator_float_hours', 'operator_prices'],
      ...['payments', 'transfers'],
    ],
    why: 'compares the books of a float with its reports: each part of the difference is a sum over another folder’s rows, in one snapshot',
  },
  'payments/reconciliation/days-store.ts': {
    tables: ['archived_payments', 'billers', 'dispatch_queue', 'payments', 'unexecuted_attempts'],
    why: 'sums the transfers of a day, and names the operators that were paid, inside the database; compares what statements list with payments, archived or not',
  },
  'payments/reconciliation/covered-store.ts': {
    tables: ['operator_versions', 'payments'],
    why: 'a statement from before the operator’s account was changed proves nothing about its payments, and an archived one gets no case',
  },
  'payments/reconciliation/store.ts': {
    tables: [
      ...['corrections', 'dispatch_queue', 'operator_prices', 'operator_versions', 'payments'],
      'transfers',
    ],
    why: 'matching reads what the ledger has of an operator’s payments in one join',
  },
};

/** Writes of a table that another folder owns. At present there are no such writes. */
export const FOREIGN_WRITES: Readonly<Record<string, { tables: readonly string[]; why: string }>> =
  {};
