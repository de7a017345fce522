-- What can be paid, and through which operator. Small reference data, held in memory like vendors.

create table operators (
  operator_code text primary key check (operator_code ~ '^[a-z0-9_]{1,40}$'),
  name text not null,
  -- The protocol: a name in src/connectors/registry.ts.
  connector text not null,
  base_url text not null,
  -- Protocol settings that are not secret, such as time-outs.
  settings jsonb not null default '{}',
  max_concurrency integer not null default 32 check (max_concurrency > 0),
  -- Instructions per second; null: no limit.
  max_per_second integer check (max_per_second > 0),
  -- The version in force, whose content is in this row.
  version integer not null default 1 check (version > 0)
);

-- Where an operator's instructions go: its connector, address, settings and merchant account. Every change of
-- them makes a new version. An attempt keeps its version, and only the merchant account of that version can
-- prove that the attempt was not executed.

-- Versions that are no longer in force.
create table operator_versions (
  operator_code text not null references operators,
  version integer not null check (version > 0),
  connector text not null,
  base_url text not null,
  settings jsonb not null,
  replaced_at timestamptz not null,
  -- True: the next version reaches the same merchant account, and is asked about attempts of this one.
  same_account boolean not null,
  -- Where the keys are that it is asked with. current: they are the operator's keys. kept: the operator has
  -- others now; these are of the holder `<operator>@<version>`. ended: deleted, because no attempt needs them.
  keys text not null check (keys in ('current', 'kept', 'ended')),
  -- Until when callbacks under kept keys are accepted.
  callbacks_until timestamptz,
  primary key (operator_code, version),
  check ((keys = 'current') = (callbacks_until is null))
);

create table billers (
  biller_code text primary key check (biller_code ~ '^[a-z0-9_]{1,40}$'),
  name text not null,
  category text not null,
  operator_code text not null references operators,
  minimum_cents bigint not null check (minimum_cents > 0),
  maximum_cents bigint check (maximum_cents >= minimum_cents),
  -- True when the operator needs a phone number in addition to the account.
  secondary_account boolean not null default false,
  validates_accounts boolean not null default false,
  -- The format of its accounts (`msisdn` or an anchored pattern), and what people call them.
  account_format text not null,
  account_label text not null,
  -- products: only amounts for which one of its operators sells something.
  amounts text not null default 'any' check (amounts in ('any', 'products')),
  -- Set by people. An open circuit breaker makes an ONLINE biller OFFLINE, never the reverse.
  status text not null default 'ONLINE' check (status in ('ONLINE', 'OFFLINE')),
  -- Why people set it OFFLINE, and when it is ONLINE again by itself; null: not given.
  offline_reason text check (offline_reason <> ''),
  offline_until timestamptz,
  list_position integer not null default 0,
  check (status = 'OFFLINE' or num_nonnulls(offline_reason, offline_until) = 0)
);

-- The operators that may execute a biller's payments. The biller's own operator (billers.operator_code) is
-- always one of them; a row here may change its terms.
create table routes (
  biller_code text not null references billers,
  operator_code text not null references operators,
  -- Lower positions are tried first. Routes of the same position share the payments by weight.
  position integer not null default 0 check (position between 0 and 1000),
  weight integer not null default 1 check (weight between 1 and 1000),
  -- The amounts that it takes; null: no limit.
  minimum_cents bigint check (minimum_cents > 0),
  maximum_cents bigint check (maximum_cents > 0),
  -- How much may be sent through it in a day; null: no limit.
  daily_limit_cents bigint check (daily_limit_cents > 0),
  -- Set by people.
  status text not null default 'ONLINE' check (status in ('ONLINE', 'OFFLINE')),
  primary key (biller_code, operator_code),
  check (maximum_cents >= minimum_cents)
);

-- What vendors pay for a biller's payments. Append-only: the price in force is the one with the latest
-- `valid_from` that has begun; if there are several, the one with the highest version. A payment keeps its version.
create table fee_prices (
  version integer primary key check (version > 0),
  biller_code text not null references billers,
  -- Null: every vendor without a price of its own.
  vendor_id integer check (vendor_id > 0),
  valid_from timestamptz not null,
  set_at timestamptz not null,
  set_by text not null,
  -- The tier with the highest `from_cents` up to the amount counts: [{"from_cents", "flat_cents", "bps"}].
  -- Empty: from then on there is no such price.
  tiers jsonb not null check (jsonb_typeof(tiers) = 'array'),
  -- Of the fee before VAT is added; null: none.
  minimum_cents bigint check (minimum_cents > 0),
  maximum_cents bigint check (maximum_cents > 0),
  vat_bps integer not null check (vat_bps between 0 and 10000),
  -- True: the fee includes its VAT, and its excise duty. False: they are added to it.
  vat_included boolean not null,
  -- Excise duty on what we earn. VAT is charged on both.
  excise_bps integer not null default 0 check (excise_bps between 0 and 10000),
  check (maximum_cents >= minimum_cents),
  check (valid_from >= set_at)
);
create index fee_prices_by_biller on fee_prices (biller_code, vendor_id, valid_from);

