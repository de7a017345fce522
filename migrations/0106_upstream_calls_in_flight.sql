-- A part of an enquiry is asked of an upstream bureau by one process at a time: two would be billed.
create unique index upstream_calls_in_flight
  on upstream_calls (vendor_id, request_reference, operation, bureau, part) where outcome is null;
