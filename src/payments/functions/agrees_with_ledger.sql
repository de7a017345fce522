-- Whether an operator's final report says what the ledger already knows, so that nothing is left to do.
-- p_outcome and p_operator are the payment's, null while it is open. p_was_tried: the ledger has proof that
-- the reporting operator did not execute an instruction. One expression, so that PostgreSQL inlines it.
create or replace function agrees_with_ledger(
  p_outcome text, p_operator text, p_reported text, p_reporter text, p_was_tried boolean
) returns boolean
language sql immutable parallel safe as $$
  select case
    when p_outcome is null then p_reported = 'failed' and p_was_tried
    when coalesce(p_reporter, p_operator) is distinct from p_operator and p_operator is not null
      then p_reported = 'failed'
    else p_outcome = p_reported
  end
$$;
