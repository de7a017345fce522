-- Ends a security key at a given time. A key that ends earlier, or has ended, stays as it is: an
-- expired key never becomes valid again. The runtime role may not update valid_until, so this is its
-- only way to end one (src/parties/grants.ts). The ledger's key never ends: without it nothing starts, and no
-- code can be verified.
create or replace function end_key(
  p_holder_kind text,
  p_holder text,
  p_key_id uuid,
  p_until timestamptz
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update security_keys set valid_until = p_until
  where holder_kind = p_holder_kind and holder = p_holder and key_id = p_key_id
    and holder_kind <> 'ledger'
    and (valid_until is null or valid_until > p_until);
end
$$;
revoke all on function end_key(text, text, uuid, timestamptz) from public;
