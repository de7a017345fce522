-- Payouts: money that leaves a vendor's collected income for the vendor's own bank. One person proposes,
-- another one approves; the approval is a transfer from `collected` to `paid_out`.
create table vendor_payouts (
  proposed_at timestamptz not null,
  decided_at timestamptz,
  -- The time of the transfer.
  posted_at timestamptz,
  amount_cents bigint not null check (amount_cents > 0),
  payout_id uuid primary key,
  vendor_id integer not null,
  -- Where the money goes.
  bank_account text not null,
  -- The reference of the bank's transfer.
  reference text not null,
  evidence text not null,
  note text not null,
  proposed_by text not null,
  decided_by text,
  decision text check (decision in ('approved', 'rejected')),
  -- HMAC-SHA-256 under the ledger's key, of the row and of the people who decided.
  mac bytea,
  constraint vendor_payouts_decision check (num_nulls(decision, decided_by, decided_at) in (0, 3)),
  constraint vendor_payouts_posted check (num_nulls(posted_at, mac)
    = case when decision = 'approved' then 0 else 2 end),
  constraint vendor_payouts_two_people check (decision is distinct from 'approved'
    or lower(decided_by) <> lower(proposed_by))
);
-- However the reference is spelt: see `plainReference`.
create unique index vendor_payouts_once on vendor_payouts
  (lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')))
  where decision is distinct from 'rejected';
create index vendor_payouts_by_time on vendor_payouts (posted_at) where posted_at is not null;
