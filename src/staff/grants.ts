import type { RuntimeGrants } from '../platform/db/runtime-grants.ts';

export const STAFF_GRANTS: RuntimeGrants = {
  action_answers: { insert: true, update: ['answer', 'refusal'], delete: true },
  jobs: {
    insert: true,
    update: ['progress', 'leased_until', 'ended_at', 'outcome', 'result', 'error'],
    delete: true,
  },
};
