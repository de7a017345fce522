-- Bill payments. A row of `payments` is written twice: when it is created and when it is
-- settled. What happens in between lives in `dispatch_queue`, in small, short-lived rows, so that
-- the large table's indexes are not touched again.
--
-- An attempt, one instruction to an operator, is committed before it is sent. It stands where its
-- payment's state does: under way in the queue's row, ended by the operator's word in the
-- payment's, and in `unexecuted_attempts` when it was proven that nothing came of it. The view
-- `attempts` has them all.

create table payments (
  payment_id uuid not null,
  created_at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  fee_cents bigint not null check (fee_cents >= 0),
  -- 32-second bucket of created_at and a hash of biller, account and amount: finds recent equals,
  -- and new entries land side by side at the end of the index.
  duplicate_key bigint not null,
  settled_at timestamptz,
  -- When the instruction that counted was sent to the operator; null while the outcome is unknown.
  biller_response_time timestamptz,
  vendor_id integer not null,
  -- null while open.
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
  -- What the payment yielded: token, units.
  details jsonb,
  -- The attempt that the operator's word ended, and where the word came from: answer, status,
  -- callback, …; all null when the word came about an attempt that counted as not executed.
  sent_at timestamptz,
  attempt_number smallint,
  attempt_outcome text check (attempt_outcome in ('paid', 'declined')),
  operator_handle text,
  settled_by text,
  primary key (vendor_id, payment_id),
  check ((outcome is null) = (settled_at is null)),
  check ((failure_code is null) = (outcome is distinct from 'failed')),
  check ((sent_at is null) = (attempt_outcome is null))
-- Each row is updated once and grows by what the operator said: with room for that on its page no
-- index is written again.
) with (fillfactor = 35);
create unique index payments_by_reference on payments (vendor_id, merchant_reference)
  where merchant_reference is not null;
-- Not vendor first: entries of all vendors land at the end, and no planner mistakes it for the key.
create index payments_by_duplicate_key on payments (duplicate_key, vendor_id);
-- For people who search by account or phone: the week (2^14 buckets of 32 s) and a hash, so that new
-- entries go to a small part of the index. A search looks for its hash in every week.
create index payments_by_account on payments
  (((duplicate_key >> 46) << 32 | (hashtextextended(account, 0) & 4294967295)));
create index payments_by_phone on payments
  (((duplicate_key >> 46) << 32 | (hashtextextended(phone, 0) & 4294967295)))
  where phone is not null;

-- One row per open payment. `stage` send: no instruction is under way and one may be sent;
-- verify: an instruction was (or may have been) sent, and only the operator's word ends it.
create type dispatch_stage as enum ('send', 'verify');
create table dispatch_queue (
  due_at timestamptz not null,
  -- Of the attempt under way.
  sent_at timestamptz,
  amount_cents bigint not null,
  payment_id uuid not null,
  vendor_id integer not null,
  -- Grows with every claim; a worker whose lease lapsed writes with an old number, in vain.
  claim_number integer not null default 0,
  verify_count integer not null default 0,
  attempt_number smallint not null default 0,
  stage dispatch_stage not null default 'send',
  biller_code text not null,
  account text not null,
  phone text,
  -- What the operator calls the attempt under way, and what was last learnt of it.
  operator_handle text,
  note text,
  primary key (vendor_id, biller_code, stage, payment_id),
  check ((stage = 'verify') = (sent_at is not null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- Attempts of which there is proof that the operator did not execute them.
create table unexecuted_attempts (
  sent_at timestamptz not null,
  ended_at timestamptz not null,
  payment_id uuid not null,
  vendor_id integer not null,
  attempt_number smallint not null check (attempt_number > 0),
  biller_code text not null,
  operator_handle text,
  note text,
  primary key (vendor_id, payment_id, attempt_number)
);

-- Every attempt. Looked up by vendor, biller and payment. No outcome: nobody knows yet.
create view attempts as
  select vendor_id, biller_code, payment_id, attempt_number, sent_at, null::timestamptz as ended_at,
    null as outcome, operator_handle, note
  from dispatch_queue where stage = 'verify'
  union all
  select vendor_id, biller_code, payment_id, attempt_number, sent_at, settled_at, attempt_outcome,
    operator_handle, settled_by
  from payments where sent_at is not null
  union all
  select vendor_id, biller_code, payment_id, attempt_number, sent_at, ended_at, 'not_sent',
    operator_handle, note
  from unexecuted_attempts;

-- Callbacks about references that no payment has.
create table unmatched_callbacks (
  operator_code text not null,
  callback_id uuid not null,
  reference text not null,
  report jsonb not null,
  received_at timestamptz not null,
  primary key (operator_code, callback_id)
);
create index stray_callbacks_by_reference on unmatched_callbacks (reference);
