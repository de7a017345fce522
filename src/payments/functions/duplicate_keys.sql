-- The keys that an equal payment of the last p_seconds (at most 128) can have: this step of 32 s, those before,
-- and the one after, in case the clock was set back. Inlined, like content_hash.
create or replace function duplicate_keys(p_step bigint, p_hash bigint, p_seconds integer) returns bigint[]
language sql immutable parallel safe as $$
  select case when p_seconds <= 32
    then array[p_step | p_hash, (p_step - 4294967296) | p_hash, (p_step + 4294967296) | p_hash]
    else array[p_step | p_hash, (p_step - 4294967296) | p_hash, (p_step + 4294967296) | p_hash,
      (p_step - 8589934592) | p_hash, (p_step - 12884901888) | p_hash, (p_step - 17179869184) | p_hash]
  end
$$;
