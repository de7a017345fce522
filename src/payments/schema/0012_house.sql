-- The books of the house: the double-entry accounts of the company that runs this service. The vendors'
-- books (0001) show what belongs to vendors; these show where the company's own money is.
--
-- Debit and credit have their accounting meaning: a debit increases an asset, such as the float with an
-- operator. What vendors' payments consumed is not repeated here: it is the sum of the vendors'
-- `operator:<code>` and `receivable:<code>` accounts, so that no payment touches a row of the house.

-- Entries for the books: one person proposes, another one approves. An approved entry is one transfer; an opening
-- has a second one for what payments had consumed by then.
create table house_entries (
  proposed_at timestamptz not null,
  decided_at timestamptz,
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
  decided_by text,
  decision text check (decision in ('approved', 'rejected')),
  constraint house_entries_decision check (num_nulls(decision, decided_by, decided_at) in (0, 3)),
  -- The person who proposed it may withdraw it, but not approve it.
  constraint house_entries_two_people check (decision is distinct from 'approved'
    or lower(decided_by) <> lower(proposed_by)),
  constraint house_entries_confirmed check (row_id is null or decision = 'approved')
);
-- However the reference is spelt: see `plainReference`.
create unique index house_entries_once on house_entries
  (kind, subject, lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')))
  where decision is distinct from 'rejected';

-- Journals that people enter: two or more lines whose debits equal their credits. One person proposes,
-- another one approves.
create table house_journals (
  proposed_at timestamptz not null,
  decided_at timestamptz,
  -- When the money moved.
  moved_at timestamptz not null,
  journal_id uuid primary key,
  -- The reference of the document.
  reference text not null,
  -- [{"account", "side": debit or credit, "cents": text}]
  lines jsonb not null check (jsonb_array_length(lines) >= 2),
  note text not null,
  evidence text not null,
  proposed_by text not null,
  decided_by text,
  decision text check (decision in ('approved', 'rejected')),
  constraint house_journals_decision check (num_nulls(decision, decided_by, decided_at) in (0, 3)),
  constraint house_journals_two_people check (decision is distinct from 'approved'
    or lower(decided_by) <> lower(proposed_by))
);
-- However the reference is spelt: see `plainReference`.
create unique index house_journals_once on house_journals
  (lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')))
  where decision is distinct from 'rejected';

-- Append-only.
create table house_transfers (
  posted_at timestamptz not null,
  -- When the money moved, according to the operator's statement or to people.
  moved_at timestamptz not null,
  amount_cents bigint not null check (amount_cents > 0),
  transfer_id uuid primary key,
  -- Its source: a row of a statement (top_up), all charges or the opening balance of a statement, an entry,
  -- or a journal.
  source_id uuid not null,
  -- A journal is several transfers, numbered from 1. The second one of an opening that people entered is what
  -- payments had consumed by then.
  part smallint not null check (part > 0),
  source text not null check (source in ('top_up', 'charges', 'opening', 'entry', 'journal')),
  -- bank:<source>, operator-float:<code>, operator-charges:<code>, opening, suspense; see account.ts.
  debit_account text not null,
  credit_account text not null,
  -- HMAC-SHA-256 under the ledger's key, of the row, and of the people who decided and what they wrote.
  mac bytea not null,
  unique (source, source_id, part),
  check (part = 1 or source = 'journal' or part = 2 and source = 'entry'),
  check (debit_account <> credit_account)
);
create index house_transfers_by_time on house_transfers (posted_at);
-- An operator has one opening balance.
create unique index house_transfers_opening on house_transfers (debit_account)
  where source = 'opening';
