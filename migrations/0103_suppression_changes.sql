-- Every change of a suppression rule, so that an answer of the past can be explained. Append-only.
create table suppression_changes (
  change_id uuid primary key,
  rule text not null,
  changed_at timestamptz not null,
  reason text not null,
  -- The row of suppression_rules from then on; null: the rule was removed.
  became jsonb
);
