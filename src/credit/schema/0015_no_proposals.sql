-- oldest release: 8
-- What two people decide about the registry and the scorecards are proposals like any other (see `src/proposals`).
-- What waited has to be proposed again; what was decided is in the registry, with both people and the reason.
drop table credit_proposals;
