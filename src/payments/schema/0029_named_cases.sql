-- What people quote of a payment that only an operator reports: our reference, the account, the operator's reference.
-- Upper case, because people type it. There are few cases, so the index is made quickly.
create index cases_by_name on cases using gin ((array[upper(facts ->> 'reference'), upper(facts ->> 'account'),
  upper(facts ->> 'operator_reference'), upper(facts #>> '{report,operatorReference}')]))
  where kind in ('theirs_only', 'unmatched_callback');
