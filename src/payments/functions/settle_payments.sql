-- Writes the operators' final words into the books: one call, one commit, for a batch of reports.
-- At max one report per payment in a batch (the caller's duty).
--
-- Returns a row for each report that did not resolve its reservation now:
--   repeated      it was before, with the same outcome
--   contradicted  it was, with the other outcome, or no instruction was ever sent, or nothing was
--                 paid by a success: a case is opened, the books stay
--   unknown       there is no such payment
--
-- A payment of another amount than instructed posts what can be posted: at most the reservation;
-- what is left goes back to the float, and the difference is a case.
--
-- It is the only way to settle: the runtime role may insert payments and not change them, so that
-- a result stays as it was settled (src/platform/db/runtime-grants.ts).

create or replace function settle_payments(
  p_vendor_ids integer[],
  p_payment_ids uuid[],
  p_billers text[],
  p_outcomes text[],
  -- What the operator says it paid; null with 'failed'.
  p_paid_amounts bigint[],
  p_biller_references text[],
  p_messages text[],
  p_details jsonb[],
  -- Why it failed; null with 'success'.
  p_failure_codes text[],
  -- Where the word came from: answer, status, callback, …; kept with a case.
  p_sources text[],
  -- Made by the caller; the ids of cases come of it.
  p_batch_id uuid
) returns table (row_number integer, result text)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  -- What the queue is searched for: first what waits for its operator's word, then what else.
  v_stages dispatch_stage[] := '{verify}';
  v_settled integer[] := '{}';
  v_differ boolean := false;
begin
  -- From here on nobody else settles payments of these vendors.
  perform 1 from accounts a
  where a.vendor_id = any (p_vendor_ids) and a.account = 'float'
  order by a.vendor_id for update;

  loop
    v_now := clock_timestamp();
    with dequeued as (
      -- What is settled leaves the queue, if an instruction was sent. Whoever is taking one of them
      -- to be sent again ends first, and the attempt that is read here is that one.
      delete from dispatch_queue q
      using unnest(p_vendor_ids, p_payment_ids, p_billers, p_outcomes, p_paid_amounts,
          p_biller_references, p_messages, p_details, p_failure_codes, p_sources)
        with ordinality as u (vendor_id, payment_id, biller_code, outcome, paid,
          biller_reference, message, details, failure_code, source, number)
      where q.vendor_id = u.vendor_id and q.biller_code = u.biller_code
        and q.stage = any (v_stages) and q.payment_id = u.payment_id
        and q.attempt_number > 0 and (u.outcome = 'failed' or coalesce(u.paid, 1) > 0)
      returning u.*, q.sent_at, q.attempt_number, q.operator_handle
    ), settled as (
      update payments t
      set outcome = o.outcome, settled_at = v_now,
        -- Without an attempt under way the report is about one that counted as not executed.
        biller_response_time = coalesce(o.sent_at, (
          select max(x.sent_at) from unexecuted_attempts x
          where x.vendor_id = o.vendor_id and x.payment_id = o.payment_id)),
        biller_reference = o.biller_reference, message = o.message, details = o.details,
        failure_code = o.failure_code,
        sent_at = o.sent_at,
        attempt_number = case when o.sent_at is not null then o.attempt_number end,
        attempt_outcome = case when o.sent_at is null then null
          when o.outcome = 'success' then 'paid' else 'declined' end,
        operator_handle = o.operator_handle,
        settled_by = case when o.sent_at is not null then o.source end
      from dequeued o
      where t.vendor_id = o.vendor_id and t.payment_id = o.payment_id and t.outcome is null
      returning o.number, t.vendor_id, t.payment_id, t.biller_code, t.outcome, t.amount_cents,
        t.fee_cents, o.paid
    ), operators as materialized (
      select biller_code, 'operator:' || operator_code as account from billers
    ), legs as materialized (
      select s.vendor_id, s.payment_id, 2 as leg, o.account as credit_account,
        least(s.paid, s.amount_cents) as amount
      from settled s join operators o on o.biller_code = s.biller_code where s.outcome = 'success'
      union all
      select vendor_id, payment_id, 3, 'fees', fee_cents
      from settled where outcome = 'success' and fee_cents > 0
      union all
      select vendor_id, payment_id, 4, 'float', amount_cents - paid
      from settled where outcome = 'success' and paid < amount_cents
      union all
      select vendor_id, payment_id, 2, 'float', amount_cents + fee_cents
      from settled where outcome = 'failed'
    ), posted as (
      insert into transfers (vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
      select vendor_id, payment_id, leg, 'reserved', credit_account, amount, v_now from legs
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
    )
    select v_settled || coalesce(array_agg(number::integer), '{}'),
      v_differ or coalesce(bool_or(outcome = 'success' and paid <> amount_cents), false)
    into v_settled, v_differ from settled;
    exit when cardinality(v_settled) = cardinality(p_payment_ids) or cardinality(v_stages) = 2;
    -- Of what is left, nothing may be under way, or its stage changed this very moment.
    v_stages := '{send,verify}';
  end loop;

  if exists (select from webhooks w where w.vendor_id = any (p_vendor_ids)) then
    insert into events (vendor_id, event_id, payment_id, type, outcome, occurred_at, due_at,
      created_at, biller_response_time, amount_cents, biller_code, account, merchant_reference,
      biller_reference, message, failure_code, details)
    select t.vendor_id, t.payment_id, t.payment_id,
      case t.outcome when 'success' then 'transaction.succeeded' else 'transaction.failed' end,
      t.outcome, t.settled_at, t.settled_at, t.created_at, t.biller_response_time, t.amount_cents,
      t.biller_code, t.account, t.merchant_reference, t.biller_reference, t.message,
      t.failure_code, t.details
    from unnest(v_settled) s (number)
      join webhooks w on w.vendor_id = p_vendor_ids[s.number]
      join payments t on t.vendor_id = p_vendor_ids[s.number]
        and t.payment_id = p_payment_ids[s.number];
  end if;

  if v_differ or cardinality(v_settled) < cardinality(p_payment_ids) then
    return query
    with reported as materialized (
      select u.*, u.n::integer as number, u.n = any (v_settled) as is_settled,
        t.payment_id is not null as known, t.amount_cents,
        case when u.n <> all (v_settled) then t.outcome end as known_outcome
      from unnest(p_vendor_ids, p_payment_ids, p_outcomes, p_paid_amounts, p_biller_references,
          p_messages, p_sources)
        with ordinality as u (vendor_id, payment_id, outcome, paid, biller_reference, message,
          source, n)
        left join payments t on t.vendor_id = u.vendor_id and t.payment_id = u.payment_id
    ), told as (
      insert into cases (vendor_id, payment_id, kind, case_id, facts, opened_at)
      select r.vendor_id, r.payment_id,
        case when r.is_settled then 'amount_difference' else 'contradiction' end,
        md5(p_batch_id::text || r.number)::uuid,
        jsonb_build_object('books_say', r.known_outcome, 'operator_says', r.outcome, 'source', r.source,
          'amount_cents', r.amount_cents, 'paid_cents', r.paid, 'biller_reference', r.biller_reference,
          'message', r.message),
        v_now
      from reported r
      where r.known and case when r.is_settled then r.outcome = 'success' and r.paid <> r.amount_cents
        else r.known_outcome is distinct from r.outcome end
      on conflict do nothing
    )
    select r.number, case
      when not r.known then 'unknown'
      when r.known_outcome = r.outcome then 'repeated'
      else 'contradicted' end
    from reported r
    where not r.is_settled;
  end if;
end
$$;
revoke all on function settle_payments from public;
