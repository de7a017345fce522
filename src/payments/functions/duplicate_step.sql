-- The upper half of a duplicate key: the time in steps of 32 s, above the hash of the content. So look-ups by equality
-- find everything of the last seconds. Inlined, like content_hash, and therefore not immutable.
create or replace function duplicate_step(p_at timestamptz) returns bigint
language sql stable parallel safe as $$
  select floor(extract(epoch from p_at) / 32)::bigint << 32
$$;