-- What an operator charges us for a biller's payments, and its commission for us. Append-only, like fee_prices.
-- The price in force when an attempt was claimed counts for it.
create table operator_prices (
  version integer primary key check (version > 0),
  biller_code text not null references billers,
  operator_code text not null references operators,
  valid_from timestamptz not null,
  set_at timestamptz not null,
  set_by text not null,
  -- Flat, and in basis points of the amount.
  cost_cents bigint not null check (cost_cents >= 0),
  cost_bps integer not null check (cost_bps between 0 and 10000),
  commission_cents bigint not null check (commission_cents >= 0),
  commission_bps integer not null check (commission_bps between 0 and 10000),
  -- True: the operator deducts the commission from what it takes from our float. False: it pays it later.
  commission_netted boolean not null,
  check (valid_from >= set_at)
);
create index operator_prices_by_route on operator_prices (biller_code, operator_code, valid_from);

-- A row is a circuit breaker that is open or on trial: too many consecutive calls to the operator about the
-- biller failed, and it has not answered an instruction well since.
create table route_breakers (
  biller_code text not null references billers,
  operator_code text not null references operators,
  opened_at timestamptz not null,
  -- From then on a process may probe. The one that does sets the next time.
  probe_at timestamptz not null,
  -- How long it stays open before the first probe.
  cooldown_ms integer not null check (cooldown_ms >= 0),
  -- Since when a few instructions at a time are let through; null: it is open, and nothing is sent.
  trial_since timestamptz,
  reason text not null,
  primary key (biller_code, operator_code)
);

-- Our float with an operator, as the operator reports it, and when to stop sending. One row per operator
-- that was asked, or that has limits.
create table operator_floats (
  operator_code text primary key references operators,
  -- Null until the operator has answered.
  balance_cents bigint,
  polled_at timestamptz,
  -- When a process last asked. Processes ask at intervals.
  asked_at timestamptz,
  -- Set by people; null: no limit. Below `low` people are alerted. At `stop` or below nothing more is sent,
  -- until the balance has risen to `resume`.
  low_cents bigint check (low_cents > 0),
  stop_cents bigint check (stop_cents > 0),
  resume_cents bigint,
  state text not null default 'enough' check (state in ('enough', 'low', 'stopped')),
  check (resume_cents > stop_cents),
  check ((resume_cents is null) = (stop_cents is null)),
  check (low_cents >= stop_cents)
);

-- How our float with an operator changed in an hour, from one balance to the next. Old hours are deleted.
create table operator_float_hours (
  operator_code text not null references operators,
  hour timestamptz not null,
  spent_cents bigint not null default 0,
  added_cents bigint not null default 0,
  primary key (operator_code, hour)
);

create table phone_prefixes (
  prefix text primary key check (prefix ~ '^\d{3}$'),
  biller_code text not null references billers
);

insert into settings_versions (topic, version) values ('billers', 1);

-- When an operator listed what it sells. One row per operator that was asked.
create table operator_listings (
  operator_code text primary key references operators,
  -- When a process last asked. Processes ask at intervals.
  asked_at timestamptz,
  -- The last complete list, and why the last attempt failed.
  refreshed_at timestamptz,
  error text
);

