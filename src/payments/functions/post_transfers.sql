-- Writes transfers and changes the balances of their accounts, once for each account. The vendors' floats are locked.
create or replace function post_transfers(p_bucket integer, p_postings posting[], p_at timestamptz) returns void
language plpgsql
as $$
declare
  v_vendors integer[];
  v_accounts text[];
  v_changes bigint[];
begin
  insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents,
    created_at)
  select k.bucket, p.vendor_id, p.payment_id, p.leg, p.debit_account, p.credit_account, p.amount_cents, p_at
  from buckets k cross join unnest(p_postings) p
  where k.bucket = p_bucket;

  select array_agg(c.vendor_id), array_agg(c.account), array_agg(c.change) into v_vendors, v_accounts, v_changes
  from (
    select p.vendor_id, s.account, sum(s.change)::bigint as change
    from unnest(p_postings) p
      cross join lateral (values
        (p.debit_account, -p.amount_cents), (p.credit_account, p.amount_cents)
      ) s (account, change)
    group by p.vendor_id, s.account
  ) c;

  perform change_balances(p_bucket, v_vendors, v_accounts, v_changes);
end
$$;
