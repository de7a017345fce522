-- The result of each report that did not settle its payment now:
--   repeated      the ledger knows it: the payment was settled with the same outcome by the same operator, or
--                 the operator says that it did not execute an instruction that another one has executed
--                 or may be executing
--   contradicted  it was settled with the other outcome, or no instruction was ever sent, or the report says
--                 paid while another operator has the instruction or has paid, or it says that 0 was paid
--   no_payment    there is no such payment
create or replace function judge_reports(p_bucket integer, p_reports final_report[], p_settled integer[])
returns table (number integer, result text)
language plpgsql
as $$
begin
  return query
  select r.number, case
    when t.payment_id is null then 'no_payment'
    when agrees_with_ledger(t.outcome, t.operator_code, r.outcome, r.operator_code, t.was_tried) then 'repeated'
    else 'contradicted' end
  from unnest(p_reports) r
    left join lateral (
      select p.payment_id, p.outcome, p.operator_code, exists (
        select from unexecuted_attempts x
        where x.bucket = p_bucket and x.vendor_id = r.vendor_id and x.payment_id = r.payment_id
          and x.operator_code = r.operator_code) as was_tried
      from payments p
      where p.bucket = p_bucket and p.vendor_id = r.vendor_id and p.payment_id = r.payment_id
      limit 1
    ) t on true
  where r.number <> all (p_settled);
end
$$;