-- What operators sell, according to their last list.
create table operator_products (
  operator_code text not null references operators,
  -- The operator's own code.
  product_code text not null,
  name text not null,
  service text not null,
  provider text not null,
  value text not null,
  -- What may be paid for it, and what the operator charges us; equal for a fixed price; null: not known.
  minimum_cents bigint check (minimum_cents > 0),
  maximum_cents bigint check (maximum_cents >= minimum_cents),
  currency text,
  price_minimum_cents bigint check (price_minimum_cents >= 0),
  price_maximum_cents bigint check (price_maximum_cents >= price_minimum_cents),
  price_currency text,
  validity text,
  requires text not null,
  -- Our billers whose payments buy it, by the operator's settings.
  biller_codes text[] not null,
  primary key (operator_code, product_code),
  check (num_nulls(minimum_cents, maximum_cents, currency) in (0, 3)),
  check (num_nulls(price_minimum_cents, price_maximum_cents, price_currency) in (0, 3))
);

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
  -- With its VAT, which is `vat_cents`, and its excise duty, which `excise_of` computes.
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
  -- Of the attempt in progress: the version of the operator that it was sent to. Null: not known.
  operator_version integer,
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
  operator_version integer,
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
    null as outcome, operator_handle, note, operator_code, route_reason, operator_version
  from dispatch_queue where stage = 'verify'
  union all
  select bucket, vendor_id, biller_code, payment_id, attempt_number, sent_at, settled_at, attempt_outcome,
    operator_handle, settled_by, operator_code, route_reason, null
  from payments where sent_at is not null
  union all
  select bucket, vendor_id, biller_code, payment_id, attempt_number, sent_at, ended_at, 'not_sent',
    operator_handle, note, operator_code, route_reason, operator_version
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

-- What an operator is told about a payment.
create type payment_content as (account text, phone text, amount_cents bigint);

-- What the steps of `create_payments` pass to one another, instead of an array for each column.

-- A payment to create.
create type new_payment as (
  -- Its position in the batch, from 1.
  number integer,
  -- Payments of one round do not depend on each other. Null: the batch is one round.
  round integer,
  vendor_id integer,
  payment_id uuid,
  merchant_reference text,
  biller_code text,
  account text,
  phone text,
  amount_cents bigint,
  -- With its VAT.
  fee_cents bigint,
  vat_cents bigint,
  fee_price integer,
  -- For how many seconds an equal payment makes it a likely duplicate; 0: it is not checked.
  duplicate_seconds integer,
  content_hash bigint);

-- What was decided about one, and the payment that it is because of.
create type create_decision as (
  row_number integer,
  decision text,
  known_id uuid,
  known_at timestamptz,
  known_fee bigint);

-- What the steps of `settle_payments` pass to one another, instead of an array for each column.

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
  fee_price integer,
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

-- Details that come after their payment was settled as paid: the operator said that they follow, or reported them
-- later by itself. A row for each such payment. While its payment is open, a row has no meaning. What comes after the
-- payment was archived stays here.
create table late_details (
  -- When the operator said that the payment is made.
  since timestamptz not null,
  -- When to ask the operator. Null: it is not asked.
  due_at timestamptz,
  received_at timestamptz,
  -- Null: details are owed.
  ended_at timestamptz,
  paid_cents bigint not null,
  payment_id uuid not null,
  bucket integer not null,
  vendor_id integer not null,
  asked integer not null default 0,
  operator_version integer,
  attempt_number smallint,
  biller_code text not null,
  operator_code text not null,
  operator_handle text,
  -- Why the last question brought none.
  note text,
  -- In addition to those of the payment.
  details jsonb not null default '{}',
  -- The events that told the vendor.
  event_ids uuid[] not null default '{}',
  primary key (bucket, vendor_id, payment_id)
);
create index late_details_owed on late_details (due_at) where ended_at is null;

-- Old payments are archived: their details move to files outside the database, and what a status answer
-- needs moves to `archived_payments`. The ledger (transfers, movements, chains) stays.

create table archive_files (
  archive_id uuid primary key,
  -- In the archive's folder. Begins with the vendor's id and ends with archive_id.
  file_name text not null unique,
  file_sha256 bytea not null check (octet_length(file_sha256) = 32),
  byte_count bigint not null check (byte_count > 0),
  payment_count integer not null check (payment_count > 0),
  archived_at timestamptz not null
);

-- Phone, message and details are in the file only.
create table archived_payments (
  payment_id uuid not null,
  archive_id uuid not null,
  created_at timestamptz not null,
  settled_at timestamptz not null,
  biller_response_time timestamptz,
  amount_cents bigint not null,
  fee_cents bigint not null,
  vat_cents bigint not null default 0,
  bucket integer not null,
  vendor_id integer not null,
  fee_price integer,
  operator_price integer,
  outcome text not null,
  failure_code text,
  biller_code text not null,
  account text not null,
  merchant_reference text,
  biller_reference text,
  operator_code text,
  attempt_number smallint,
  -- The detail_mark of each of its details, so that a report that repeats one brings no news. Null: it has none.
  detail_marks jsonb,
  -- SHA-256 of the fields that are in the file only, as the hash chain covers them.
  accepted_rest bytea,
  settled_rest bytea,
  primary key (bucket, vendor_id, payment_id)
);
-- For status queries, and for creates: a reference never creates a second payment, archived or not.
create index archived_payments_by_reference on archived_payments
  (bucket, vendor_id, merchant_reference) where merchant_reference is not null;
