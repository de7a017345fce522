-- Where an operator's instructions go: its connector, address, settings and merchant account. Every change of
-- them makes a new version. An attempt keeps its version, and only the merchant account of that version can
-- prove that the attempt was not executed.

-- The version in force. Its content is in this row.
alter table operators add column version integer not null default 1 check (version > 0);

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

-- The operator's version that the attempt in progress was sent to. Null: not known.
alter table dispatch_queue add column operator_version integer;
alter table unexecuted_attempts add column operator_version integer;

create or replace view attempts as
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
