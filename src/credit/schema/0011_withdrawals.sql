-- Accounts that two people found to be listed wrongly: they leave every answer and score, also when the
-- lender submits them again. The rows of the account stay as they are. Append-only.
create table account_withdrawals (
  crn bigint not null,
  account_id bigint not null,
  withdrawn_at timestamptz not null,
  reason text not null,
  primary key (crn, account_id)
);

alter table credit_proposals drop constraint credit_proposals_content_check;
alter table credit_proposals add constraint credit_proposals_content_check
  check (content ->> 'kind' in ('merge', 'unmerge', 'dispute', 'case', 'import', 'suppression',
    'suppression_end', 'scorecard', 'withdrawal'));
