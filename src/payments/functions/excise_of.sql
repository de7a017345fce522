-- The excise duty in a fee: a share of the fee without VAT, by the recorded price, rounded half up to a cent. The same as
-- `exciseOf` in src/payments/prices/price.ts.
create or replace function excise_of(p_fee bigint, p_vat bigint, p_price integer)
returns bigint
language sql stable parallel safe as $$
  select coalesce((
    select ((p_fee - p_vat) * p.excise_bps + (10000 + p.excise_bps) / 2) / (10000 + p.excise_bps)
    from fee_prices p where p.version = p_price and p.excise_bps > 0 limit 1), 0)
$$;
