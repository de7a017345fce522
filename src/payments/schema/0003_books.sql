-- Collected income as collectors report it. The collector's reference makes a report idempotent.
create table collections (
  collector text not null,
  reference text not null,
  vendor_id integer not null,
  collection_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  paid_at timestamptz not null,
  created_at timestamptz not null,
  -- Who has the money: our bank, or the collector that reported it; `unallocated`: it waited for its vendor.
  account text not null check (account ~ '^(bank|collector):.' or account = 'unallocated'),
  -- HMAC-SHA-256 of the row under the ledger's key: database access alone is not enough to add income.
  mac bytea,
  primary key (collector, reference)
);
-- The hash chain reads them in time order.
create index collections_by_time on collections using brin (created_at);
-- Numbers of money that came in are compared as `plainReference` makes them, also those that collectors report.
create index collections_by_number on collections (lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')));

-- Collected income moved to the float. Several movements may have the same request time. It
-- is used only to answer a repeated request when no income is left to move.
create table fund_movements (
  bucket integer not null,
  vendor_id integer not null,
  requested_at timestamptz not null,
  movement_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  created_at timestamptz not null,
  primary key (bucket, vendor_id, requested_at, movement_id)
);
create index fund_movements_by_time on fund_movements using brin (created_at);

-- Money in from providers and banks. A receipt is one payment of a customer to one of our accounts at
-- a provider. It may be reported several times and by several sources, and is credited once.

-- Where receipts are reported: a short code at Safaricom, a bank account.
create table receipt_sources (
  source_code text primary key check (source_code ~ '^[a-z0-9_]{1,40}$'),
  name text not null,
  -- One of SOURCE_KINDS in src/connectors/registry.ts.
  kind text not null,
  -- In whose name its receipts are collected.
  collector text not null,
  -- The account of ours where its money is, without `bank:`. Several sources may report money of one account.
  bank text not null check (bank ~ '^[a-z0-9_]{1,40}$'),
  settings jsonb not null,
  status text not null default 'active' check (status in ('active', 'suspended')),
  -- What has been pulled, and when the next pull is due.
  pulled_until timestamptz,
  pull_due_at timestamptz not null default '-infinity',
  -- When its settings changed so that its receipts have other numbers since. What was received before then may be
  -- listed again under another number. Null: never.
  renumbered_at timestamptz
);

-- Account numbers that customers pay to, and their vendors. A row is ended, never changed.
create table receipt_accounts (
  added_at timestamptz not null,
  ended_at timestamptz,
  account_id uuid primary key,
  vendor_id integer not null,
  source_code text not null references receipt_sources,
  account text not null check (account ~ '^[A-Z0-9]{1,20}$'),
  added_by text not null,
  ended_by text,
  -- HMAC-SHA-256 of the row under the ledger's key: database access alone is not enough to add an account number that
  -- `ledger check` accepts.
  mac bytea not null,
  check ((ended_at is null) = (ended_by is null))
);
create unique index receipt_accounts_once on receipt_accounts (source_code, account)
  where ended_at is null;

-- Append-only: without it, somebody could give an account number back to a former vendor by clearing the end.
create table receipt_account_ends (
  ended_at timestamptz not null,
  account_id uuid primary key,
  ended_by text not null,
  -- HMAC-SHA-256 of the row.
  mac bytea not null
);

-- One row for each receipt, whichever sources reported it. Its key crosses vendors: one receipt
-- credits one vendor.
create table receipts (
  paid_at timestamptz not null,
  received_at timestamptz not null,
  decided_at timestamptz,
  reversed_at timestamptz,
  amount_cents bigint not null check (amount_cents > 0),
  receipt_id uuid not null unique,
  -- Null: not assigned to a vendor.
  vendor_id integer,
  -- Who numbers the receipts: mpesa, or a source whose numbers are its own.
  issuer text not null,
  receipt text not null,
  source_code text not null,
  collector text not null,
  -- The account of ours that the money came to, as its source named it then.
  bank text not null,
  -- It was booked as money whose vendor is not known: then its vendor gets it from `unallocated`, not from the bank.
  is_unallocated boolean not null default false,
  -- As the customer gave it; null: the source has none.
  account text,
  -- Name and masked number, for the people who assign it.
  payer text,
  -- The number of the bank’s entry that the receipt is a part of.
  batch text,
  -- claimed: for its vendor, not credited yet. unconfirmed: to be confirmed by another source.
  -- misdated: reported with a time in the future.
  -- disputed: could not be credited. closed: people decided that it belongs to no vendor.
  state text not null check (state in
    ('unmatched', 'unconfirmed', 'misdated', 'claimed', 'credited', 'disputed', 'closed')),
  -- Why people have to decide about it, although its vendor may be known: it may be the same money as another receipt
  -- or collection, or its text can be read in two ways. Null: the state says it all.
  doubt jsonb,
  -- Numbers of other receipts that the bank's text may name, as `plainReference` makes them: its money may be theirs.
  named text[],
  -- Its source lists days only: paid_at is the beginning of the day.
  is_day_only boolean not null default false,
  -- Its first report had no time that could be read: paid_at is when that arrived.
  is_arrival_time boolean not null default false,
  -- People entered its number, which the message that they completed does not have: it may be mistyped.
  is_by_hand boolean not null default false,
  -- How often two people have moved a credited receipt to another vendor, or given out one whose number its collector
  -- had used, and what was still credited then, or not yet: the amount with which it is credited to the next vendor.
  -- Each time it is another collection.
  moves integer not null default 0 check (moves >= 0),
  moved_cents bigint,
  -- One person proposed what was decided, and another one approved it.
  proposed_by text,
  decided_by text,
  -- HMAC-SHA-256 of the row under the ledger's key: database access alone is not enough to claim one.
  mac bytea not null,
  primary key (issuer, receipt),
  constraint receipts_assigned check ((vendor_id is not null) = (state in ('claimed', 'credited', 'disputed'))),
  constraint receipts_decision check (num_nulls(decided_by, decided_at) in (0, 2)),
  constraint receipts_moved check ((moves = 0) = (moved_cents is null)
    and (moved_cents is null or moved_cents between 1 and amount_cents)),
  constraint receipts_two_people check (num_nulls(proposed_by, decided_by) = 2
    or num_nulls(proposed_by, decided_by) = 0 and lower(decided_by) <> lower(proposed_by))
);
create index receipts_by_account on receipts (source_code, account, paid_at);
-- For the comparison of an account with its statements.
create index receipts_by_bank on receipts (bank, paid_at);
create index receipts_by_batch on receipts (issuer, batch) where batch is not null;
create index receipts_open on receipts (state, received_at) where state not in ('credited', 'closed');
-- Receipts whose numbers differ only in how they are written, whoever issued them.
create index receipts_by_number on receipts (lower(regexp_replace(receipt, '[^A-Za-z0-9]', '', 'g')));
create index receipts_by_arrival on receipts (source_code, account, paid_at) where is_arrival_time;
create index receipts_by_hand on receipts (source_code, account, paid_at) where is_by_hand;
create index receipts_by_named on receipts using gin (named) where named is not null;

-- Each different report of a receipt. Append-only.
create table receipt_reports (
  reported_at timestamptz not null,
  paid_at timestamptz not null,
  amount_cents bigint not null,
  receipt_id uuid not null,
  source_code text not null,
  channel text not null check (channel in ('confirmation', 'pull', 'stk', 'statement')),
  account text not null,
  primary key (receipt_id, source_code, channel, amount_cents, account, paid_at)
);

-- Debits of bank statements that were no return of a receipt known then. A credit of this number and
-- amount that is reported later is not credited: the bank may have listed its return first.
-- Append-only.
create table receipt_debits (
  booked_at timestamptz not null,
  reported_at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  issuer text not null,
  receipt text not null,
  source_code text not null,
  primary key (issuer, receipt, amount_cents)
);
create index receipt_debits_by_number
  on receipt_debits (lower(regexp_replace(receipt, '[^A-Za-z0-9]', '', 'g')), amount_cents);

-- The lines of bank statements, to compare them with our books. Overlapping statements list a line again. Append-only.
create table bank_lines (
  -- The day, or the time, according to the bank.
  booked_at timestamptz not null,
  reported_at timestamptz not null,
  -- Below zero: it left the account.
  amount_cents bigint not null check (amount_cents <> 0),
  -- Its number among lines with the same content in one file.
  nth integer not null check (nth > 0),
  -- The account of ours, without `bank:`.
  bank text not null,
  source_code text not null,
  kind text not null check (kind in ('credit', 'credit_returned', 'debit', 'debit_returned', 'no_payment')),
  -- The receipt that a credit is.
  issuer text not null,
  receipt text not null,
  reference text not null,
  primary key (bank, booked_at, reference, kind, amount_cents, nth)
);

-- What happened to a receipt, and who decided it. Append-only.
create table receipt_events (
  at timestamptz not null,
  receipt_id uuid not null,
  event_id uuid not null,
  action text not null check (action in
    ('claimed', 'credited', 'disputed', 'conflict', 'reversed', 'proposed', 'rejected', 'approved')),
  actor text not null,
  detail jsonb not null,
  primary key (receipt_id, event_id)
);

-- Messages that certainly came from a provider and could not be read, with their bytes, until two people complete or
-- close them. The number and size of those that are open is limited for each sender.
create table unread_messages (
  received_at timestamptz not null,
  last_received_at timestamptz not null,
  decided_at timestamptz,
  message_id uuid primary key,
  -- The receipt that it was completed as.
  receipt_id uuid,
  -- How often these bytes were received.
  times integer not null default 1 check (times > 0),
  -- A source of receipts, or an operator.
  sender_kind text not null check (sender_kind in ('source', 'operator')),
  sender text not null,
  channel text not null check (channel in ('confirmation', 'pull', 'callback')),
  -- Of the payment whose callback URL was called; null: none.
  reference text,
  problem text not null,
  state text not null default 'open' check (state in ('open', 'completed', 'closed')),
  sha256 bytea not null,
  body bytea not null,
  -- HMAC-SHA-256 of a source's message under the ledger's key: database access alone is not enough to have one completed.
  mac bytea,
  constraint unread_messages_once unique nulls not distinct (sender_kind, sender, channel, reference, sha256),
  constraint unread_messages_mac check ((mac is not null) = (sender_kind = 'source')),
  constraint unread_messages_decided check ((decided_at is null) = (state = 'open')),
  constraint unread_messages_completed check ((receipt_id is not null) = (state = 'completed'))
);
create index unread_messages_open on unread_messages (sender_kind, sender, received_at) where state = 'open';

-- Payment prompts sent to phones, with which vendors top up their floats. Recorded before they are sent,
-- and never sent twice. They credit nothing: the payment is reported as a receipt.
create table receipt_pushes (
  created_at timestamptz not null,
  -- When the provider was last asked for the result.
  asked_at timestamptz,
  amount_cents bigint not null check (amount_cents > 0),
  push_id uuid primary key,
  vendor_id integer not null,
  source_code text not null references receipt_sources,
  account text not null,
  phone text not null,
  -- The provider's own id.
  checkout_id text,
  state text not null check (state in
    ('recorded', 'sent', 'refused', 'unknown', 'paid', 'failed')),
  reason text
);
create unique index receipt_pushes_open on receipt_pushes (vendor_id)
  where state in ('recorded', 'sent');
create unique index receipt_pushes_telephone on receipt_pushes (phone)
  where state in ('recorded', 'sent');

-- Files that people upload and other people decide about, from the proposal on. A proposal names its file by its
-- hash. Append-only.
create table uploaded_files (
  kept_at timestamptz not null,
  sha256 bytea not null,
  part integer not null,
  content bytea not null,
  primary key (sha256, part)
);

-- Bank statements that two people have accepted. They are taken line by line, after the decision.
create table accepted_statements (
  accepted_at timestamptz not null,
  -- When all of its lines were taken.
  done_at timestamptz,
  proposal_id uuid primary key,
  source_code text not null,
  -- How many lines had each result.
  counts jsonb
);
create index accepted_statements_open on accepted_statements (accepted_at) where done_at is null;

-- The vendors' floats that are monitored: below which limit a vendor is notified, and what it spends. The
-- float of a vendor without a row is not monitored.
create table vendor_floats (
  changed_at timestamptz not null,
  -- Below it the vendor is notified; null: never.
  low_cents bigint check (low_cents > 0),
  -- The total cost of its payments when it was last read.
  paid_out_cents bigint,
  vendor_id integer primary key,
  state text not null default 'enough' check (state in ('enough', 'low')),
  -- Who set the limit.
  set_by text not null
);

-- What the vendor's payments cost in an hour. Old hours are deleted.
create table vendor_float_hours (
  hour timestamptz not null,
  spent_cents bigint not null check (spent_cents >= 0),
  vendor_id integer not null,
  primary key (vendor_id, hour)
);

-- Rules for automatic top-ups of a vendor's float. A row is ended, never changed, so that it shows who
-- configured each top-up.
create table top_up_rules (
  set_at timestamptz not null,
  ended_at timestamptz,
  -- Below it the float is topped up.
  threshold_cents bigint not null check (threshold_cents > 0),
  -- For a push: the balance to reach, the most in one prompt, and the most in a day.
  target_cents bigint,
  maximum_cents bigint check (maximum_cents >= 100),
  daily_cents bigint,
  rule_id uuid primary key,
  vendor_id integer not null,
  pause_seconds integer not null check (pause_seconds between 10 and 2592000),
  -- fund: collected income is moved into the float. push: a prompt to pay is sent to a phone.
  kind text not null check (kind in ('fund', 'push')),
  source_code text references receipt_sources,
  phone text,
  set_by text not null,
  ended_by text,
  check ((ended_at is null) = (ended_by is null)),
  check (target_cents > threshold_cents),
  check (daily_cents >= maximum_cents),
  check (num_nulls(target_cents, maximum_cents, daily_cents, source_code, phone)
    = case kind when 'push' then 0 else 5 end)
);
create unique index top_up_rules_once on top_up_rules (vendor_id, kind) where ended_at is null;

-- Each top-up that a rule made, recorded before it is carried out.
create table top_ups (
  at timestamptz not null,
  amount_cents bigint not null check (amount_cents >= 0),
  -- The float at that time.
  float_cents bigint not null,
  -- Also the id of the prompt.
  top_up_id uuid primary key,
  rule_id uuid not null references top_up_rules,
  vendor_id integer not null,
  -- started: nobody knows whether it was carried out.
  state text not null check (state in ('started', 'funded', 'sent', 'refused', 'unknown')),
  reason text
);
create index top_ups_of_vendor on top_ups (vendor_id, at);
-- For the newest top-ups of all vendors.
create index top_ups_by_time on top_ups (at);

-- Payouts: money that left a vendor's collected income for the vendor's own bank. Each was proposed and held as a
-- proposal (see `src/proposals`) and is a transfer of our bank, so rows are only inserted.
create table vendor_payouts (
  -- The time of the transfer.
  posted_at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  payout_id uuid primary key,
  vendor_id integer not null,
  -- The account of ours that it left, without `bank:`.
  bank text not null,
  -- Where the money goes.
  bank_account text not null,
  -- The reference of the bank's transfer.
  reference text not null,
  evidence text not null,
  note text not null,
  proposed_by text not null,
  decided_by text not null,
  -- HMAC-SHA-256 under the ledger's key, of the row and of the people who decided.
  mac bytea not null
);

-- The phone that each vendor's payouts go to. Append-only: the row with the highest number is in force.
create table payout_phones (
  set_at timestamptz not null,
  vendor_id integer not null,
  number integer not null check (number > 0),
  -- Null: from then on the vendor has none.
  phone text check (phone ~ '^254[17][0-9]{8}$'),
  set_by text not null,
  -- HMAC-SHA-256 of the row under the ledger's key.
  mac bytea not null,
  primary key (vendor_id, number)
);

-- What vendors had at the system that they came from, which two people decided. Append-only.
create table vendor_openings (
  -- The date of the balances.
  valued_at timestamptz not null,
  posted_at timestamptz not null,
  collected_cents bigint not null check (collected_cents >= 0),
  float_cents bigint not null check (float_cents >= 0),
  -- The id of the proposal, and the source of the transfers.
  import_id uuid not null,
  vendor_id integer primary key,
  -- Whether it used references there. Until they are all here, its requests are not accepted.
  has_references boolean not null,
  -- HMAC-SHA-256 of the row under the ledger's key.
  mac bytea not null
);

-- Files of used references that two people decided about. Append-only.
create table reference_files (
  approved_at timestamptz not null,
  proposal_id uuid primary key,
  -- Of the bytes of the file.
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  -- With it, every reference that its vendors used is here.
  is_last boolean not null,
  vendor_ids integer[] not null,
  -- HMAC-SHA-256 of the row under the ledger's key: its vendors are resumed by what it says.
  mac bytea not null
);
create index reference_files_by_content on reference_files (sha256);

-- When the last line of such a file was stored. Append-only.
create table reference_file_ends (
  ended_at timestamptz not null,
  proposal_id uuid primary key,
  -- HMAC-SHA-256 of the row.
  mac bytea not null
);

-- However the reference is spelt: see `plainReference`.
create unique index vendor_payouts_once on vendor_payouts
  (lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')));
create index vendor_payouts_by_time on vendor_payouts (posted_at);

-- The books of the house: the double-entry accounts of the company that runs this service. The vendors'
-- books (`0001_ledger.sql`) show what belongs to vendors; these show where the company's own money is.
--
-- Debit and credit have their accounting meaning: a debit increases an asset, such as the float with an
-- operator. What vendors' payments consumed is not repeated here: it is the sum of the vendors'
-- `operator:<code>` and `receivable:<code>` accounts, so that no payment touches a row of the house.

-- Entries that two people decided, as proposals (see `src/proposals`). Each is one transfer; an opening has a second
-- one for what payments had consumed by then. Rows are only inserted, but for the row of a statement that lists the
-- same movement.
create table house_entries (
  decided_at timestamptz not null,
  -- When the money moved.
  moved_at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  entry_id uuid primary key,
  -- A row of an operator's statement that lists the same movement, and so is not booked again.
  row_id uuid unique,
  kind text not null check (kind in ('top_up', 'withdrawal', 'charge', 'opening')),
  -- What it is about: the code of an operator.
  subject text not null,
  -- The bank's or the operator's reference of the movement.
  reference text not null,
  debit_account text not null,
  credit_account text not null,
  note text not null,
  proposed_by text not null,
  decided_by text not null,
  constraint house_entries_two_people check (lower(decided_by) <> lower(proposed_by)),
  -- Lists and `ledger check` can read every row: its times can be written as dates. The limits, the years 1 and 9999,
  -- are in seconds and without `between`, for the reasons that `people_dates` names.
  constraint house_entries_dates check (
    moved_at >= to_timestamp(-62135596800) and moved_at <= to_timestamp(253402300799))
);
-- However the reference is spelt: see `plainReference`.
create unique index house_entries_once on house_entries
  (kind, subject, lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')));

-- Accounts that two people added to the chart; see standard-accounts.ts for those that every installation has. Append-only.
create table house_accounts (
  added_at timestamptz not null,
  account_id uuid primary key,
  -- Its class and its name.
  account text not null unique
    check (account ~ '^(?:(?:asset|liability|equity|income|expense):[a-z0-9_-]{1,40}|bank:[a-z0-9_]{1,40})$'),
  title text not null,
  proposed_by text not null,
  decided_by text not null,
  constraint house_accounts_two_people check (lower(decided_by) <> lower(proposed_by))
);
create unique index house_accounts_by_title on house_accounts (lower(title));

-- Journals that two people decided: two or more lines whose debits equal their credits. Append-only.
create table house_journals (
  decided_at timestamptz not null,
  -- When the money moved.
  moved_at timestamptz not null,
  journal_id uuid primary key,
  -- The reference of the document.
  reference text not null,
  -- [{"account", "side": debit or credit, "cents": text}]
  lines jsonb not null check (jsonb_array_length(lines) >= 2),
  note text not null,
  evidence text not null,
  -- The opening trial balance of the system that was used before. There is at most one.
  is_opening boolean not null default false,
  proposed_by text not null,
  decided_by text not null,
  constraint house_journals_two_people check (lower(decided_by) <> lower(proposed_by)),
  constraint house_journals_dates check (
    moved_at >= to_timestamp(-62135596800) and moved_at <= to_timestamp(253402300799)),
  constraint house_journals_lines check (jsonb_array_length(lines)
    = jsonb_array_length(jsonb_path_query_array(lines, 'strict $[*] ? (@.account.type() == "string"
      && (@.side == "debit" || @.side == "credit") && @.cents like_regex "^[0-9]{1,19}$")')))
);
-- However the reference is spelt: see `plainReference`.
create unique index house_journals_once on house_journals
  (lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')));

create unique index house_journals_opening on house_journals (is_opening) where is_opening;

-- Append-only.
create table house_transfers (
  posted_at timestamptz not null,
  -- When the money moved, according to the operator's statement or to people.
  moved_at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  transfer_id uuid primary key,
  -- Its source: a row of a statement (top_up), all charges or the opening balance of a statement, an entry,
  -- a journal, a receipt without a vendor, or the report of a reversal.
  source_id uuid not null,
  -- A journal is several transfers, numbered from 1. The second one of an opening that people entered is what
  -- payments had consumed by then. The second and third one of a receipt are what became of it when it was closed.
  part smallint not null check (part > 0),
  source text not null check (source in
    ('top_up', 'charges', 'opening', 'entry', 'journal', 'receipt', 'reversal')),
  -- bank:<source>, operator-float:<code>, operator-charges:<code>, opening, suspense; see account.ts.
  debit_account text not null,
  credit_account text not null,
  -- HMAC-SHA-256 under the ledger's key, of the row, and of the people who decided and what they wrote.
  mac bytea not null,
  unique (source, source_id, part),
  check (part = 1 or source = 'journal' or part = 2 and source = 'entry' or part in (2, 3) and source = 'receipt'),
  check (debit_account <> credit_account)
);
-- The hash chain reads them as they were posted, reports as their money moved.
create index house_transfers_by_time on house_transfers (posted_at);
create index house_transfers_by_value on house_transfers (moved_at);
-- An operator has one opening balance.
create unique index house_transfers_opening on house_transfers (debit_account)
  where source = 'opening';

-- Operators' statements, compared with our ledger, and closed days.

create table operator_statements (
  statement_id uuid primary key,
  operator text not null references operators,
  -- period_start <= time of a row < period_end
  period_start timestamptz not null,
  period_end timestamptz not null check (period_end > period_start),
  file_sha256 bytea not null,
  -- An operator may issue an earlier file again, after a later one changed its movements. Then the earlier content
  -- counts again, as a statement of its own.
  issue integer not null default 1,
  imported_at timestamptz not null,
  -- True: it lists every movement of the period, so a missing payment was not executed.
  complete boolean not null,
  -- Our float with the operator, according to the statement; null when it does not say.
  opening_cents bigint,
  closing_cents bigint,
  -- Pulled from the operator page by page, not imported from a file; file_sha256 is then that of
  -- its content. Its last page proves that it is complete, whether or not there are balances.
  pulled boolean not null default false,
  constraint operator_statements_once unique (operator, file_sha256, issue),
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

-- Summary journals: what was posted in a period, summed by account, for the company's accounting software.

-- How they are made, and what the accounting software has to be told. Append-only; the row with the highest version counts.
create table summary_terms (
  version integer primary key check (version > 0),
  set_at timestamptz not null,
  set_by text not null,
  -- What is posted from then on is in a summary journal. The same in every version.
  starts_at timestamptz not null,
  per text not null check (per in ('day', 'month')),
  -- What lines are summed by besides their account.
  dimensions text[] not null check (dimensions <@ array['vendor', 'biller', 'operator']),
  -- Of a line without tax in the accounting software, such as T9. Null: not said.
  tax_code text,
  -- The company as the accounting software calls it. Null: not said.
  company text
);

-- The company's own code of each account. Append-only; the highest version of an account counts.
create table account_codes (
  version integer not null check (version > 0),
  set_at timestamptz not null,
  set_by text not null,
  -- An account, or the part of the name before the colon for all that begin with it.
  account text not null,
  -- Null: it has none any more.
  code text,
  primary key (account, version)
);

-- Each begins where the one before ended. Append-only, as are its lines.
create table summary_journals (
  number integer primary key check (number > 0),
  from_at timestamptz not null unique,
  to_at timestamptz not null unique,
  check (to_at > from_at),
  made_at timestamptz not null,
  -- HMAC-SHA-256 of the row and its lines under the ledger's key.
  mac bytea not null
);

create table summary_lines (
  number integer not null references summary_journals,
  line integer not null check (line > 0),
  -- The value date; of a monthly journal, the last day of its month.
  day date not null,
  -- A line of the trial balance.
  account text not null,
  class text not null,
  vendor_id integer,
  biller_code text,
  operator_code text,
  debit_cents bigint not null check (debit_cents >= 0),
  credit_cents bigint not null check (credit_cents >= 0),
  primary key (number, line)
);

-- Summary journals that are in the accounting software. Append-only, once each.
create table summary_exports (
  number integer primary key references summary_journals,
  exported_at timestamptz not null,
  exported_by text not null,
  -- How the accounting software calls it.
  reference text not null,
  -- JSON: the codes of its accounts then, with which its files are made again.
  codes text not null,
  mac bytea not null
);

-- Invoices for the fees that vendors paid, and credit notes for those that they got back.

-- The company as its invoices name it, and how it invoices. Append-only; the row with the highest version counts.
create table invoicing_terms (
  version integer primary key check (version > 0),
  set_at timestamptz not null,
  set_by text not null,
  -- Fees from then on are invoiced. The same in every version.
  starts_at timestamptz not null,
  per text not null check (per in ('month', 'payment')),
  -- An invoice waits for the number and the code of the control unit before the vendor gets it.
  needs_control boolean not null,
  legal_name text not null,
  -- The number of the tax authority.
  pin text not null,
  address text not null
);

-- Vendors as invoices name them. Append-only, like invoicing_terms. Without a row: by the vendor's name.
create table invoice_names (
  vendor_id integer not null check (vendor_id > 0),
  version integer not null check (version > 0),
  set_at timestamptz not null,
  set_by text not null,
  legal_name text not null,
  pin text,
  address text not null,
  primary key (vendor_id, version)
);

-- A period whose fees were invoiced, in one commit. Each begins where the one before ended. Append-only.
create table invoice_runs (
  run integer primary key check (run > 0),
  from_at timestamptz not null unique,
  to_at timestamptz not null unique,
  check (to_at > from_at),
  run_at timestamptz not null,
  mac bytea not null
);

-- Append-only: an invoice never changes. What was wrong is corrected by a credit note, which names its invoice.
create table invoices (
  invoice_id uuid primary key,
  run integer not null,
  -- INV: invoices. CN: credit notes.
  series text not null check (series in ('INV', 'CN')),
  -- Without gaps in each series.
  number bigint not null check (number > 0),
  vendor_id integer not null,
  issued_at timestamptz not null,
  -- Of a credit note: its invoice.
  credits uuid,
  -- The only payment that it is about; null: it is about a period.
  payment_id uuid,
  net_cents bigint not null check (net_cents >= 0),
  excise_cents bigint not null check (excise_cents >= 0),
  vat_cents bigint not null check (vat_cents >= 0),
  -- JSON: both parties, the period and the lines, as they were when it was issued.
  content text not null,
  -- HMAC-SHA-256 under the ledger's key.
  mac bytea not null,
  unique (series, number),
  check ((series = 'CN') = (credits is not null))
);
create index invoices_by_vendor on invoices (vendor_id, issued_at, invoice_id);
create index invoices_by_time on invoices (issued_at, invoice_id);
create index invoices_by_run on invoices (run, vendor_id);

-- What the control unit of the tax authority said about an invoice. Append-only, once each.
create table invoice_controls (
  invoice_id uuid primary key,
  control_number text not null,
  -- The text of the QR code.
  qr_code text not null,
  delivered_at timestamptz not null,
  delivered_by text not null,
  mac bytea not null
);
