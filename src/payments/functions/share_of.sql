-- A flat part and a share of the amount in basis points, rounded half up to a cent. The same as `shareOf` in
-- src/payments/prices/price.ts. One expression, so that PostgreSQL inlines it.
create or replace function share_of(p_amount bigint, p_flat bigint, p_bps integer)
returns bigint
language sql immutable parallel safe as $$
  select p_flat + (p_amount * p_bps + 5000) / 10000
$$;
