-- What the functions that settle payments pass to one another, instead of an array for each column. The functions
-- of an earlier release have other arguments.
drop function if exists settle_payments(integer, integer[], uuid[], text[], text[], bigint[], text[], text[], jsonb[],
  text[], text[], text[], tid[], tid[], uuid);
drop function if exists claim_to_send(integer, integer[], text[], text[], integer[], uuid[], integer[], text[], text[],
  integer[], integer[], bigint[], bigint[], integer[]);
drop function if exists claim_to_ask(integer, integer[], text[], text[], integer[], uuid[], integer[]);

-- An operator's final report about a payment.
create type final_report as (
  -- Its position in the batch, from 1.
  number integer,
  vendor_id integer,
  payment_id uuid,
  biller_code text,
  outcome text,
  paid_cents bigint,
  biller_reference text,
  message text,
  details jsonb,
  failure_code text,
  source text,
  operator_code text);

-- A report that settles its payment: what the payment gets, what is posted, and where its rows are.
create type settlement as (
  number integer,
  vendor_id integer,
  payment_id uuid,
  outcome text,
  operator_code text,
  biller_reference text,
  message text,
  details jsonb,
  failure_code text,
  source text,
  -- Of the attempt in progress; null: the report is about one that was recorded as not executed.
  attempt_number smallint,
  sent_at timestamptz,
  responded_at timestamptz,
  operator_handle text,
  route_reason text,
  operator_price integer,
  amount_cents bigint,
  fee_cents bigint,
  vat_cents bigint,
  paid_cents bigint,
  queue_row tid,
  payment_row tid);

-- One transfer of a settlement.
create type posting as (
  vendor_id integer,
  payment_id uuid,
  leg smallint,
  debit_account text,
  credit_account text,
  amount_cents bigint);
