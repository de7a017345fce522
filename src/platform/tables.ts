import type { TableClasses } from './db/distribution.ts';

export const PLATFORM_TABLES: TableClasses = {
  schema_migrations: 'local',
  schema_functions: 'local',
  schema_objects: 'local',
  settings_versions: 'local',
  backups: 'local',
  database_purpose: 'local',
  database_history: 'local',
  database_processes: 'local',
  action_answers: 'local',
  jobs: 'local',
};
