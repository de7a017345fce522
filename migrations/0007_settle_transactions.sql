-- Writes the operators' final words into the books: one call, one commit, for a batch of reports.
-- At most one report per transaction in a batch (the caller's duty).
--
-- Returns a row for each report that did not resolve its reservation now:
--   repeated      it was before, with the same outcome
--   contradicted  it was, with the other outcome, or no instruction was ever sent, or nothing was
--                 paid by a success: a case is opened, the books stay
--   unknown       there is no such transaction
--
-- A payment of another amount than instructed posts what can be posted: at most the reservation;
-- what is left goes back to the float, and the difference is a case.

create function settle_transactions(
  p_vendor_ids integer[],
  p_transaction_ids uuid[],
  p_billers text[],
  p_outcomes text[],
  -- What the operator says it paid; null with 'failed'.
  p_paid_amounts bigint[],
  p_biller_references text[],
  p_messages text[],
  p_details jsonb[],
  -- Where the word came from: answer, status, callback, …; kept with a case.
  p_sources text[],
  -- Made by the caller; the ids of cases come of it.
  p_batch_id uuid
) returns table (row_number integer, result text)
language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz;
begin
  -- From here on nobody else settles transactions of these vendors.
  perform 1 from accounts a
  where a.vendor_id = any (p_vendor_ids) and a.account = 'float'
  order by a.vendor_id for update;
  v_now := clock_timestamp();

  return query
  with reported as materialized (
    select u.*, u.n::integer as number
    from unnest(p_vendor_ids, p_transaction_ids, p_billers, p_outcomes, p_paid_amounts,
        p_biller_references, p_messages, p_details, p_sources)
      with ordinality as u (vendor_id, transaction_id, biller_code, outcome, paid,
        biller_reference, message, details, source, n)
  ), dequeued as (
    -- What is settled leaves the queue, if an instruction was sent. Whoever is taking one of them to
    -- be sent again ends first, and the attempt that is read here is that one.
    delete from dispatch_queue q using reported r
    where q.vendor_id = r.vendor_id and q.biller_code = r.biller_code
      and q.stage = 'verify' and q.transaction_id = r.transaction_id
      and (r.outcome = 'failed' or coalesce(r.paid, 1) > 0)
    returning r.*, q.sent_at, q.attempt_number, q.operator_handle
  ), waiting as (
    -- Those that nothing is under way of, or that changed their stage this very moment.
    delete from dispatch_queue q
    using (select * from reported where number not in (select number from dequeued)) r
    where q.vendor_id = r.vendor_id and q.biller_code = r.biller_code
      and q.stage in ('send', 'verify') and q.transaction_id = r.transaction_id
      and q.attempt_number > 0 and (r.outcome = 'failed' or coalesce(r.paid, 1) > 0)
    returning r.*, q.sent_at, q.attempt_number, q.operator_handle
  ), settled as (
    update transactions t
    set outcome = o.outcome, settled_at = v_now, biller_response_time = v_now,
      biller_reference = o.biller_reference, message = o.message, details = o.details,
      sent_at = o.sent_at,
      attempt_number = case when o.sent_at is not null then o.attempt_number end,
      attempt_outcome = case when o.sent_at is null then null
        when o.outcome = 'success' then 'paid' else 'declined' end,
      operator_handle = o.operator_handle,
      settled_by = case when o.sent_at is not null then o.source end
    from (select * from dequeued union all select * from waiting) o
    where t.vendor_id = o.vendor_id and t.transaction_id = o.transaction_id and t.outcome is null
    returning o.number, o.paid, t.*
  ), operators as materialized (
    select biller_code, 'operator:' || operator_code as account from billers
  ), legs as materialized (
    select s.vendor_id, s.transaction_id, 2 as leg, o.account as credit_account,
      least(s.paid, s.amount_cents) as amount
    from settled s join operators o on o.biller_code = s.biller_code where s.outcome = 'success'
    union all
    select vendor_id, transaction_id, 3, 'fees', fee_cents
    from settled where outcome = 'success' and fee_cents > 0
    union all
    select vendor_id, transaction_id, 4, 'float', amount_cents - paid
    from settled where outcome = 'success' and paid < amount_cents
    union all
    select vendor_id, transaction_id, 2, 'float', amount_cents + fee_cents
    from settled where outcome = 'failed'
  ), posted as (
    insert into transfers (vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
    select vendor_id, transaction_id, leg, 'reserved', credit_account, amount, v_now from legs
  ), changes as materialized (
    select s.vendor_id, s.account, sum(s.change)::bigint as change from (
      select vendor_id, 'reserved' as account, -amount as change from legs
      union all
      select vendor_id, credit_account, amount from legs
    ) s group by s.vendor_id, s.account
  ), moved as (
    update accounts a set balance_cents = a.balance_cents + c.change
    from changes c
    where a.vendor_id = c.vendor_id and a.account = c.account
    returning a.vendor_id, a.account
  ), opened as (
    -- An operator's account of a vendor exists from its first payment on.
    insert into accounts (vendor_id, account, balance_cents)
    select c.vendor_id, c.account, c.change from changes c
    where (c.vendor_id, c.account) not in (select m.vendor_id, m.account from moved m)
  ), announced as (
    -- For vendors that have a webhook (migration 0013).
    insert into events (vendor_id, event_id, transaction_id, type, outcome, occurred_at, due_at,
      created_at, biller_response_time, amount_cents, biller_code, account, merchant_reference,
      biller_reference, message, details)
    select vendor_id, transaction_id, transaction_id,
      case outcome when 'success' then 'transaction.succeeded' else 'transaction.failed' end,
      outcome, v_now, v_now, created_at, v_now, amount_cents, biller_code, account,
      merchant_reference, biller_reference, message, details
    from settled
    where vendor_id = any (array(
      select w.vendor_id from webhooks w where w.vendor_id = any (p_vendor_ids)))
  ), refused as materialized (
    select r.*, t.transaction_id is not null as known, t.outcome as known_outcome, t.amount_cents
    from (select * from reported where number not in (select number from settled)) r
      left join transactions t on t.vendor_id = r.vendor_id and t.transaction_id = r.transaction_id
  ), told as (
    insert into cases (vendor_id, transaction_id, kind, case_id, facts, opened_at)
    select c.vendor_id, c.transaction_id, c.kind, md5(p_batch_id::text || c.number)::uuid,
      jsonb_build_object('books_say', c.known_outcome, 'operator_says', c.outcome, 'source', c.source,
        'amount_cents', c.amount_cents, 'paid_cents', c.paid, 'biller_reference', c.biller_reference,
        'message', c.message),
      v_now
    from (
      select s.number, 'amount_difference' as kind, s.vendor_id, s.transaction_id,
        null as known_outcome, s.outcome, r.source, s.amount_cents, s.paid, s.biller_reference, s.message
      from settled s join reported r on r.number = s.number
      where s.outcome = 'success' and s.paid <> s.amount_cents
      union all
      select number, 'contradiction', vendor_id, transaction_id, known_outcome, outcome, source,
        amount_cents, paid, biller_reference, message
      from refused where known and known_outcome is distinct from outcome
    ) c
    on conflict do nothing
  )
  select r.number, case
    when not r.known then 'unknown'
    when r.known_outcome = r.outcome then 'repeated'
    else 'contradicted' end
  from refused r;
end
$$;
