-- Our books against the operators': their statements, the cases that come of it, what people decide
-- about them, and days that are closed. Vendor 0 is the house: its books hold what concerns no
-- vendor, such as what an operator owes us.

create table operator_statements (
  statement_id uuid primary key,
  operator text not null references operators,
  -- period_start <= time of a row < period_end
  period_start timestamptz not null,
  period_end timestamptz not null check (period_end > period_start),
  file_sha256 bytea not null,
  imported_at timestamptz not null,
  -- True: it lists every movement of the period, so that absence means something.
  complete boolean not null,
  -- Our float with the operator, as it says; null when it does not.
  opening_cents bigint,
  closing_cents bigint,
  unique (operator, file_sha256),
  check (not complete or (opening_cents is not null and closing_cents is not null))
);
create index operator_statements_by_period on operator_statements (operator, period_end);

-- What an operator says happened to our float with it.
create table statement_rows (
  at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  row_id uuid primary key,
  statement_id uuid not null references operator_statements,
  vendor_id integer,
  payment_id uuid,
  -- The line of the file.
  line integer not null,
  kind text not null check (kind in ('payment', 'reversal', 'top_up', 'charge')),
  verdict text not null check (verdict in ('matched', 'settled', 'reversed', 'noted', 'repeated',
    'theirs_only', 'amount_difference', 'duplicate', 'changed')),
  operator text not null,
  operator_reference text not null,
  -- Ours, as the operator repeats it.
  reference text,
  biller_code text,
  account text,
  unique (statement_id, line),
  check ((vendor_id is null) = (payment_id is null))
);
-- The operator's own reference makes a movement once, in however many statements it stands.
create unique index statement_rows_once on statement_rows (operator, kind, operator_reference)
  where verdict not in ('repeated', 'changed');
create index statement_rows_by_payment on statement_rows (payment_id)
  where payment_id is not null;

-- One table for everything a person has to decide. A case is about a payment, or about evidence
-- that no payment explains, or both; there is at most one open case of a kind about the same.
alter table cases
  drop constraint cases_pkey,
  drop constraint cases_kind_check,
  add primary key (vendor_id, case_id),
  alter column payment_id drop not null,
  -- A statement row, a callback, a correction.
  add column evidence_id uuid,
  add column operator_code text,
  -- What one person proposes; another one approves it.
  add column proposal jsonb,
  add column proposed_by text,
  add column proposed_at timestamptz,
  add column resolution text,
  add column resolved_by text,
  add column resolved_at timestamptz,
  add constraint cases_kind check (kind in ('contradiction', 'amount_difference', 'ours_only',
    'theirs_only', 'duplicate', 'statement_change', 'float_difference', 'unmatched_callback',
    'no_answer', 'exposure')),
  add constraint cases_proposal check (num_nulls(proposal, proposed_by, proposed_at) in (0, 3)),
  add constraint cases_resolution check (num_nulls(resolution, resolved_by, resolved_at) in (0, 3)),
  add constraint cases_two_people check (resolved_at is null
    or (proposed_by is not null and lower(resolved_by) <> lower(proposed_by)));
create unique index cases_open_once on cases (vendor_id, kind, payment_id, evidence_id)
  nulls not distinct where resolved_at is null;
create index cases_by_payment on cases (vendor_id, payment_id);

-- Who did what about a case. Append-only.
create table case_events (
  at timestamptz not null,
  case_id uuid not null,
  event_id uuid not null,
  vendor_id integer not null,
  action text not null check (action in ('opened', 'proposed', 'rejected', 'approved')),
  actor text not null,
  detail jsonb not null,
  primary key (vendor_id, case_id, event_id)
);

-- What an approved resolution posted; its id is the source of its transfers.
create table corrections (
  posted_at timestamptz not null,
  amount_cents bigint not null check (amount_cents >= 0),
  correction_id uuid not null,
  case_id uuid not null,
  -- The payment it concerns, also when the books it moves are the house's.
  payment_id uuid,
  vendor_id integer not null,
  resolution text not null,
  -- When it changes what the vendor is told about its payment.
  outcome_before text check (outcome_before in ('success', 'failed')),
  outcome_after text check (outcome_after in ('success', 'failed')),
  -- SHA-256 of the payment's outcome and particulars that it replaced.
  settled_before bytea,
  -- HMAC-SHA-256 of the row and of who decided, under the ledger's key.
  mac bytea,
  primary key (vendor_id, correction_id),
  check ((outcome_before is null) = (outcome_after is null)),
  check ((outcome_before is null) = (settled_before is null))
);
create index corrections_by_time on corrections using brin (posted_at);
create index corrections_by_payment on corrections (payment_id)
  where payment_id is not null;

-- `exposure` is what a vendor owes the house: money it has spent and no longer has.
alter table accounts drop constraint accounts_never_negative;
alter table accounts add constraint accounts_never_negative
  check (balance_cents >= 0 or account in ('external', 'exposure'));

-- Days whose totals are final: no transfer can be added to them any more.
create table closed_days (
  day date primary key,
  started_at timestamptz not null,
  ended_at timestamptz not null check (ended_at > started_at),
  closed_at timestamptz not null,
  closed_by text not null,
  -- What was still open, and why it was closed all the same.
  exceptions jsonb not null
);

-- operator_code '' : the vendor's own money (collected, float and reserved together);
-- otherwise what went to the operator for the vendor (operator:<code> and receivable:<code>).
create table day_totals (
  opening_cents bigint not null,
  in_cents bigint not null,
  payments_cents bigint not null,
  fees_cents bigint not null,
  -- For information: reservations that went back to the float, within the vendor's money.
  refunds_cents bigint not null,
  corrections_cents bigint not null,
  closing_cents bigint not null,
  day date not null,
  vendor_id integer not null,
  operator_code text not null,
  primary key (vendor_id, operator_code, day)
);

-- The only way to change what was settled: as a correction of the books says, once.
create function set_corrected_outcome(
  p_vendor_id integer,
  p_correction_id uuid,
  p_biller_reference text,
  p_message text,
  p_details jsonb
) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  with corrected as (
    update payments t
    set outcome = c.outcome_after, biller_reference = p_biller_reference, message = p_message,
      details = p_details, failure_code = case c.outcome_after when 'failed' then 'corrected' end
    from corrections c
    where c.vendor_id = p_vendor_id and c.correction_id = p_correction_id
      and t.vendor_id = p_vendor_id and t.payment_id = c.payment_id
      and t.outcome = c.outcome_before
    returning t.payment_id
  )
  select exists (select from corrected)
$$;
revoke all on function set_corrected_outcome from public;
