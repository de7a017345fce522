-- Pages of enquiries, imports and cases, the newest first.
create index enquiries_by_time on enquiries (vendor_id, enquired_at, sequence);
create index credit_imports_by_time on credit_imports (started_at, import_id);
create index credit_cases_by_time on credit_cases (opened_at, case_id);
