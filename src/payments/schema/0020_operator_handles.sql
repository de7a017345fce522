-- The handles of instructions whose payments may have ended: some operators' signed callbacks name a payment only
-- by its handle, and repeat. While a payment is open, dispatch_queue has its handle. Only for operators that need it.
create table operator_handles (
  noted_at timestamptz not null,
  payment_id uuid not null,
  vendor_id integer not null,
  attempt_number smallint not null,
  operator_code text not null,
  operator_handle text not null,
  primary key (operator_code, operator_handle, payment_id, attempt_number)
);
create index operator_handles_by_time on operator_handles using brin (noted_at);