create index archived_payments_by_account on archived_payments (account);

-- Merchant references that a vendor used at the system that it came from, so that a request which is repeated here
-- pays nothing. Append-only, but an outcome that was not known then may be added.
create table used_references (
  -- An id of ours, so that status finds it.
  payment_id uuid not null,
  -- According to that system, as everything below.
  created_at timestamptz not null,
  -- Null, like biller and account: not known, so a create is never a repeat with the same content.
  amount_cents bigint check (amount_cents > 0),
  fee_cents bigint not null check (fee_cents >= 0),
  bucket integer not null,
  vendor_id integer not null,
  biller_code text,
  account text,
  phone text,
  -- Null: not known yet.
  outcome text check (outcome in ('success', 'failed')),
  merchant_reference text not null,
  primary key (bucket, vendor_id, merchant_reference)
);
create index used_references_by_id on used_references (bucket, vendor_id, payment_id);

-- Webhooks: for vendors that have one, an event for every settlement and every correction of a payment,
-- inserted in the same commit.

-- Rarely written: the counts change when deliveries start to fail and when they succeed again.
create table webhooks (
  changed_at timestamptz not null,
  -- The first failure since the last successful delivery.
  failing_since timestamptz,
  -- While it is disabled, its events wait.
  disabled_at timestamptz,
  bucket integer not null,
  vendor_id integer not null,
  failure_count integer not null default 0 check (failure_count >= 0),
  -- The URL may be plain http and may point to a private network.
  allows_private boolean not null,
  url text not null,
  disabled_reason text,
  -- The types of events that are not sent. New types are.
  off_types text[] not null default '{}',
  primary key (bucket, vendor_id),
  check ((failing_since is null) = (failure_count = 0)),
  check ((disabled_at is null) = (disabled_reason is null))
);

-- The details are copied, so that a later delivery has the same content as the first one.
create table events (
  occurred_at timestamptz not null,
  -- When to send it. While it is being sent: when to send it again if no result is recorded. Null: never again.
  due_at timestamptz,
  -- The first attempt; a replay starts again.
  first_attempt_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  biller_response_time timestamptz,
  amount_cents bigint not null,
  -- The payment's id for a settlement, the correction's for a correction, so that one cause is one event,
  -- even when it is recorded again after a restore.
  event_id uuid not null,
  payment_id uuid not null,
  bucket integer not null,
  vendor_id integer not null,
  attempt_count integer not null default 0,
  type text not null check (type in
    ('transaction.succeeded', 'transaction.failed', 'transaction.corrected',
     'transaction.details_received',
     -- About a customer that the vendor watches. The columns of a payment are empty; the facts are in details.
     'credit.default', 'credit.enquiry', 'credit.score_drop',
     -- About the vendor's float; columns and facts as above.
     'float.low', 'float.recovered',
     -- An invoice for fees, or a credit note; columns and facts as above.
     'invoice.issued',
     -- What staff changed of the vendor's account; columns and facts as above.
     'account.changed')),
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'given_up', 'off')),
  outcome text not null check (outcome in ('success', 'failed')),
  biller_code text not null,
  account text not null,
  merchant_reference text,
  biller_reference text,
  message text,
  failure_code text,
  details jsonb,
  -- The result of the last attempt.
  last_result text,
  primary key (bucket, vendor_id, event_id),
  check ((due_at is not null) = (state = 'waiting')),
  check ((ended_at is null) = (state = 'waiting'))
);
create index events_due on events (bucket, vendor_id, due_at) where due_at is not null;
-- For lists of what is rare among the events of a vendor. Neither has the common event, which succeeds
-- and is delivered, so settlements do not pay for them.
create index events_not_sent on events (bucket, vendor_id, state, event_id)
  where state in ('given_up', 'off');
create index events_of_rare_types on events (bucket, vendor_id, type, event_id)
  where type <> 'transaction.succeeded';
-- The order in which they happened, for vendors that follow their events.
create index events_by_time on events (bucket, vendor_id, occurred_at, event_id);
