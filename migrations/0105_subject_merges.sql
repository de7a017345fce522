-- Two subjects that a person found to be one: what is on file about the first is answered under the
-- second. Rows of the first stay where they are, so that a merge can be undone. Merges are one deep.
-- Append-only but for the end of a merge.
create table subject_merges (
  merge_id uuid primary key,
  from_crn bigint not null,
  into_crn bigint not null,
  merged_at timestamptz not null,
  reason text not null,
  undone_at timestamptz,
  undone_reason text,
  check (from_crn <> into_crn),
  check ((undone_at is null) = (undone_reason is null))
);
create unique index subject_merges_in_force on subject_merges (from_crn) where undone_at is null;
create index subject_merges_by_survivor on subject_merges (into_crn) where undone_at is null;
