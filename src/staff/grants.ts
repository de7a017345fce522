import type { RuntimeGrants } from '../platform/db/runtime-grants.ts';

export const STAFF_GRANTS: RuntimeGrants = {
  action_answers: { insert: true, update: ['answer'], delete: true },
};
