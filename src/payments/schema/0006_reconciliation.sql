-- Operators' statements, compared with our ledger, and closed days.

create table operator_statements (
  statement_id uuid primary key,
  operator text not null references operators,
  -- period_start <= time of a row < period_end
  period_start timestamptz not null,
  period_end timestamptz not null check (period_end > period_start),
  file_sha256 bytea not null,
  imported_at timestamptz not null,
  -- True: it lists every movement of the period, so a missing payment was not executed.
  complete boolean not null,
  -- Our float with the operator, according to the statement; null when it does not say.
  opening_cents bigint,
  closing_cents bigint,
  -- Pulled from the operator page by page, not imported from a file; file_sha256 is then that of
  -- its content. Its last page proves that it is complete, whether or not there are balances.
  pulled boolean not null default false,
  unique (operator, file_sha256),
  check (not complete or pulled or (opening_cents is not null and closing_cents is not null))
);
create index operator_statements_by_period on operator_statements (operator, period_end);

-- Movements of our float with an operator, according to the statement.
create table statement_rows (
  at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  row_id uuid primary key,
  statement_id uuid not null references operator_statements,
  vendor_id integer,
  payment_id uuid,
  -- The line number in the file.
  line integer not null,
  kind text not null check (kind in ('payment', 'reversal', 'top_up', 'charge')),
  verdict text not null check (verdict in ('matched', 'settled', 'reversed', 'noted', 'repeated',
    'theirs_only', 'amount_difference', 'duplicate', 'changed')),
  operator text not null,
  operator_reference text not null,
  -- Our reference, as the operator repeats it.
  reference text,
  biller_code text,
  account text,
  unique (statement_id, line),
  check ((vendor_id is null) = (payment_id is null))
);
-- The operator's reference identifies a movement, however many statements contain it.
create unique index statement_rows_once on statement_rows (operator, kind, operator_reference)
  where verdict not in ('repeated', 'changed');
-- However the reference is spelt: see `plainReference`.
create index statement_rows_noted on statement_rows
  (operator, kind, lower(regexp_replace(operator_reference, '[^A-Za-z0-9]', '', 'g')))
  where verdict = 'noted';
create index statement_rows_top_ups on statement_rows (operator, amount_cents, at)
  where kind = 'top_up' and verdict = 'noted';
-- For the totals of a day. Statements are imported in time order.
create index statement_rows_by_time on statement_rows using brin (at);
create index statement_rows_by_payment on statement_rows (payment_id)
  where payment_id is not null;

-- Operators whose movements are pulled: a row for each operator whose protocol can list them.
create table statement_pulls (
  -- Every statement that ends here or before was pulled.
  pulled_until timestamptz not null,
  -- No process pulls before this time: one is pulling, or the last pull failed.
  due_at timestamptz not null default '-infinity',
  -- The period of a statement, and how long after its end it is pulled: movements may be listed late.
  every_minutes integer not null default 1440 check (every_minutes between 15 and 1440),
  delay_minutes integer not null default 60 check (delay_minutes between 0 and 10080),
  operator text primary key references operators,
  status text not null default 'on' check (status in ('on', 'off')),
  last_error text
);

-- Days whose totals are final: no transfer can be added to them.
create table closed_days (
  day date primary key,
  started_at timestamptz not null,
  ended_at timestamptz not null check (ended_at > started_at),
  closed_at timestamptz not null,
  closed_by text not null,
  -- What was still open, and why the day was closed anyway.
  exceptions jsonb not null
);

-- operator_code '' : the vendor's own money (collected, float and reserved together);
-- otherwise the amounts paid to the operator for the vendor (operator:<code> and receivable:<code>).
create table day_totals (
  opening_cents bigint not null,
  in_cents bigint not null,
  payments_cents bigint not null,
  -- Fees without VAT, and their VAT.
  fees_cents bigint not null,
  vat_cents bigint not null,
  -- What was transferred to the vendor's own bank.
  payouts_cents bigint not null,
  -- What the operator charged us, and the commission that it deducted from what it took from our float.
  costs_cents bigint not null,
  commissions_cents bigint not null,
  -- For information: reservations returned to the float, which move within the vendor's own money.
  refunds_cents bigint not null,
  corrections_cents bigint not null,
  closing_cents bigint not null,
  day date not null,
  bucket integer not null,
  vendor_id integer not null,
  operator_code text not null,
  primary key (bucket, vendor_id, operator_code, day)
);
