-- Opens a case about each of the reports with these numbers: it contradicts its payment (contradiction), or settled
-- it with another amount than instructed (amount_difference).
create or replace function open_report_cases(
  p_bucket integer, p_kind text, p_reports final_report[], p_numbers integer[], p_batch_id uuid, p_at timestamptz
) returns void
language plpgsql
as $$
begin
  if cardinality(p_numbers) = 0 then
    return;
  end if;

  insert into cases (bucket, vendor_id, payment_id, kind, case_id, operator_code, facts, opened_at)
  select t.bucket, t.vendor_id, t.payment_id, p_kind, md5(p_batch_id::text || r.number)::uuid, r.operator_code,
    jsonb_build_object('books_say', case when p_kind = 'contradiction' then t.outcome end,
      'operator_says', r.outcome, 'source', r.source, 'amount_cents', t.amount_cents,
      'paid_cents', r.paid_cents, 'biller_reference', r.biller_reference, 'message', r.message)
      || case when t.operator_code <> r.operator_code
        then jsonb_build_object('paid_through', t.operator_code) else '{}' end,
    p_at
  from unnest(p_reports) r
    cross join lateral (
      select * from payments t
      where t.bucket = p_bucket and t.vendor_id = r.vendor_id and t.payment_id = r.payment_id
      limit 1
    ) t
  where r.number = any (p_numbers)
  on conflict do nothing;
end
$$;
