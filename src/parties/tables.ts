import type { TableClasses } from '../platform/db/distribution.ts';

export const PARTIES_TABLES: TableClasses = {
  // The anchor table: one row per bucket.
  buckets: 'distributed',
  // Joined with lists of vendors' rows.
  vendors: 'reference',
  collectors: 'local',
  security_keys: 'local',
  people: 'local',
  ended_credentials: 'local',
  sign_in_failures: 'local',
  sign_in_sources: 'local',
  person_links: 'local',
  passkeys: 'local',
  passkey_challenges: 'local',
  sessions: 'local',
  program_tokens: 'local',
  audit_log: 'local',
  audit_results: 'local',
  request_log: 'distributed',
  // Kept for minutes, and removed across all holders.
  request_nonces: 'local',
};
