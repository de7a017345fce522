import { APPEND_ONLY } from '../platform/db/runtime-grants.ts';
import type { RuntimeGrants } from '../platform/db/runtime-grants.ts';

export const PROPOSALS_GRANTS: RuntimeGrants = {
  // The decision counts, not this column.
  proposals: { insert: true, update: ['is_open'] },
  proposal_decisions: APPEND_ONLY,
};
