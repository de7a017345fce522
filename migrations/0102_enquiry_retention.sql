-- Retention finds what it has still to erase without reading what is kept or erased already.
create index enquiries_to_erase on enquiries (vendor_id, enquired_at)
  where sealed_payload is not null;
create index upstream_calls_to_erase on upstream_calls (vendor_id, started_at)
  where sealed_answer is not null;
