-- Locks the floats of the vendors of new payments, in vendor order. Returns the vendors whose float does not cover
-- their payments. From here on no other call moves money of these vendors or creates payments for them.
create or replace function lock_floats(p_bucket integer, p_payments new_payment[]) returns integer[]
language plpgsql
as $$
begin
  return array(
    select c.vendor_id from (
      select p.vendor_id, sum(p.amount_cents + p.fee_cents) as cost
      from unnest(p_payments) p group by p.vendor_id order by p.vendor_id
    ) c left join lateral (
      select a.balance_cents from accounts a
      where a.bucket = p_bucket and a.vendor_id = c.vendor_id and a.account = 'float' for update
    ) f on true
    where f.balance_cents is null or f.balance_cents < c.cost);
end
$$;
