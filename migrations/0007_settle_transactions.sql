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
  p_outcomes text[],
  -- What the operator says it paid; null with 'failed'.
  p_paid_amounts bigint[],
  p_biller_references text[],
  p_messages text[],
  p_details jsonb[],
  -- Where the word came from: answer, status, callback, …; kept with a case.
  p_sources text[],
  p_case_ids uuid[]
) returns table (row_number integer, result text)
language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_open uuid[];
begin
  perform 1 from accounts a
  where a.vendor_id = any (p_vendor_ids) and a.account = 'float'
  order by a.vendor_id for update;
  -- What is settled leaves the queue: open transactions of which an instruction was sent. Whoever is
  -- taking one of them to be sent again ends first: what follows must see that instruction.
  with reported as materialized (
    select t.vendor_id, t.biller_code, t.transaction_id, u.outcome
    from unnest(p_vendor_ids, p_transaction_ids, p_outcomes, p_paid_amounts)
        as u (vendor_id, transaction_id, outcome, paid)
      join transactions t on t.vendor_id = u.vendor_id and t.transaction_id = u.transaction_id
    where t.outcome is null and (u.outcome = 'failed' or coalesce(u.paid, t.amount_cents) > 0)
    order by t.vendor_id, t.transaction_id
  ), dequeued as (
    delete from dispatch_queue q using reported r
    where q.vendor_id = r.vendor_id and q.biller_code = r.biller_code and q.stage = 'verify'
      and q.transaction_id = r.transaction_id and q.attempt_number > 0
    returning q.vendor_id, q.biller_code, q.transaction_id, r.outcome
  ), waiting as (
    -- Those that nothing is under way of, or that changed their stage this very moment.
    delete from dispatch_queue q
    using (select * from reported where transaction_id not in (select transaction_id from dequeued)) r
    where q.vendor_id = r.vendor_id and q.biller_code = r.biller_code
      and q.stage in ('send', 'verify') and q.transaction_id = r.transaction_id
      and q.attempt_number > 0
    returning q.vendor_id, q.biller_code, q.transaction_id, r.outcome
  ), ended as (
    select * from dequeued union all select * from waiting
  ), opened as (
    -- An operator's account of a vendor exists from its first payment on.
    insert into accounts (vendor_id, account)
    select w.vendor_id, w.account
    from (
      select distinct e.vendor_id, 'operator:' || b.operator_code as account
      from (select distinct vendor_id, biller_code from ended where outcome = 'success') e
        join billers b on b.biller_code = e.biller_code
      -- Kept from being joined row by row: a batch has few accounts.
      offset 0
    ) w
    where not exists (select 1 from accounts a
      where a.vendor_id = w.vendor_id and a.account = w.account)
    order by w.vendor_id, w.account
    on conflict do nothing
  )
  select coalesce(array_agg(transaction_id), '{}') into v_open from ended;
  v_now := clock_timestamp();

  return query
  with reported as materialized (
    select u.*, u.n::integer as number, t.outcome as known_outcome, t.transaction_id is not null as known,
      t.amount_cents, t.fee_cents, t.biller_code, 'operator:' || b.operator_code as operator_account,
      o.transaction_id is not null as is_open
    from unnest(p_vendor_ids, p_transaction_ids, p_outcomes, p_paid_amounts, p_biller_references,
        p_messages, p_details, p_sources, p_case_ids)
      with ordinality as u (vendor_id, transaction_id, outcome, paid, biller_reference,
        message, details, source, case_id, n)
      left join transactions t on t.vendor_id = u.vendor_id and t.transaction_id = u.transaction_id
      left join billers b on b.biller_code = t.biller_code
      -- Joined, as looking through the array for each row costs more than the rest of the row.
      left join unnest(v_open) o (transaction_id) on o.transaction_id = u.transaction_id
  ), open as materialized (
    select r.* from reported r where r.is_open
  ), legs as materialized (
    select vendor_id, transaction_id, 2 as leg, operator_account as credit_account,
      least(paid, amount_cents) as amount
    from open where outcome = 'success'
    union all
    select vendor_id, transaction_id, 3, 'fees', fee_cents
    from open where outcome = 'success' and fee_cents > 0
    union all
    select vendor_id, transaction_id, 4, 'float', amount_cents - paid
    from open where outcome = 'success' and paid < amount_cents
    union all
    select vendor_id, transaction_id, 2, 'float', amount_cents + fee_cents
    from open where outcome = 'failed'
  ), posted as (
    insert into transfers (vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
    select vendor_id, transaction_id, leg, 'reserved', credit_account, amount, v_now from legs
  ), moved as (
    update accounts a set balance_cents = a.balance_cents + m.change
    from (
      select s.vendor_id, s.account, sum(s.change)::bigint as change from (
        select vendor_id, 'reserved' as account, -amount as change from legs
        union all
        select vendor_id, credit_account, amount from legs
      ) s group by s.vendor_id, s.account
    ) m
    where a.vendor_id = m.vendor_id and a.account = m.account
  ), settled as (
    update transactions t
    set outcome = o.outcome, settled_at = v_now, biller_response_time = v_now,
      biller_reference = o.biller_reference, message = o.message, details = o.details
    from open o
    where t.vendor_id = o.vendor_id and t.transaction_id = o.transaction_id
  ), ended as (
    update attempts a
    set outcome = case when o.outcome = 'success' then 'paid' else 'declined' end, ended_at = v_now,
      note = o.source
    from open o
    where a.vendor_id = o.vendor_id and a.transaction_id = o.transaction_id and a.outcome is null
  ), announced as (
    -- For vendors that have a webhook (migration 0013).
    insert into events (vendor_id, event_id, transaction_id, type, outcome, occurred_at, due_at,
      created_at, biller_response_time, amount_cents, biller_code, account, merchant_reference,
      biller_reference, message, details)
    select o.vendor_id, o.transaction_id, o.transaction_id,
      case o.outcome when 'success' then 'transaction.succeeded' else 'transaction.failed' end,
      o.outcome, v_now, v_now, t.created_at, v_now, o.amount_cents, o.biller_code, t.account,
      t.merchant_reference, o.biller_reference, o.message, o.details
    from (
      select o.* from open o join webhooks w on w.vendor_id = o.vendor_id
      -- Kept from being joined after the transactions: most vendors have none.
      offset 0
    ) o join transactions t on t.vendor_id = o.vendor_id and t.transaction_id = o.transaction_id
  ), opened as (
    insert into cases (vendor_id, transaction_id, kind, case_id, facts, opened_at)
    select r.vendor_id, r.transaction_id,
      case when r.is_open then 'amount_difference' else 'contradiction' end,
      r.case_id,
      jsonb_build_object('books_say', r.known_outcome, 'operator_says', r.outcome, 'source', r.source,
        'amount_cents', r.amount_cents, 'paid_cents', r.paid, 'biller_reference', r.biller_reference,
        'message', r.message),
      v_now
    from reported r
    where r.known and case when r.is_open then r.outcome = 'success' and r.paid <> r.amount_cents
      else r.known_outcome is distinct from r.outcome end
    on conflict do nothing
  )
  select r.number, case
    when not r.known then 'unknown'
    when r.known_outcome = r.outcome then 'repeated'
    else 'contradicted' end
  from reported r
  where not r.is_open;
end
$$;
