-- The ledger. Money enters at `bank:<code>` or `collector:<name>`, waits in `collected`, is moved to `float` by funding, is held
-- in `reserved` while a payment is open, and ends at `operator:<code>`, `fees`, `excise` and `vat`, or returns to the
-- float. What an operator charges us goes from `cost:<code>` to `operator:<code>`; what it gives us goes to
-- `commission:<code>`.
-- Transfers are only inserted; balances are updated in the same commit.
--
-- Every operation that moves a vendor's money first locks the vendor's float row; several vendors are
-- locked in the order of their ids. There are no foreign keys or triggers, because this is the hot path;
-- `ledger check` verifies what they would enforce.

create table accounts (
  balance_cents bigint not null default 0,
  bucket integer not null,
  vendor_id integer not null,
  account text not null,
  primary key (bucket, vendor_id, account),
  -- `bank:<code>` is where money of the vendor came in and went out, `collector:<name>` what a collector has of it,
  -- `unallocated` what came in before anybody knew whose it was, or was taken from the vendor as another's.
  -- `exposure` is what a vendor owes us: money that it has spent without having it. `cost:<code>` is what we
  -- paid an operator, `commission_due:<code>` what it still has to pay us, `losses:<code>` what we bear,
  -- `claims:<code>` what we claim of it, and `written_off` debts that we write off. `opening` is what a vendor had at
  -- the system that it came from.
  constraint accounts_never_negative
    check (balance_cents >= 0 or account in ('unallocated', 'opening', 'exposure', 'written_off')
      or account like 'bank:%' or account like 'collector:%'
      or account like 'cost:%' or account like 'commission_due:%' or account like 'losses:%'
      or account like 'claims:%')
) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.05);

create table transfers (
  created_at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  -- What caused it: a payment, a collection, a fund movement, a correction.
  source_id uuid not null,
  bucket integer not null,
  vendor_id integer not null,
  -- 1 opens (collect, fund, reserve). 2 resolves a reservation; the key makes that happen once.
  -- 3 is the fee without taxes, 4 the remainder that is returned when the operator paid less, 5 the VAT of the
  -- fee, 10 its excise duty. 8 is the operator's cost, 9 its commission. A correction numbers its transfers from 1 to 7,
  -- and then 10.
  leg smallint not null check (leg between 1 and 10),
  debit_account text not null,
  credit_account text not null,
  primary key (bucket, vendor_id, source_id, leg),
  check (debit_account <> credit_account)
-- By default, the statistics of a small table are renewed for every tenth row: under load every few seconds.
) with (autovacuum_analyze_threshold = 50000);
-- Rows are inserted in time order, so a block range index costs almost nothing.
create index transfers_by_time on transfers using brin (created_at);

-- The hash chain over the ledger (decision 14), built outside the hot path. Block n covers every transfer,
-- collection, fund movement and correction with started_at <= its time < ended_at. A row here covers
-- those of one vendor. Append-only.
create table ledger_blocks (
  bucket integer not null,
  vendor_id integer not null,
  block_number bigint not null,
  entry_count bigint not null check (entry_count > 0),
  -- The first 8 bytes of each entry's hash, in order. Only used to identify altered rows.
  entry_marks bytea not null,
  -- SHA-256 over the hashes of the entries.
  hash bytea not null,
  primary key (bucket, vendor_id, block_number)
);

-- The chain itself. Append-only.
create table ledger_heads (
  block_number bigint primary key check (block_number > 0),
  started_at timestamptz not null,
  ended_at timestamptz not null check (ended_at > started_at),
  -- By the clock of the process that built it.
  built_at timestamptz not null,
  entry_count bigint not null check (entry_count > 0),
  -- SHA-256 over the previous hash, this row and the blocks of all vendors.
  hash bytea not null,
  -- HMAC-SHA-256 of hash under the ledger's key, which security_keys holds encrypted.
  mac bytea not null
);

-- The end of the chain: every transfer before ended_at is in a block. One row.
create table ledger_chain (
  one_row boolean primary key default true check (one_row),
  ended_at timestamptz not null
);
insert into ledger_chain (ended_at) values ('-infinity');

-- Sums of transfers to which nothing can be added any more. Reports read them instead of the transfers
-- (decision 31). Built outside the hot path, append-only; `ledger check` computes them again.

-- What was posted between two accounts in an hour, by all vendors.
create table transfer_hours (
  hour timestamptz not null,
  count bigint not null check (count > 0),
  -- How many of them paid an operator for a payment.
  payments bigint not null check (payments between 0 and count),
  amount_cents bigint not null check (amount_cents > 0),
  -- Between our own accounts: of the vendor 0.
  is_own boolean not null,
  -- Of the payment; '': not one, or its reservation.
  biller_code text not null,
  operator_code text not null,
  debit_account text not null,
  credit_account text not null,
  primary key (hour, is_own, biller_code, operator_code, debit_account, credit_account)
);

-- What was posted between two accounts of a vendor in an hour.
create table transfer_vendor_hours (
  hour timestamptz not null,
  count bigint not null check (count > 0),
  payments bigint not null check (payments between 0 and count),
  amount_cents bigint not null check (amount_cents > 0),
  bucket integer not null,
  vendor_id integer not null,
  debit_account text not null,
  credit_account text not null,
  primary key (bucket, vendor_id, hour, debit_account, credit_account)
);
-- For reports of all vendors. Rows are inserted in time order.
create index transfer_vendor_hours_by_time on transfer_vendor_hours using brin (hour);

-- The same on a day, which begins at midnight UTC. Made of its hours.
create table transfer_days (
  day timestamptz not null,
  count bigint not null check (count > 0),
  payments bigint not null check (payments between 0 and count),
  amount_cents bigint not null check (amount_cents > 0),
  bucket integer not null,
  vendor_id integer not null,
  debit_account text not null,
  credit_account text not null,
  primary key (bucket, vendor_id, day, debit_account, credit_account)
);
create index transfer_days_by_time on transfer_days using brin (day);

-- The same in a week, which begins on Monday, for reports of all vendors over months. Made of its days.
create table transfer_weeks (
  week timestamptz not null,
  count bigint not null check (count > 0),
  payments bigint not null check (payments between 0 and count),
  amount_cents bigint not null check (amount_cents > 0),
  bucket integer not null,
  vendor_id integer not null,
  debit_account text not null,
  credit_account text not null,
  primary key (bucket, vendor_id, week, debit_account, credit_account)
);
create index transfer_weeks_by_time on transfer_weeks using brin (week);

-- Every transfer before `until` is in the sums of its hour, and of its day and week if they end by then.
-- One row.
create table transfer_sums (
  one_row boolean primary key default true check (one_row),
  until timestamptz not null
);
insert into transfer_sums (until) values ('-infinity');
