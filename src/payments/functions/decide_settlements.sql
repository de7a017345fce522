-- Which reports settle their payments now, and how. Changes nothing; the payments are locked.
--
-- Only the operator that has the instruction settles the payment. While none has it, any operator that had one
-- before does: it was wrong about not having executed it. A payment that was never sent is not settled, nor by
-- the report that 0 was paid.
create or replace function decide_settlements(p_bucket integer, p_reports final_report[]) returns settlement[]
language plpgsql
as $$
begin
  return array(
    select row(r.number, r.vendor_id, r.payment_id, r.outcome, e.operator_code,
      r.biller_reference, r.message, r.details, r.failure_code, r.source,
      case when q.has_attempt then q.attempt_number end, q.sent_at,
      case when q.has_attempt then q.sent_at else (
        select max(x.sent_at) from unexecuted_attempts x
        where x.bucket = p_bucket and x.vendor_id = r.vendor_id and x.payment_id = r.payment_id) end,
      q.operator_handle, q.route_reason,
      case when q.has_attempt then q.operator_price else (
        select x.operator_price from unexecuted_attempts x
        where x.bucket = p_bucket and x.vendor_id = r.vendor_id and x.payment_id = r.payment_id
          and x.operator_code = e.operator_code
        order by x.attempt_number desc limit 1) end,
      t.amount_cents, t.fee_cents, t.vat_cents, t.fee_price, r.paid_cents, q.row_at, t.row_at)::settlement
    from unnest(p_reports) r
      cross join lateral (
        select d.ctid as row_at, d.stage = 'verify' as has_attempt, d.attempt_number, d.sent_at,
          d.operator_handle, d.route_reason,
          case when d.stage = 'verify' then d.operator_code end as operator_code,
          case when d.operator_code is not null then d.operator_price end as operator_price
        from dispatch_queue d
        where d.bucket = p_bucket and d.vendor_id = r.vendor_id and d.biller_code = r.biller_code
          and d.payment_id = r.payment_id and d.attempt_number > 0
        limit 1
      ) q
      -- A row of the queue without its open payment stays as evidence (ledger check).
      cross join lateral (
        select p.ctid as row_at, p.amount_cents, p.fee_cents, p.vat_cents, p.fee_price from payments p
        where p.bucket = p_bucket and p.vendor_id = r.vendor_id and p.payment_id = r.payment_id
          and p.biller_code = r.biller_code and p.outcome is null
        limit 1
      ) t
      -- The biller's usual operator: only for instructions of a ledger that was restored, which name none.
      cross join lateral (select coalesce(q.operator_code, r.operator_code, (
        select b.operator_code from billers b where b.biller_code = r.biller_code)) as operator_code) e
    where (r.outcome = 'failed' or coalesce(r.paid_cents, 1) > 0)
      and (r.operator_code is null or case
        when q.has_attempt then coalesce(q.operator_code, r.operator_code) = r.operator_code
        else exists (
          select from unexecuted_attempts x
          where x.bucket = p_bucket and x.vendor_id = r.vendor_id and x.payment_id = r.payment_id
            and coalesce(x.operator_code, r.operator_code) = r.operator_code
          offset 0) end));
end
$$;
