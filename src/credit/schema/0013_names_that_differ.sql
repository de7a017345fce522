-- The vendor found the person under another name than the one on file, as after a marriage: the person's
-- own report says so.
alter table subject_enquiries add column name_differs boolean not null default false;
