-- What is kept of one detail of an archived payment: enough to recognise it, and 16 digits long whatever the detail is.
create or replace function detail_mark(p_payment_id uuid, p_value text) returns text
language sql stable parallel safe as $$
  select left(encode(sha256(convert_to(p_payment_id || ' ' || p_value, 'UTF8')), 'hex'), 16)
$$;
