import type { TableClasses } from '../platform/db/distribution.ts';

export const PROPOSALS_TABLES: TableClasses = {
  // What a proposal is about is unique across vendors, and one list has all of them.
  proposals: 'local',
  proposal_decisions: 'local',
};
