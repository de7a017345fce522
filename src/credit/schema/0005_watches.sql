-- Customers whom a vendor watches: it is told of a default, of an enquiry elsewhere, and of a score that
-- falls. A watch rests on an enquiry of the vendor that was answered.
create table credit_watches (
  bucket integer not null,
  vendor_id integer not null,
  -- Of the answered enquiry.
  request_reference text not null,
  crn bigint not null,
  -- Points that the generic score must fall by to be told.
  score_drop integer not null check (score_drop between 1 and 999),
  started_at timestamptz not null,
  ended_at timestamptz,
  -- When it is looked at next.
  due_at timestamptz not null,
  -- What the vendor knows: score, accounts in default, time of the newest enquiry elsewhere; null before
  -- the first look.
  known jsonb,
  primary key (bucket, vendor_id, request_reference)
);
create index credit_watches_due on credit_watches (bucket, vendor_id, due_at) where ended_at is null;
create index credit_watches_by_subject on credit_watches (crn) where ended_at is null;
