-- The two batch calls in forms for one vendor, which a Citus cluster runs whole on the vendor's node
-- (distribute.sql makes them known). The service calls them with BATCHES=one_vendor.
--
-- They decide and write exactly what migrations 0006 and 0007 do, which say why; the same tests run
-- on both. What is different follows from what Citus can route to one shard: every table that is
-- spread is filtered by p_vendor_id itself, rows are inserted from a spread table, what is volatile
-- is read into a variable first, and each step is a statement of its own. Plain PostgreSQL takes the
-- file as it is. Run it again after an upgrade.

-- Decisions and result: migration 0006.
create or replace function create_payments_of(
  p_vendor_id integer,
  p_payment_ids uuid[],
  p_references text[],
  p_billers text[],
  p_accounts text[],
  p_phones text[],
  p_amounts bigint[],
  p_fees bigint[],
  p_checks boolean[],
  p_sequential boolean
) returns table (row_number integer, decision smallint, known_id uuid, known_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare
  v_float bigint;
  v_now timestamptz;
  v_since timestamptz;
  v_bucket bigint;
  v_total bigint;
  v_keys bigint[];
  v_refused bigint[];
  v_decisions integer[];
  v_known_ids uuid[];
  v_known_ats timestamptz[];
  v_row record;
  v_known record;
begin
  -- From here on nobody else moves money of this vendor or creates payments for it.
  select a.balance_cents into v_float from accounts a
  where a.vendor_id = p_vendor_id and a.account = 'float' for update;
  v_float := coalesce(v_float, 0);

  v_now := clock_timestamp();
  v_since := v_now - interval '30 seconds';
  v_bucket := floor(extract(epoch from v_now) / 32)::bigint << 32;
  row_number := 0; decision := 0; known_at := v_now;
  return next;

  select array_agg(v_bucket | (hashtextextended(u.biller || ' ' || u.account, u.amount) & 4294967295)
      order by u.n), sum(u.amount + u.fee)
  into v_keys, v_total
  from unnest(p_billers, p_accounts, p_amounts, p_fees)
    with ordinality as u (biller, account, amount, fee, n);

  if v_total <= v_float and not p_sequential then
    -- Nobody adds to what is read here before this commit, so that what is not known can be inserted.
    select coalesce(array_agg(k.n), '{}'), array_agg(k.decision), array_agg(k.payment_id),
      array_agg(k.created_at)
    into v_refused, v_decisions, v_known_ids, v_known_ats
    from (
      select distinct on (f.n) f.n, f.decision, f.payment_id, f.created_at
      from (
        select u.n, 1 as place, 5 as decision, t.payment_id, t.created_at
        from unnest(p_payment_ids) with ordinality as u (payment_id, n)
          join payments t on t.payment_id = u.payment_id
        where t.vendor_id = p_vendor_id
        union all
        select u.n, 2,
          case when t.biller_code = u.biller and t.account = u.account and t.amount_cents = u.amount
            and t.phone is not distinct from u.phone then 1 else 2 end,
          t.payment_id, t.created_at
        from unnest(p_references, p_billers, p_accounts, p_phones, p_amounts)
            with ordinality as u (reference, biller, account, phone, amount, n)
          join payments t on t.merchant_reference = u.reference
        where t.vendor_id = p_vendor_id
        union all
        select u.n, 3, 3, t.payment_id, t.created_at
        from unnest(p_billers, p_accounts, p_amounts, p_checks, v_keys)
            with ordinality as u (biller, account, amount, checked, duplicate_key, n)
          cross join (values (0::bigint), (4294967296)) as earlier (distance)
          join payments t on t.duplicate_key = u.duplicate_key - earlier.distance
            and t.biller_code = u.biller and t.account = u.account and t.amount_cents = u.amount
        where t.vendor_id = p_vendor_id and u.checked and t.created_at > v_since
      ) f
      order by f.n, f.place, f.created_at desc
    ) k;

    insert into payments (vendor_id, payment_id, merchant_reference, biller_code, account,
      phone, amount_cents, fee_cents, duplicate_key, created_at)
    select a.vendor_id, u.payment_id, u.reference, u.biller, u.account,
      u.phone, u.amount, u.fee, u.duplicate_key, v_now
    from accounts a cross join unnest(p_payment_ids, p_references, p_billers, p_accounts, p_phones,
        p_amounts, p_fees, v_keys)
      with ordinality as u (payment_id, reference, biller, account, phone, amount, fee,
        duplicate_key, n)
    where a.vendor_id = p_vendor_id and a.account = 'float' and u.n <> all (v_refused);

    insert into transfers (vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
    select a.vendor_id, u.payment_id, 1, 'float', 'reserved', u.amount + u.fee, v_now
    from accounts a cross join unnest(p_payment_ids, p_amounts, p_fees)
      with ordinality as u (payment_id, amount, fee, n)
    where a.vendor_id = p_vendor_id and a.account = 'float' and u.n <> all (v_refused);

    insert into dispatch_queue (vendor_id, biller_code, payment_id, account, phone,
      amount_cents, due_at)
    select a.vendor_id, u.biller, u.payment_id, u.account, u.phone, u.amount, v_now
    from accounts a cross join unnest(p_payment_ids, p_billers, p_accounts, p_phones, p_amounts)
      with ordinality as u (payment_id, biller, account, phone, amount, n)
    where a.vendor_id = p_vendor_id and a.account = 'float' and u.n <> all (v_refused);

    select coalesce(sum(u.amount + u.fee), 0) into v_total
    from unnest(p_amounts, p_fees) with ordinality as u (amount, fee, n)
    where u.n <> all (v_refused);
    if v_total > 0 then
      update accounts a
      set balance_cents = a.balance_cents + case when a.account = 'float' then -v_total else v_total end
      where a.vendor_id = p_vendor_id and a.account in ('float', 'reserved');
    end if;

    return query
    select k.n::integer, k.decision::smallint, k.payment_id, k.created_at
    from unnest(v_refused, v_decisions, v_known_ids, v_known_ats)
      as k (n, decision, payment_id, created_at);
    return;
  end if;

  for v_row in
    select u.*
    from unnest(p_payment_ids, p_references, p_billers, p_accounts, p_phones, p_amounts, p_fees,
        p_checks, v_keys)
      with ordinality as u (payment_id, reference, biller, account, phone, amount, fee, checked,
        duplicate_key, n)
    order by u.n
  loop
    row_number := v_row.n;
    decision := 0;

    select t.payment_id, t.created_at into v_known from payments t
    where t.vendor_id = p_vendor_id and t.payment_id = v_row.payment_id;
    if found then
      decision := 5;
    end if;

    if decision = 0 and v_row.reference is not null then
      select t.payment_id, t.created_at,
        t.biller_code = v_row.biller and t.account = v_row.account and t.amount_cents = v_row.amount
          and t.phone is not distinct from v_row.phone as same
      into v_known from payments t
      where t.vendor_id = p_vendor_id and t.merchant_reference = v_row.reference;
      if found then
        decision := case when v_known.same then 1 else 2 end;
      end if;
    end if;

    if decision = 0 and v_row.checked then
      select t.payment_id, t.created_at into v_known from payments t
      where t.vendor_id = p_vendor_id
        and t.duplicate_key in (v_row.duplicate_key, v_row.duplicate_key - 4294967296)
        and t.biller_code = v_row.biller and t.account = v_row.account and t.amount_cents = v_row.amount
        and t.created_at > v_since
      order by t.created_at desc limit 1;
      if found then
        decision := 3;
      end if;
    end if;

    if decision <> 0 then
      known_id := v_known.payment_id; known_at := v_known.created_at;
      return next;
      continue;
    end if;

    v_total := v_row.amount + v_row.fee;
    if v_float < v_total then
      decision := 4; known_id := null; known_at := null;
      return next;
      continue;
    end if;
    v_float := v_float - v_total;

    insert into payments (vendor_id, payment_id, merchant_reference, biller_code, account,
      phone, amount_cents, fee_cents, duplicate_key, created_at)
    values (p_vendor_id, v_row.payment_id, v_row.reference, v_row.biller, v_row.account,
      v_row.phone, v_row.amount, v_row.fee, v_row.duplicate_key, v_now);
    insert into transfers (vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
    values (p_vendor_id, v_row.payment_id, 1, 'float', 'reserved', v_total, v_now);
    insert into dispatch_queue (vendor_id, biller_code, payment_id, account, phone,
      amount_cents, due_at)
    values (p_vendor_id, v_row.biller, v_row.payment_id, v_row.account, v_row.phone,
      v_row.amount, v_now);
    update accounts a
    set balance_cents = a.balance_cents + case when a.account = 'float' then -v_total else v_total end
    where a.vendor_id = p_vendor_id and a.account in ('float', 'reserved');
  end loop;
end
$$;

-- Results: migration 0007.
create or replace function settle_payments_of(
  p_vendor_id integer,
  p_payment_ids uuid[],
  p_billers text[],
  p_outcomes text[],
  p_paid_amounts bigint[],
  p_biller_references text[],
  p_messages text[],
  p_details jsonb[],
  p_failure_codes text[],
  p_sources text[],
  p_batch_id uuid
) returns table (row_number integer, result text)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_open uuid[];
  v_sent_at timestamptz[];
  v_unexecuted uuid[];
  v_unexecuted_at timestamptz[];
  v_attempts smallint[];
  v_handles text[];
  v_known_ids uuid[];
  v_known_outcomes text[];
begin
  perform 1 from accounts a
  where a.vendor_id = p_vendor_id and a.account = 'float' for update;

  with dequeued as (
    delete from dispatch_queue q
    using unnest(p_payment_ids, p_billers, p_outcomes, p_paid_amounts)
      as u (payment_id, biller_code, outcome, paid)
    where q.vendor_id = p_vendor_id and q.biller_code = u.biller_code
      and q.stage in ('send', 'verify') and q.payment_id = u.payment_id
      and q.attempt_number > 0 and (u.outcome = 'failed' or coalesce(u.paid, 1) > 0)
    returning q.payment_id, q.sent_at, q.attempt_number, q.operator_handle
  )
  select coalesce(array_agg(payment_id), '{}'), array_agg(sent_at), array_agg(attempt_number),
    array_agg(operator_handle)
  into v_open, v_sent_at, v_attempts, v_handles from dequeued;
  v_now := clock_timestamp();

  -- As the books are before this batch: what the results are told by.
  select array_agg(t.payment_id), array_agg(t.outcome) into v_known_ids, v_known_outcomes
  from payments t
  where t.vendor_id = p_vendor_id and t.payment_id = any (p_payment_ids);

  insert into cases (vendor_id, payment_id, kind, case_id, facts, opened_at)
  select t.vendor_id, t.payment_id,
    case when t.payment_id = any (v_open) then 'amount_difference' else 'contradiction' end,
    md5(p_batch_id::text || u.n)::uuid,
    jsonb_build_object('books_say', t.outcome, 'operator_says', u.outcome, 'source', u.source,
      'amount_cents', t.amount_cents, 'paid_cents', u.paid, 'biller_reference', u.biller_reference,
      'message', u.message),
    v_now
  from unnest(p_payment_ids, p_outcomes, p_paid_amounts, p_biller_references, p_messages,
      p_sources)
      with ordinality as u (payment_id, outcome, paid, biller_reference, message, source, n)
    join payments t on t.payment_id = u.payment_id
  where t.vendor_id = p_vendor_id
    and case when t.payment_id = any (v_open) then u.outcome = 'success' and u.paid <> t.amount_cents
      else t.outcome is distinct from u.outcome end
  on conflict do nothing;

  -- Nothing more when every word was known, or contradicts the books.
  if cardinality(v_open) > 0 then
    insert into accounts (vendor_id, account)
    select distinct t.vendor_id, 'operator:' || b.operator_code
    from unnest(p_payment_ids, p_outcomes) as u (payment_id, outcome)
      join payments t on t.payment_id = u.payment_id
      join billers b on b.biller_code = t.biller_code
    where t.vendor_id = p_vendor_id and t.payment_id = any (v_open) and u.outcome = 'success'
    on conflict do nothing;

    insert into transfers (vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
    select t.vendor_id, t.payment_id, l.leg, 'reserved', l.credit_account, l.amount, v_now
    from unnest(p_payment_ids, p_outcomes, p_paid_amounts) as u (payment_id, outcome, paid)
      join payments t on t.payment_id = u.payment_id
      join billers b on b.biller_code = t.biller_code
      cross join lateral (values
        (2, case when u.outcome = 'success' then 'operator:' || b.operator_code else 'float' end,
          case when u.outcome = 'success' then least(u.paid, t.amount_cents)
            else t.amount_cents + t.fee_cents end),
        (3, 'fees', case when u.outcome = 'success' then t.fee_cents else 0 end),
        (4, 'float', case when u.outcome = 'success'
            then t.amount_cents - least(u.paid, t.amount_cents) else 0 end)
      ) as l (leg, credit_account, amount)
    where t.vendor_id = p_vendor_id and t.payment_id = any (v_open) and l.amount > 0;

    update accounts a set balance_cents = a.balance_cents + m.change
    from (
      select s.account, sum(s.change)::bigint as change from (
        select f.debit_account as account, -f.amount_cents as change from transfers f
        where f.vendor_id = p_vendor_id and f.source_id = any (v_open) and f.leg > 1
        union all
        select f.credit_account, f.amount_cents from transfers f
        where f.vendor_id = p_vendor_id and f.source_id = any (v_open) and f.leg > 1
      ) s group by s.account
    ) m
    where a.vendor_id = p_vendor_id and a.account = m.account;

    -- Without an attempt under way the report is about one that counted as not executed.
    if array_position(v_sent_at, null) is not null then
      select array_agg(k.payment_id), array_agg(k.sent_at) into v_unexecuted, v_unexecuted_at
      from (
        select x.payment_id, max(x.sent_at) as sent_at from unexecuted_attempts x
        where x.vendor_id = p_vendor_id and x.payment_id = any (v_open)
        group by x.payment_id
      ) k;
    end if;

    update payments t
    set outcome = u.outcome, settled_at = v_now,
      biller_response_time = coalesce(q.sent_at, x.sent_at),
      biller_reference = u.biller_reference, message = u.message, details = u.details,
      failure_code = u.failure_code,
      sent_at = q.sent_at,
      attempt_number = case when q.sent_at is not null then q.attempt_number end,
      attempt_outcome = case when q.sent_at is null then null
        when u.outcome = 'success' then 'paid' else 'declined' end,
      operator_handle = q.operator_handle,
      settled_by = case when q.sent_at is not null then u.source end
    from unnest(p_payment_ids, p_outcomes, p_biller_references, p_messages, p_details,
          p_failure_codes, p_sources)
        as u (payment_id, outcome, biller_reference, message, details, failure_code, source)
      join unnest(v_open, v_sent_at, v_attempts, v_handles)
        as q (payment_id, sent_at, attempt_number, operator_handle)
        on q.payment_id = u.payment_id
      left join unnest(v_unexecuted, v_unexecuted_at) as x (payment_id, sent_at)
        on x.payment_id = u.payment_id
    where t.vendor_id = p_vendor_id and t.payment_id = u.payment_id and t.outcome is null;

    -- For vendors that have a webhook (migration 0013).
    insert into events (vendor_id, event_id, payment_id, type, outcome, occurred_at, due_at,
      created_at, biller_response_time, amount_cents, biller_code, account, merchant_reference,
      biller_reference, message, failure_code, details)
    select t.vendor_id, t.payment_id, t.payment_id,
      case when t.outcome = 'success' then 'transaction.succeeded' else 'transaction.failed' end,
      t.outcome, t.settled_at, t.settled_at, t.created_at, t.biller_response_time, t.amount_cents,
      t.biller_code, t.account, t.merchant_reference, t.biller_reference, t.message,
      t.failure_code, t.details
    from payments t join webhooks w on w.vendor_id = t.vendor_id
    where t.vendor_id = p_vendor_id and w.vendor_id = p_vendor_id and t.payment_id = any (v_open);
  end if;

  return query
  select u.n::integer, case
    when k.payment_id is null then 'unknown'
    when k.outcome = u.outcome then 'repeated'
    else 'contradicted' end
  from unnest(p_payment_ids, p_outcomes) with ordinality as u (payment_id, outcome, n)
    left join unnest(v_known_ids, v_known_outcomes) as k (payment_id, outcome)
      on k.payment_id = u.payment_id
  where u.payment_id <> all (v_open);
end
$$;

-- `npm run -s malipo -- migrate` grants it to the runtime role.
revoke all on function settle_payments_of from public;
