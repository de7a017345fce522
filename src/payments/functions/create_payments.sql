-- Accepts a batch of payments of one bucket: one call, one commit. Decides each row as if the batch were
-- taken one by one, in this order:
--   repeated            this payment_id exists: an earlier call was committed and its answer was lost
--   replayed            the merchant reference exists with the same content: the first answer again
--   reference_reused    the merchant reference exists with other content
--                       (both also when its payment has been archived)
--   likely_duplicate    the row asks for the check, and an equal payment was created in its last seconds
--   insufficient_float  the float does not cover amount and fee
--   accepted
--   postponed           nothing was done, because another call holds the vendor's float: see decide_free_payments
-- Returns first a row 0 with the batch's time, which is created_at of what was accepted, then one row
-- for every row that was not accepted now. `unexplained` is a bug: the caller must fail.
-- Locks: the vendors' float rows, in vendor order; all code that moves their money locks them in the same
-- order. Isolation: READ COMMITTED. Idempotent by payment_id.
-- The runtime role may not insert payments or queue rows, so this is its only way to create them, and
-- always together with their reservation (src/payments/grants.ts).
--
-- Every statement names the bucket and runs on one machine; rows are inserted from the anchor table
-- `buckets`, so that Citus sees where (docs/decisions/0020-buckets.md). The settings also apply to the functions
-- that this one calls. With `limit 1`, `offset 0`, `for update` and `sign(…) = 1`, which is always true, they make
-- the planner look up each row by its key (decision 23).
create or replace function create_payments(
  p_bucket integer,
  p_vendor_ids integer[],
  p_payment_ids uuid[],
  p_references text[],
  p_billers text[],
  p_accounts text[],
  p_phones text[],
  p_amounts bigint[],
  -- With their VAT.
  p_fees bigint[],
  -- The VAT of the fees and the rows of fee_prices that they are from. Null: no fee has a price.
  p_vats bigint[],
  p_fee_prices integer[],
  -- For how many seconds an equal payment makes a row a likely duplicate; 0: it is not checked.
  p_windows integer[],
  -- The round in which each row is decided, from 1. No two rows of a round depend on each other: they have
  -- different payment_ids and references, and different content if one of them is checked for duplicates. Null:
  -- one round.
  p_rounds integer[],
  p_may_postpone boolean
) returns setof create_decision
language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
as $$
declare
  v_payments new_payment[];
  v_decisions create_decision[];
  v_decision create_decision;
begin
  v_payments := array(
    select row(n, p_rounds[n], p_vendor_ids[n], p_payment_ids[n], p_references[n], p_billers[n], p_accounts[n],
      p_phones[n], p_amounts[n], p_fees[n], coalesce(p_vats[n], 0), p_fee_prices[n], p_windows[n],
      content_hash(p_billers[n], p_accounts[n], p_amounts[n]))::new_payment
    from generate_series(1, cardinality(p_payment_ids)) n);

  if p_may_postpone then
    v_decisions := decide_free_payments(p_bucket, v_payments);
  else
    v_decisions := decide_payments(p_bucket, v_payments);
  end if;
  foreach v_decision in array v_decisions loop
    return next v_decision;
  end loop;
end
$$;
revoke all on function create_payments from public;
