-- Customers that a vendor watches. The vendor is notified of a default, of an enquiry by another lender,
-- and of a falling score. A watch is based on an answered enquiry of the vendor.
create table credit_watches (
  bucket integer not null,
  vendor_id integer not null,
  -- Of the answered enquiry.
  request_reference text not null,
  crn bigint not null,
  -- The vendor is notified when the generic score has fallen by this many points.
  score_drop integer not null check (score_drop between 1 and 999),
  started_at timestamptz not null,
  ended_at timestamptz,
  -- When it is checked next.
  due_at timestamptz not null,
  -- What the vendor knows: score, accounts in default, time of the newest enquiry elsewhere; null before
  -- the first check.
  known jsonb,
  primary key (bucket, vendor_id, request_reference)
);
create index credit_watches_due on credit_watches (bucket, vendor_id, due_at) where ended_at is null;
create index credit_watches_by_subject on credit_watches (crn) where ended_at is null;
