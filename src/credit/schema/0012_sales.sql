-- Debts that two people found to be sold: two lenders submit the same debt, and from the sale on it counts
-- once, under the buyer's account. The rows of both accounts stay as they are. Append-only.
create table account_sales (
  crn bigint not null,
  account_id bigint not null,
  -- The buyer's account, of the same person. It is bought once.
  into_account_id bigint not null unique,
  sold_on date not null,
  recorded_at timestamptz not null,
  reason text not null,
  primary key (crn, account_id)
);

alter table credit_proposals drop constraint credit_proposals_content_check;
alter table credit_proposals add constraint credit_proposals_content_check
  check (content ->> 'kind' in ('merge', 'unmerge', 'dispute', 'case', 'import', 'suppression',
    'suppression_end', 'scorecard', 'withdrawal', 'sale'));
