import { APPEND_ONLY, READ_ONLY } from './db/runtime-grants.ts';
import type { RuntimeGrants } from './db/runtime-grants.ts';

export const PLATFORM_GRANTS: RuntimeGrants = {
  schema_migrations: READ_ONLY,
  schema_functions: READ_ONLY,
  schema_objects: READ_ONLY,
  settings_versions: { update: ['version'] },
  backups: READ_ONLY,
  database_purpose: APPEND_ONLY,
  database_history: { insert: true, updateAllBut: ['installation_id'] },
  action_answers: { insert: true, update: ['answer', 'refusal'], delete: true },
  jobs: {
    insert: true,
    update: ['progress', 'leased_until', 'ended_at', 'outcome', 'result', 'error'],
    delete: true,
  },
  database_processes: { insert: true, update: ['seen_at', 'epoch'], delete: true },
};
