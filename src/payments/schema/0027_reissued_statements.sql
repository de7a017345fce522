-- An operator may issue an earlier file again, after a later one changed its movements. Then the earlier content
-- counts again, as a statement of its own.
alter table operator_statements add column issue integer not null default 1;
alter table operator_statements drop constraint operator_statements_operator_file_sha256_key;
alter table operator_statements add constraint operator_statements_once unique (operator, file_sha256, issue);
