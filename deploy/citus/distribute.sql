-- Spreads an existing, migrated database over a Citus cluster, by vendor. Once, with writes stopped,
-- on the coordinator:
--
--     psql "$DATABASE_URL" --file deploy/citus/distribute.sql
--
-- Read README.md beside this file first: it says what was tried and what was not. A test holds that
-- every table of the schema is named here, in an order that foreign keys allow, and keeps Citus's
-- rules for keys.

\set ON_ERROR_STOP on

-- Otherwise Citus turns tables that refer to a reference table into local tables of its own, which
-- cannot be distributed any more.
set citus.enable_local_reference_table_foreign_keys = off;

-- Small and rarely written: a whole copy on every node. Parents first.
select create_reference_table('vendors');
select create_reference_table('collectors');
select create_reference_table('security_keys');
select create_reference_table('settings_versions');
select create_reference_table('operators');
select create_reference_table('billers');
select create_reference_table('biller_breakers');
select create_reference_table('phone_prefixes');
select create_reference_table('operator_statements');
select create_reference_table('statement_rows');
select create_reference_table('quarantines');
select create_reference_table('quarantine_events');

-- A vendor's money and payments, all on one node.
select create_distributed_table('accounts', 'vendor_id', shard_count => 32);
select create_distributed_table('transfers', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('ledger_blocks', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('fund_movements', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('payments', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('dispatch_queue', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('archived_payments', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('unexecuted_attempts', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('bulk_batches', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('bulk_chunks', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('cases', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('case_events', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('corrections', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('day_totals', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('webhooks', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('events', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('enquiries', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('enquiry_chains', 'vendor_id', colocate_with => 'accounts');
select create_distributed_table('upstream_calls', 'vendor_id', colocate_with => 'accounts');

-- Owned by who sends, whose reference makes them once.
select create_distributed_table('collections', 'collector', colocate_with => 'none');

-- Stay on the coordinator: one row, or nobody's hot path. The credit registry is keyed by person.
-- Nonces live for minutes and are removed across all holders.
-- stays: request_nonces, schema_migrations, schema_functions, schema_objects, ledger_heads, ledger_chain, closed_days, backups, archive_files, unmatched_callbacks
-- stays: subjects, subject_documents, subject_enquiries, lenders, suppression_rules
-- stays: credit_registry, credit_accounts, account_states, account_corrections, account_disputes
-- stays: subject_life_records
-- stays: credit_cases, credit_imports, credit_import_findings, suppression_changes, subject_merges, enquiry_retention
