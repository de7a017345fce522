import type { TableClasses } from '../platform/db/distribution.ts';

export const STAFF_TABLES: TableClasses = { action_answers: 'local', jobs: 'local' };
