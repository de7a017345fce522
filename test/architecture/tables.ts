/**
 * The one folder that writes each table. Others call the owner's functions; in SQL they call a
 * function of the wing's `functions/`, read a view that the owner publishes (`attempts`), or read what
 * `FOREIGN_READS` lists.
 */
export const OWNERS: Readonly<Record<string, readonly string[]>> = {
  'platform/db': ['schema_migrations', 'schema_functions', 'schema_objects', 'settings_versions'],
  'platform/backup': ['backups'],
  parties: ['vendors', 'collectors', 'security_keys', 'request_nonces'],

  'payments/ledger': ['accounts', 'transfers', 'ledger_blocks', 'ledger_chain', 'ledger_heads'],
  'payments/billers': ['operators', 'billers', 'biller_breakers', 'phone_prefixes'],
  'payments/quarantine': ['quarantines', 'quarantine_events'],
  'payments/collections': ['collections', 'fund_movements'],
  'payments/create': ['payments'],
  'payments/dispatch': ['dispatch_queue', 'unexecuted_attempts', 'unmatched_callbacks'],
  'payments/cases': ['cases', 'case_events'],
  'payments/corrections': ['corrections'],
  'payments/archive': ['archive_files', 'archived_payments'],
  'payments/bulk': ['bulk_batches', 'bulk_chunks'],
  'payments/events': ['webhooks', 'events'],
  'payments/reconciliation': ['operator_statements', 'statement_rows', 'closed_days', 'day_totals'],

  'credit/registry': [
    'credit_registry',
    'lenders',
    'subjects',
    'subject_documents',
    'subject_merges',
    'subject_life_records',
    'subject_enquiries',
    'credit_accounts',
    'account_states',
    'account_corrections',
    'account_disputes',
    'suppression_rules',
    'suppression_changes',
    'credit_cases',
  ],
  'credit/importing': ['credit_imports', 'credit_import_findings'],
  'credit/bureaus': ['upstream_calls'],
  'credit/enquiries': ['enquiry_chains', 'enquiries', 'enquiry_retention'],
};

/** Folders that read every table, and why. */
export const READS_EVERYTHING: Readonly<Record<string, string>> = {
  'payments/audit': 'the ledger check proves the tables against each other',
  'payments/timeline': 'a payment’s history is put together from every table that has a part of it',
};

/** Reads of a table that another folder owns: file, tables, reason. */
export const FOREIGN_READS: Readonly<Record<string, { tables: readonly string[]; why: string }>> = {
  'metrics.ts': {
    tables: [
      'backups',
      'bulk_batches',
      'cases',
      'dispatch_queue',
      'events',
      'ledger_chain',
      'payments',
      'quarantines',
      'transfers',
      'webhooks',
    ],
    why: 'from before tables had owners',
  },
  'run.ts': { tables: ['collectors', 'vendors'], why: 'from before tables had owners' },
  'parties/store.ts': { tables: ['settings_versions'], why: 'from before tables had owners' },
  'credit/enquiries/retention-store.ts': {
    tables: ['vendors'],
    why: 'it erases vendor by vendor, also for a vendor that has calls to bureaus but no chain yet',
  },
  'credit/enquiries/chain-store.ts': {
    tables: ['subject_enquiries'],
    why: 'the proof compares, in one snapshot, each disclosure with its note alongside the subject',
  },
  'payments/archive/archive-store.ts': {
    tables: ['cases', 'corrections', 'payments'],
    why: 'from before tables had owners',
  },
  'payments/billers/store.ts': { tables: ['quarantines'], why: 'from before tables had owners' },
  'payments/bulk/store.ts': { tables: ['payments'], why: 'from before tables had owners' },
  'payments/cases/cases-store.ts': {
    tables: ['billers', 'payments', 'vendors'],
    why: 'from before tables had owners',
  },
  'payments/corrections/corrections-store.ts': {
    tables: ['payments'],
    why: 'from before tables had owners',
  },
  'payments/create/store.ts': { tables: ['dispatch_queue'], why: 'from before tables had owners' },
  'payments/dispatch/recall-store.ts': {
    tables: ['payments'],
    why: 'finds and locks queue entries by payment in one statement; only the payment knows the biller, which is part of the entry’s key',
  },
  'payments/dispatch/queue-totals-store.ts': {
    tables: ['payments'],
    why: 'the age of an open payment counts from its creation, which the queue does not repeat',
  },
  'payments/dispatch/store.ts': { tables: ['quarantines'], why: 'from before tables had owners' },
  'payments/events/store.ts': {
    tables: ['payments', 'quarantines', 'vendors'],
    why: 'from before tables had owners',
  },
  'payments/events/webhooks-store.ts': {
    tables: ['vendors'],
    why: 'from before tables had owners',
  },
  'payments/ledger/authenticity.ts': {
    tables: ['cases', 'collections', 'corrections'],
    why: 'from before tables had owners',
  },
  'payments/ledger/entries.ts': {
    tables: [
      'archived_payments',
      'cases',
      'collections',
      'corrections',
      'fund_movements',
      'payments',
    ],
    why: 'from before tables had owners',
  },
  'payments/ledger/store.ts': {
    tables: ['archived_payments', 'payments'],
    why: 'from before tables had owners',
  },
  'payments/reconciliation/days-store.ts': {
    tables: ['billers', 'cases', 'dispatch_queue', 'payments', 'transfers'],
    why: 'from before tables had owners',
  },
  'payments/reconciliation/store.ts': {
    tables: ['billers', 'corrections', 'dispatch_queue', 'operators', 'payments', 'transfers'],
    why: 'from before tables had owners',
  },
};

/** Writes of a table that another folder owns: none. */
export const FOREIGN_WRITES: Readonly<Record<string, { tables: readonly string[]; why: string }>> =
  {};
