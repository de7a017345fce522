-- Payments. A row of `payments` is written twice: when the payment is created and when it is settled.
-- Its state in between is in `dispatch_queue`, in small, short-lived rows, so that the indexes of the
-- large table are not written again.
--
-- An attempt is one instruction to an operator. It is committed before it is sent. It is stored with its
-- payment's state: in `dispatch_queue` while it is in progress, in `payments` when the operator's final
-- answer ended it, and in `unexecuted_attempts` when it is proved that the operator did not execute it.
-- The view `attempts` contains all of them.

create table payments (
  payment_id uuid not null,
  created_at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  -- With its VAT, which is `vat_cents`.
  fee_cents bigint not null check (fee_cents >= 0),
  vat_cents bigint not null default 0,
  -- The 32-second step of created_at above a hash of biller, account and amount. Finds recent equal
  -- payments; new entries are adjacent at the end of the index.
  duplicate_key bigint not null,
  settled_at timestamptz,
  -- When the instruction that led to the outcome was sent; null while the outcome is unknown.
  biller_response_time timestamptz,
  bucket integer not null,
  vendor_id integer not null,
  -- The row of fee_prices that the fee is from; null: no price was in force.
  fee_price integer,
  -- The row of operator_prices of the attempt that led to the outcome; null: no price was in force.
  operator_price integer,
  -- Null while the payment is open.
  outcome text check (outcome in ('success', 'failed')),
  biller_code text not null,
  account text not null,
  phone text,
  merchant_reference text,
  biller_reference text,
  message text,
  -- Why it failed, for programs.
  failure_code text check (failure_code in
    ('declined', 'invalid_account', 'amount_not_allowed', 'operator_refused', 'corrected', 'other')),
  -- What the operator returned for the customer, such as token and units.
  details jsonb,
  -- The attempt that the operator's final answer ended, and the source of that answer: answer, status,
  -- callback, …. All null when the answer concerned an attempt that was recorded as not executed.
  sent_at timestamptz,
  attempt_number smallint,
  attempt_outcome text check (attempt_outcome in ('paid', 'declined')),
  operator_handle text,
  settled_by text,
  -- The operator that the outcome comes from, and why it was chosen; a null reason: the biller has one route.
  operator_code text,
  route_reason text,
  primary key (bucket, vendor_id, payment_id),
  check (vat_cents between 0 and fee_cents),
  check ((outcome is null) = (settled_at is null)),
  check (outcome is not null or num_nonnulls(operator_code, route_reason) = 0),
  check ((failure_code is null) = (outcome is distinct from 'failed')),
  check ((sent_at is null) = (attempt_outcome is null))
-- Each row is updated once, when the operator's answer is added. With room for it on the same page, no
-- index is written again.
) with (fillfactor = 35, autovacuum_analyze_threshold = 50000);
create unique index payments_by_reference on payments (bucket, vendor_id, merchant_reference)
  where merchant_reference is not null;
-- Without the vendor in front: entries of all vendors go to the end, and the planner does not prefer it to the key.
-- Without the bucket: the hash alone is selective. An expression, because a planner without statistics
-- would take the primary key for a look-up by bucket and vendor, and read all payments of the vendor.
create index payments_by_duplicate_key on payments (duplicate_key, (vendor_id + 0));
-- For searches by account or phone: the week (2^14 steps of 32 s) above a hash, so that new entries go
-- to a small part of the index. A search looks for its hash in every week.
create index payments_by_account on payments
  (((duplicate_key >> 46) << 32 | (hashtextextended(account, 0) & 4294967295)));
create index payments_by_phone on payments
  (((duplicate_key >> 46) << 32 | (hashtextextended(phone, 0) & 4294967295)))
  where phone is not null;

-- For lists of all vendors' payments by time. Rows are inserted in time order, so a block range index
-- costs almost nothing. Without autosummarize the newest ranges would be read whole until the next vacuum.
-- It also knows which billers a range has, so that a search for a rare one skips the other ranges.
create index payments_by_time on payments using brin
  (created_at, biller_code text_bloom_ops (n_distinct_per_range = 64))
  with (autosummarize = on);

-- One row per open payment. `stage` send: no instruction is in progress, so one may be sent. verify: an
-- instruction was, or may have been, sent, and only the operator's final answer ends the payment.
create type dispatch_stage as enum ('send', 'verify');
create table dispatch_queue (
  due_at timestamptz not null,
  -- Of the attempt in progress.
  sent_at timestamptz,
  payment_id uuid not null,
  bucket integer not null,
  vendor_id integer not null,
  -- Incremented by every claim. Writes of a worker whose lease expired have an old number, and are ignored.
  claim_number integer not null default 0,
  verify_count integer not null default 0,
  -- Of the attempt in progress: the row of operator_prices that was in force when it was claimed.
  operator_price integer,
  attempt_number smallint not null default 0,
  stage dispatch_stage not null default 'send',
  biller_code text not null,
  -- The operator's reference of the attempt in progress, and the last information about it.
  operator_handle text,
  note text,
  -- Stage verify: the operator that has the instruction, and why it was chosen. Null after a restore, when
  -- several operators may have it. Stage send: the operator to try next; null: not chosen yet.
  operator_code text,
  route_reason text,
  -- Without the stage: a claim changes no key, so no index is written again.
  primary key (bucket, vendor_id, biller_code, payment_id),
  check ((stage = 'verify') = (sent_at is not null))
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
  autovacuum_analyze_threshold = 50000);
-- Callbacks of some operators contain only the operator's own handle.
create index dispatch_queue_by_handle on dispatch_queue (operator_handle)
  where operator_handle is not null;

-- Attempts that the operator is proved not to have executed.
create table unexecuted_attempts (
  sent_at timestamptz not null,
  ended_at timestamptz not null,
  payment_id uuid not null,
  bucket integer not null,
  vendor_id integer not null,
  operator_price integer,
  attempt_number smallint not null check (attempt_number > 0),
  biller_code text not null,
  operator_handle text,
  note text,
  operator_code text,
  route_reason text,
  primary key (bucket, vendor_id, payment_id, attempt_number)
);

-- Every attempt. Look up by bucket, vendor, biller and payment. A null outcome is unknown.
create view attempts as
  select bucket, vendor_id, biller_code, payment_id, attempt_number, sent_at, null::timestamptz as ended_at,
    null as outcome, operator_handle, note, operator_code, route_reason
  from dispatch_queue where stage = 'verify'
  union all
  select bucket, vendor_id, biller_code, payment_id, attempt_number, sent_at, settled_at, attempt_outcome,
    operator_handle, settled_by, operator_code, route_reason
  from payments where sent_at is not null
  union all
  select bucket, vendor_id, biller_code, payment_id, attempt_number, sent_at, ended_at, 'not_sent',
    operator_handle, note, operator_code, route_reason
  from unexecuted_attempts;

-- Callbacks with a reference that no payment has.
create table unmatched_callbacks (
  operator_code text not null,
  callback_id uuid not null,
  reference text not null,
  report jsonb not null,
  received_at timestamptz not null,
  primary key (operator_code, callback_id)
);
create index unmatched_callbacks_by_reference on unmatched_callbacks (reference);
