-- Changes the balances of different accounts. The vendors' floats are locked.
create or replace function change_balances(
  p_bucket integer, p_vendors integer[], p_accounts text[], p_changes bigint[]
) returns void
language plpgsql
as $$
declare
  v_changed integer;
begin
  update accounts a set balance_cents = a.balance_cents + c.change
  from unnest(p_vendors, p_accounts, p_changes) with ordinality as c (vendor_id, account, change, number)
  where a.bucket = p_bucket and a.vendor_id = c.vendor_id and a.account = c.account and sign(c.number) = 1;
  get diagnostics v_changed = row_count;

  -- A vendor's account for an operator is created by its first payment.
  if v_changed < cardinality(p_vendors) then
    insert into accounts (bucket, vendor_id, account, balance_cents)
    select k.bucket, c.vendor_id, c.account, c.change
    from buckets k
      cross join unnest(p_vendors, p_accounts, p_changes) as c (vendor_id, account, change)
    where k.bucket = p_bucket and not exists (
      select from accounts a
      where a.bucket = p_bucket and a.vendor_id = c.vendor_id and a.account = c.account);
  end if;
end
$$;
