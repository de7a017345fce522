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
