import { APPEND_ONLY, READ_ONLY } from '../platform/db/runtime-grants.ts';
import type { RuntimeGrants } from '../platform/db/runtime-grants.ts';

export const PARTIES_GRANTS: RuntimeGrants = {
  buckets: READ_ONLY,
  vendors: { insert: true, updateAllBut: ['vendor_id', 'vid', 'created_at'] },
  collectors: { insert: true, updateAllBut: ['collector', 'created_at'] },
  security_keys: { insert: true, update: ['master_key_id', 'sealed'] },
  people: { insert: true, updateAllBut: ['person_id', 'login', 'vendor_id', 'created_at'] },
  ended_credentials: APPEND_ONLY,
  sign_in_failures: { insert: true, update: ['login', 'failed_count', 'failed_at'], delete: true },
  sign_in_sources: { insert: true, update: ['login', 'failed_count', 'failed_at'], delete: true },
  person_links: { insert: true, update: ['expires_at', 'used_at'] },
  passkeys: { insert: true, update: ['sign_count', 'used_at'], delete: true },
  passkey_challenges: { insert: true, delete: true },
  sessions: { insert: true, update: ['seen_at'], delete: true },
  program_tokens: { insert: true, update: ['used_at'] },
  audit_log: APPEND_ONLY,
  audit_results: APPEND_ONLY,
  request_log: { insert: true, delete: true },
  request_nonces: { insert: true, update: ['use_id'], delete: true },
};
