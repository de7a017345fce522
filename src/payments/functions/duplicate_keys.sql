-- The keys that an equal payment of the last 30 s can have: this step of 32 s, the one before,
-- and the one after, in case the clock was set back. Inlined, like content_hash.
create or replace function duplicate_keys(p_step bigint, p_hash bigint) returns bigint[]
language sql immutable parallel safe as $$
  select array[p_step | p_hash, (p_step - 4294967296) | p_hash, (p_step + 4294967296) | p_hash]
$$;
