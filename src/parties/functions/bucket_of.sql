-- The bucket that a vendor's rows are in: the first column of every key that belongs to vendors, and the
-- distribution column on Citus. Vendor 0 is the operator of this service. On one machine there is one
-- bucket. `malipo cluster distribute` replaces the body when an installation moves to a cluster, so it is
-- created here only where it is missing. Inlined into the statements that call it.
do $do$
begin
  if to_regprocedure('bucket_of(integer)') is null then
    create function bucket_of(p_vendor_id integer) returns integer
    language sql immutable parallel safe as 'select 0';
  end if;
end
$do$;
