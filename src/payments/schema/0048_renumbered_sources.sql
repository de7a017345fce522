-- When the settings of a source of statements changed so that its receipts have other numbers since. What was
-- received before then may be listed again under another number. Null: never.
alter table receipt_sources add column renumbered_at timestamptz;
