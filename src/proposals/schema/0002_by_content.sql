-- The proposals about one case, whatever else they contain (`having` of listProposals).
create index proposals_by_content on proposals using gin (content jsonb_path_ops);
